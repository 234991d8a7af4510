/* virtual_extent.c - how large a virtual dataset with unlimited mappings is. */
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/virtual/virtual_internal.h"

typedef struct extents {
    vz_handle *handle;
    unsigned rank;
    bool first_missing;          /* the view: up to the first element that is missing, else up to
                                  * the last that is there */
    hsize_t gap;                 /* sources of a pattern that may be missing in a row */
    hsize_t least[H5S_MAX_RANK]; /* what limited mappings need */
    hsize_t now[H5S_MAX_RANK];
    bool open[H5S_MAX_RANK]; /* some mapping is unlimited there: `now` says how far */
} extents;

static bool read_view(extents *e, vz_error *err)
{
    H5D_vds_view_t view = H5D_VDS_LAST_AVAILABLE;
    const hid_t dapl = vz_virtual_source_dapl(e->handle);
    if (H5Pget_virtual_view(dapl, &view) < 0 || H5Pget_virtual_printf_gap(dapl, &e->gap) < 0)
        return vz_fail_hdf5(err);
    e->first_missing = view == H5D_VDS_FIRST_MISSING;
    if (e->first_missing)
        e->gap = 0;
    return true;
}

static bool need(void *context, const vz_virtual_mapping *m, vz_error *err)
{
    extents *e = context;
    hsize_t first[H5S_MAX_RANK], last[H5S_MAX_RANK];
    if (H5Sget_select_type(m->virtual) != H5S_SEL_HYPERSLABS)
        return true;
    if (m->virtual_slab.open < 0 && H5Sget_select_bounds(m->virtual, first, last) < 0)
        return vz_fail_hdf5(err);
    for (int d = 0; d < (int)e->rank; d++) {
        const vz_virtual_slab *s = &m->virtual_slab;
        const hsize_t end = s->open < 0 ? last[d] + 1 : s->start[d] + (s->count[d] - 1) * s->stride[d] + s->block[d];
        if (d != s->open && end > e->least[d])
            e->least[d] = end;
    }
    return true;
}

static bool source_extent(hid_t dataset, const vz_virtual_slab *slab, hsize_t *extent, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset);
    const bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == slab->rank &&
                    H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    if (space >= 0)
        vz_h5_close_quietly(space);
    if (!ok)
        return vz_virtual_failed(VZ_INVALID, "the source of a mapping has another rank than its selection", err);
    *extent = dims[slab->open];
    return true;
}

static bool reach_of_source(extents *e, const vz_virtual_mapping *m, hsize_t *reach, vz_error *err)
{
    bool missing;
    hsize_t extent = 0;
    *reach = 0;
    const hid_t dataset = vz_virtual_source_open(e->handle, m, 0, &missing, err);
    if (dataset < 0)
        return missing;
    const bool ok = source_extent(dataset, &m->source_slab, &extent, err);
    vz_h5_close_quietly(dataset);
    *reach =
        ok ? vz_virtual_slab_reach(&m->virtual_slab, vz_virtual_slab_planes(&m->source_slab, extent), e->first_missing)
           : 0;
    return ok;
}

static bool reach_of_pattern(extents *e, const vz_virtual_mapping *m, hsize_t *reach, vz_error *err)
{
    const vz_virtual_slab *s = &m->virtual_slab;
    const hsize_t start = s->start[s->open], stride = s->stride[s->open], block = s->block[s->open];
    /* numbers whose end can be computed */
    const hsize_t most = (H5S_UNLIMITED - 1 - start - block) / stride;
    hsize_t found = 0;
    for (hsize_t i = 0; i < most && i - found <= e->gap; i++) {
        bool missing;
        const hid_t dataset = vz_virtual_source_open(e->handle, m, i, &missing, err);
        if (dataset >= 0) {
            vz_h5_close_quietly(dataset);
            found = i + 1;
        } else if (!missing) {
            return false;
        }
    }
    *reach = found == 0 ? 0 : e->first_missing ? start + found * stride : start + (found - 1) * stride + block;
    return true;
}

static bool add(void *context, const vz_virtual_mapping *m, vz_error *err)
{
    extents *e = context;
    const int d = m->virtual_slab.open;
    hsize_t reach = 0;
    if (!need(e, m, err))
        return false;
    if (d < 0)
        return true;
    if (!(vz_virtual_mapping_is_pattern(m) ? reach_of_pattern(e, m, &reach, err) : reach_of_source(e, m, &reach, err)))
        return false;
    if (!e->open[d] || (e->first_missing ? reach < e->now[d] : reach > e->now[d]))
        e->now[d] = reach;
    e->open[d] = true;
    return true;
}

bool vz_virtual_refresh(vz_handle *handle, vz_error *err)
{
    extents e = {.handle = handle};
    hsize_t dims[H5S_MAX_RANK];
    if (!vz_dataset_dims(handle->node, &e.rank, dims, err) || !read_view(&e, err) || !vz_virtual_enter(err))
        return false;
    const bool ok = vz_virtual_mapping_each(handle, add, &e, err);
    vz_virtual_leave();
    if (!ok)
        return false;
    for (unsigned d = 0; d < e.rank; d++)
        if (e.open[d])
            dims[d] = e.now[d] > e.least[d] ? e.now[d] : e.least[d];
    handle->sources_seen = true;
    return vz_dataset_follow_sources(handle->node, dims, err);
}

bool vz_virtual_check_extent(vz_handle *handle, const hsize_t *dims, vz_error *err)
{
    extents e = {.handle = handle};
    hsize_t old[H5S_MAX_RANK];
    if (!vz_dataset_dims(handle->node, &e.rank, old, err) || !vz_virtual_mapping_each(handle, need, &e, err))
        return false;
    for (unsigned d = 0; d < e.rank; d++)
        if (dims[d] < e.least[d])
            return vz_fail(err, VZ_INVALID,
                           "virtual dataset dimensions not large enough to contain all limited dimensions in all "
                           "selections");
    return true;
}
