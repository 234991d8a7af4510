/* chunk_list.c - which chunks of an array are stored. */
#include "base/os/process.h"
#include "command/sample/sample_internal.h"
#include <string.h>

uint64_t vz_sample_chunk_bytes(const vz_sample_object *array)
{
    uint64_t bytes = array->facts.element_size;
    for (unsigned i = 0; i < array->facts.rank; i++)
        bytes = vz_sample_product(bytes, array->facts.is_chunked ? array->facts.chunk[i] : array->facts.shape[i]);
    return bytes;
}

static int take_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    vz_sample_chunk_list *list = context;
    uint64_t number = 0;
    (void)mask, (void)address;
    for (unsigned i = 0; i < list->rank; i++) {
        const uint64_t index = offset[i] / list->chunk[i];
        if (index >= list->grid[i])
            return 0; /* beyond the extent */
        number = number * list->grid[i] + index;
    }
    return vz_sample_chunk_add(list, number, size) ? 0 : 1;
}

/* 1.14.0 tells offsets in chunks, not in elements. */
static bool can_list(void)
{
    return vz_h5.major != 1 || vz_h5.minor != 14 || vz_h5.release != 0;
}

/* As HDF5 tells. */
static void list_by_hdf5(vz_sample_chunk_list *list, const vz_sample_object *array)
{
    list->is_known = can_list();
    list->is_sized = true;
    if (!list->is_known) {
        snprintf(list->why, sizeof list->why, "HDF5 1.14.0 does not tell where chunks are");
    } else if (list->possible && H5Dchunk_iter(array->id, H5P_DEFAULT, take_chunk, list) < 0) {
        vz_error err = VZ_ERROR_NONE;
        vz_convert_h5_fail(&err, "its chunks cannot be listed");
        snprintf(list->why, sizeof list->why, "%s", err.text);
    }
}

static void list_chunks(vz_sample_chunk_list *list, vz_sample_object *array)
{
    list->possible = 1;
    for (unsigned i = 0; i < list->rank; i++) {
        list->chunk[i] = array->facts.chunk[i];
        list->grid[i] = array->facts.shape[i] / list->chunk[i] + (array->facts.shape[i] % list->chunk[i] != 0);
        list->possible = array->facts.elements ? vz_sample_product(list->possible, list->grid[i]) : 0;
    }
    if (list->possible == UINT64_MAX)
        snprintf(list->why, sizeof list->why, "more than 2^64 chunks");
    else if (!vz_sample_store_list(array, list))
        list_by_hdf5(list, array);
    list->is_complete = list->is_known && !*list->why;
    vz_sample_chunk_sort(list);
}

/* All elements lie in one place, or in other files. */
static void list_one(vz_sample_chunk_list *list, const vz_sample_object *array)
{
    const hid_t dcpl = H5Dget_create_plist(array->id);
    const H5D_layout_t layout = dcpl < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(dcpl);
    const bool tells = layout == H5D_CONTIGUOUS || layout == H5D_COMPACT || (layout == H5D_CHUNKED && list->rank == 0);
    H5Eclear2(H5E_DEFAULT);
    const uint64_t size = tells ? H5Dget_storage_size(array->id) : 0;
    const bool failed = size == 0 && H5Eget_num(H5E_DEFAULT) > 0; /* a web server lists nothing */
    H5Eclear2(H5E_DEFAULT);
    vz_convert_id_close(dcpl);
    list->is_one = true;
    list->possible = array->facts.elements > 0;
    for (unsigned i = 0; i < list->rank; i++) {
        list->chunk[i] = array->facts.shape[i] ? array->facts.shape[i] : 1;
        list->grid[i] = array->facts.shape[i] ? 1 : 0;
    }
    list->is_known = (tells && !failed) || list->possible == 0;
    if (!list->is_known)
        snprintf(list->why, sizeof list->why, "%s",
                 failed ? "the store does not tell what is stored" : "its elements lie in other datasets");
    list->is_complete = list->is_known && (size == 0 || !list->possible || vz_sample_chunk_add(list, 0, size));
}

const vz_sample_chunk_list *vz_sample_chunk_list_of(vz_sample_object *array)
{
    vz_sample_chunk_list *list = &array->chunks;
    if (list->is_made)
        return list;
    *list = (vz_sample_chunk_list){
        .is_made = true, .rank = array->facts.rank, .until = vz_os_now_ns() + VZ_SAMPLE_SECONDS_MAX * VZ_OS_NS_PER_S};
    if (array->facts.is_chunked)
        list_chunks(list, array);
    else
        list_one(list, array);
    return list;
}
