/* dataset_chunk_ops.c - the native connector's own dataset operations: chunks. Stored chunks
 * have no address in a file; they are shown at address 0, missing ones at HADDR_UNDEF, so that
 * callers can tell them apart. */
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/native/native.h"
#include "hdf5/object/object_internal.h"

/* HDF5 2.x changed two argument structs; the 1.14 ones stand in the headers we are built with. */
typedef struct chunk_read_2 {
    const hsize_t *offset;
    uint32_t filters;
    void *buf;
    size_t *buf_size; /* NULL (H5Dread_chunk1): buf is large enough */
} chunk_read_2;

typedef struct chunk_write_2 {
    const hsize_t *offset;
    uint32_t filters;
    size_t size;
    const void *buf;
} chunk_write_2;

#define ALL_FILTERS UINT32_MAX /* mask of a chunk to which none was applied */

typedef struct chunk_search {
    vz_node *node;
    hsize_t wanted, seen;
    hsize_t *offset; /* of the wanted one, may be NULL */
    bool found;
} chunk_search;

static bool count_chunk(void *context, const hsize_t *offset, hsize_t size, uint32_t mask)
{
    chunk_search *s = context;
    (void)size, (void)mask;
    if (s->seen++ != s->wanted)
        return true;
    s->found = true;
    memcpy(s->offset, offset, vz_dataset_rank(s->node) * sizeof *offset);
    return false;
}

static bool chunk_count(vz_node *node, hsize_t *count, vz_error *err)
{
    chunk_search s = {.node = node, .wanted = HSIZE_UNDEF};
    const bool ok = vz_dataset_chunks(node, false, count_chunk, &s, err);
    *count = s.seen;
    return ok;
}

/* The places of an answer may be NULL. */
static bool tell_chunk(vz_node *node, const hsize_t *offset, uint32_t *mask, haddr_t *address, hsize_t *size,
                       bool *found, vz_error *err)
{
    uint32_t own_mask;
    hsize_t own_size;
    if (!vz_dataset_chunk_size(node, offset, size ? size : &own_size, mask ? mask : &own_mask, found, err))
        return false;
    if (mask && !*found)
        *mask = 0;
    if (address)
        *address = *found ? 0 : HADDR_UNDEF;
    return true;
}

static bool info_by_index(vz_node *node, const H5VL_native_dataset_get_chunk_info_by_idx_t *args, vz_error *err)
{
    hsize_t offset[H5S_MAX_RANK];
    chunk_search s = {.node = node, .wanted = args->chk_index, .offset = offset};
    bool found;
    if (!vz_dataset_chunks(node, false, count_chunk, &s, err))
        return false;
    if (!s.found)
        return vz_fail(err, VZ_NOT_FOUND, "chunk index %llu is out of range", (unsigned long long)args->chk_index);
    if (args->offset)
        memcpy(args->offset, offset, vz_dataset_rank(node) * sizeof *offset);
    return tell_chunk(node, offset, args->filter_mask, args->addr, args->size, &found, err);
}

static bool info_by_offset(vz_node *node, const H5VL_native_dataset_get_chunk_info_by_coord_t *args, vz_error *err)
{
    bool found;
    return tell_chunk(node, args->offset, args->filter_mask, args->addr, args->size, &found, err);
}

static bool is_allocated_early(vz_node *node, bool *early, vz_error *err)
{
    H5D_alloc_time_t when = H5D_ALLOC_TIME_DEFAULT;
    const hid_t dcpl = vz_dataset_dcpl(node, err);
    if (dcpl < 0)
        return false;
    const bool ok = H5Pget_alloc_time(dcpl, &when) >= 0;
    vz_h5_close_quietly(dcpl);
    *early = when == H5D_ALLOC_TIME_EARLY;
    return ok || vz_fail_hdf5(err);
}

/* As HDF5: a chunk that is not there is an error, but in a dataset of which nothing is there its
 * size is 0. One that HDF5 would have allocated early is 0 bytes large here. */
static bool stored_size(vz_node *node, const H5VL_native_dataset_get_chunk_storage_size_t *args, vz_error *err)
{
    bool found, early;
    hsize_t size;
    H5D_space_status_t status;
    if (!tell_chunk(node, args->offset, NULL, NULL, &size, &found, err))
        return false;
    if (!found && (!vz_dataset_space_status(node, &status, err) || !is_allocated_early(node, &early, err)))
        return false;
    if (!found && !early && status != H5D_SPACE_STATUS_NOT_ALLOCATED)
        return vz_fail(err, VZ_NOT_FOUND, "no chunk is stored at these coordinates");
    *args->size = size;
    return true;
}

static bool read_chunk(vz_node *node, void *native, vz_error *err)
{
    chunk_read_2 *args = native;
    size_t *room = vz_h5.major >= 2 ? args->buf_size : NULL;
    vz_buffer bytes = {0};
    if (!vz_dataset_chunk_read(node, args->offset, &bytes, &args->filters, err)) {
        vz_buffer_clear(&bytes);
        return false;
    }
    const size_t copied = room && *room < bytes.size ? *room : bytes.size;
    if (args->buf && copied)
        memcpy(args->buf, bytes.data, copied);
    if (room)
        *room = bytes.size;
    vz_buffer_clear(&bytes);
    return true;
}

/* Under filters that no codec undoes: a native dataset does. */
static bool write_foreign(vz_node *node, const hsize_t *offset, uint32_t mask, vz_bytes bytes, vz_error *err)
{
    vz_buffer elements = {0};
    bool foreign;
    const hid_t type = vz_dataset_type(node, err), dcpl = type < 0 ? type : vz_dataset_dcpl(node, err);
    const bool ok =
        dcpl >= 0 && vz_scratch_undo_filters(type, dcpl, mask, bytes, &elements, err) &&
        vz_dataset_chunk_write(node, offset, ALL_FILTERS, (vz_bytes){elements.data, elements.size}, &foreign, err);
    const hid_t kept = vz_h5_errors_keep(err);
    if (dcpl >= 0)
        H5Pclose(dcpl);
    if (type >= 0)
        H5Tclose(type);
    vz_h5_errors_restore(kept);
    vz_buffer_clear(&elements);
    return ok;
}

static bool write_chunk(const vz_handle *handle, const hsize_t *offset, uint32_t mask, vz_bytes bytes, vz_error *err)
{
    bool foreign;
    if (!vz_handle_check_write(handle, err) ||
        !vz_dataset_chunk_write(handle->node, offset, mask, bytes, &foreign, err))
        return false;
    return !foreign || write_foreign(handle->node, offset, mask, bytes, err);
}

static bool write_given(const vz_handle *handle, const void *native, vz_error *err)
{
    if (vz_h5.major >= 2) {
        const chunk_write_2 *args = native;
        return write_chunk(handle, args->offset, args->filters, (vz_bytes){args->buf, args->size}, err);
    }
    const H5VL_native_dataset_chunk_write_t *args = native;
    return write_chunk(handle, args->offset, args->filters, (vz_bytes){args->buf, args->size}, err);
}

typedef struct chunk_walk {
    H5D_chunk_iter_op_t op;
    void *op_data;
    int status;
} chunk_walk;

static bool walk_chunk(void *context, const hsize_t *offset, hsize_t size, uint32_t mask)
{
    chunk_walk *w = context;
    w->status = w->op(offset, mask, 0, size, w->op_data);
    return w->status == H5_ITER_CONT;
}

static herr_t iterate_chunks(vz_node *node, H5D_chunk_iter_op_t op, void *op_data, vz_error *err)
{
    chunk_walk w = {.op = op, .op_data = op_data, .status = H5_ITER_CONT};
    if (!vz_dataset_chunks(node, true, walk_chunk, &w, err))
        return -1;
    if (w.status < 0)
        vz_fail(err, VZ_HDF5, "the operator failed");
    return w.status;
}

static bool index_type(vz_node *node, H5D_chunk_index_t *type, vz_error *err)
{
    *type = H5D_CHUNK_IDX_BTREE;
    return vz_dataset_must_be_chunked(node, err);
}

bool vz_obj_dataset_optional_known(int op)
{
    return op >= H5VL_NATIVE_DATASET_FORMAT_CONVERT && op <= H5VL_NATIVE_DATASET_CHUNK_ITER &&
           op != H5VL_NATIVE_DATASET_GET_VLEN_BUF_SIZE; /* the library then counts for itself */
}

herr_t vz_obj_dataset_optional(vz_object *dset, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    const vz_handle *handle = vz_handle_of(dset);
    vz_node *node = handle->node;
    const H5VL_native_dataset_optional_args_t *native = args->args;
    switch (args->op_type) {
    case H5VL_NATIVE_DATASET_FORMAT_CONVERT:
        return 0;
    case H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE:
        return vz_handle_status(index_type(node, native->get_chunk_idx_type.idx_type, err));
    case H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE:
        return vz_handle_status(stored_size(node, &native->get_chunk_storage_size, err));
    case H5VL_NATIVE_DATASET_GET_NUM_CHUNKS:
        return vz_handle_status(chunk_count(node, native->get_num_chunks.nchunks, err));
    case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX:
        return vz_handle_status(info_by_index(node, &native->get_chunk_info_by_idx, err));
    case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD:
        return vz_handle_status(info_by_offset(node, &native->get_chunk_info_by_coord, err));
    case H5VL_NATIVE_DATASET_CHUNK_READ:
        return vz_handle_status(read_chunk(node, args->args, err));
    case H5VL_NATIVE_DATASET_CHUNK_WRITE:
        return vz_handle_status(write_given(handle, args->args, err));
    case H5VL_NATIVE_DATASET_GET_OFFSET:
        *native->get_offset.offset = HADDR_UNDEF;
        return 0;
    case H5VL_NATIVE_DATASET_CHUNK_ITER:
        return iterate_chunks(node, native->chunk_iter.op, native->chunk_iter.op_data, err);
    default:
        return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "native dataset operation %d", args->op_type));
    }
}
