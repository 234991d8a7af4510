/* selection_pairs.c - pairing a file selection with a memory selection. */
#include "hdf5/datasets/space_internal.h"

#include <inttypes.h>

/* Start (offset included), stride, count and block of a selection that is all or one regular
 * hyperslab. */
static bool regular_shape(hid_t space, unsigned rank, hsize_t *start, hsize_t *stride, hsize_t *count, hsize_t *block)
{
    H5S_sel_type kind = H5Sget_select_type(space);
    if (rank == 0 || rank > VZ_MAX_RANK)
        return rank == 0 && kind == H5S_SEL_ALL;
    if (kind == H5S_SEL_ALL) {
        if (H5Sget_simple_extent_dims(space, block, NULL) < 0)
            return false;
        for (unsigned d = 0; d < rank; d++)
            start[d] = 0, stride[d] = 1, count[d] = 1;
        return true;
    }
    hsize_t end[VZ_MAX_RANK];
    if (kind != H5S_SEL_HYPERSLABS || H5Sis_regular_hyperslab(space) <= 0 ||
        H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
        return false;
    return H5Sget_select_bounds(space, start, end) >= 0; /* bounds know the offset of
                                                          * H5Soffset_simple */
}

static void make_file_region(vz_pair *pair, unsigned rank)
{
    hsize_t start[VZ_MAX_RANK], stride[VZ_MAX_RANK], count[VZ_MAX_RANK], block[VZ_MAX_RANK];
    vz_region *region = &pair->region;
    pair->file_regular = regular_shape(pair->file, rank, start, stride, count, block);
    region->rank = rank;
    for (unsigned d = 0; pair->file_regular && d < rank; d++) {
        region->start[d] = start[d];
        region->stride[d] = stride[d];
        region->count[d] = count[d];
        region->block[d] = block[d];
        if (block[d] == stride[d] && count[d] > 1) { /* touching blocks are one block */
            region->block[d] = block[d] * count[d];
            region->count[d] = 1;
        }
        if (region->count[d] == 1)
            region->stride[d] = 1;
    }
}

/* Are the memory elements neighbours in selection order? One step of the iterator tells,
 * whatever the selection. */
static bool find_contiguous(vz_pair *pair, vz_error *err)
{
    hsize_t offset[2];
    size_t length[2], sequences = 0, elements = 0;
    if (H5Sget_select_type(pair->memory) == H5S_SEL_ALL) {
        pair->memory_contiguous = true;
        pair->memory_first = 0;
        return true;
    }
    if (pair->count > SIZE_MAX)
        return true;
    hid_t iterator = H5Ssel_iter_create(pair->memory, 1, 0);
    if (iterator < 0)
        return vz_fail(err, VZ_HDF5, "cannot walk the memory selection");
    herr_t status = H5Ssel_iter_get_seq_list(iterator, 2, (size_t)pair->count, &sequences, &elements, offset, length);
    H5Ssel_iter_close(iterator);
    if (status < 0)
        return vz_fail(err, VZ_HDF5, "cannot walk the memory selection");
    if (sequences == 1 && length[0] == pair->count) {
        pair->memory_contiguous = true;
        pair->memory_first = offset[0];
    }
    return true;
}

/* Elements between neighbours of a regular memory selection along its dimension, 0 if they are
 * not evenly spaced. */
static uint64_t even_step(hsize_t stride, hsize_t count, hsize_t block)
{
    if (count == 1 || stride == block)
        return 1;
    return block == 1 ? stride : 0;
}

/* A regular memory selection of the same shape, dimensions of length one aside, gives each file
 * dimension its stride. */
static bool match_memory(vz_pair *pair)
{
    hsize_t start[VZ_MAX_RANK], stride[VZ_MAX_RANK], count[VZ_MAX_RANK], block[VZ_MAX_RANK], dims[VZ_MAX_RANK];
    vz_region *region = &pair->region;
    int rank = H5Sget_simple_extent_ndims(pair->memory);
    if (rank <= 0 || rank > VZ_MAX_RANK || H5Sget_simple_extent_dims(pair->memory, dims, NULL) < 0 ||
        !regular_shape(pair->memory, (unsigned)rank, start, stride, count, block))
        return false;
    uint64_t row = 1;
    int file = (int)region->rank - 1;
    region->memory_offset = 0;
    for (int d = rank - 1; d >= 0; d--) {
        uint64_t length = count[d] * block[d];
        region->memory_offset += start[d] * row;
        if (length != 1) {
            for (; file >= 0 && region->count[file] * region->block[file] == 1; file--)
                region->memory_stride[file] = 0;
            uint64_t step = even_step(stride[d], count[d], block[d]);
            if (file < 0 || step == 0 || region->count[file] * region->block[file] != length)
                return false;
            region->memory_stride[file--] = step * row;
        }
        row *= dims[d];
    }
    for (; file >= 0; file--) {
        if (region->count[file] * region->block[file] != 1)
            return false;
        region->memory_stride[file] = 0;
    }
    return true;
}

void vz_dataset_region_pack(vz_region *region)
{
    uint64_t row = 1;
    region->memory_offset = 0;
    for (unsigned d = region->rank; d-- > 0;) {
        region->memory_stride[d] = row;
        row *= region->count[d] * region->block[d];
    }
}

/* Finds the two dataspaces behind the special ids, as H5Dread documents them. */
static bool choose_spaces(vz_pair *pair, const vz_extent *extent, hid_t mem_space, hid_t file_space, vz_error *err)
{
    if (file_space == H5S_PLIST || mem_space == H5S_PLIST)
        return vz_fail(err, VZ_UNSUPPORTED, "H5S_PLIST selections are not supported");
    if (file_space == H5S_BLOCK)
        return vz_fail(err, VZ_INVALID, "H5S_BLOCK is no file dataspace");
    if (!vz_dataset_file_space_take(pair, extent, file_space, err))
        return false;
    if (mem_space == H5S_ALL) /* the file dataspace as it was given: its own extent is that of
                               * memory */
        pair->memory = file_space == H5S_ALL ? pair->file : file_space;
    else
        pair->memory = mem_space;
    return true;
}

/* Checks the memory selection, and finds whether its elements are neighbours. */
static bool take_memory(vz_pair *pair, hid_t mem_space, vz_error *err)
{
    if (mem_space == H5S_BLOCK) {
        pair->memory_contiguous = true;
        return true;
    }
    const hssize_t points = H5Sget_select_npoints(pair->memory);
    if (points < 0 || (uint64_t)points != pair->count)
        return vz_fail(err, VZ_INVALID, "%" PRIu64 " elements are selected in the file but %lld in memory", pair->count,
                       (long long)points);
    return vz_dataset_selection_check(pair->memory, pair->count, "memory", err) &&
           (pair->count == 0 || find_contiguous(pair, err));
}

static void find_region(vz_pair *pair, unsigned rank)
{
    if (!pair->linear)
        make_file_region(pair, rank);
    if (pair->file_regular && pair->memory_contiguous) {
        vz_dataset_region_pack(&pair->region);
        pair->region.memory_offset = pair->memory_first;
        pair->is_region = true;
    } else if (pair->file_regular) {
        pair->is_region = match_memory(pair);
    }
}

bool vz_pair_open(vz_pair *pair, const vz_extent *extent, hid_t mem_space, hid_t file_space, vz_error *err)
{
    *pair = (vz_pair){.file = H5I_INVALID_HID, .memory = H5I_INVALID_HID};
    if (!choose_spaces(pair, extent, mem_space, file_space, err) || !take_memory(pair, mem_space, err)) {
        vz_pair_close(pair);
        return false;
    }
    if (pair->count > 0)
        find_region(pair, extent->rank);
    return true;
}

void vz_pair_close(vz_pair *pair)
{
    if (pair->own_file && pair->file >= 0)
        H5Sclose(pair->file);
    *pair = (vz_pair){.file = H5I_INVALID_HID, .memory = H5I_INVALID_HID};
}
