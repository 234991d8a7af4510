/* view_array.c - a dataset of the view: its array in the copy, and how its chunks will stand in the
 * view. */
#include "array/selection/selection.h"
#include "command/view/view_internal.h"
#include <stdlib.h>

#define LINDI_CHUNKS_MAX 1000 /* of an array, in its reference files */

void vz_view_array_clear(vz_view_array *array)
{
    free(array->path);
    free(array->prefix);
    free(array->start);
    free(array->end);
    vz_strmap_free(array->copied, NULL);
    vz_meta_free(array->own_meta);
    if (array->node)
        vz_node_unref(array->node);
    *array = (vz_view_array){0};
}

static char *text_of(vz_buffer *text, vz_error *err)
{
    if (vz_buffer_append(text, "", 1, err))
        return (char *)text->data;
    vz_buffer_clear(text);
    return NULL;
}

/* Text before and behind the chunk's name in each line. */
static bool make_line(const vz_view *view, vz_view_array *array, vz_error *err)
{
    vz_buffer start = {0}, end = {0};
    const char *prefix = view->out.into ? "" : array->prefix; /* a list is of one array */
    bool ok = vz_view_text(&start, prefix, strlen(prefix), err);
    if (ok) {
        start.size--; /* the quotation mark at the end */
        ok = !*prefix || vz_buffer_append(&start, "/", 1, err);
    }
    ok = ok && vz_buffer_append(&end, "\": [", 4, err) &&
         vz_view_text(&end, view->request->name, strlen(view->request->name), err) &&
         vz_buffer_append(&end, ", ", 2, err);
    if (ok) {
        array->start = text_of(&start, err);
        array->end = text_of(&end, err);
        return array->start && array->end;
    }
    vz_buffer_clear(&start);
    vz_buffer_clear(&end);
    return false;
}

/* Can chunks of the dataset be chunks of the array? The axes of an array type follow, whole. */
static bool is_like(const vz_view_array *array)
{
    const vz_meta *meta = array->meta;
    bool is = meta->rank >= array->rank && !meta->edges && meta->shard_levels == 0 &&
              meta->dtype->kind != VZ_DTYPE_OBJECT && vz_meta_is_order(meta, false);
    for (unsigned i = array->rank; i < meta->rank; i++)
        is = is && meta->chunks[i] == meta->shape[i];
    return is;
}

/* Chunks that went through HDF5, and some that the connector stored as fill for readers that know
 * no fill value. */
static bool list_copied(const vz_view *view, vz_view_array *array, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    array->copied = vz_strmap_new();
    bool ok = array->copied || vz_fail_memory(err);
    ok = ok && vz_store_list(vz_hierarchy_store(view->request->root->hierarchy), array->prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_zarr_is_document(entries[i].name) || vz_strmap_put(array->copied, entries[i].name, array, err);
    vz_entries_free(entries, count);
    return ok;
}

bool vz_view_mark_wrong(vz_view *view, vz_view_array *array, vz_error *err)
{
    array->is_wrong = true;
    return vz_strmap_put(view->request->by_value, array->path, view, err);
}

/* The codecs of the chunks in the source, where the list of places tells them. */
static bool take_codecs(vz_view *view, vz_view_array *array, const char *text, vz_error *err)
{
    if (!*text)
        return true;
    vz_json *list = vz_json_parse(text, strlen(text), err);
    char *copy = list ? strdup(text) : NULL;
    array->own_meta = copy ? vz_meta_copy(array->meta, err) : NULL;
    bool ok = array->own_meta != NULL;
    if (ok)
        vz_codecs_clear(&array->own_meta->codecs);
    for (size_t i = 0; ok && i < vz_json_length(list); i++)
        ok = vz_codecs_append_numcodecs(&array->own_meta->codecs, vz_json_at(list, i), err);
    ok = ok && vz_strmap_put(view->codecs, array->prefix, copy, err);
    if (!ok)
        free(copy);
    array->meta = ok ? array->own_meta : array->meta;
    vz_json_free(list);
    return ok;
}

vz_node *vz_view_follow(vz_node *root, const char *path, vz_error *err)
{
    vz_node *at = root;
    char *copy = strdup(path), *rest = copy;
    if (!copy)
        vz_fail_memory(err);
    while (copy && at && rest) {
        const char *part = strsep(&rest, "/");
        vz_link *link = *part ? vz_group_find(at, part, err) : NULL;
        if (*part)
            at = link ? vz_link_node(at, link, err) : NULL;
    }
    free(copy);
    return copy ? at : NULL;
}

/* LINDI has no references to many chunks, and its reader cannot decode checksums behind a
 * compressor. HDF5 reads both, if it has the filters by itself. */
static bool link_array(vz_view *view, vz_view_array *array, vz_error *err)
{
    const vz_meta *meta = array->meta;
    uint64_t dims[VZ_MAX_RANK];
    bool has_checksum = false, has_all = true;
    for (size_t i = 0; i < meta->codecs.count; i++) {
        const vz_codecs_spec *spec = &meta->codecs.specs[i];
        const bool is_checksum = vz_codecs_spec_is(spec, "fletcher32");
        has_checksum |= is_checksum;
        has_all = has_all && (is_checksum || vz_codecs_spec_is(spec, "zlib") || vz_codecs_spec_is(spec, "shuffle"));
    }
    vz_grid_dims(meta, meta->shape, dims);
    array->is_linked =
        has_all && (vz_grid_count(meta->rank, dims) > LINDI_CHUNKS_MAX || (has_checksum && meta->codecs.count > 1));
    return !array->is_linked || vz_strmap_put(view->linked, array->prefix, array->node, err);
}

bool vz_view_array_begin(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err)
{
    vz_view_array_clear(array);
    const bool is_lindi = view->request->form == VZ_VIEW_LINDI;
    vz_node *node = vz_view_follow(view->request->root, place->path, err);
    array->meta = node ? vz_node_understood(node) : NULL;
    array->rank = place->rank;
    array->path = strdup(place->path);
    array->prefix = node ? vz_node_prefix(node, err) : NULL;
    if (!array->path)
        return vz_fail_memory(err);
    if (!node || !array->prefix)
        return false;
    vz_node_ref(array->node = node);
    memcpy(array->chunks, array->meta->chunks, sizeof array->chunks);
    array->chunk_size = array->meta->chunk_size;
    if (!array->meta)
        return vz_fail(err, VZ_CORRUPT, "%.300s is no array in the copy", place->path);
    if (!is_like(array) || (is_lindi && array->meta->dtype->kind == VZ_DTYPE_STRUCT))
        return vz_view_mark_wrong(view, array, err);
    return take_codecs(view, array, place->codecs, err) &&
           (!is_lindi || place->is_contiguous || link_array(view, array, err)) && make_line(view, array, err) &&
           list_copied(view, array, err);
}
