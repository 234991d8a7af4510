/* creation_internal.h - a dataset that is being created, and its annotation. */
#ifndef VZ_DATASETS_CREATION_INTERNAL_H
#define VZ_DATASETS_CREATION_INTERNAL_H

#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/pipeline_internal.h"
#include "hdf5/dialects/dialects.h"

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
    vz_meta *meta;       /* until the node takes it */
    vz_json *annotation; /* annotation of the node to be */
} vz_dataset_creation;

/* Sets one member of the annotation; takes the value. */
bool vz_dataset_creation_annotate(vz_dataset_creation *c, const char *key, vz_json *take, vz_error *err);

/* Set the members that are needed. `always`: in a store of another program, whose missing
 * members mean nothing. */
bool vz_dataset_creation_annotate_type(vz_dataset_creation *c, vz_error *err);
bool vz_dataset_creation_annotate_space(vz_dataset_creation *c, bool always, vz_error *err);
bool vz_dataset_creation_annotate_layout(vz_dataset_creation *c, bool always, vz_error *err);
bool vz_dataset_creation_annotate_properties(vz_dataset_creation *c, vz_error *err);
bool vz_dataset_creation_annotate_times(vz_dataset_creation *c, vz_error *err);

#endif
