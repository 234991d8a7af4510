/* wrap_internal.h - what the files of the wrapper share. Every operation of vz_ops is a function
 * vz_wrapped_<operation> that hands the call to the native connector with the wrappers taken off
 * its arguments and put on its results. */
#ifndef VZ_NATIVE_WRAP_INTERNAL_H
#define VZ_NATIVE_WRAP_INTERNAL_H

#include "hdf5/h5/h5.h"
#include "hdf5/native/native_internal.h"
#include "hdf5/native/native.h"

/* The native object behind a wrapper; NULL for NULL. */
void *vz_native_under(const vz_object *object);

/* clang-format off */
#define VZ_NATIVE_OPERATIONS(OP) \
    OP(attr_create)              \
    OP(attr_open)                \
    OP(attr_read)                \
    OP(attr_write)               \
    OP(attr_get)                 \
    OP(attr_specific)            \
    OP(attr_optional)            \
    OP(attr_close)               \
    OP(dataset_create)           \
    OP(dataset_open)             \
    OP(datasets_move)            \
    OP(dataset_get)              \
    OP(dataset_specific)         \
    OP(dataset_optional)         \
    OP(dataset_close)            \
    OP(datatype_commit)          \
    OP(datatype_open)            \
    OP(datatype_get)             \
    OP(datatype_specific)        \
    OP(datatype_optional)        \
    OP(datatype_close)           \
    OP(file_get)                 \
    OP(file_specific)            \
    OP(file_optional)            \
    OP(file_close)               \
    OP(group_create)             \
    OP(group_open)               \
    OP(group_get)                \
    OP(group_specific)           \
    OP(group_optional)           \
    OP(group_close)              \
    OP(link_create)              \
    OP(link_copy)                \
    OP(link_move)                \
    OP(link_get)                 \
    OP(link_specific)            \
    OP(link_optional)            \
    OP(object_open)              \
    OP(object_copy)              \
    OP(object_get)               \
    OP(object_specific)          \
    OP(object_optional)          \
    OP(opt_query)                \
    OP(terminal_class)           \
    OP(get_object)               \
    OP(wrap_context)             \
    OP(token_cmp)                \
    OP(token_to_str)             \
    OP(token_from_str)           \
    OP(blob_put)                 \
    OP(blob_get)                 \
    OP(blob_specific)
/* clang-format on */

#define VZ_DECLARE_OPERATION(operation) extern __typeof__(*((vz_ops *)0)->operation) vz_wrapped_##operation;
VZ_NATIVE_OPERATIONS(VZ_DECLARE_OPERATION)
#undef VZ_DECLARE_OPERATION

/* The wrapper of a native object just opened or created, with the table of the one it was
 * reached from; takes it. `native` NULL is the failure of the call that should have given it:
 * NULL with VZ_HDF5, no record lost. */
vz_object *vz_native_wrap(const vz_ops *ops, void *native, H5I_type_t type, vz_error *err);
/* The native connector's own record is on the stack: no HDF5 call may follow. */
static inline herr_t vz_native_result(herr_t status, vz_error *err)
{
    if (status < 0)
        vz_fail(err, VZ_HDF5, "the native connector failed");
    return status;
}
/* The result of a close: frees the wrapper with its object. */
herr_t vz_native_closed(herr_t status, vz_object *object, vz_error *err);

#endif
