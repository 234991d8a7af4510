/* dataset_view.c - what HDF5 sees of an array: type, dataspace, layout. */
#include "hdf5/datasets/datasets.h"
#include "hdf5/types/types.h"

#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/creation_internal.h"
#include "hdf5/datasets/view_internal.h"
#include "hdf5/dialects/hdmf.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/dialects/default_compressor.h"

#include <stdlib.h>

#define HDF5_CHUNK_MAX_ELEMENTS UINT32_MAX /* per dimension and in all: HDF5 cannot express more */

static void view_free(void *pointer)
{
    vz_dataset_view *view = pointer;
    if (--view->users > 0)
        return;
    for (size_t i = 0; i < VZ_ELEMENT_PLANS; i++)
        vz_element_plan_release(view->plans[i]);
    if (view->shown >= 0 && !view->standard)
        H5Tclose(view->shown);
    if (view->sources >= 0)
        H5Pclose(view->sources);
    vz_dtype_free(view->of);
    vz_dtype_free(view->row);
    free(view);
}

/* AnnData's null element is an attribute; nothing else needs to say that the dataspace is null. */
static bool is_null(const vz_node *node)
{
    return vz_json_is(vz_annotation_get(node, "s"), "null") ||
           (node->meta->rank == 0 && vz_json_is(vz_node_attribute(node, "encoding-type"), "null"));
}

/* Most arrays hold numbers of HDF5's own types, for which nothing needs to be worked out. */
static bool show_number(vz_dataset_view *view, const vz_dtype *dtype)
{
    view->standard = vz_standard_of_dtype(dtype, &view->number);
    if (view->standard)
        view->shown = vz_standard_type(view->number);
    return view->standard;
}

/* The type and how the array's elements make one of it; *axes of its dimensions belong to it. */
static bool show_type(vz_dataset_view *view, const vz_node *node, unsigned *axes, vz_error *err)
{
    const vz_meta *meta = node->meta;
    const vz_json *form = vz_annotation_get(node, "t");
    hid_t annotated = form ? vz_short_form_parse(form, NULL) : H5I_INVALID_HID;
    if (annotated < 0)
        annotated = vz_hdmf_type(node);
    unsigned rank = meta->rank;
    if (annotated < 0) {
        annotated = vz_dialect_lindi_type(node);
        rank = annotated < 0 ? rank : 1; /* a row is an element: no dimension is the type's */
    }
    if (annotated < 0 && show_number(view, meta->dtype))
        return true;
    view->shown = vz_type_show_axes(meta->dtype, annotated, rank, meta->shape, axes, &view->row, err);
    if (view->shown < 0 || *axes > 0 || !vz_hdmf_repeats_rows(node))
        return view->shown >= 0;
    *axes = 1;
    view->row = vz_type_repeated_row(meta->dtype, meta->shape[meta->rank - 1], err);
    return view->row != NULL;
}

static vz_dataset_view *view_new(const vz_node *node, vz_error *err)
{
    vz_dataset_view *view = calloc(1, sizeof *view);
    if (!view) {
        vz_fail_memory(err);
        return NULL;
    }
    unsigned axes = 0;
    const vz_meta *meta = node->meta;
    view->users = 1;
    view->sources = view->shown = H5I_INVALID_HID;
    view->of_rank = meta->rank;
    view->of = vz_dtype_copy(meta->dtype, err);
    const unsigned failures = vz_memory_failures(); /* an annotation that could not be read is not
                                                     * one that does not fit */
    const bool shown = view->of && show_type(view, node, &axes, err);
    if (!shown || (vz_memory_failures() != failures && !vz_fail_memory(err))) {
        view_free(view);
        return NULL;
    }
    view->rank = meta->rank - axes;
    view->per = 1;
    for (unsigned d = view->rank; d < meta->rank; d++)
        view->per *= meta->shape[d];
    view->scalar = vz_hdmf_is_scalar(node, view->rank);
    if (view->scalar || is_null(node))
        view->rank = 0;
    view->same_bytes = view->standard || vz_type_same_bytes_as(vz_dataset_stored(view), view->shown);
    view->is_number =
        view->standard || (view->per == 1 && view->same_bytes && vz_type_number(view->shown, &view->number));
    return view;
}

/* Another dtype, or a scalar that was none. */
static bool is_stale(const vz_dataset_view *view, const vz_node *node)
{
    const vz_meta *meta = node->meta;
    return !vz_dtype_equal(view->of, meta->dtype) || view->of_rank != meta->rank ||
           view->scalar != vz_hdmf_is_scalar(node, view->scalar ? 1 : view->rank);
}

const vz_dataset_view *vz_dataset_view_of(vz_node *node, vz_error *err)
{
    if (!node->meta) {
        vz_node_fail_meta(node, err);
        return NULL;
    }
    vz_dataset_view *view = node->view;
    const uint64_t facts = vz_hierarchy_facts(node->hierarchy);
    if (view && view->compared && view->facts == facts)
        return view;
    if (!view || is_stale(view, node)) {
        view = view_new(node, err);
        if (!view)
            return NULL;
        if (node->view)
            node->view_free(node->view);
        node->view = view;
        node->view_free = view_free;
    }
    view->null = is_null(node); /* an attribute may have come since */
    view->compared = true;
    view->facts = facts;
    view->known = 0;
    return view;
}

/* The view, if nothing changed since it was compared with the node; else NULL. Other nodes than
 * datasets have views of another type. */
static vz_dataset_view *fresh_view(const vz_node *node)
{
    vz_dataset_view *view = node->view_free == view_free ? node->view : NULL;
    return view && view->compared && view->facts == vz_hierarchy_facts(node->hierarchy) ? view : NULL;
}

vz_sources_kind vz_sources_kind_of(const vz_node *node)
{
    vz_dataset_view *view = fresh_view(node);
    if (!view)
        return vz_sources_kind_read(node);
    if (!(view->known & VZ_VIEW_KNOWS_SOURCES))
        view->sources_kind = vz_sources_kind_read(node);
    view->known |= VZ_VIEW_KNOWS_SOURCES;
    return view->sources_kind;
}

static bool find_fill_time(const vz_node *node)
{
    int64_t when;
    return vz_json_get_int64(vz_json_get(vz_annotation_get(node, "f"), "time"), &when) && when == H5D_FILL_TIME_NEVER;
}

bool vz_dataset_is_never_filled(const vz_node *node)
{
    vz_dataset_view *view = fresh_view(node);
    if (!view)
        return find_fill_time(node);
    if (!(view->known & VZ_VIEW_KNOWS_FILL_TIME))
        view->never_filled = find_fill_time(node);
    view->known |= VZ_VIEW_KNOWS_FILL_TIME;
    return view->never_filled;
}

vz_dataset_view *vz_dataset_view_take(vz_node *node, vz_error *err)
{
    if (!vz_dataset_view_of(node, err))
        return NULL;
    vz_dataset_view *view = node->view;
    view->users++;
    return view;
}

void vz_dataset_view_release(vz_dataset_view *view)
{
    if (view)
        view_free(view);
}

hid_t vz_dataset_type(vz_node *node, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    if (!view)
        return H5I_INVALID_HID;
    hid_t type = H5Tcopy(view->shown);
    if (type < 0)
        vz_fail(err, VZ_HDF5, "cannot copy a datatype");
    return type;
}

static bool ours(const vz_node *node)
{
    return vz_hierarchy_is_ours(node->hierarchy);
}

/* The compressor that stands for "no filter asked", as far as this node is concerned. In a store of
 * somebody else that holds only for arrays whose annotation has their layout. */
static const vz_json *silent_codec(const vz_node *node)
{
    return ours(node) || vz_annotation_get(node, "l") ? vz_dialect_default_codec(node->hierarchy) : NULL;
}

bool vz_dataset_has_default_pipeline(const vz_node *node)
{
    return !vz_annotation_get(node, "p") && vz_pipeline_is_default(node->meta, silent_codec(node));
}

bool vz_dataset_filters(vz_node *node, vz_pipeline_shown *shown, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    shown->count = 0;
    shown->exact = false;
    if (view && !view->scalar) /* HDF5 has filters for chunks only */
        vz_pipeline_show(node->meta, vz_annotation_get(node, "p"), silent_codec(node), shown);
    return view != NULL;
}

static const vz_json *stored_max(const vz_node *node)
{
    return vz_json_get(vz_annotation_get(node, "s"), "max");
}

void vz_dataset_max_dims(vz_node *node, hsize_t *max)
{
    const vz_meta *meta = node->meta;
    const vz_json *stored = stored_max(node);
    for (unsigned d = 0; d < meta->rank; d++) {
        uint64_t value = meta->shape[d];
        if (stored && vz_json_get_uint64(vz_json_at(stored, d), &value))
            max[d] = value > meta->shape[d] ? value : meta->shape[d];
        else
            max[d] = stored || !(ours(node) || node->fixed_shape || meta->edges || meta->shard_edges) ? H5S_UNLIMITED
                                                                                                      : meta->shape[d];
    }
}

static bool chunks_fit(const vz_meta *meta)
{
    for (unsigned d = 0; d < meta->rank; d++)
        if (meta->chunks[d] > HDF5_CHUNK_MAX_ELEMENTS)
            return false;
    return meta->chunk_count <= HDF5_CHUNK_MAX_ELEMENTS && meta->chunk_size <= UINT32_MAX;
}

H5D_layout_t vz_dataset_layout(vz_node *node)
{
    return vz_dataset_layout_of(node, vz_dataset_view_of(node, NULL));
}

static H5D_layout_t find_layout(vz_node *node, const vz_dataset_view *view)
{
    const vz_meta *meta = node->meta;
    const vz_json *stored = vz_annotation_get(node, "l");
    vz_pipeline_shown shown;
    const vz_sources_kind sources = vz_sources_kind_of(node);
    const char *file, *path;
    if (sources == VZ_SOURCES_NONE && vz_dialect_lindi_elsewhere(node, &file, &path))
        return H5D_CONTIGUOUS;
    if (sources != VZ_SOURCES_NONE)
        return sources == VZ_SOURCES_VIRTUAL ? H5D_VIRTUAL : H5D_CONTIGUOUS;
    if (vz_json_is(stored, "compact"))
        return H5D_COMPACT;
    if (!view || view->rank == 0 || vz_json_is(stored, "contiguous") || !chunks_fit(meta))
        return H5D_CONTIGUOUS;
    if (vz_json_is(stored, "chunked") || stored_max(node) || vz_annotation_get(node, "p") || !ours(node))
        return H5D_CHUNKED;
    return vz_dataset_filters(node, &shown, NULL) && shown.count == 0 ? H5D_CONTIGUOUS : H5D_CHUNKED;
}

H5D_layout_t vz_dataset_layout_of(vz_node *node, const vz_dataset_view *view)
{
    vz_dataset_view *own = fresh_view(node);
    if (!own || view != own)
        return find_layout(node, view);
    if (!(own->known & VZ_VIEW_KNOWS_LAYOUT))
        own->layout = find_layout(node, view);
    own->known |= VZ_VIEW_KNOWS_LAYOUT;
    return own->layout;
}

hid_t vz_dataset_space(vz_node *node, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(node, err);
    if (!view)
        return H5I_INVALID_HID;
    const vz_meta *meta = node->meta;
    hsize_t dims[VZ_MAX_RANK], max[VZ_MAX_RANK];
    for (unsigned d = 0; d < view->rank; d++)
        dims[d] = max[d] = meta->shape[d];
    if (vz_dataset_layout_of(node, view) == H5D_CHUNKED || vz_sources_kind_of(node) != VZ_SOURCES_NONE)
        vz_dataset_max_dims(node, max);
    hid_t space = view->null        ? H5Screate(H5S_NULL)
                  : view->rank == 0 ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple((int)view->rank, dims, max);
    if (space < 0)
        vz_fail(err, VZ_HDF5, "cannot make a dataspace");
    return space;
}
