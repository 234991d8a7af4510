/* stored_chunks.c - H5Dchunk_iter's answers. */
#include "command/convert/copy_internal.h"
#include "base/util/c_library.h"
#include "command/convert/convert_internal.h"
#include <stdlib.h>
#include <string.h>

bool vz_convert_stored_add(vz_convert_stored_chunks *list, const hsize_t *offset, hsize_t size, unsigned mask)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        vz_convert_chunk_info *items = vz_realloc_items(list->items, capacity, sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    vz_convert_chunk_info *added = &list->items[list->count++];
    *added = (vz_convert_chunk_info){.size = size, .mask = mask};
    memcpy(added->offset, offset, list->rank * sizeof *offset);
    return true;
}

static int take_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    (void)address;
    return vz_convert_stored_add(context, offset, size, mask) ? 0 : -1;
}

void vz_convert_stored_clear(vz_convert_stored_chunks *list)
{
    free(list->items);
    *list = (vz_convert_stored_chunks){.rank = list->rank};
}

/* 1.14.0 tells offsets in chunks, not in elements. */
bool vz_convert_stored_can_list(void)
{
    return vz_h5.major != 1 || vz_h5.minor != 14 || vz_h5.release != 0;
}

bool vz_convert_stored_take(hid_t dataset, unsigned rank, vz_convert_stored_chunks *list)
{
    *list = (vz_convert_stored_chunks){.rank = rank};
    if (!vz_convert_stored_can_list())
        return false;
    if (H5Dchunk_iter(dataset, H5P_DEFAULT, take_chunk, list) >= 0)
        return true;
    H5Eclear2(H5E_DEFAULT);
    vz_convert_stored_clear(list);
    return false;
}

static bool shape_of(hid_t dataset, unsigned *rank, hsize_t *dims, hsize_t *chunk)
{
    const hid_t space = H5Dget_space(dataset), dcpl = H5Dget_create_plist(dataset);
    const int count = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const bool ok = count > 0 && dcpl >= 0 && H5Pget_layout(dcpl) == H5D_CHUNKED &&
                    H5Sget_simple_extent_dims(space, dims, NULL) == count && H5Pget_chunk(dcpl, count, chunk) == count;
    *rank = ok ? (unsigned)count : 0;
    vz_convert_id_close(dcpl);
    vz_convert_id_close(space);
    return ok;
}

bool vz_convert_stored_take_sparse(hid_t dataset, vz_convert_stored_chunks *list)
{
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    uint64_t chunks[H5S_MAX_RANK];
    unsigned rank;
    *list = (vz_convert_stored_chunks){0};
    if (!shape_of(dataset, &rank, dims, chunk))
        return false;
    for (unsigned i = 0; i < rank; i++)
        chunks[i] = dims[i] / chunk[i] + (dims[i] % chunk[i] != 0);
    const uint64_t all = vz_slabs_count(rank, chunks);
    if (all < 4 || !vz_convert_stored_take(dataset, rank, list))
        return false;
    if (list->count < all / 2)
        return true;
    vz_convert_stored_clear(list);
    return false;
}

bool vz_convert_stored_is_nothing(hid_t dataset, vz_convert_stored_chunks *list)
{
    H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
    const hid_t space = H5Dget_space(dataset), dcpl = H5Dget_create_plist(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const bool is = rank > 0 && dcpl >= 0 && H5Pget_layout(dcpl) == H5D_CONTIGUOUS &&
                    H5Pget_external_count(dcpl) == 0 && H5Dget_space_status(dataset, &status) >= 0 &&
                    status == H5D_SPACE_STATUS_NOT_ALLOCATED;
    *list = (vz_convert_stored_chunks){.rank = is ? (unsigned)rank : 0};
    vz_convert_id_close(dcpl);
    vz_convert_id_close(space);
    return is;
}

bool vz_convert_stored_box(hid_t dataset, const vz_convert_stored_chunks *list, size_t index, uint64_t *start,
                           uint64_t *extent)
{
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    unsigned rank;
    if (!shape_of(dataset, &rank, dims, chunk) || rank != list->rank)
        return false;
    for (unsigned i = 0; i < rank; i++) {
        start[i] = list->items[index].offset[i];
        if (start[i] >= dims[i])
            return false;
        extent[i] = chunk[i] < dims[i] - start[i] ? chunk[i] : dims[i] - start[i];
    }
    return true;
}
