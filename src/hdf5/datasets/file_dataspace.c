/* file_dataspace.c - the program's file dataspace, whose extent may differ from the dataset's. */
#include "hdf5/datasets/space_internal.h"
#include "base/util/bytes.h"

#include <inttypes.h>

/* A dataspace of the dataset's own extent. */
static hid_t extent_space(const vz_extent *e, vz_error *err)
{
    hsize_t dims[VZ_MAX_RANK];
    for (unsigned d = 0; d < e->rank; d++)
        dims[d] = e->dims[d];
    hid_t space = e->null        ? H5Screate(H5S_NULL)
                  : e->rank == 0 ? H5Screate(H5S_SCALAR)
                                 : H5Screate_simple((int)e->rank, dims, NULL);
    if (space < 0)
        vz_fail(err, VZ_HDF5, "cannot make a dataspace");
    return space;
}

/* HDF5 takes a point one behind the extent for one inside: its bounds tell. */
static bool points_lie_inside(hid_t space)
{
    hsize_t dims[H5S_MAX_RANK], low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    if (rank < 0 || H5Sget_select_bounds(space, low, high) < 0)
        return false;
    for (int d = 0; d < rank; d++)
        if (high[d] >= dims[d])
            return false;
    return true;
}

/* Where a slab is added that covers the former ones, HDF5 1.14 may keep a regular description of
 * fewer elements. Then everything that walks the selection leaves it. */
bool vz_dataset_hyperslab_is_sound(hid_t space, unsigned rank, uint64_t count)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], counts[H5S_MAX_RANK], block[H5S_MAX_RANK];
    if (H5Sget_regular_hyperslab(space, start, stride, counts, block) < 0)
        return false;
    uint64_t elements = 1;
    for (unsigned d = 0; d < rank; d++)
        elements *= counts[d] * block[d]; /* at most what the dataspace has */
    return elements == count;
}

bool vz_dataset_selection_check(hid_t space, uint64_t count, const char *which, vz_error *err)
{
    if (count == 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == 0)
        return vz_fail(err, VZ_INVALID, "the %s dataspace has no extent", which);
    const H5S_sel_type kind = H5Sget_select_type(space);
    if (H5Sselect_valid(space) <= 0 || (kind == H5S_SEL_POINTS && !points_lie_inside(space)))
        return vz_fail(err, VZ_INVALID, "the %s selection is not within the extent of its dataspace", which);
    if (kind == H5S_SEL_HYPERSLABS && H5Sis_regular_hyperslab(space) > 0 &&
        !vz_dataset_hyperslab_is_sound(space, (unsigned)H5Sget_simple_extent_ndims(space), count))
        return vz_fail(err, VZ_INVALID,
                       "HDF5 describes the %s selection with fewer elements than it has: select it in one call, or its "
                       "parts in another order",
                       which);
    return true;
}

/* ---- datasets whose elements lie in one piece ---- */

/* The offset behind the last selected element, counted in the dataspace's own extent. */
static bool find_end(hid_t space, uint64_t count, uint64_t *end, vz_error *err)
{
    const vz_pair all = {.file = space, .memory = space, .count = count};
    vz_point_run run;
    size_t given = 0;
    vz_pair_runs *runs = vz_pair_runs_open(&all, false, err);
    bool ok = runs != NULL;
    *end = 0;
    while (ok && (ok = vz_pair_runs_next(runs, &run, 1, &given, err)) && given == 1)
        if (run.array + run.length > *end)
            *end = run.array + run.length;
    vz_pair_runs_close(runs);
    return ok;
}

static bool take_linear(vz_pair *pair, const vz_extent *e, hid_t space, vz_error *err)
{
    uint64_t elements = 1, end;
    for (unsigned d = 0; d < e->rank; d++)
        if (!vz_mul(elements, e->dims[d], &elements))
            elements = UINT64_MAX;
    if (!find_end(space, pair->count, &end, err))
        return false;
    if (end > elements)
        return vz_fail(err, VZ_INVALID,
                       "the file dataspace has another extent than the dataset, and its selection reaches element "
                       "%" PRIu64 " of %" PRIu64 ": ask for a new one with H5Dget_space",
                       end - 1, elements);
    pair->file = space;
    pair->linear = true;
    return true;
}

/* ---- all others ---- */

static bool check_reach(const vz_extent *e, hid_t space, vz_error *err)
{
    hsize_t low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    if (H5Sget_select_bounds(space, low, high) < 0)
        return vz_fail(err, VZ_HDF5, "the file selection has no bounds");
    for (unsigned d = 0; d < e->rank; d++)
        if (high[d] >= e->dims[d])
            return vz_fail(err, VZ_INVALID,
                           "the file dataspace has another extent than the dataset, and its selection reaches index "
                           "%" PRIu64 " of dimension %u, which has %" PRIu64 ": ask for a new one with H5Dget_space",
                           (uint64_t)high[d], d, e->dims[d]);
    return true;
}

/* Selects the box of all of `dims`, which is a part of the dataset. An offset does not move it. */
static bool select_box(hid_t space, const hsize_t *dims)
{
    static const hsize_t origin[H5S_MAX_RANK];
    static const hssize_t none[H5S_MAX_RANK];
    return H5Soffset_simple(space, none) >= 0 &&
           H5Sselect_hyperslab(space, H5S_SELECT_SET, origin, NULL, dims, NULL) >= 0;
}

/* A copy with the dataset's extent, in which offsets are counted. The selection stays where it
 * is. */
static bool copy_to_extent(vz_pair *pair, const vz_extent *e, hid_t space, const hsize_t *dims, vz_error *err)
{
    const hid_t extent = extent_space(e, err);
    if (extent < 0)
        return false;
    pair->file = H5Scopy(space);
    pair->own_file = pair->file >= 0;
    const bool ok = pair->own_file && H5Sextent_copy(pair->file, extent) >= 0 &&
                    (H5Sget_select_type(space) != H5S_SEL_ALL || select_box(pair->file, dims));
    H5Sclose(extent);
    return ok || vz_fail(err, VZ_HDF5, "cannot give the file dataspace the dataset's extent");
}

/* ---- a file dataspace ---- */

static bool has_extent(const vz_extent *e, hid_t space, int rank, const hsize_t *dims)
{
    if ((unsigned)rank != e->rank || (rank == 0 && (H5Sget_simple_extent_type(space) == H5S_NULL) != e->null))
        return false;
    for (unsigned d = 0; d < e->rank; d++)
        if (dims[d] != e->dims[d])
            return false;
    return true;
}

static bool take_given(vz_pair *pair, const vz_extent *e, hid_t space, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    if (rank < 0)
        return vz_fail(err, VZ_HDF5, "the file dataspace is no dataspace");
    const hssize_t points = H5Sget_select_npoints(space);
    pair->count = points > 0 ? (uint64_t)points : 0;
    pair->file = space;
    if (!vz_dataset_selection_check(space, pair->count, "file", err))
        return false;
    if (pair->count == 0 || has_extent(e, space, rank, dims))
        return true;
    if (e->null)
        return vz_fail(err, VZ_INVALID, "elements are selected of a dataset that has none (H5S_NULL)");
    if (e->linear)
        return take_linear(pair, e, space, err);
    if ((unsigned)rank != e->rank)
        return vz_fail(err, VZ_INVALID, "the file dataspace has rank %d, the dataset rank %u", rank, e->rank);
    return check_reach(e, space, err) && copy_to_extent(pair, e, space, dims, err);
}

bool vz_dataset_file_space_take(vz_pair *pair, const vz_extent *e, hid_t space, vz_error *err)
{
    if (space != H5S_ALL)
        return take_given(pair, e, space, err);
    pair->file = extent_space(e, err);
    pair->own_file = pair->file >= 0;
    if (!pair->own_file)
        return false;
    const hssize_t points = H5Sget_select_npoints(pair->file);
    pair->count = points > 0 ? (uint64_t)points : 0;
    return true;
}
