/* widen_dtype.c - widening the text members of a compound array, and text that turns out not to
 * be UTF-8. */
#include "hdf5/datasets/datasets_internal.h"

#include "hdf5/datasets/view_internal.h"
#include "hdf5/types/types.h"
#include "hierarchy/edit/ranks.h"
#include "hierarchy/edit/edit.h"

#include <stdlib.h>

/* ---- the array under another dtype, beside the one that is there ---- */

static bool regrow_chunk(vz_array *from, const vz_meta *old, vz_array *to, const vz_meta *new, const uint64_t *chunk,
                         vz_error *err)
{
    vz_buffer elements = {0};
    bool found;
    bool ok = vz_array_get_chunk(from, chunk, VZ_CHUNK_DECODED, &elements, &found, err);
    uint8_t *grown = ok && found ? malloc(new->chunk_size ? new->chunk_size : 1) : NULL;
    if (ok && found && !grown)
        ok = vz_fail_memory(err);
    if (grown) {
        vz_type_widen_elements(old->dtype, new->dtype, elements.data, new->chunk_count, grown);
        const vz_bytes bytes = {grown, new->chunk_size};
        ok = vz_array_put_chunk(to, chunk, VZ_CHUNK_DECODED, bytes, err);
    }
    vz_buffer_clear(&elements);
    free(grown);
    return ok;
}

/* Every chunk is written, also those with nothing but fill: so that there is something to put in
 * the place. */
static bool write_beside(vz_node *node, const vz_meta *meta, const vz_dataset_chunk_entry *chunks, const char *beside,
                         vz_error *err)
{
    vz_store *store = vz_hierarchy_store(node->hierarchy);
    vz_array *to = vz_array_open(store, meta, beside, false, err);
    bool ok = to != NULL;
    if (to)
        vz_array_set_chunk_max(to, (uint64_t)vz_hierarchy_options(node->hierarchy)->chunk_max);
    for (const vz_dataset_chunk_entry *stored = chunks; ok && stored; stored = stored->next)
        ok = regrow_chunk(node->io, node->meta, to, meta, stored->chunk, err);
    ok = ok && vz_array_flush(to, err);
    vz_array_close(to);
    return ok;
}

/* The shuffle filter counts bytes of an element. */
static bool fit_filters(vz_meta *meta, vz_error *err)
{
    for (size_t i = 0; i < meta->codecs.count; i++) {
        const vz_codecs_spec *filter = &meta->codecs.specs[i];
        if (vz_codecs_spec_is(filter, "shuffle") &&
            !vz_json_set(filter->configuration, "elementsize", vz_json_uint64(meta->dtype->size, err), err))
            return false;
    }
    return true;
}

/* The metadata under the dtype `to` (taken, also on failure), with the fill value in it. */
static vz_meta *meta_with(const vz_meta *meta, vz_dtype *to, vz_error *err)
{
    vz_meta *made = vz_meta_copy(meta, err);
    uint8_t *fill = made ? calloc(1, to->size) : NULL;
    if (made && !fill)
        vz_fail_memory(err);
    if (!fill) {
        vz_meta_free(made);
        vz_dtype_free(to);
        return NULL;
    }
    if (to->kind == VZ_DTYPE_OBJECT)
        memcpy(fill, meta->fill, sizeof(vz_item)); /* the same items, under another codec */
    else
        vz_type_widen_elements(meta->dtype, to, meta->fill, 1, fill);
    vz_dtype_free(made->dtype);
    made->dtype = to;
    const bool ok = vz_meta_set_fill(made, meta->fill_defined ? fill : NULL, err) &&
                    (to->kind != VZ_DTYPE_OBJECT || vz_codecs_spec_rename(&made->codecs.specs[0], "vlen-bytes", err)) &&
                    fit_filters(made, err) && vz_meta_measure_chunk(made, err);
    free(fill);
    if (ok)
        return made;
    vz_meta_free(made);
    return NULL;
}

static bool annotate_type(vz_node *node, hid_t shown, vz_error *err)
{
    vz_json *annotation = NULL;
    if (!vz_type_annotation(node->meta->dtype, shown, &annotation, err))
        return false;
    return vz_annotation_set(node, "t", annotation, err); /* and with it the guard */
}

/* The node under its new metadata (taken, also on failure); `beside` has its chunks, NULL: they
 * stay, or there are none. After a failure it is as before. */
static bool become(vz_node *node, vz_meta *meta, hid_t shown, const char *beside, vz_error *err)
{
    vz_meta *old = node->meta;
    vz_array_close(node->io); /* flushed */
    node->io = NULL;
    node->meta = meta;
    const bool ok =
        annotate_type(node, shown, err) && vz_node_meta_changed(node, err) && vz_edit_replace(node, beside, err);
    if (!ok) {
        node->meta = old;
        annotate_type(node, shown, NULL);
        vz_node_meta_changed(node, NULL);
    }
    vz_meta_free(ok ? old : meta);
    return ok;
}

/* Takes `meta`, also on failure. */
static bool replace(vz_node *node, vz_meta *meta, hid_t shown, const vz_dataset_chunk_entry *chunks, vz_error *err)
{
    char beside[VZ_PARTIAL_SIZE];
    if (!chunks)
        return become(node, meta, shown, NULL, err);
    if (!vz_partial_name(beside, sizeof beside, err)) {
        vz_meta_free(meta);
        return false;
    }
    if (write_beside(node, meta, chunks, beside, err))
        return become(node, meta, shown, beside, err);
    vz_meta_free(meta);
    vz_store_del_tree(vz_hierarchy_store(node->hierarchy), beside, NULL);
    return false;
}

/* The array as it is, under the new dtype (taken). Stored chunks stay as they are where only the
 * codec changes. */
static bool change(vz_node *node, vz_dtype *to, const vz_dataset_chunk_entry *chunks, vz_error *err)
{
    const bool same_chunks = to->kind == VZ_DTYPE_OBJECT;
    const vz_dataset_view *view = vz_dataset_view_of(node, err); /* goes with the old dtype */
    const hid_t shown = view ? H5Tcopy(view->shown) : H5I_INVALID_HID;
    if (shown < 0) {
        vz_dtype_free(to);
        return vz_type_refused(err, "copy a datatype");
    }
    vz_meta *meta = meta_with(node->meta, to, err);
    const bool ok = meta && replace(node, meta, shown, same_chunks ? NULL : chunks, err);
    H5Tclose(shown);
    return ok;
}

bool vz_dataset_grow(vz_node *node, const vz_type_tree *shown, const void *elements, size_t count, bool *grown,
                     vz_error *err)
{
    vz_dtype *to = NULL;
    vz_dataset_chunk_entry *chunks = NULL;
    *grown = false;
    if (!vz_type_widen(node->meta->dtype, shown, elements, count, false, &to, err))
        return false;
    if (!to)
        return true;
    vz_dtype_free(to);
    to = NULL;
    if (vz_ranks_comm(node->hierarchy)) /* the others cannot follow */
        return vz_fail(err, VZ_UNSUPPORTED, "text that is longer than the elements, written by one of several ranks");
    const bool ok = vz_dataset_stored_chunks_list(node, &chunks, err) &&
                    vz_type_widen(node->meta->dtype, shown, elements, count, !chunks, &to, err) &&
                    change(node, to, chunks, err);
    *grown = ok;
    vz_dataset_stored_chunks_free(chunks);
    return ok;
}
