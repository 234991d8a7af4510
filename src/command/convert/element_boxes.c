/* element_boxes.c - datasets in boxes. */
#include "command/convert/copy_internal.h"
#include "command/convert/convert_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* elements with memory of their own that are read at first, to see what they take */
#define VARIABLE_FIRST 65536

/* The chunks of a dataset; false: it has none. */
static bool chunk_of(hid_t dataset, unsigned rank, hsize_t *chunk)
{
    const hid_t dcpl = H5Dget_create_plist(dataset);
    const bool is_chunked = rank > 0 && dcpl >= 0 && H5Pget_layout(dcpl) == H5D_CHUNKED &&
                            H5Pget_chunk(dcpl, (int)rank, chunk) == (int)rank;
    vz_convert_id_close(dcpl);
    return is_chunked;
}

static void choose_unit(hid_t from, hid_t to, unsigned rank, uint64_t elements_max, uint64_t *unit)
{
    hsize_t of_from[VZ_SLABS_RANK_MAX], of_to[VZ_SLABS_RANK_MAX];
    const bool from_chunks = chunk_of(from, rank, of_from), to_chunks = chunk_of(to, rank, of_to);
    for (unsigned i = 0; i < rank; i++) {
        const uint64_t base = to_chunks ? of_to[i] : from_chunks ? of_from[i] : 1;
        const bool grows = to_chunks && from_chunks && of_from[i] > base;
        unit[i] = grows ? (of_from[i] + base - 1) / base * base : base;
    }
    if (to_chunks && vz_slabs_count(rank, unit) > elements_max)
        for (unsigned i = 0; i < rank; i++)
            unit[i] = of_to[i];
}

bool vz_boxes_begin(vz_slabs *slabs, hid_t from, hid_t to, const vz_convert_element *element, uint64_t memory,
                    vz_error *err)
{
    uint64_t dims[VZ_SLABS_RANK_MAX], unit[VZ_SLABS_RANK_MAX];
    hsize_t now[VZ_SLABS_RANK_MAX];
    const hid_t space = H5Dget_space(from);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const bool is_null = rank == 0 && H5Sget_simple_extent_type(space) == H5S_NULL;
    const bool ok =
        rank >= 0 && rank <= VZ_SLABS_RANK_MAX && (!rank || H5Sget_simple_extent_dims(space, now, NULL) >= 0);
    vz_convert_id_close(space);
    if (!ok)
        return vz_convert_h5_fail(err, "its extent cannot be had");
    uint64_t elements_max = memory / element->size;
    if (element->has_variable && elements_max > VARIABLE_FIRST)
        elements_max = VARIABLE_FIRST;
    for (int i = 0; i < rank; i++)
        dims[i] = now[i];
    choose_unit(from, to, (unsigned)rank, elements_max, unit);
    vz_slabs_begin(slabs, (unsigned)rank, dims, unit, elements_max);
    slabs->done = slabs->done || is_null;
    return true;
}

void vz_boxes_adapt(vz_slabs *slabs, const vz_convert_element *element, const void *elements, uint64_t count,
                    uint64_t memory)
{
    const uint64_t more = vz_convert_element_variable_size(element, elements, count);
    const uint64_t each = element->size + more / (count ? count : 1) + 1;
    const uint64_t fits = memory / each;
    vz_slabs_limit(slabs, fits > 4 * count ? 4 * count : fits > 0 ? fits : 1);
}

hid_t vz_convert_box_select(unsigned rank, const uint64_t *start, const uint64_t *extent, hid_t space, vz_error *err)
{
    hsize_t at[VZ_SLABS_RANK_MAX], size[VZ_SLABS_RANK_MAX];
    for (unsigned i = 0; i < rank; i++) {
        at[i] = start[i];
        size[i] = extent[i];
    }
    if (rank > 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL) < 0) {
        vz_convert_h5_fail(err, "its elements cannot be selected");
        return H5I_INVALID_HID;
    }
    const hid_t memory = rank ? H5Screate_simple((int)rank, size, NULL) : H5Screate(H5S_SCALAR);
    if (memory < 0)
        vz_convert_h5_fail(err, "its elements cannot be selected");
    return memory;
}

bool vz_convert_box_reserve(void **buffer, uint64_t *room, uint64_t count, size_t element_size, vz_error *err)
{
    if (count <= *room)
        return true;
    free(*buffer);
    *room = 0;
    *buffer = calloc(count, element_size);
    if (!*buffer)
        return vz_fail_memory(err);
    *room = count;
    return true;
}
