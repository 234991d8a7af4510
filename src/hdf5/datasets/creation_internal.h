/* creation_internal.h - a dataset that is being created, its annotation and its fill value. */
#ifndef VZ_DATASETS_CREATION_INTERNAL_H
#define VZ_DATASETS_CREATION_INTERNAL_H

#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/pipeline_internal.h"
#include "hdf5/dialects/dialects.h"

/* -- Fill value --
 * From a creation property list to an array's metadata, and back. */
/* Fill value and fill time of a creation property list. Zero-initialise. */
typedef struct vz_dataset_fill {
    H5D_fill_value_t status;
    H5D_fill_time_t when;
    uint8_t *packed; /* the user's value as an element of the plan's dtype; owned */
    vz_arena arena;  /* what it points to */
} vz_dataset_fill;

/* Reads the fill value for a dataset of `type` and its plan. The plan changes with the value:
 * text members get its width. An array type with different fill elements is not stored as extra
 * axes, since an array has one fill value for all elements. */
bool vz_dataset_fill_read(vz_dataset_fill *fill, hid_t dcpl, hid_t type, bool scalar, vz_hierarchy *hierarchy,
                          vz_dialect_plan *plan, vz_error *err);
/* Sets the fill value of the array; *annotation is entry "f", or NULL. `external`: the array
 * stores no elements, so an undefined value is not null; null would mean that every chunk is
 * there. */
bool vz_dataset_fill_set(const vz_dataset_fill *fill, vz_meta *meta, bool external, vz_json **annotation,
                         vz_error *err);
void vz_dataset_fill_clear(vz_dataset_fill *fill);

/* Sets an array's fill value and time in a creation property list. */
bool vz_dataset_fill_show(vz_node *node, const vz_dataset_view *view, hid_t dcpl, vz_error *err);

/* -- Creation -- */
typedef struct vz_dataset_creation {
    vz_hierarchy *hierarchy;
    hid_t type, space, dcpl;
    bool null;
    unsigned rank;
    unsigned lead; /* dimensions of the array before those of the dataspace: in the hdmf dialect a
                    * scalar is [1] */
    hsize_t dims[VZ_MAX_RANK], max[VZ_MAX_RANK];
    H5D_layout_t layout;
    vz_sources_kind sources;
    vz_dialect_plan plan;
    vz_dataset_fill fill;
    vz_pipeline pipeline;
    const vz_json *codec; /* of a dataset without filters; NULL: none */
    vz_json *own_codec;   /* which the creation list names; owned */
    vz_meta *meta;        /* until the node takes it */
    vz_json *annotation;  /* annotation of the node to be */
} vz_dataset_creation;

/* Sets one member of the annotation; takes the value. */
bool vz_dataset_creation_annotate(vz_dataset_creation *c, const char *key, vz_json *take, vz_error *err);

/* Set the members that are needed. `always`: in a store of another program, whose missing members
 * mean nothing, and where the codec is not the store's. */
bool vz_dataset_creation_annotate_type(vz_dataset_creation *c, vz_error *err);
bool vz_dataset_creation_annotate_space(vz_dataset_creation *c, bool always, vz_error *err);
bool vz_dataset_creation_annotate_layout(vz_dataset_creation *c, bool always, vz_error *err);
bool vz_dataset_creation_annotate_properties(vz_dataset_creation *c, vz_error *err);
bool vz_dataset_creation_annotate_times(vz_dataset_creation *c, vz_error *err);

#endif
