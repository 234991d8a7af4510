/* virtual_slab.c - unlimited selections of mappings, cut to what is there. */
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/virtual/virtual_internal.h"

static void slab_of(hid_t space, vz_virtual_slab *slab)
{
    *slab = (vz_virtual_slab){.rank = H5Sget_simple_extent_ndims(space), .open = -1};
    if (slab->rank <= 0 || H5Sget_select_type(space) != H5S_SEL_HYPERSLABS || H5Sis_regular_hyperslab(space) <= 0 ||
        H5Sget_regular_hyperslab(space, slab->start, slab->stride, slab->count, slab->block) < 0)
        return;
    for (int d = 0; d < slab->rank; d++)
        if (slab->count[d] == H5S_UNLIMITED || slab->block[d] == H5S_UNLIMITED)
            slab->open = d;
}

static bool mapping_open(vz_virtual_mapping *m, hid_t list, size_t index, vz_error *err)
{
    *m = (vz_virtual_mapping){.list = list, .index = index};
    m->source = H5Pget_virtual_srcspace(list, index);
    m->virtual = m->source < 0 ? H5I_INVALID_HID : H5Pget_virtual_vspace(list, index);
    if (m->virtual < 0) {
        vz_fail(err, VZ_HDF5, "cannot read a mapping");
        if (m->source >= 0)
            vz_h5_close_quietly(m->source);
        return false;
    }
    slab_of(m->source, &m->source_slab);
    slab_of(m->virtual, &m->virtual_slab);
    return true;
}

static void mapping_close(vz_virtual_mapping *m)
{
    vz_h5_close_quietly(m->source);
    vz_h5_close_quietly(m->virtual);
}

bool vz_virtual_mapping_each(const vz_handle *handle, vz_virtual_mapping_visit visit, void *context, vz_error *err)
{
    size_t count = 0;
    const hid_t list = vz_dataset_sources(handle->node, err);
    bool ok = list >= 0 && (H5Pget_virtual_count(list, &count) >= 0 || vz_fail_hdf5(err));
    for (size_t i = 0; ok && i < count; i++) {
        vz_virtual_mapping m;
        ok = mapping_open(&m, list, i, err);
        if (!ok)
            break;
        ok = visit(context, &m, err);
        mapping_close(&m);
    }
    return ok;
}

static bool is_dense(const vz_virtual_slab *slab)
{
    return slab->block[slab->open] == H5S_UNLIMITED || slab->block[slab->open] == slab->stride[slab->open];
}

hsize_t vz_virtual_slab_planes(const vz_virtual_slab *slab, hsize_t extent)
{
    const hsize_t start = slab->start[slab->open], stride = slab->stride[slab->open], block = slab->block[slab->open];
    if (extent <= start)
        return 0;
    if (is_dense(slab))
        return extent - start;
    const hsize_t rest = (extent - start) % stride;
    return (extent - start) / stride * block + (rest < block ? rest : block);
}

hsize_t vz_virtual_slab_reach(const vz_virtual_slab *slab, hsize_t planes, bool with_gap)
{
    const hsize_t start = slab->start[slab->open], stride = slab->stride[slab->open], block = slab->block[slab->open];
    if (planes == 0)
        return with_gap ? start : 0;
    if (is_dense(slab))
        return start + planes;
    const hsize_t whole = planes / block, rest = planes % block;
    if (rest || with_gap)
        return start + whole * stride + rest;
    return start + (whole - 1) * stride + block;
}

hid_t vz_virtual_slab_cut(hid_t space, const vz_virtual_slab *slab, hsize_t reach)
{
    vz_virtual_slab s = *slab;
    const int d = s.open;
    const hid_t copy = H5Scopy(space);
    bool ok = copy >= 0;
    if (ok && reach <= s.start[d]) {
        ok = H5Sselect_none(copy) >= 0;
    } else if (ok) {
        const hsize_t length = reach - s.start[d];
        const bool dense = is_dense(slab);
        s.block[d] = dense ? length : s.block[d];
        s.stride[d] = dense ? length : s.stride[d];
        s.count[d] = dense ? 1 : (length - 1) / s.stride[d] + 1;
        ok = H5Sselect_hyperslab(copy, H5S_SELECT_SET, s.start, s.stride, s.count, s.block) >= 0;
        if (ok && !dense && length % s.stride[d] != 0 &&
            length % s.stride[d] < s.block[d]) { /* the last block is cut */
            for (int i = 0; i < s.rank; i++) {
                s.block[i] = s.start[i] + (s.count[i] - 1) * s.stride[i] + s.block[i];
                s.start[i] = 0;
                s.count[i] = 1;
            }
            s.block[d] = reach;
            ok = H5Sselect_hyperslab(copy, H5S_SELECT_AND, s.start, NULL, s.count, s.block) >= 0;
        }
    }
    if (ok || copy < 0)
        return copy;
    vz_h5_close_quietly(copy);
    return H5I_INVALID_HID;
}

hid_t vz_virtual_slab_block(hid_t space, const vz_virtual_slab *slab, hsize_t number)
{
    vz_virtual_slab s = *slab;
    const hid_t copy = H5Scopy(space);
    s.start[s.open] += number * s.stride[s.open];
    s.count[s.open] = 1;
    if (copy < 0 || H5Sselect_hyperslab(copy, H5S_SELECT_SET, s.start, s.stride, s.count, s.block) >= 0)
        return copy;
    vz_h5_close_quietly(copy);
    return H5I_INVALID_HID;
}
