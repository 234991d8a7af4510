/* virtual_clip.c - sources that are smaller than a mapping says, as those that another process
 * still lets grow. */
#include "hdf5/h5/h5.h"
#include "hdf5/types/types.h"
#include "hdf5/virtual/virtual_internal.h"
#include <stdlib.h>

typedef enum extent { FITS, REACHES_OVER, FAILED } extent;

/* Does the selection lie in the dataset? `dims` receives how large that is; *empty: a dimension
 * is 0. */
static extent look(hid_t dataset, hid_t selection, hsize_t *dims, bool *empty)
{
    hsize_t first[H5S_MAX_RANK], last[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0)
        vz_h5_close_quietly(space);
    if (rank < 0)
        return FAILED;
    if (H5Sget_select_type(selection) == H5S_SEL_ALL || H5Sget_select_npoints(selection) == 0)
        return FITS;
    if (H5Sget_select_bounds(selection, first, last) < 0)
        return FAILED;
    extent found = FITS;
    *empty = false;
    for (int d = 0; d < rank; d++) {
        *empty = *empty || dims[d] == 0;
        found = last[d] >= dims[d] ? REACHES_OVER : found;
    }
    return found;
}

bool vz_virtual_source_fits(hid_t dataset, hid_t source)
{
    hsize_t dims[H5S_MAX_RANK];
    bool empty;
    return look(dataset, source, dims, &empty) == FITS;
}

/* Writes the dataset's fill value to all of `memory`. */
static bool fill(hid_t dataset, hid_t type, hid_t memory, void *buf)
{
    const hid_t list = H5Dget_create_plist(dataset), one = H5Screate(H5S_SCALAR);
    void *value = calloc(1, H5Tget_size(type));
    const bool got = list >= 0 && one >= 0 && value && H5Pget_fill_value(list, type, value) >= 0;
    const bool ok = got && H5Dfill(value, type, buf, type, memory) >= 0;
    if (got && vz_type_has_vlen(type))
        H5Treclaim(type, one, H5P_DEFAULT, value);
    free(value);
    if (one >= 0)
        vz_h5_close_quietly(one);
    if (list >= 0)
        vz_h5_close_quietly(list);
    return ok;
}

static bool cut(hid_t inside, const hsize_t *dims, bool empty)
{
    static const hsize_t origin[H5S_MAX_RANK];
    return empty ? H5Sselect_none(inside) >= 0
                 : H5Sselect_hyperslab(inside, H5S_SELECT_AND, origin, NULL, dims, NULL) >= 0;
}

/* The part of both selections that lies in the dataset. New ids, on failure one at most. */
static bool clip(hid_t source, hid_t memory, const hsize_t *dims, bool empty, hid_t *inside, hid_t *part)
{
    if (H5Sget_select_type(source) == H5S_SEL_POINTS)
        return vz_virtual_points_within(source, memory, dims, inside, part);
    *inside = H5Scopy(source);
    *part = *inside >= 0 && cut(*inside, dims, empty) ? H5Sselect_project_intersection(source, memory, *inside)
                                                      : H5I_INVALID_HID;
    return *part >= 0;
}

bool vz_virtual_source_clip(hid_t dataset, hid_t type, hid_t *source, hid_t *memory, void *buf, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    bool empty = false;
    const extent found = look(dataset, *source, dims, &empty);
    if (found == FITS)
        return true;
    hid_t inside = H5I_INVALID_HID, part = H5I_INVALID_HID;
    if (found == FAILED || !clip(*source, *memory, dims, empty, &inside, &part) || !fill(dataset, type, *memory, buf)) {
        if (inside >= 0)
            vz_h5_close_quietly(inside);
        if (part >= 0)
            vz_h5_close_quietly(part);
        return vz_virtual_failed(VZ_HDF5, "a source is smaller than its mapping says", err);
    }
    vz_h5_close_quietly(*source);
    vz_h5_close_quietly(*memory);
    *source = inside;
    *memory = part;
    return true;
}
