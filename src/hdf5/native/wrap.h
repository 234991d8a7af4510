/* wrap.h - native HDF5 files opened or created through us: a thin wrapper of each native object with the "native" ops
 * table that forwards every call to the native connector. */
#ifndef VZ_NATIVE_WRAP_H
#define VZ_NATIVE_WRAP_H

#include "hdf5/native/native.h"

static inline bool vz_is_native(const vz_object *object)
{
    return object->ops->kind == VZ_OPS_NATIVE;
}

/* Open, create: with the caller's FAPL changed to the native connector. Failure: VZ_HDF5, the native record stays
 * innermost (with its errno). */
vz_object *vz_native_file_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, hid_t dxpl, vz_error *err);
vz_object *vz_native_file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_error *err);

/* Of a native file itself, which no wrapper is around. */
herr_t vz_native_file_get(void *native, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err);

/* The operations on wrapped objects. */
const vz_ops *vz_native_ops(void);

/* IS_ACCESSIBLE and DELETE without an object, through the native connector. */
herr_t vz_native_file_specific(H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err);

/* For the unwrap_object callback (the library takes its own object out of a wrapper it had us make): frees the wrapper
 * only, answers the native object. */
void *vz_native_unwrap(vz_object *object);

#endif
