/* consolidated.c - the copy of all documents at the root, what zarr-python calls consolidated metadata: ".zmetadata",
 * in format 3 a member of the root's own document. Readers trust it without a look at the nodes, so it is gone before
 * anything changes, and written anew as the last act of closing. */
#include "hierarchy/consolidated.h"
#include "util/strmap.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include "store/ahead.h"
#include <errno.h>
#include <stdlib.h>

#define FORMAT_KEY   "zarr_consolidated_format"
#define METADATA_KEY "metadata"
#define DEPTH_MAX    512

/* ---- dropping ---- */

/* The root's is looked at in the store, as somebody else may have written one since it was read; so is that of a group
 * that had one, since it gets it again. */
static bool drop_inside(vz_node *group, const char *prefix, vz_json **removed, vz_error *err)
{
    const vz_hierarchy *hierarchy = group->hierarchy;
    const vz_json *copy = vz_json_get(group->document, VZ_CONSOLIDATED);
    const bool is_known = copy && vz_json_kind_of(copy) != VZ_JSON_NULL;
    const bool had_one = hierarchy->old_copies && vz_strmap_get(hierarchy->old_copies, prefix);
    if (group->is_new || (!is_known && !had_one && group->parent))
        return true;
    if (!vz_documents_lock(group->hierarchy, err))
        return false;
    const bool ok =
        vz_document_drop_copy(group->hierarchy->store, group->spelling, prefix, &group->document_hash, removed, err);
    vz_documents_unlock(group->hierarchy);
    if (!ok)
        return false;
    if (is_known)
        vz_json_remove(group->document, VZ_CONSOLIDATED);
    if (*removed)
        vz_node_keep_version(group, false, NULL);
    return true;
}

/* Where it was read ahead, that tells; it can be too large to be. */
static bool is_there(vz_store *store, const char *key, bool *exists, vz_error *err)
{
    vz_buffer text = {0};
    vz_version version;
    vz_stamp stamp = {0};
    const bool known = vz_store_see_ahead(store, key, &text, exists, &version);
    vz_buffer_clear(&text);
    if (known)
        return true;
    const bool ok = vz_store_stat(store, key, &stamp, err);
    *exists = stamp.exists;
    return ok;
}

static bool drop_apart(vz_node *group, const char *prefix, vz_json **removed, vz_error *err)
{
    vz_store *store = group->hierarchy->store;
    bool exists = false;
    char *key = vz_key_join(prefix, group->spelling->consolidated, err);
    bool ok = key && (group->is_new || is_there(store, key, &exists, err));
    vz_request gone = {.op = VZ_REQUEST_DELETE, .key = key};
    if (ok && exists)
        ok = vz_request_do(store, &gone, NULL, err) && (*removed = vz_json_null(err));
    free(key);
    return ok;
}

static bool drop_of(vz_node *group, vz_error *err)
{
    vz_hierarchy *hierarchy = group->hierarchy;
    vz_json *removed = NULL;
    char *prefix = vz_node_prefix(group, err);
    bool ok = prefix && (group->spelling->consolidated ? drop_apart : drop_inside)(group, prefix, &removed, err);
    if (ok && !group->parent)
        ok = vz_consolidated_drop_above(hierarchy->store, err);
    if (ok && !group->parent)
        hierarchy->consolidates |= group->is_new || removed;
    if (ok && removed)
        ok = vz_consolidated_remember(hierarchy, prefix, removed, err);
    free(prefix);
    return ok;
}

bool vz_consolidated_drop(vz_node *node, vz_error *err)
{
    node->hierarchy->wrote_documents = true;
    for (; node; node = node->parent) {
        if (node->kind != VZ_NODE_GROUP || node->consolidated_dropped)
            continue;
        if (!drop_of(node, err))
            return false;
        node->consolidated_dropped = true;
    }
    return true;
}

void vz_consolidated_look_again(vz_hierarchy *hierarchy)
{
    if (hierarchy->dirty && !hierarchy->root->is_new)
        hierarchy->root->consolidated_dropped = false;
}

/* ---- writing ---- */

typedef struct collector {
    const vz_hierarchy *hierarchy;
    vz_store *store;
    const char *base; /* prefix of the group that gets the copy */
    const vz_spelling *spelling;
    vz_json *metadata;
    bool possible; /* until a node turns up that not every reader understands */
    char *blocked; /* its prefix; heap, NULL: there is none, or no memory for it */
} collector;

/* A key as seen from the group that gets the copy. */
static const char *below_base(const collector *c, const char *key)
{
    const size_t length = strlen(c->base);
    return length ? key + length + 1 : key;
}

/* Takes the document into the collection, if it is there. */
static bool collect_document(collector *c, const char *prefix, const char *document, const vz_json **value,
                             vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    *value = NULL;
    bool ok = vz_document_get(c->store, prefix, document, &text, &found, err);
    if (ok && found) {
        vz_json *parsed = vz_json_parse_within((const char *)text.data, text.size, VZ_DOCUMENT_MAX_VALUES, NULL);
        char *key = parsed ? vz_key_join(prefix, document, err) : NULL;
        c->possible = c->possible && parsed;
        *value = parsed;
        if (parsed && !key)
            vz_json_free(parsed);
        ok = !parsed || (key && vz_json_set(c->metadata, below_base(c, key), parsed, err));
        free(key);
    }
    vz_buffer_clear(&text);
    return ok;
}

static bool collect(collector *c, const char *prefix, unsigned depth, vz_error *err);

static bool collect_below(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_store_list_first(c->store, prefix, &entries, &count, err);
    for (size_t i = 0; ok && c->possible && i < count; i++) {
        if (!entries[i].is_prefix)
            continue;
        char *below = vz_key_join(prefix, entries[i].name, err);
        ok = below && collect(c, below, depth + 1, err);
        free(below);
    }
    vz_entries_free(entries, count);
    return ok;
}

/* {"kind": "inline", "must_understand": false, "metadata": take} */
static vz_json *inline_copy(vz_json *take, vz_error *err)
{
    vz_json *copy = vz_json_object(err);
    if (!copy) {
        vz_json_free(take);
        return NULL;
    }
    if (vz_json_set(copy, METADATA_KEY, take, err) && vz_json_set(copy, "kind", vz_json_text("inline", err), err) &&
        vz_json_set(copy, "must_understand", vz_json_bool(false, err), err))
        return copy;
    vz_json_free(copy);
    return NULL;
}

/* Each group in the copy carries an empty one, or zarr-python would look for its members in the store. */
static bool set_empty_copy(vz_json *document, vz_error *err)
{
    vz_json *nothing = vz_json_object(err), *copy = nothing ? inline_copy(nothing, err) : NULL;
    return copy && vz_json_set(document, VZ_CONSOLIDATED, copy, err);
}

/* Where the copy goes is not in it. */
static bool collect_node(collector *c, const char *prefix, vz_json *document, vz_error *err)
{
    const bool is_group = c->spelling->says(document) == VZ_SAYS_GROUP, is_base = strcmp(prefix, c->base) == 0;
    if (!is_base && (!is_group || set_empty_copy(document, err)))
        return vz_json_set(c->metadata, below_base(c, prefix), document, err);
    vz_json_free(document);
    return is_base;
}

static bool collect_nodes(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    bool ok = vz_document_get(c->store, prefix, c->spelling->array, &text, &found, err);
    vz_json *document =
        ok && found ? vz_document_parse(c->spelling->array, (const char *)text.data, text.size, NULL) : NULL;
    vz_buffer_clear(&text);
    c->possible =
        c->possible && document && (c->spelling->readable(document) || vz_consolidated_had(c->hierarchy, document));
    const bool is_group = c->spelling->says(document) == VZ_SAYS_GROUP;
    c->possible = c->possible && (is_group || depth > 0);
    if (!c->possible) {
        vz_json_free(document);
        return ok;
    }
    return collect_node(c, prefix, document, err) && (!is_group || collect_below(c, prefix, depth, err));
}

static bool collect_documents(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    const vz_json *array, *group = NULL, *attributes;
    if (!collect_document(c, prefix, c->spelling->array, &array, err) ||
        (!array && !collect_document(c, prefix, c->spelling->group, &group, err)) ||
        !collect_document(c, prefix, c->spelling->attributes, &attributes, err))
        return false;
    c->possible = c->possible && (group || (array && depth > 0 && c->spelling->readable(array)));
    return !group || !c->possible || collect_below(c, prefix, depth, err);
}

/* A directory without documents (or one of another format) among them: readers that find none of it in the copy would
 * take it for missing. */
static bool collect(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    bool ok = true;
    if (depth > DEPTH_MAX)
        c->possible = false;
    else
        ok =
            c->spelling->consolidated ? collect_documents(c, prefix, depth, err) : collect_nodes(c, prefix, depth, err);
    if (ok && !c->possible && !c->blocked)
        c->blocked = strdup(prefix);
    return ok;
}

static bool write_apart(const collector *c, vz_json *metadata, vz_error *err)
{
    uint64_t hash;
    vz_json *all = vz_json_object(err);
    if (!all)
        vz_json_free(metadata);
    const bool ok = all && vz_json_set(all, METADATA_KEY, metadata, err) &&
                    vz_json_set(all, FORMAT_KEY, vz_json_int64(1, err), err) &&
                    vz_document_put(c->store, c->base, c->spelling->consolidated, all, &hash, err);
    vz_json_free(all);
    return ok;
}

/* The group at that prefix, if it is loaded. */
static vz_node *loaded_group(vz_hierarchy *hierarchy, const char *prefix)
{
    vz_node *node = hierarchy->root;
    char *copy = strdup(prefix), *rest = copy, *segment;
    while (node && (segment = strsep(&rest, "/"))) {
        const vz_member *member = *segment && node->members ? vz_members_by_segment(node->members, segment) : NULL;
        if (*segment)
            node = member ? member->link.node : NULL;
    }
    free(copy);
    return copy ? node : NULL;
}

/* The group's document says more than the copy, so it must not change under us. */
static bool write_inside(vz_hierarchy *hierarchy, const collector *c, vz_json *metadata, vz_error *err)
{
    uint64_t unknown = 0;
    vz_json *copy = inline_copy(metadata, err);
    vz_node *group = loaded_group(hierarchy, c->base);
    if (!copy || !vz_documents_lock(hierarchy, err)) {
        vz_json_free(copy);
        return false;
    }
    const bool ok =
        vz_document_put_copy(c->store, c->spelling, c->base, group ? &group->document_hash : &unknown, copy, err);
    vz_documents_unlock(hierarchy);
    if (group)
        vz_node_keep_version(group, false, NULL);
    return ok;
}

/* Of what keeps a copy from being made, a system that fails is reported. A node that is damaged, or not for us to read,
 * or moved too deep for any path, was so before: the store is as good without a copy, and readers meet what is wrong
 * where it is. */
static bool is_ours_to_tell(const vz_error *failed)
{
    return (failed->class == VZ_IO && failed->sys_errno != ENAMETOOLONG) || failed->class == VZ_NO_MEMORY;
}

/* The copy of one group; nothing where it is no group of that format any more. *blocked: the prefix of what keeps it
 * from being made, heap; NULL: nothing does. */
static bool write_copy(vz_hierarchy *hierarchy, const char *base, const vz_spelling *spelling, char **blocked,
                       vz_error *err)
{
    collector c = {.hierarchy = hierarchy,
                   .store = hierarchy->store,
                   .base = base,
                   .spelling = spelling,
                   .metadata = vz_json_object(err),
                   .possible = true};
    if (!c.metadata)
        return false;
    vz_error failed = VZ_ERROR_NONE;
    bool tells = true;
    const bool is_far = vz_hierarchy_is_far(hierarchy); /* then all of it is read at once */
    bool ok =
        (!is_far || (vz_store_keep_ahead(c.store, &failed) && vz_tree_read_ahead(c.store, spelling, base, &failed))) &&
        collect(&c, base, 0, &failed);
    if (is_far)
        vz_store_forget_ahead(c.store, NULL);
    if (ok && c.possible) {
        ok = spelling->consolidated ? write_apart(&c, c.metadata, &failed)
                                    : write_inside(hierarchy, &c, c.metadata, &failed);
        tells = failed.class != VZ_LIMIT; /* larger than anybody would read */
    } else {
        vz_json_free(c.metadata);
        tells = blocked || is_ours_to_tell(&failed);
    }
    if (blocked)
        *blocked = c.blocked;
    else
        free(c.blocked);
    if (ok || !tells)
        return true;
    if (err)
        *err = failed;
    return false;
}

/* A copy that stood in a document of its own is not remembered but as null. */
static const vz_spelling *spelling_of_copy(const vz_json *copy)
{
    size_t i = 0;
    while (i + 1 < VZ_SPELLINGS && !vz_spellings[i]->consolidated != (vz_json_kind_of(copy) != VZ_JSON_NULL))
        i++;
    return vz_spellings[i];
}

/* Groups below the root that had a copy get it again. */
static bool write_below(vz_hierarchy *hierarchy, vz_error *err)
{
    size_t cursor = 0;
    const char *prefix;
    void *copy;
    bool ok = true;
    while (ok && hierarchy->old_copies && vz_strmap_next(hierarchy->old_copies, &cursor, &prefix, &copy))
        if (*prefix)
            ok = write_copy(hierarchy, prefix, spelling_of_copy(copy), NULL, err);
    return ok;
}

static bool remove_inside(vz_hierarchy *hierarchy, const char *prefix, const vz_spelling *spelling, vz_json **removed,
                          vz_error *err)
{
    uint64_t hash = 0;
    if (!vz_documents_lock(hierarchy, err))
        return false;
    const bool ok = vz_document_drop_copy(hierarchy->store, spelling, prefix, &hash, removed, err);
    vz_documents_unlock(hierarchy);
    return ok;
}

/* Another process may have written one while we changed what it says. */
static bool remove_copy(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_stamp stamp = {0};
    vz_json *removed = NULL;
    if (!hierarchy->spelling->consolidated) {
        const bool ok = remove_inside(hierarchy, "", hierarchy->spelling, &removed, err);
        vz_json_free(removed);
        return ok;
    }
    return !vz_store_stat(hierarchy->store, hierarchy->spelling->consolidated, &stamp, NULL) || !stamp.exists ||
           vz_store_del(hierarchy->store, hierarchy->spelling->consolidated, err);
}

static bool forget_drop(vz_node *node, void *context, vz_error *err)
{
    (void)context, (void)err;
    node->consolidated_dropped = false;
    return true;
}

bool vz_consolidated_write(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->writable || hierarchy->array_root || !hierarchy->wrote_documents)
        return true;
    const bool allowed = !hierarchy->met_foreign && hierarchy->options.consolidated != VZ_CONSOLIDATED_IGNORE;
    bool ok = !allowed || write_below(hierarchy, err);
    if (!allowed || !hierarchy->consolidates)
        ok = remove_copy(hierarchy, ok ? err : NULL) && ok;
    else
        ok = write_copy(hierarchy, "", hierarchy->spelling, NULL, ok ? err : NULL) && ok;
    /* Of some copies that are there, the next change must know. */
    vz_hierarchy_each_loaded(hierarchy, forget_drop, NULL, NULL);
    hierarchy->wrote_documents = !ok;
    return ok;
}

/* ---- by command ---- */

/* What is there goes; who made it can read what it held. */
static bool drop_for_another(vz_hierarchy *hierarchy, const char *prefix, const vz_spelling *spelling, vz_error *err)
{
    vz_json *removed = NULL;
    char *key = NULL;
    bool ok;
    if (spelling->consolidated)
        ok = (key = vz_key_join(prefix, spelling->consolidated, err)) && vz_store_del(hierarchy->store, key, err);
    else
        ok = remove_inside(hierarchy, prefix, spelling, &removed, err);
    free(key);
    if (ok && removed)
        return vz_consolidated_remember(hierarchy, prefix, removed, err);
    vz_json_free(removed);
    return ok;
}

bool vz_node_consolidate(vz_node *group, char **blocked, vz_error *err)
{
    *blocked = NULL;
    if (group->kind != VZ_NODE_GROUP || group->hierarchy->array_root)
        return vz_fail(err, VZ_INVALID, "only a group can have consolidated metadata");
    if (!vz_node_check_writable(group, err))
        return false;
    char *prefix = vz_node_prefix(group, err);
    const bool ok = prefix && drop_for_another(group->hierarchy, prefix, group->spelling, err) &&
                    write_copy(group->hierarchy, prefix, group->spelling, blocked, err);
    free(prefix);
    return ok;
}
