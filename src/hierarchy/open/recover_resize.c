/* recover_resize.c - what dead writers left beyond the shapes of arrays. An array had grown, and
 * its shape was still to be written; or it had shrunk, and its chunks were still to be removed. */
#include "array/chunks/array_state.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/open/open_internal.h"
#include <stdlib.h>

/* NULL without an error: no array is there any more, or one that nobody can read. */
static vz_meta *read_meta(vz_store *store, const char *prefix, vz_error *err)
{
    vz_meta *meta = NULL;
    bool ok = true, found = false;
    for (unsigned i = 0; i < VZ_ZARR_FORMATS && ok && !found; i++) {
        vz_buffer text = {0};
        vz_json *document = NULL;
        ok = vz_document_get(store, prefix, vz_zarr_formats[i]->array, &text, &found, err);
        if (ok && found)
            document = vz_json_parse((const char *)text.data, text.size, NULL);
        if (document)
            meta = vz_zarr_formats[i]->load(document, NULL);
        vz_json_free(document);
        vz_buffer_clear(&text);
    }
    return meta;
}

/* Coordinates of a chunk, or of a shard where there are any. */
static bool is_outside(const vz_meta *meta, const uint64_t *at)
{
    uint64_t dims[VZ_MAX_RANK];
    vz_grid_stored(meta, dims);
    for (unsigned d = 0; d < meta->rank; d++)
        if (at[d] >= dims[d])
            return true;
    return false;
}

static bool remove_outside(vz_array *array, const vz_meta *meta, const vz_lease_dead_writer *writer, const char *prefix,
                           vz_error *err)
{
    vz_chunk_list list;
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_list_load_stored(array, &list, err))
        return false;
    bool ok = true;
    for (size_t i = 0; i < list.count && ok; i++) {
        const uint64_t *at = &list.chunks[i * meta->rank];
        if (is_outside(meta, at))
            ok = vz_meta_chunk_key(meta, prefix, at, key, sizeof key, err) &&
                 vz_store_del_left(array->store, writer, key, err);
    }
    vz_chunk_list_clear(&list);
    return ok;
}

static bool recover(void *context, const vz_lease_dead_writer *writer, const char *prefix)
{
    vz_store *store = context;
    vz_error failed = VZ_ERROR_NONE;
    vz_meta *meta = read_meta(store, prefix, &failed);
    if (!meta)
        return failed.class == VZ_OK || failed.class == VZ_INVALID;
    vz_array *array = vz_array_open(store, meta, prefix, false, &failed);
    const bool ok = array && remove_outside(array, meta, writer, prefix, &failed);
    vz_array_close(array);
    vz_meta_free(meta);
    return ok;
}

void vz_open_shapes_recover(vz_store *store)
{
    vz_store_each_shape_change(store, recover, store);
}
