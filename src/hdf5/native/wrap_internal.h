/* wrap_internal.h - what the files of the wrapper share. Every operation of vz_ops is a function
 * vz_wrapped_<operation>. It hands the call to the native connector, with the wrappers taken off
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

/* The wrapper of a native object just opened or created, of the kind of the one it was reached
 * from; takes it. `native` NULL is the failure of the call that should have given it: NULL with
 * VZ_HDF5, no record lost. */
vz_object *vz_native_wrap(const vz_object *from, void *native, H5I_type_t type, vz_error *err);
/* That of a file. `is_remote`: it is on a server, and names in it are watched. */
vz_object *vz_native_wrap_file(const vz_ops *ops, void *native, bool is_remote, vz_error *err);
bool vz_native_is_remote(const vz_object *object);
/* Facts about a dataset's elements. */
struct vz_native_elements *vz_native_elements_of(vz_object *object);

/* Why the driver of remote files failed: noted by the driver, until a failure takes it or the next
 * call begins. Calls that HDF5 makes inside of one leave it. */
extern bool vz_native_is_noted;
void vz_native_note(const vz_error *why);

/* The end of a native call. A noted reason takes the place of HDF5's records. Else the native
 * connector's own record is on the stack: no HDF5 call may follow. */
herr_t vz_native_result(herr_t status, vz_error *err);
/* Here a reason is a failure also where HDF5 saw none: a source that may not be read is fill
 * value to it. */
herr_t vz_native_whole_result(herr_t status, vz_error *err);

/* -- Guards -- of calls in which HDF5 may follow an external link of a remote file: it gets the
 * driver of that file. */
typedef struct vz_native_guard {
    bool is_on;                    /* the object is of a remote file */
    hid_t list;                    /* the program's, changed until the end; H5I_INVALID_HID: none */
    H5L_elink_traverse_t function; /* what it had */
    void *context;
} vz_native_guard;

void vz_native_guard_begin(vz_native_guard *guard, const vz_object *object, hid_t list);
/* Keeps the records of the call. */
void vz_native_guard_end(const vz_native_guard *guard);

static inline hid_t vz_native_list_of(const vz_loc *loc)
{
    return loc->type == H5VL_OBJECT_BY_NAME  ? loc->loc_data.loc_by_name.lapl_id
           : loc->type == H5VL_OBJECT_BY_IDX ? loc->loc_data.loc_by_idx.lapl_id
                                             : H5I_INVALID_HID;
}

/* The value of a native call on an object, with a link access list, that prints nothing. */
#define VZ_NATIVE_CALL_UNLESS(runs_program, object, list, call)                                                        \
    __extension__({                                                                                                    \
        vz_native_guard guard_;                                                                                        \
        vz_native_guard_begin(&guard_, object, list);                                                                  \
        __auto_type guarded_ = VZ_H5_QUIETLY_UNLESS(runs_program, call);                                               \
        vz_native_guard_end(&guard_);                                                                                  \
        guarded_;                                                                                                      \
    })
#define VZ_NATIVE_CALL(object, list, call) VZ_NATIVE_CALL_UNLESS(false, object, list, call)
/* The result of a close: frees the wrapper with its object. */
herr_t vz_native_closed(herr_t status, vz_object *object, vz_error *err);

#endif
