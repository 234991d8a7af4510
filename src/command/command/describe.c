/* describe.c - nodes in words and in JSON. */
#include "command/command/command.h"
#include "array/selection/selection.h"
#include "hierarchy/documents/documents.h"
#include <stdlib.h>

/* ---- sizes ---- */

typedef struct measure {
    vz_store *store;
    const vz_meta *meta; /* NULL: any value counts */
    size_t length;       /* of the array's prefix, with a slash behind it */
    vz_command_stored_size *stored;
} measure;

static bool add_below(const measure *m, const char *prefix, unsigned depth, vz_error *err);

static bool is_counted(const measure *m, const char *key, unsigned depth)
{
    uint64_t at[VZ_MAX_RANK];
    if (m->meta)
        return vz_chunk_parse_key(m->meta, key + m->length, at) && vz_chunk_has_key(m->meta, at);
    const char *slash = strrchr(key, '/');
    return depth > 0 || !vz_zarr_is_document(slash ? slash + 1 : key);
}

static bool add_value(const measure *m, const char *key, vz_error *err)
{
    vz_stamp stamp = {0};
    if (!vz_store_stat(m->store, key, &stamp, err))
        return false;
    m->stored->values += stamp.exists;
    m->stored->bytes += stamp.exists ? stamp.size : 0;
    return true;
}

static bool add_below(const measure *m, const char *prefix, unsigned depth, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth > VZ_MAX_RANK + 1)
        return true; /* deeper than chunks are */
    bool ok = vz_store_list(m->store, prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++) {
        char *key = vz_document_key_join(prefix, entries[i].name, err);
        ok = key && (entries[i].is_prefix        ? add_below(m, key, depth + 1, err)
                     : is_counted(m, key, depth) ? add_value(m, key, err)
                                                 : true);
        free(key);
    }
    vz_entries_free(entries, count);
    return ok;
}

bool vz_describe_stored(vz_node *array, vz_command_stored_size *stored, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    *stored = (vz_command_stored_size){0};
    char *prefix = vz_node_prefix(array, err);
    const measure m = {.store = vz_hierarchy_store(array->hierarchy),
                       .meta = vz_node_understood(array),
                       .length = prefix && *prefix ? strlen(prefix) + 1 : 0,
                       .stored = stored};
    if (!prefix)
        return false;
    stored->is_known = add_below(&m, prefix, 0, &failed);
    free(prefix);
    if (!stored->is_known && failed.class != VZ_UNSUPPORTED) /* it does not list */
        *err = failed;
    return stored->is_known || failed.class == VZ_UNSUPPORTED;
}

uint64_t vz_describe_possible(const vz_node *array)
{
    const vz_meta *meta = vz_node_understood(array);
    uint64_t dims[VZ_MAX_RANK];
    if (!meta)
        return 1;
    vz_grid_stored(meta, dims);
    return vz_grid_count(meta->rank, dims);
}

bool vz_describe_decoded(const vz_node *array, uint64_t *bytes)
{
    const vz_meta *meta = vz_node_understood(array);
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

/* The element type as the array's document names it; borrowed, NULL where it names none. */
static const vz_json *describe_dtype(const vz_node *array)
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
        ok = vz_buffer_printf(out, err, "array that cannot be read: %s", vz_node_meta_error(node)->text);
    else if (!vz_node_understood(node))
        ok = vz_buffer_printf(out, err, "array  ") && add_shape(node->meta->shape, node->meta->rank, out, err) &&
             vz_buffer_printf(out, err, "  cannot be read: %s", vz_node_meta_error(node)->text);
    else
        ok = vz_buffer_printf(out, err, "array  ") && add_shape(node->meta->shape, node->meta->rank, out, err) &&
             vz_buffer_printf(out, err, "  ") && add_dtype(describe_dtype(node), out, err);
    ok = ok && vz_buffer_append(out, "", 1, err);
    out->size -= ok;
    return ok;
}

/* The most telling members of a codec's configuration: names and levels. */
static bool add_codec(const vz_codecs_spec *spec, vz_buffer *out, vz_error *err)
{
    static const char *const shown[] = {"cname", "clevel", "level", "preset", "elementsize", "dtype"};
    bool ok = vz_buffer_printf(out, err, "%s", spec->id), any = false;
    for (size_t i = 0; ok && i < sizeof shown / sizeof *shown; i++) {
        const vz_json *value = vz_json_get(spec->configuration, shown[i]);
        const char *text = value ? vz_json_get_string(value, NULL) : NULL;
        int64_t number;
        if (text)
            ok = vz_buffer_printf(out, err, "%s%s", any ? ", " : "(", text);
        else if (vz_json_get_int64(value, &number))
            ok = vz_buffer_printf(out, err, "%s%lld", any ? ", " : "(", (long long)number);
        else
            continue;
        any = true;
    }
    return ok && (!any || vz_buffer_printf(out, err, ")"));
}

bool vz_describe_codecs(const vz_node *array, vz_buffer *out, vz_error *err)
{
    const vz_meta *meta = vz_node_understood(array);
    bool ok = true;
    for (size_t i = 0; ok && meta && i < meta->codecs.count; i++)
        ok = (i == 0 || vz_buffer_printf(out, err, " ")) && add_codec(&meta->codecs.specs[i], out, err);
    ok = ok && vz_buffer_append(out, "", 1, err);
    out->size -= ok;
    return ok;
}

bool vz_describe_storage(const vz_node *array, vz_buffer *out, vz_error *err)
{
    const vz_meta *meta = vz_node_understood(array);
    bool ok = true;
    if (meta && meta->rank)
        ok = vz_buffer_printf(out, err, meta->edges ? "chunks up to " : "chunks ") &&
             add_shape(meta->chunks, meta->rank, out, err);
    if (ok && meta && meta->shard_levels)
        ok = vz_buffer_printf(out, err, meta->shard_edges ? " in shards up to " : " in shards ") &&
             add_shape(meta->shards[0].shape, meta->rank, out, err);
    if (ok && meta && meta->codecs.count)
        ok = vz_buffer_printf(out, err, "  ");
    return ok && vz_describe_codecs(array, out, err);
}

bool vz_describe_set_text(vz_json *object, const char *key, const char *text, vz_error *err)
{
    return vz_json_set(object, key, vz_text_json_of_path(text, err), err);
}

bool vz_describe_json(const vz_node *node, vz_json *object, vz_error *err)
{
    const vz_meta *meta = node->meta;
    const char *kind = node->kind == VZ_NODE_GROUP ? "group" : "array";
    bool ok = vz_describe_set_text(object, "kind", kind, err) &&
              vz_json_set(object, "zarr_format", vz_json_int64(node->zarr_format->format, err), err);
    if (node->kind == VZ_NODE_GROUP)
        return ok;
    if (!vz_node_understood(node))
        ok = ok && vz_describe_set_text(object, "error", vz_node_meta_error(node)->text, err);
    if (!meta)
        return ok;
    const vz_json *dtype = describe_dtype(node);
    ok = ok && vz_json_set(object, "shape", vz_meta_print_sizes(meta->shape, meta->rank, err), err) &&
         vz_json_set(object, "chunks", vz_meta_print_sizes(meta->chunks, meta->rank, err), err);
    if (ok && meta->shard_levels)
        ok = vz_json_set(object, "shards", vz_meta_print_sizes(meta->shards[0].shape, meta->rank, err), err);
    return ok && (!dtype || vz_json_set(object, "dtype", vz_json_copy(dtype, err), err));
}

/* ---- links ---- */

const char *vz_describe_link_word(const vz_link *link)
{
    switch (link->kind) {
    case VZ_LINK_ALIAS:
        return "hard";
    case VZ_LINK_SOFT:
        return "soft";
    default:
        return link->class == VZ_LINK_CLASS_EXTERNAL ? "external" : "user-defined";
    }
}

bool vz_describe_external(const vz_link *link, const char **file, const char **path)
{
    const char *value = (const char *)link->value;
    if (link->kind != VZ_LINK_USER || link->class != VZ_LINK_CLASS_EXTERNAL || link->value_size < 2)
        return false;
    *file = value + 1;
    const char *end = memchr(*file, '\0', link->value_size - 1);
    if (!end || value + link->value_size <= end + 1 || value[link->value_size - 1])
        return false;
    *path = end + 1;
    return true;
}

/* "FILE:/path" of an external link; NULL where its value is no external link. Heap. */
static char *external_target(const vz_link *link, vz_error *err)
{
    const char *file, *path;
    if (!vz_describe_external(link, &file, &path))
        return NULL;
    vz_buffer text = {0};
    if (vz_buffer_printf(&text, err, "%s:%s", file, path) && vz_buffer_append(&text, "", 1, err))
        return (char *)text.data;
    vz_buffer_clear(&text);
    return NULL;
}

char *vz_describe_link_target(const vz_link *link, vz_error *err)
{
    if (link->kind == VZ_LINK_USER)
        return link->class == VZ_LINK_CLASS_EXTERNAL ? external_target(link, err) : NULL;
    char *copy = link->target ? strdup(link->target) : NULL;
    if (link->target && !copy)
        vz_fail_memory(err);
    return copy;
}

bool vz_say_json(vz_json *take, bool is_complete, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok = take && is_complete && vz_json_print(take, 0, &text, err);
    if (ok)
        printf("%.*s\n", (int)text.size, (const char *)text.data);
    vz_buffer_clear(&text);
    vz_json_free(take);
    return ok;
}
