/* dataset_properties.c - what HDF5 sees of an array: the creation property list. */
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/creation_internal.h"
#include "hdf5/datasets/view_internal.h"
#include "hdf5/dialects/hdmf.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/h5/h5.h"
#include "H5VLzarr.h"
#include <stdio.h>

bool vz_dataset_mark_new_virtual(vz_node *node, vz_error *err)
{
    if (!vz_dataset_view_of(node, err))
        return false;
    vz_dataset_view *view = node->view;
    view->made_here = true;
    return true;
}

static bool made_here(const vz_node *node)
{
    const vz_dataset_view *view = node->view;
    return view && view->made_here;
}

static bool show_sources(vz_node *node, hid_t dcpl, vz_error *err)
{
    const hid_t space = vz_dataset_space(node, err);
    const bool ok = space >= 0 && vz_sources_show(node, space, made_here(node), dcpl, err);
    if (space >= 0)
        vz_h5_close_quietly(space);
    return ok;
}

/* Of chunks of different shapes the longest, which may go beyond an array that does not grow. */
static hsize_t shown_chunk(const vz_meta *meta, unsigned d)
{
    return meta->edges && meta->shape[d] > 0 && meta->chunks[d] > meta->shape[d] ? meta->shape[d] : meta->chunks[d];
}

static bool show_layout(vz_node *node, const vz_dataset_view *view, hid_t dcpl, vz_error *err)
{
    H5D_layout_t layout = vz_dataset_layout(node);
    if (vz_sources_kind_of(node) != VZ_SOURCES_NONE)
        return show_sources(node, dcpl, err);
    if (H5Pset_layout(dcpl, layout) < 0)
        return vz_fail(err, VZ_HDF5, "cannot set a layout");
    if (layout != H5D_CHUNKED)
        return true;
    hsize_t chunk[VZ_MAX_RANK];
    for (unsigned d = 0; d < view->rank; d++)
        chunk[d] = shown_chunk(node->meta, d);
    return H5Pset_chunk(dcpl, (int)view->rank, chunk) >= 0 || vz_fail(err, VZ_HDF5, "cannot set a chunk shape");
}

static bool show_filters(vz_node *node, hid_t dcpl, vz_error *err)
{
    vz_pipeline_shown shown;
    const char *file, *path;
    if (vz_dialect_lindi_elsewhere(node, &file, &path)) /* it has none without chunks */
        return true;
    if (!vz_dataset_filters(node, &shown, err))
        return false;
    for (size_t i = 0; i < shown.count; i++)
        if (H5Pset_filter(dcpl, shown.filters[i].id, shown.filters[i].flags, shown.filters[i].value_count,
                          shown.filters[i].values) < 0)
            return vz_fail(err, VZ_HDF5, "cannot set filter %d", (int)shown.filters[i].id);
    return true;
}

/* Only where the layout's own is another: a time that was set is not equal to the default one
 * (H5Pequal). */
static bool show_alloc_time(const vz_json *properties, hid_t dcpl)
{
    int64_t value;
    H5D_alloc_time_t standard;
    if (!vz_json_get_int64(vz_json_get(properties, "alloc"), &value) || value < H5D_ALLOC_TIME_DEFAULT ||
        value > H5D_ALLOC_TIME_INCR)
        return true;
    return H5Pget_alloc_time(dcpl, &standard) >= 0 &&
           ((int64_t)standard == value || H5Pset_alloc_time(dcpl, (H5D_alloc_time_t)value) >= 0);
}

static bool show_properties(vz_node *node, hid_t dcpl, vz_error *err)
{
    const vz_json *properties = vz_annotation_get(node, "pl");
    int64_t value;
    time_t changed;
    if (!show_alloc_time(properties, dcpl))
        return vz_fail(err, VZ_HDF5, "cannot set the allocation time");
    if (vz_json_get_int64(vz_json_get(properties, "ao"), &value) && value >= 0 &&
        value <= (H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) &&
        H5Pset_attr_creation_order(dcpl, (unsigned)value) < 0)
        return vz_fail(err, VZ_HDF5, "cannot set the attribute creation order");
    vz_hints_show_object(properties, dcpl);
    return H5Pset_obj_track_times(dcpl, vz_times_kept(node, &changed)) >= 0 ||
           vz_fail(err, VZ_HDF5, "cannot set time tracking");
}

/* Tells programs, h5zarr convert among them, that the elements cannot be read. */
static bool show_not_understood(const vz_node *node, hid_t dcpl, vz_error *err)
{
    char why[H5VL_ZARR_TEXT_SIZE];
    if (vz_node_understood(node))
        return true;
    snprintf(why, sizeof why, "%s", vz_node_meta_error(node)->text);
    return H5Pinsert2(dcpl, H5VL_ZARR_NOT_UNDERSTOOD, sizeof why, why, NULL, NULL, NULL, NULL, NULL, NULL) >= 0 ||
           vz_fail(err, VZ_HDF5, "cannot set a property");
}

hid_t vz_dataset_dcpl(vz_node *node, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    if (!view)
        return H5I_INVALID_HID;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (dcpl < 0) {
        vz_fail(err, VZ_HDF5, "cannot make a creation property list");
        return dcpl;
    }
    if (show_layout(node, view, dcpl, err) && show_filters(node, dcpl, err) &&
        vz_dataset_fill_show(node, view, dcpl, err) && show_properties(node, dcpl, err) &&
        show_not_understood(node, dcpl, err))
        return dcpl;
    hid_t kept = vz_h5_errors_keep(err);
    H5Pclose(dcpl);
    vz_h5_errors_restore(kept);
    return H5I_INVALID_HID;
}

hid_t vz_dataset_sources(vz_node *node, vz_error *err)
{
    if (!vz_dataset_view_of(node, err))
        return H5I_INVALID_HID;
    vz_dataset_view *view = node->view;
    if (view->sources >= 0)
        return view->sources;
    const hid_t space = vz_dataset_space(node, err);
    const hid_t list = space >= 0 ? H5Pcreate(H5P_DATASET_CREATE) : H5I_INVALID_HID;
    if (list >= 0 && vz_sources_show(node, space, made_here(node), list, err))
        view->sources = list;
    else if (list >= 0)
        H5Pclose(list);
    else
        vz_fail(err, VZ_HDF5, "cannot make a property list");
    if (space >= 0)
        H5Sclose(space);
    return view->sources;
}
