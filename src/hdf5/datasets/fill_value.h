/* fill_value.h - fill values: from a creation property list to an array's metadata, and back. */
#ifndef VZ_DATASETS_FILL_VALUE_H
#define VZ_DATASETS_FILL_VALUE_H

#include "hdf5/datasets/view.h"
#include "hdf5/dialects/storage_type.h"

/* What a creation property list says of filling. Zero-initialise. */
typedef struct vz_fill {
    H5D_fill_value_t status;
    H5D_fill_time_t when;
    uint8_t *packed; /* the user's value as an element of the plan's dtype; owned */
    vz_arena arena;  /* what it points to */
} vz_fill;

/* Reads it for a dataset of `type`, whose plan is there already. The plan changes with the value: text members get the
 * width it needs, and an array type whose fill elements differ is no longer stored as extra axes, since an array has
 * one fill value for all of its elements. */
bool vz_fill_read(vz_fill *fill, hid_t dcpl, hid_t type, bool scalar, vz_hierarchy *hierarchy, vz_type_plan *plan,
                  vz_error *err);
/* Gives it to the array; *annotation is entry "f" of the annotation, or NULL. elsewhere: the array stores no elements,
 * so an undefined value is not null, which would mean that every chunk is there. */
bool vz_fill_set(const vz_fill *fill, vz_array_meta *meta, bool elsewhere, vz_json **annotation, vz_error *err);
void vz_fill_clear(vz_fill *fill);

/* The fill value and time of an array in a creation property list. */
bool vz_fill_show(vz_node *node, const vz_dataset_view *view, hid_t dcpl, vz_error *err);

#endif
