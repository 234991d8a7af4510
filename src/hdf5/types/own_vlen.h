/* own_vlen.h - variable-length data inside elements: what a reader gets must be allocated as its transfer list says. */
#ifndef VZ_TYPES_OWN_VLEN_H
#define VZ_TYPES_OWN_VLEN_H

#include "hdf5/types/type_tree.h"
#include "base/util/bytes.h"

typedef struct vz_allocator {
    H5MM_allocate_t allocate; /* NULL: malloc */
    void *info;
} vz_allocator;

/* Is it the default transfer property list? */
static inline bool vz_is_default_list(hid_t dxpl)
{
    return dxpl == H5P_DEFAULT || dxpl == H5P_DATASET_XFER_DEFAULT;
}

/* The allocator of a transfer property list. */
bool vz_allocator_of(hid_t dxpl, vz_allocator *allocator, vz_error *err);

/* Does the type hold variable-length data anywhere? */
bool vz_type_has_vlen(hid_t type);

/* Replaces every variable-length pointer in `count` elements (memory form) by a copy of its own, nested ones included;
 * references are left alone. Nothing that was there is freed. */
bool vz_own(const vz_type_tree *layout, void *elements, size_t count, const vz_allocator *allocator, vz_error *err);

#endif
