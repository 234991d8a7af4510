/* describe.c - nodes in words and in JSON. */
#include "command/describe.h"
#include <stdlib.h>

/* ---- sizes ---- */

static bool add_below(vz_store *store, const char *prefix, unsigned depth, vz_stored_size *stored, vz_error *err);

static bool add_entry(vz_store *store, const char *prefix, const vz_entry *entry, unsigned depth,
                      vz_stored_size *stored, vz_error *err)
{
    vz_stamp stamp = {0};
    if (!entry->is_prefix && depth == 0 && vz_is_document(entry->name))
        return true;
    char *key = vz_key_join(prefix, entry->name, err);
    const bool ok = key && (entry->is_prefix ? add_below(store, key, depth + 1, stored, err)
                                             : vz_store_stat(store, key, &stamp, err));
    free(key);
    if (ok && stamp.exists) {
        stored->values++;
        stored->bytes += stamp.size;
    }
    return ok;
}

static bool add_below(vz_store *store, const char *prefix, unsigned depth, vz_stored_size *stored, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth > VZ_MAX_RANK + 1)
        return true; /* deeper than chunks are */
    bool ok = vz_store_list(store, prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = add_entry(store, prefix, &entries[i], depth, stored, err);
    vz_entries_free(entries, count);
    return ok;
}

bool vz_describe_stored(vz_node *array, vz_stored_size *stored, vz_error *err)
{
    *stored = (vz_stored_size){0};
    char *prefix = vz_node_prefix(array, err);
    const bool ok = prefix && add_below(vz_hierarchy_store(array->hierarchy), prefix, 0, stored, err);
    free(prefix);
    return ok;
}

bool vz_describe_decoded(const vz_node *array, uint64_t *bytes)
{
    const vz_array_meta *meta = array->meta;
    if (!meta || meta->dtype->kind == VZ_DTYPE_OBJECT)
        return false;
    uint64_t size = meta->dtype->size;
    for (unsigned i = 0; i < meta->rank; i++)
        if (meta->shape[i] == 0)
            size = 0;
    for (unsigned i = 0; size && i < meta->rank; i++)
        if (!vz_mul(size, meta->shape[i], &size))
            return false;
    *bytes = size;
    return true;
}

/* ---- words ---- */

const vz_json *vz_describe_dtype(const vz_node *array)
{
    const vz_json *dtype = vz_json_get(array->document, "data_type");
    return dtype ? dtype : vz_json_get(array->document, "dtype");
}

static bool add_dtype(const vz_json *dtype, vz_buffer *out, vz_error *err)
{
    const char *word = vz_json_get_string(dtype, NULL);
    return word ? vz_buffer_printf(out, err, "%s", word) : !dtype || vz_json_print(dtype, 0, out, err);
}

static bool add_shape(const uint64_t *shape, unsigned rank, vz_buffer *out, vz_error *err)
{
    bool ok = vz_buffer_printf(out, err, "(");
    for (unsigned i = 0; ok && i < rank; i++)
        ok = vz_buffer_printf(out, err, "%s%llu", i ? ", " : "", (unsigned long long)shape[i]);
    return ok && vz_buffer_printf(out, err, rank == 1 ? ",)" : ")");
}

bool vz_describe_short(const vz_node *node, vz_buffer *out, vz_error *err)
{
    bool ok = true;
    if (node->kind == VZ_NODE_GROUP)
        ok = vz_buffer_printf(out, err, "group");
    else if (!node->meta)
        ok = vz_buffer_printf(out, err, "array that cannot be read: %s", node->meta_error.text);
    else
        ok = vz_buffer_printf(out, err, "array  ") && add_shape(node->meta->shape, node->meta->rank, out, err) &&
             vz_buffer_printf(out, err, "  ") && add_dtype(vz_describe_dtype(node), out, err);
    ok = ok && vz_buffer_append(out, "", 1, err);
    out->size -= ok;
    return ok;
}

bool vz_describe_set_text(vz_json *object, const char *key, const char *text, vz_error *err)
{
    return vz_json_set(object, key, vz_path_json(text, err), err);
}

bool vz_describe_json(const vz_node *node, vz_json *object, vz_error *err)
{
    const vz_array_meta *meta = node->meta;
    const char *kind = node->kind == VZ_NODE_GROUP ? "group" : "array";
    bool ok = vz_describe_set_text(object, "kind", kind, err) &&
              vz_json_set(object, "zarr_format", vz_json_int64(node->spelling->format, err), err);
    if (node->kind == VZ_NODE_GROUP)
        return ok;
    if (!meta)
        return ok && vz_describe_set_text(object, "error", node->meta_error.text, err);
    const vz_json *dtype = vz_describe_dtype(node);
    ok = ok && vz_json_set(object, "shape", vz_meta_print_sizes(meta->shape, meta->rank, err), err) &&
         vz_json_set(object, "chunks", vz_meta_print_sizes(meta->chunks, meta->rank, err), err);
    if (ok && meta->shard_levels)
        ok = vz_json_set(object, "shards", vz_meta_print_sizes(meta->shards[0].shape, meta->rank, err), err);
    return ok && (!dtype || vz_json_set(object, "dtype", vz_json_copy(dtype, err), err));
}
