/* extent.c - H5Dset_extent, access properties. */
#include "hdf5/datasets/datasets_internal.h"

#include "hdf5/datasets/view_internal.h"
#include "hdf5/annotation/annotation.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/writeback/writeback.h"

vz_json *vz_dataset_describe_max(unsigned rank, const hsize_t *max, vz_error *err)
{
    vz_json *space = vz_json_object(err), *list = vz_json_array(err);
    bool ok = space && list;
    for (unsigned d = 0; ok && d < rank; d++)
        ok = vz_json_append(list, max[d] == H5S_UNLIMITED ? vz_json_null(err) : vz_json_uint64(max[d], err), err);
    if (!ok)
        vz_json_free(list);
    if (ok && vz_json_set(space, "max", list, err))
        return space;
    vz_json_free(space);
    return NULL;
}

/* Without an annotation the maximum dimensions are the current ones: before those shrink they
 * must be written down. */
static bool keep_max_dims(vz_node *node, unsigned rank, const hsize_t *max, vz_error *err)
{
    bool limited = false;
    for (unsigned d = 0; d < rank; d++)
        limited = limited || max[d] != H5S_UNLIMITED;
    if (!limited || vz_annotation_get(node, "s"))
        return true;
    vz_json *space = vz_dataset_describe_max(rank, max, err);
    return space && vz_annotation_set(node, "s", space, err);
}

bool vz_dataset_dims(vz_node *node, unsigned *rank, hsize_t *dims, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    if (!view)
        return false;
    *rank = view->rank;
    for (unsigned d = 0; d < view->rank; d++)
        dims[d] = node->meta->shape[d];
    return true;
}

bool vz_dataset_follow_sources(vz_node *node, const hsize_t *dims, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    bool same = true;
    if (!view)
        return false;
    for (unsigned d = 0; d < view->rank; d++) {
        same = same && node->meta->shape[d] == dims[d];
        node->meta->shape[d] = dims[d];
    }
    if (same)
        return true;
    if (node->io) /* it has no chunks, written or not */
        vz_array_close(node->io);
    node->io = NULL;
    return !vz_node_check_writable(node, NULL) || vz_node_meta_changed(node, err);
}

static bool shrinks(const vz_meta *meta, unsigned rank, const hsize_t *dims)
{
    for (unsigned d = 0; d < rank; d++)
        if (dims[d] < meta->shape[d])
            return true;
    return false;
}

bool vz_dataset_set_extent(vz_node *node, const hsize_t *dims, vz_error *err)
{
    hsize_t max[VZ_MAX_RANK];
    uint64_t shape[VZ_MAX_RANK];
    const vz_dataset_view *view = vz_node_check_elements(node, err) ? vz_dataset_view_of(node, err) : NULL;
    if (view && shrinks(node->meta, view->rank, dims))
        view = vz_edit_prepare_shrink(node, err) ? vz_dataset_view_of(node, err) : NULL;
    if (!view)
        return false;
    vz_meta *meta = node->meta;
    /* then it has no sources */
    const bool chunked = vz_dataset_layout_of(node, view) == H5D_CHUNKED;
    const vz_sources_kind sources = chunked ? VZ_SOURCES_NONE : vz_sources_kind_of(node);
    if (!chunked && sources == VZ_SOURCES_NONE)
        return vz_fail(err, VZ_INVALID, "only a chunked dataset can change its extent");
    if (sources == VZ_SOURCES_EXTERNAL && !vz_external_check_extent(node, dims, err))
        return false;
    vz_dataset_max_dims(node, max);
    bool same = true;
    for (unsigned d = 0; d < view->rank; d++) {
        if (max[d] != H5S_UNLIMITED && dims[d] > max[d])
            return vz_fail(err, VZ_INVALID, "dimension %u cannot be %llu, its maximum is %llu", d,
                           (unsigned long long)dims[d], (unsigned long long)max[d]);
        same = same && dims[d] == meta->shape[d];
    }
    if (!same && (meta->edges || meta->shard_edges))
        return vz_fail(err, VZ_UNSUPPORTED, "changing the extent of an array with the chunk grid \"rectilinear\"");
    vz_array *io = same ? NULL : vz_dataset_io(node, err);
    if (same || !io)
        return same;
    if (!vz_node_check_same(node, err) || !keep_max_dims(node, view->rank, max, err))
        return false;
    memcpy(shape, meta->shape, sizeof shape);
    for (unsigned d = 0; d < view->rank; d++)
        shape[d] = dims[d];
    return vz_times_touch(node, err) && vz_edit_resize(node, shape, err) && vz_flush_after_write(node, err);
}

bool vz_dataset_access(vz_node *node, hid_t dapl, vz_error *err)
{
    size_t slots, bytes;
    double preemption;
    if (!node->meta || dapl == H5P_DEFAULT || dapl == H5P_DATASET_ACCESS_DEFAULT)
        return true;
    if (H5Pget_chunk_cache(dapl, &slots, &bytes, &preemption) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the access property list");
    vz_array *io =
        bytes > VZ_ARRAY_CACHE_DEFAULT && bytes != H5D_CHUNK_CACHE_NBYTES_DEFAULT ? vz_dataset_io(node, NULL) : NULL;
    if (io)
        vz_array_set_cache(io, bytes);
    return true;
}
