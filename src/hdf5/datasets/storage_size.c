/* storage_size.c - H5Dget_storage_size, H5Dget_space_status: size and number of stored chunks. */
#include "hdf5/dialects/dialects.h"
#include "hdf5/datasets/datasets_internal.h"

#include "hdf5/datasets/view_internal.h"

static bool add_chunk(void *context, const uint64_t *chunk, uint64_t size)
{
    (void)chunk;
    uint64_t *sum = context;
    sum[0] += size;
    sum[1]++;
    return true;
}

/* sum[0] bytes in sum[1] stored chunks */
static bool stored(vz_node *node, uint64_t sum[2], vz_error *err)
{
    sum[0] = sum[1] = 0;
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    if (!view || view->null)
        return view != NULL;
    vz_array *io = vz_dataset_io(node, err);
    return io && vz_array_flush(io, err) && vz_array_each_chunk(io, true, add_chunk, sum, err);
}

/* Do the elements lie in other files? All of them count as stored there. */
static bool is_external(const vz_node *node)
{
    const char *file, *path;
    return vz_sources_kind_of(node) == VZ_SOURCES_EXTERNAL || vz_dialect_lindi_elsewhere(node, &file, &path);
}

static bool external_size(vz_node *node, hsize_t *size, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    uint64_t bytes = view ? H5Tget_size(view->shown) : 0;
    for (unsigned d = 0; view && d < view->rank; d++)
        if (!vz_mul(bytes, node->meta->shape[d], &bytes))
            return vz_fail(err, VZ_LIMIT, "a dataset of so many bytes");
    *size = bytes;
    return view != NULL;
}

bool vz_dataset_storage_size(vz_node *node, hsize_t *size, vz_error *err)
{
    uint64_t sum[2];
    if (is_external(node))
        return external_size(node, size, err);
    if (!stored(node, sum, err))
        return false;
    *size = sum[0];
    return true;
}

bool vz_dataset_space_status(vz_node *node, H5D_space_status_t *status, vz_error *err)
{
    uint64_t sum[2], dims[VZ_MAX_RANK], chunks = 1;
    if (vz_sources_kind_of(node) != VZ_SOURCES_NONE || is_external(node)) {
        *status = H5D_SPACE_STATUS_ALLOCATED; /* as HDF5 says of what lies in other files */
        return true;
    }
    if (!stored(node, sum, err))
        return false;
    vz_grid_dims(node->meta, node->meta->shape, dims);
    for (unsigned d = 0; d < node->meta->rank; d++)
        chunks *= dims[d];
    *status = sum[1] == 0        ? H5D_SPACE_STATUS_NOT_ALLOCATED
              : sum[1] >= chunks ? H5D_SPACE_STATUS_ALLOCATED
                                 : H5D_SPACE_STATUS_PART_ALLOCATED;
    return true;
}
