/* view_internal.h - view.h for this module alone. */
#ifndef VZ_DATASETS_VIEW_INTERNAL_H
#define VZ_DATASETS_VIEW_INTERNAL_H

#include "hdf5/datasets/view.h"

/* The view of a node; borrowed. Fails with the node's meta_error if its document could not be
 * understood. */
const vz_dataset_view *vz_dataset_view_of(vz_node *node, vz_error *err);

/* Takes the view; it lives until it is released, whatever becomes of the node. */
vz_dataset_view *vz_dataset_view_take(vz_node *node, vz_error *err);
void vz_dataset_view_release(vz_dataset_view *view); /* NULL is fine */

/* The layout as shown; `view` may be NULL. */
H5D_layout_t vz_dataset_layout_of(vz_node *node, const vz_dataset_view *view);

/* The dtype of elements of `shown`, to be unpacked and packed. */
static inline const vz_dtype *vz_dataset_stored(const vz_dataset_view *view)
{
    return view->row ? view->row : view->of;
}

/* Marks a virtual dataset that was just made. */
bool vz_dataset_mark_new_virtual(vz_node *node, vz_error *err);

/* vz_node_io with the dataset's scale-offset filter. */
vz_array *vz_dataset_io(vz_node *node, vz_error *err);

/* Is its fill time "never"? Then an unwritten element has no value. */
bool vz_dataset_is_never_filled(const vz_node *node);

/* Contiguous or compact: HDF5 addresses elements by their offset. */
static inline bool vz_dataset_is_linear(vz_node *node, const vz_dataset_view *view)
{
    const H5D_layout_t layout = vz_dataset_layout_of(node, view);
    return layout == H5D_CONTIGUOUS || layout == H5D_COMPACT;
}
void vz_dataset_max_dims(vz_node *node, hsize_t *max);

/* The maximum dimensions for "s" of the annotation: {"max": [n, ...]}, null = unlimited. */
vz_json *vz_dataset_describe_max(unsigned rank, const hsize_t *max, vz_error *err);

/* Is its compressor the store's default one, because no filter was asked for? */
bool vz_dataset_has_default_pipeline(const vz_node *node);

/* The pipeline as shown. */
bool vz_dataset_filters(vz_node *node, vz_pipeline_shown *shown, vz_error *err);

#endif
