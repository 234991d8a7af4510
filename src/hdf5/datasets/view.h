/* view.h - facts about a dataset node, computed once and kept in node->view. */
#ifndef VZ_DATASETS_VIEW_H
#define VZ_DATASETS_VIEW_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/pipeline_internal.h"
#include "hdf5/types/types.h"

#define VZ_ELEMENT_PLANS 4 /* memory types of which a view remembers what to do */

typedef struct vz_element_plan vz_element_plan;

/* Facts that a view finds out on demand. */
enum { VZ_VIEW_KNOWS_LAYOUT = 1, VZ_VIEW_KNOWS_SOURCES = 2, VZ_VIEW_KNOWS_FILL_TIME = 4 };

typedef struct vz_dataset_view {
    size_t users;   /* the node, and transfers: a conversion may call the program, which may
                     * change the type */
    hid_t shown;    /* the HDF5 type as shown; never committed, and to be changed by nobody */
    bool standard;  /* it is one of HDF5's own (hdf5/types/types.h), which is not closed */
    vz_dtype *of;   /* the dtype it was made for: another one (a widened text member) makes the
                     * view stale */
    bool null;      /* H5S_NULL */
    uint64_t facts; /* vz_hierarchy_facts when it was compared with the node last */
    bool compared;
    unsigned known; /* which of these are known, and of then: VZ_VIEW_KNOWS_... */
    vz_sources_kind sources_kind;
    bool never_filled; /* its fill time is "never": an element that was not written has no value */
    H5D_layout_t layout;
    unsigned rank;    /* of the dataspace: the array's, less the axes that belong to an array
                       * type */
    uint64_t per;     /* array elements in one element of `shown`: more than 1 with such axes */
    vz_dtype *row;    /* such axes of which the type is no array type: the dtype of `per` elements
                       * together; or NULL */
    unsigned of_rank; /* as `of` */
    bool scalar;      /* the one element in one dimension that the array has is a scalar's */
    bool same_bytes;  /* decoded elements are elements of `shown` */
    bool is_number;
    vz_number_format number;
    hid_t sources;                            /* vz_dataset_sources: invalid until asked for */
    bool made_here;                           /* a virtual dataset that this opening of the store
                                               * made */
    vz_element_plan *plans[VZ_ELEMENT_PLANS]; /* the last used first; datasets_internal.h */
} vz_dataset_view;

/* The layout as shown. */
H5D_layout_t vz_dataset_layout(vz_node *node);

#endif
