/* check_walk.c - goes through a store by its keys: documents are read and judged, chunks are
 * queued, and what is neither is reported. It goes on after whatever it finds. */
#include "array/array/array.h"
#include "command/check/check_internal.h"
#include "command/command/command.h"
#include "store/store/lease.h"
#include <stdlib.h>

/* Kinds of prefixes. */
typedef enum place_kind { PLACE_OTHER, PLACE_GROUP, PLACE_ARRAY } place_kind;

struct place {
    const char *prefix;
    vz_entry *entries;
    size_t count;
};

static bool walk(vz_check *check, const char *prefix, unsigned depth, place_kind *kind, vz_error *err);

/* ---- documents ---- */

static bool check_enter(vz_check *check, const char *key);

static bool check_foreign(vz_check *check, const char *key, vz_error *err);

/* Reads a JSON document; *value NULL: it is not there, or it is wrong, and reported so. */
static bool check_read(vz_check *check, const char *key, vz_json **value, vz_error *err)
{
    vz_buffer text = {.limit = VZ_DOCUMENT_MAX_SIZE};
    vz_error why = VZ_ERROR_NONE;
    bool found = false;
    *value = NULL;
    if (vz_store_get(check->store, key, VZ_WHOLE, &text, &found, &why) && found)
        *value = vz_json_parse_within((const char *)text.data, text.size, VZ_DOCUMENT_MAX_VALUES, &why);
    vz_buffer_clear(&text);
    if (why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    if (why.class != VZ_OK)
        vz_report_find(&check->report, VZ_FINDING_DOCUMENT, key, "%s", why.text);
    return true;
}

/* Reads prefix/name; what is no object is reported, too. */
static bool read_object(vz_check *check, const char *prefix, const char *name, vz_json **value, vz_error *err)
{
    char *key = vz_document_key_join(prefix, name, err);
    const bool ok = key && check_read(check, key, value, err);
    if (ok && *value && vz_json_kind_of(*value) != VZ_JSON_OBJECT) {
        vz_report_find(&check->report, VZ_FINDING_DOCUMENT, key, "it must be an object, and is %s",
                       vz_json_kind_name(*value));
        vz_json_free(*value);
        *value = NULL;
    }
    free(key);
    return ok;
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const vz_entry *)entry)->name);
}

static bool has_value(const struct place *place, const char *name)
{
    const vz_entry *entry =
        place->count ? bsearch(name, place->entries, place->count, sizeof *place->entries, compare_name) : NULL;
    return entry && !entry->is_prefix;
}

/* ---- arrays ---- */

static bool walk_chunks(vz_check *check, const vz_meta *meta, const char *prefix, const char *below, unsigned depth,
                        vz_error *err);

static bool judge_value(vz_check *check, const vz_meta *meta, const char *prefix, const char *key, vz_error *err)
{
    uint64_t at[VZ_MAX_RANK];
    const bool is_chunk = vz_chunk_parse_key(meta, key, at);
    if (is_chunk && vz_chunk_has_key(meta, at)) {
        check->chunks++;
        return check->quick || vz_check_queue_chunk(check, at, err);
    }
    char *whole = vz_document_key_join(prefix, key, err);
    bool ok = whole != NULL;
    if (ok && is_chunk)
        vz_report_find(&check->report, VZ_FINDING_OUTSIDE, whole, "no element of the array lies in it");
    else if (ok)
        ok = check_foreign(check, whole, err);
    free(whole);
    return ok;
}

/* `name`: the last part of the key. */
static bool judge_below(vz_check *check, const vz_meta *meta, const char *prefix, const char *key, const char *name,
                        unsigned depth, vz_error *err)
{
    /* "c", and numbers of all dimensions but the last. */
    const bool is_part =
        meta->separator == '/' && depth + 1 < meta->rank + meta->key_c && vz_partial_is_chunk_part(name, strlen(name));
    place_kind kind = PLACE_OTHER;
    char *whole;
    if (is_part)
        return walk_chunks(check, meta, prefix, key, depth + 1, err);
    if (!(whole = vz_document_key_join(prefix, key, err)))
        return false;
    const bool ok = check_enter(check, whole) ? walk(check, whole, 0, &kind, err) : true;
    if (ok)
        vz_report_find(&check->report, VZ_FINDING_FOREIGN, whole,
                       kind == PLACE_OTHER ? "no chunk of the array is called so" : "a node within an array");
    free(whole);
    return ok;
}

/* `below`: a key below the array's prefix, "" at first. */
static bool walk_chunks(vz_check *check, const vz_meta *meta, const char *prefix, const char *below, unsigned depth,
                        vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    vz_error why = VZ_ERROR_NONE;
    char *at = *below ? vz_document_key_join(prefix, below, err) : strdup(prefix);
    bool ok = at || vz_fail_memory(err);
    if (ok && !vz_store_list(check->chunks_at, at, &entries, &count, &why))
        vz_report_find(&check->report, VZ_FINDING_VALUE, at, "%s", why.text);
    for (size_t i = 0; ok && i < count; i++) {
        if (depth == 0 && !entries[i].is_prefix && vz_zarr_is_document(entries[i].name))
            continue;
        char *key = vz_document_key_join(below, entries[i].name, err);
        ok = key && (entries[i].is_prefix ? judge_below(check, meta, prefix, key, entries[i].name, depth, err)
                                          : judge_value(check, meta, prefix, key, err));
        free(key);
    }
    ok = ok && vz_check_partials(check, at, err);
    vz_entries_free(entries, count);
    free(at);
    return ok;
}

/* Takes `meta`, and `from`, the store of the chunks (NULL: the check's). */
static bool judge_chunks(vz_check *check, const char *prefix, vz_meta *meta, vz_store *from, const vz_json *attributes,
                         vz_error *err)
{
    vz_store *const before = check->chunks_at; /* of an array that the node lies in */
    bool opened = false, ok;
    check->chunks_at = from ? from : check->store;
    if (check->quick) {
        ok = walk_chunks(check, meta, prefix, "", 0, err);
        vz_meta_free(meta);
        vz_store_close(from);
    } else {
        ok = vz_check_queue_array(check, prefix, meta, from, attributes, &opened, err) &&
             (!opened || walk_chunks(check, meta, prefix, "", 0, err));
    }
    check->chunks_at = before;
    return ok;
}

/* Takes `meta`. */
static bool judge_referenced(vz_check *check, const char *prefix, vz_meta *meta, const vz_json *attributes,
                             vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_store *from = vz_check_open_referenced(check, prefix, meta, &failed);
    if (from)
        return judge_chunks(check, prefix, meta, from, attributes, err);
    vz_meta_free(meta);
    return failed.class == VZ_OK || vz_fail_memory(err);
}

static bool judge_array(vz_check *check, const struct place *place, const vz_zarr_format *zarr_format,
                        const vz_json *document, const vz_json *attributes, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_meta *meta = zarr_format->load(document, &why);
    if (!meta && why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    check->arrays++;
    if (!meta) {
        vz_report_find(&check->report, why.class == VZ_CORRUPT ? VZ_FINDING_DOCUMENT : VZ_FINDING_UNJUDGED,
                       place->prefix, "%s", why.text);
        return true;
    }
    const char *member = zarr_format->dimension_names;
    const vz_json *names = vz_json_get(member ? document : attributes, member ? member : VZ_ARRAY_DIMENSIONS);
    vz_check_earlier_array(check, place->prefix, document, attributes, names);
    if (!vz_check_dimensions_of(check, place->prefix, meta, names, attributes, err)) {
        vz_meta_free(meta);
        return false;
    }
    return meta->is_referenced ? judge_referenced(check, place->prefix, meta, attributes, err)
                               : judge_chunks(check, place->prefix, meta, NULL, attributes, err);
}

/* ---- groups ---- */

static bool judge_members(vz_check *check, const struct place *place, unsigned depth, bool of_group, bool *has_nodes,
                          vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < place->count; i++) {
        const vz_entry *entry = &place->entries[i];
        place_kind kind = PLACE_OTHER;
        if (!entry->is_prefix && vz_zarr_is_document(entry->name))
            continue;
        char *key = vz_document_key_join(place->prefix, entry->name, err);
        ok = key != NULL;
        if (ok && entry->is_prefix && check_enter(check, key)) {
            ok = walk(check, key, depth + 1, &kind, err);
            *has_nodes = *has_nodes || kind != PLACE_OTHER;
            if (ok && kind == PLACE_OTHER && of_group)
                vz_report_find(&check->report, VZ_FINDING_FOREIGN, key, "there is no metadata of Zarr in it");
        } else if (ok && !entry->is_prefix && of_group) {
            ok = check_foreign(check, key, err);
        }
        free(key);
    }
    return ok;
}

static bool judge_group(vz_check *check, const char *prefix, const vz_zarr_format *zarr_format, const vz_json *document,
                        vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    check->groups++;
    if (zarr_format->check_group(document, &why))
        return true;
    if (why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    vz_report_find(&check->report, why.class == VZ_UNSUPPORTED ? VZ_FINDING_UNJUDGED : VZ_FINDING_DOCUMENT, prefix,
                   "%s", why.text);
    return true;
}

/* ---- one prefix ---- */

/* The documents of one format at a place. */
struct node {
    const vz_zarr_format *zarr_format;
    const char *name; /* of the document that tells what it is */
    place_kind kind;
    vz_json *document, *separate; /* separate: of the attributes; NULL: there is none */
    const vz_json *attributes;    /* in one of the two; NULL: none */
    vz_json *copy;                /* v2's; NULL: none */
};

static void clear_node(struct node *node)
{
    vz_json_free(node->document);
    vz_json_free(node->separate);
    vz_json_free(node->copy);
}

static bool tell_kind(const struct node *node, bool is_array_name)
{
    if (!node->zarr_format->says)
        return is_array_name;
    return node->zarr_format->says(node->document) == VZ_SAYS_ARRAY;
}

/* Reads what is there of one format; node->kind PLACE_OTHER: nothing. */
static bool read_node(vz_check *check, const struct place *place, struct node *node, vz_error *err)
{
    const vz_zarr_format *zarr_format = node->zarr_format;
    const bool is_array = has_value(place, zarr_format->array), is_group = has_value(place, zarr_format->group);
    if (!is_array && !is_group)
        return true;
    node->name = is_array ? zarr_format->array : zarr_format->group;
    if (is_array && is_group && strcmp(zarr_format->array, zarr_format->group) != 0)
        vz_report_find(&check->report, VZ_FINDING_DOCUMENT, place->prefix, "both an array and a group: %s and %s",
                       zarr_format->array, zarr_format->group);
    node->kind = PLACE_GROUP;
    if (!read_object(check, place->prefix, node->name, &node->document, err))
        return false;
    if (zarr_format->attributes && has_value(place, zarr_format->attributes) &&
        !read_object(check, place->prefix, zarr_format->attributes, &node->separate, err))
        return false;
    if (zarr_format->consolidated && has_value(place, zarr_format->consolidated) &&
        !read_object(check, place->prefix, zarr_format->consolidated, &node->copy, err))
        return false;
    if (node->document || !zarr_format->says)
        node->kind = tell_kind(node, is_array) ? PLACE_ARRAY : PLACE_GROUP;
    node->attributes = zarr_format->attributes ? node->separate : vz_json_get(node->document, VZ_ATTRIBUTES);
    return true;
}

static bool check_attributes(vz_check *check, const struct place *place, const struct node *node, vz_error *err)
{
    if (node->attributes && vz_json_kind_of(node->attributes) != VZ_JSON_OBJECT) {
        vz_report_find(&check->report, VZ_FINDING_DOCUMENT, place->prefix,
                       "its attributes must be an object, and are %s", vz_json_kind_name(node->attributes));
        return true;
    }
    return !node->attributes || vz_check_attributes(check, place->prefix, node->attributes, err);
}

/* Copies of the groups above have these, and so has this group's own in v2. */
static void meet_documents(vz_check *check, const struct place *place, const struct node *node)
{
    if (node->document)
        vz_check_copy_meet(check, place->prefix, node->name, node->zarr_format, node->document);
    if (node->separate)
        vz_check_copy_meet(check, place->prefix, node->zarr_format->attributes, node->zarr_format, node->separate);
}

static bool open_copy(vz_check *check, const struct place *place, const struct node *node, vz_check_copy **above,
                      vz_error *err)
{
    const vz_json *copy = node->zarr_format->consolidated ? node->copy : vz_json_get(node->document, VZ_CONSOLIDATED);
    const vz_json *documents = vz_json_get(copy, "metadata");
    *above = check->copy;
    if (!copy || vz_json_kind_of(copy) == VZ_JSON_NULL)
        return true;
    char *key = vz_document_key_join(
        place->prefix, node->zarr_format->consolidated ? node->zarr_format->consolidated : node->name, err);
    bool ok = key != NULL;
    if (ok && vz_json_kind_of(documents ? documents : copy) != VZ_JSON_OBJECT)
        vz_report_find(&check->report, VZ_FINDING_DOCUMENT, key, "consolidated metadata that is no object");
    else if (ok && documents)
        ok = vz_check_copy_open(check, place->prefix, key, node->zarr_format, documents, err);
    else if (ok)
        vz_report_find(&check->report, VZ_FINDING_DOCUMENT, key, "consolidated metadata without \"metadata\"");
    free(key);
    return ok;
}

static bool judge_group_members(vz_check *check, const struct place *place, const struct node *node, unsigned depth,
                                vz_error *err)
{
    bool has_nodes = false;
    if (!vz_check_dimensions_begin(check, node->attributes, err))
        return false;
    vz_check_earlier_group(check, place->prefix, node->attributes);
    const bool ok = judge_members(check, place, depth, true, &has_nodes, err);
    return vz_check_dimensions_end(check, ok ? err : NULL) && ok;
}

static bool judge_node(vz_check *check, const struct place *place, const struct node *node, unsigned depth,
                       vz_error *err)
{
    vz_check_copy *above = check->copy;
    if (!node->zarr_format->consolidated)
        meet_documents(check, place, node);
    bool ok = open_copy(check, place, node, &above, err);
    if (node->zarr_format->consolidated)
        meet_documents(check, place, node);
    ok = ok && check_attributes(check, place, node, err);
    if (ok && node->kind == PLACE_ARRAY && node->document)
        ok = judge_array(check, place, node->zarr_format, node->document, node->attributes, err);
    else if (ok && node->kind == PLACE_GROUP)
        ok = (!node->document || judge_group(check, place->prefix, node->zarr_format, node->document, err)) &&
             judge_group_members(check, place, node, depth, err);
    while (check->copy != above)
        vz_check_copy_close(check);
    return ok;
}

/* The newer format counts first, as for every reader. */
static bool judge_place(vz_check *check, const struct place *place, unsigned depth, place_kind *kind, vz_error *err)
{
    bool ok = true, has_nodes = false;
    *kind = PLACE_OTHER;
    for (size_t i = 0; ok && i < VZ_ZARR_FORMATS && *kind == PLACE_OTHER; i++) {
        struct node node = {.zarr_format = vz_zarr_formats[i]};
        ok = read_node(check, place, &node, err);
        *kind = node.kind;
        if (ok && node.kind != PLACE_OTHER)
            ok = judge_node(check, place, &node, depth, err);
        clear_node(&node);
    }
    if (ok && *kind == PLACE_OTHER) {
        ok = judge_members(check, place, depth, false, &has_nodes, err);
        *kind = has_nodes ? PLACE_GROUP : PLACE_OTHER;
    }
    return ok;
}

static bool walk(vz_check *check, const char *prefix, unsigned depth, place_kind *kind, vz_error *err)
{
    struct place place = {.prefix = prefix};
    vz_error why = VZ_ERROR_NONE;
    if (depth > VZ_MAX_DEPTH) {
        vz_report_find(&check->report, VZ_FINDING_UNJUDGED, prefix, "groups nested deeper than %d", VZ_MAX_DEPTH);
        return true;
    }
    if (!vz_store_list(check->store, prefix, &place.entries, &place.count, &why)) {
        if (why.class == VZ_NO_MEMORY)
            return vz_fail_memory(err);
        vz_report_find(&check->report, VZ_FINDING_VALUE, prefix, "%s", why.text);
        return true;
    }
    bool ok = judge_place(check, &place, depth, kind, err);
    if (ok && *kind != PLACE_ARRAY) /* of an array, its chunks' walk looked */
        ok = vz_check_partials(check, prefix, err);
    vz_entries_free(place.entries, place.count);
    return ok;
}

bool vz_check_walk(vz_check *check, const char *prefix, vz_error *err)
{
    place_kind kind = PLACE_OTHER;
    if (!walk(check, prefix, 0, &kind, err))
        return false;
    if (kind == PLACE_OTHER)
        vz_report_find(&check->report, VZ_FINDING_STORE, prefix, "there is no metadata of Zarr at its top");
    return true;
}

/* ---- what is no part of a store ---- */

/* May a prefix be looked into? Not too many symbolic links are. */
static bool check_enter(vz_check *check, const char *key)
{
    if (vz_subject_enters(check->store, key, &check->links))
        return true;
    vz_report_find(&check->report, VZ_FINDING_UNJUDGED, key, "a symbolic link, behind %d others that were followed",
                   VZ_LINKS_ENTERED_MAX);
    return false;
}

/* A value that is no part of a Zarr store; it can be damaged all the same. */
static bool check_foreign(vz_check *check, const char *key, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    if (!vz_store_verify(check->store, key, &why) && why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    if (why.class != VZ_OK)
        vz_report_find(&check->report, VZ_FINDING_VALUE, key, "%s", why.text);
    else
        vz_report_find(&check->report, VZ_FINDING_FOREIGN, key, "neither metadata of Zarr nor a chunk");
    return true;
}
