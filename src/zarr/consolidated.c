/* consolidated.c - the copy of all documents at the root (".zmetadata", what zarr-python calls consolidated metadata).
 * Readers trust it without a look at the nodes, so it is gone before anything changes, and written anew as the last act
 * of closing. */
#include "zarr/consolidated.h"
#include "codec/codec.h"
#include "zarr/hierarchy.h"
#include <stdlib.h>

#define FORMAT_KEY   "zarr_consolidated_format"
#define METADATA_KEY "metadata"
#define DEPTH_MAX    512

/* ---- dropping ---- */

/* In format 3 the copy is a member of the group's own document. */
static bool drop_v3(vz_node *group, vz_error *err)
{
    const vz_json *copy = vz_json_get(group->document, VZ_V3_CONSOLIDATED);
    if (!copy || vz_json_kind_of(copy) == VZ_JSON_NULL)
        return true;
    char *prefix = vz_node_prefix(group, err);
    const bool ok = prefix && (group->is_new ||
                               vz_v3_drop_consolidated(group->hierarchy->store, prefix, &group->document_hash, err));
    free(prefix);
    if (ok)
        vz_json_remove(group->document, VZ_V3_CONSOLIDATED);
    return ok;
}

static bool drop_of(vz_node *group, vz_error *err)
{
    if (group->format == 3)
        return drop_v3(group, err);
    vz_hierarchy *hierarchy = group->hierarchy;
    vz_stamp stamp = {0};
    char *prefix = vz_node_prefix(group, err);
    char *key = prefix ? vz_key_join(prefix, VZ_DOCUMENT_CONSOLIDATED, err) : NULL;
    bool ok = key && (group->is_new || vz_store_stat(hierarchy->store, key, &stamp, err));
    if (ok && stamp.exists)
        ok = vz_store_del(hierarchy->store, key, err);
    if (ok && !group->parent)
        hierarchy->consolidates |= group->is_new || stamp.exists;
    free(prefix);
    free(key);
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

/* ---- what zarr-python 3 can read ---- */

/* An array whose dtype or codecs it does not know makes it refuse the whole store. */
static bool is_known_object(const vz_array_meta *meta)
{
    const vz_dtype *dtype = meta->dtype;
    if (dtype->object == VZ_OBJECT_BYTES) /* a fill value that is no byte string stops it */
        return !meta->fill_defined || meta->fill_item != NULL;
    return dtype->object == VZ_OBJECT_TEXT;
}

static bool is_known_struct(const vz_dtype *dtype)
{
    for (size_t i = 0; i < dtype->field_count; i++) {
        const vz_field *field = &dtype->fields[i];
        if (field->rank > 0 || field->dtype->kind == VZ_DTYPE_STRUCT || field->dtype->kind == VZ_DTYPE_OBJECT)
            return false;
    }
    return dtype->field_count > 0;
}

static bool is_known_dtype(const vz_array_meta *meta)
{
    switch (meta->dtype->kind) {
    case VZ_DTYPE_OBJECT:
        return is_known_object(meta);
    case VZ_DTYPE_STRUCT:
        return is_known_struct(meta->dtype);
    case VZ_DTYPE_BYTES:
    case VZ_DTYPE_UNICODE:
    case VZ_DTYPE_RAW:
        return meta->dtype->size > 0;
    default:
        return true;
    }
}

static bool is_known_codec(const vz_json *configuration)
{
    const char *id = vz_json_get_string(vz_json_get(configuration, "id"), NULL);
    return id && vz_codec_find(id, false);
}

static bool is_known_array(const vz_json *document)
{
    vz_array_meta *meta = vz_meta_parse_v2(document, NULL);
    bool known = meta && is_known_dtype(meta) && (!meta->compressor || is_known_codec(meta->compressor));
    for (size_t i = 0; known && i < vz_json_length(meta->filters); i++)
        known = is_known_codec(vz_json_at(meta->filters, i));
    vz_meta_free(meta);
    return known;
}

/* ---- writing ---- */

typedef struct collector {
    vz_store *store;
    vz_json *metadata;
    bool possible; /* until a node turns up that not every reader understands */
} collector;

/* Takes the document into the collection, if it is there. */
static bool take(collector *c, const char *prefix, const char *document, const vz_json **value, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    *value = NULL;
    bool ok = vz_document_get(c->store, prefix, document, &text, &found, err);
    if (ok && found) {
        vz_json *parsed = vz_json_parse((const char *)text.data, text.size, NULL);
        char *key = parsed ? vz_key_join(prefix, document, err) : NULL;
        c->possible = c->possible && parsed;
        *value = parsed;
        if (parsed && !key)
            vz_json_free(parsed);
        ok = !parsed || (key && vz_json_set(c->metadata, key, parsed, err));
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
    bool ok = vz_store_list(c->store, prefix, &entries, &count, err);
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

/* A directory without documents (or one of another format) among them: readers that find none of it in the copy would
 * take it for missing. */
static bool collect(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    const vz_json *array, *group = NULL, *attributes;
    if (depth > DEPTH_MAX) {
        c->possible = false;
        return true;
    }
    if (!take(c, prefix, VZ_DOCUMENT_ARRAY, &array, err) ||
        (!array && !take(c, prefix, VZ_DOCUMENT_GROUP, &group, err)) ||
        !take(c, prefix, VZ_DOCUMENT_ATTRIBUTES, &attributes, err))
        return false;
    c->possible = c->possible && (group || (array && is_known_array(array)));
    return !group || !c->possible || collect_below(c, prefix, depth, err);
}

static bool write_copy(vz_hierarchy *hierarchy, vz_json *metadata, vz_error *err)
{
    vz_buffer text = {0};
    vz_json *all = vz_json_object(err);
    bool ok = all && vz_json_set(all, METADATA_KEY, metadata, err) &&
              vz_json_set(all, FORMAT_KEY, vz_json_int64(1, err), err);
    if (!all)
        vz_json_free(metadata);
    ok = ok && vz_json_print(all, VZ_DOCUMENT_INDENT, &text, err) &&
         vz_store_put(hierarchy->store, VZ_DOCUMENT_CONSOLIDATED, (vz_bytes){text.data, text.size}, err);
    vz_buffer_clear(&text);
    vz_json_free(all);
    return ok;
}

static bool is_there(vz_hierarchy *hierarchy)
{
    vz_stamp stamp = {0};
    return vz_store_stat(hierarchy->store, VZ_DOCUMENT_CONSOLIDATED, &stamp, NULL) && stamp.exists;
}

bool vz_consolidated_close(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->writable || hierarchy->array_root || !hierarchy->wrote_documents || hierarchy->format == 3)
        return true;
    const bool wanted =
        hierarchy->consolidates && !hierarchy->met_foreign && hierarchy->options.consolidated != VZ_CONSOLIDATED_IGNORE;
    if (!wanted) /* another process may have written one while we changed what it says */
        return !is_there(hierarchy) || vz_store_del(hierarchy->store, VZ_DOCUMENT_CONSOLIDATED, err);
    collector c = {.store = hierarchy->store, .metadata = vz_json_object(err), .possible = true};
    if (!c.metadata)
        return false;
    if (!collect(&c, "", 0, err) || !c.possible) {
        vz_json_free(c.metadata);
        return !c.possible;
    }
    return write_copy(hierarchy, c.metadata, err);
}
