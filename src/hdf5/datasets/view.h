/* view.h - what was worked out once about a dataset node, kept in node->view. For this room and src/hdf5/datasets. */
#ifndef VZ_DATASETS_VIEW_H
#define VZ_DATASETS_VIEW_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/datasets/pipeline_internal.h"
#include "hdf5/types/types.h"

#define VZ_ELEMENT_PLANS 4 /* memory types of which a view remembers what to do */

typedef struct vz_element_plan vz_element_plan;

typedef struct vz_dataset_view {
    size_t users;     /* the node, and transfers: a conversion may call the program, which may change the type */
    hid_t shown;      /* the HDF5 type as shown; never committed, and to be changed by nobody */
    bool standard;    /* it is one of HDF5's own (hdf5/types/types.h), which is not closed */
    vz_dtype *of;     /* the dtype it was made for: another one (a widened text member) makes the view stale */
    bool null;        /* H5S_NULL */
    uint64_t changes; /* vz_hierarchy_changes when it was compared with the node last */
    bool compared;
    bool has_layout; /* `layout` is known, and of then */
    H5D_layout_t layout;
    unsigned rank;    /* of the dataspace: the array's, less the axes that belong to an array type */
    uint64_t per;     /* array elements in one element of `shown`: more than 1 with such axes */
    vz_dtype *row;    /* such axes of which the type is no array type: the dtype of `per` elements together; or NULL */
    unsigned of_rank; /* as `of` */
    bool scalar;      /* the one element in one dimension that the array has is a scalar's */
    bool same_bytes;  /* decoded elements are elements of `shown` */
    bool is_number;
    vz_number_format number;
    hid_t sources;                            /* vz_dataset_sources: invalid until asked for */
    bool made_here;                           /* a virtual dataset that this opening of the store made */
    vz_element_plan *plans[VZ_ELEMENT_PLANS]; /* the last used first; datasets_internal.h */
} vz_dataset_view;

/* Fails with the node's meta_error if its document could not be understood. */
const vz_dataset_view *vz_dataset_view_of(vz_node *node, vz_error *err);
/* The same, and it stays until it is released, whatever becomes of the node. */
vz_dataset_view *vz_dataset_view_take(vz_node *node, vz_error *err);
void vz_dataset_view_release(vz_dataset_view *view); /* NULL is fine */

/* What elements of `shown` are made of: to be unpacked and packed. */
static inline const vz_dtype *vz_dataset_stored(const vz_dataset_view *view)
{
    return view->row ? view->row : view->of;
}

/* Of a virtual dataset that was just made. */
bool vz_dataset_made_here(vz_node *node, vz_error *err);

/* vz_node_io, which knows of the dataset's scale-offset filter. */
vz_array *vz_dataset_io(vz_node *node, vz_error *err);

/* Fill time "never": what is not written has no value. */
bool vz_dataset_is_never_filled(const vz_node *node);
/* As shown, and the maximum dimensions. */
H5D_layout_t vz_dataset_layout(vz_node *node);
H5D_layout_t vz_dataset_layout_of(vz_node *node, const vz_dataset_view *view); /* which may be NULL */
/* Contiguous or compact: HDF5 addresses elements by their offset. */
static inline bool vz_dataset_is_linear(vz_node *node, const vz_dataset_view *view)
{
    const H5D_layout_t layout = vz_dataset_layout_of(node, view);
    return layout == H5D_CONTIGUOUS || layout == H5D_COMPACT;
}
void vz_dataset_max_dims(vz_node *node, hsize_t *max);
/* What "s" of the annotation says of them: {"max": [n, ...]}, null = unlimited. */
vz_json *vz_dataset_describe_max(unsigned rank, const hsize_t *max, vz_error *err);
/* Nobody asked for a filter: its compressor is the store's default one. */
bool vz_dataset_is_silent(const vz_node *node);
/* The pipeline as shown. */
bool vz_dataset_filters(vz_node *node, vz_shown *shown, vz_error *err);

#endif
