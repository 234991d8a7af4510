/* selection_offset.c - the offset of H5Soffset_simple becomes part of the selection. */
#include "hdf5/h5/h5.h"

/* How far the offset moves the selection: HDF5 does not tell it, but bounds have it. The space
 * has none afterwards. */
static bool take_offset(hid_t space, int rank, hssize_t *offset, bool *any)
{
    static const hssize_t none[H5S_MAX_RANK];
    hsize_t moved[H5S_MAX_RANK], plain[H5S_MAX_RANK], end[H5S_MAX_RANK];
    if (H5Sget_select_bounds(space, moved, end) < 0 || H5Soffset_simple(space, none) < 0 ||
        H5Sget_select_bounds(space, plain, end) < 0)
        return false;
    *any = false;
    for (int d = 0; d < rank; d++) {
        offset[d] = (hssize_t)(moved[d] - plain[d]);
        *any = *any || offset[d] != 0;
    }
    return true;
}

/* H5Sselect_adjust leaves what H5Sget_regular_hyperslab tells as it was, and takes the offset
 * off "unlimited", too. */
static bool move_regular(hid_t space, int rank, const hssize_t *offset)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    if (H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
        return false;
    for (int d = 0; d < rank; d++)
        start[d] += (hsize_t)offset[d];
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block) >= 0;
}

static bool move_any(hid_t space, int rank, const hssize_t *offset)
{
    hssize_t back[H5S_MAX_RANK];
    for (int d = 0; d < rank; d++)
        back[d] = -offset[d];
    return H5Sselect_adjust(space, back) >= 0;
}

bool vz_h5_selection_fold(hid_t space)
{
    static const hssize_t none[H5S_MAX_RANK];
    hssize_t offset[H5S_MAX_RANK];
    bool any;
    const H5S_sel_type kind = H5Sget_select_type(space);
    const int rank = kind == H5S_SEL_ERROR ? -1 : H5Sget_simple_extent_ndims(space);
    if (rank <= 0)
        return rank == 0;
    /* It does not move these, but would move what is selected afterwards. */
    if (kind == H5S_SEL_ALL || kind == H5S_SEL_NONE || H5Sget_select_npoints(space) == 0)
        return H5Soffset_simple(space, none) >= 0;
    if (!take_offset(space, rank, offset, &any))
        return false;
    if (!any)
        return true;
    return kind == H5S_SEL_HYPERSLABS && H5Sis_regular_hyperslab(space) > 0 ? move_regular(space, rank, offset)
                                                                            : move_any(space, rank, offset);
}

hid_t vz_h5_selection_copy(hid_t space)
{
    const hid_t copy = H5Scopy(space);
    if (copy < 0 || vz_h5_selection_fold(copy))
        return copy;
    vz_h5_close_quietly(copy);
    return H5I_INVALID_HID;
}
