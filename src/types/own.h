/* own.h - variable-length data inside elements: what a reader gets must be allocated as its transfer list says. */
#ifndef VZ_TYPES_OWN_H
#define VZ_TYPES_OWN_H

#include "h5/h5.h"
#include "util/bytes.h"

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
void *vz_allocate(const vz_allocator *allocator, size_t size, vz_error *err); /* size 0 gives NULL without error */

/* Does the type hold variable-length data anywhere? */
bool vz_type_has_vlen(hid_t type);

/* Where it lies in a type, worked out once for many calls. NULL with err set. */
typedef struct vz_vlen vz_vlen;
vz_vlen *vz_vlen_of(hid_t type, vz_error *err);
void vz_vlen_free(vz_vlen *vlen); /* NULL is fine */

/* Replaces every variable-length pointer in `count` elements of `type` (memory form) by a copy of its own, nested ones
 * included. Nothing that was there is freed. */
bool vz_own(hid_t type, void *elements, size_t count, const vz_allocator *allocator, vz_error *err);
bool vz_vlen_own(const vz_vlen *vlen, void *elements, size_t count, const vz_allocator *allocator, vz_error *err);

#endif
