/* region_reference.c - selections as JSON and back. */
#include "hdf5/references/references.h"
#include "hdf5/h5/h5.h"
#include <stdlib.h>

#define NUMBERS_MAX       ((uint64_t)1 << 24) /* coordinates in one region */
#define BLOCKS_ONE_BY_ONE 16

static const char *const hyperslab_keys[] = {"start", "stride", "count", "block"};

/* ---- to JSON ---- */

static vz_json *print_numbers(const hsize_t *numbers, size_t count, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < count; i++)
        if (!vz_json_append(list, vz_json_uint64(numbers[i], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

/* {key: [[...] ...]}, `width` numbers in each list. */
static vz_json *print_lists(const char *key, const hsize_t *numbers, size_t count, size_t width, vz_error *err)
{
    vz_json *object = vz_json_object(err), *lists = object ? vz_json_array(err) : NULL;
    bool ok = lists != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_json_append(lists, print_numbers(numbers + i * width, width, err), err);
    if (ok && vz_json_set(object, key, lists, err))
        return object;
    if (!ok)
        vz_json_free(lists);
    vz_json_free(object);
    return NULL;
}

static vz_json *print_regular(hid_t space, size_t rank, vz_error *err)
{
    hsize_t numbers[4][H5S_MAX_RANK];
    vz_json *object = vz_json_object(err);
    bool ok = object && (H5Sget_regular_hyperslab(space, numbers[0], numbers[1], numbers[2], numbers[3]) >= 0 ||
                         vz_fail(err, VZ_INVALID, "HDF5 refused to describe a hyperslab"));
    for (size_t i = 0; ok && i < 4; i++)
        ok = vz_json_set(object, hyperslab_keys[i], print_numbers(numbers[i], rank, err), err);
    if (ok)
        return object;
    vz_json_free(object);
    return NULL;
}

static vz_json *print_many(hid_t space, size_t rank, bool points, vz_error *err)
{
    const hssize_t count = points ? H5Sget_select_elem_npoints(space) : H5Sget_select_hyper_nblocks(space);
    const size_t width = points ? rank : 2 * rank;
    uint64_t size;
    if (count < 0 || !vz_mul((uint64_t)count, width, &size) || size > NUMBERS_MAX) {
        vz_fail(err, VZ_LIMIT, "a region of so many parts");
        return NULL;
    }
    hsize_t *numbers = calloc(size + 1, sizeof *numbers);
    if (!numbers) {
        vz_fail_memory(err);
        return NULL;
    }
    const herr_t status = points ? H5Sget_select_elem_pointlist(space, 0, (hsize_t)count, numbers)
                                 : H5Sget_select_hyper_blocklist(space, 0, (hsize_t)count, numbers);
    vz_json *lists = status >= 0 ? print_lists(points ? "points" : "blocks", numbers, (size_t)count, width, err) : NULL;
    if (status < 0)
        vz_fail(err, VZ_INVALID, "HDF5 refused to list a selection");
    free(numbers);
    return lists;
}

static vz_json *print_selection(hid_t space, vz_error *err)
{
    const int rank = H5Sget_simple_extent_ndims(space);
    switch (rank < 0 ? H5S_SEL_ERROR : H5Sget_select_type(space)) {
    case H5S_SEL_ALL:
        return vz_json_text("all", err);
    case H5S_SEL_NONE:
        return vz_json_text("none", err);
    case H5S_SEL_POINTS:
        return print_many(space, (size_t)rank, true, err);
    case H5S_SEL_HYPERSLABS:
        return H5Sis_regular_hyperslab(space) > 0 ? print_regular(space, (size_t)rank, err)
                                                  : print_many(space, (size_t)rank, false, err);
    default:
        vz_fail(err, VZ_INVALID, "HDF5 refused to describe a selection");
        return NULL;
    }
}

vz_json *vz_reference_region_print(hid_t space, vz_error *err)
{
    const hid_t folded = vz_h5_selection_copy(space);
    if (folded < 0) {
        vz_fail(err, VZ_INVALID, "HDF5 refused to describe a selection");
        return NULL;
    }
    vz_json *region = print_selection(folded, err);
    H5Sclose(folded);
    return region;
}

/* ---- from JSON ---- */

static bool read_numbers(const vz_json *list, hsize_t *numbers, size_t count)
{
    uint64_t number;
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!vz_json_get_uint64(vz_json_at(list, i), &number))
            return false;
        numbers[i] = number;
    }
    return true;
}

static bool select_regular(hid_t space, const vz_json *region, size_t rank)
{
    hsize_t numbers[4][H5S_MAX_RANK];
    for (size_t i = 0; i < 4; i++)
        if (!read_numbers(vz_json_get(region, hyperslab_keys[i]), numbers[i], rank))
            return false;
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, numbers[0], numbers[1], numbers[2], numbers[3]) >= 0;
}

static bool select_points(hid_t space, const vz_json *points, size_t rank)
{
    const size_t count = vz_json_length(points);
    hsize_t *numbers = count ? calloc(count, rank * sizeof *numbers) : NULL;
    bool ok = numbers != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = read_numbers(vz_json_at(points, i), numbers + i * rank, rank);
    ok = ok && H5Sselect_elements(space, H5S_SELECT_SET, count, numbers) >= 0;
    free(numbers);
    return ok;
}

static bool read_block(const vz_json *block, hsize_t *corners, size_t rank)
{
    if (!read_numbers(block, corners, 2 * rank))
        return false;
    for (size_t d = 0; d < rank; d++)
        if (corners[rank + d] < corners[d])
            return false;
    return true;
}

/* Does a block stand behind another one, as HDF5 lists them? Along the first axis on which they
 * differ it begins where the other has ended. */
static bool is_behind(const hsize_t *corners, const hsize_t *before, size_t rank)
{
    size_t d = 0;
    while (d < rank && corners[d] == before[d] && corners[rank + d] == before[rank + d])
        d++;
    return d < rank && corners[d] > before[rank + d];
}

/* Blocks in another order may overlap, and HDF5 then keeps a number of pieces that grows with
 * the square of theirs. */
static bool are_in_order(const vz_json *blocks, size_t rank)
{
    hsize_t corners[2][2 * H5S_MAX_RANK];
    for (size_t i = 0; i < vz_json_length(blocks); i++)
        if (!read_block(vz_json_at(blocks, i), corners[i % 2], rank) ||
            (i > 0 && !is_behind(corners[i % 2], corners[(i + 1) % 2], rank)))
            return false;
    return true;
}

static bool add_block(hid_t space, const vz_json *item, size_t rank)
{
    hsize_t corners[2 * H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    if (!read_block(item, corners, rank))
        return false;
    for (size_t d = 0; d < rank; d++) {
        count[d] = 1;
        block[d] = corners[rank + d] - corners[d] + 1;
    }
    return H5Sselect_hyperslab(space, H5S_SELECT_OR, corners, NULL, count, block) >= 0;
}

/* HDF5 copies the selection for each block that is added to it: many are selected by halves,
 * which are put together. */
static bool add_blocks(hid_t space, const vz_json *blocks, size_t first, size_t count, size_t rank)
{
    if (H5Sselect_none(space) < 0)
        return false;
    for (size_t i = 0; count <= BLOCKS_ONE_BY_ONE && i < count; i++)
        if (!add_block(space, vz_json_at(blocks, first + i), rank))
            return false;
    if (count <= BLOCKS_ONE_BY_ONE)
        return true;
    const size_t half = count / 2;
    const hid_t other = H5Scopy(space);
    const bool ok = other >= 0 && add_blocks(space, blocks, first, half, rank) &&
                    add_blocks(other, blocks, first + half, count - half, rank) &&
                    H5Smodify_select(space, H5S_SELECT_OR, other) >= 0;
    if (other >= 0)
        H5Sclose(other);
    return ok;
}

static bool select_blocks(hid_t space, const vz_json *blocks, size_t rank)
{
    const size_t count = vz_json_length(blocks);
    return (count <= VZ_REGION_LOOSE_MAX || are_in_order(blocks, rank)) && add_blocks(space, blocks, 0, count, rank);
}

bool vz_reference_region_select(hid_t space, const vz_json *region, vz_error *err)
{
    const int rank = H5Sget_simple_extent_ndims(space);
    const vz_json *points = vz_json_get(region, "points"), *blocks = vz_json_get(region, "blocks");
    bool ok = false;
    if (vz_json_is(region, "all"))
        ok = H5Sselect_all(space) >= 0;
    else if (vz_json_is(region, "none"))
        ok = H5Sselect_none(space) >= 0;
    else if (rank > 0 && points)
        ok = select_points(space, points, (size_t)rank);
    else if (rank > 0 && blocks)
        ok = select_blocks(space, blocks, (size_t)rank);
    else if (rank > 0)
        ok = select_regular(space, region, (size_t)rank);
    return ok || vz_fail(err, VZ_CORRUPT, "a region that does not fit its dataset");
}
