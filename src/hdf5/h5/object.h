/* object.h - the head of every object that HDF5 holds a pointer to, and its table of operations. */
#ifndef VZ_H5_OBJECT_H
#define VZ_H5_OBJECT_H

#include "hdf5/h5/h5.h"

/* -- Object --
 * The head of every object that HDF5 holds a pointer to, and its table of operations.
 *
 * Two kinds exist: objects of Zarr stores (src/hdf5/object) and wrapped native objects
 * (src/hdf5/native). Module src/hdf5/vol turns each VOL callback into one call of this table, and
 * reports the error.
 *
 * - herr_t is as HDF5 wants it: iterations return the operator's positive value; negative is a
 *   failure with `err` set.
 * - A pointer is NULL on failure.
 * - err->class VZ_HDF5 means that an HDF5 call (or the user's operator) failed. Its record is on
 *   the stack, and nothing more is pushed.
 * - Arguments are those of the VOL callback of that name in H5VLconnector.h. Callbacks with many
 *   arguments have structs for the ones that go together. */
typedef struct vz_ops vz_ops;
struct vz_async_request; /* hdf5/async */

typedef struct vz_object {
    const vz_ops *ops;
    H5I_type_t type; /* H5I_FILE, GROUP, DATASET, DATATYPE, ATTR */
} vz_object;

typedef H5VL_loc_params_t vz_loc;

/* FAILED: an event set could not open it. */
typedef enum vz_ops_kind { VZ_OPS_ZARR, VZ_OPS_NATIVE, VZ_OPS_FAILED } vz_ops_kind;

/* The lists and types of a new object; members that its kind lacks are not set. Borrowed. */
typedef struct vz_creation {
    hid_t type, space;
    hid_t lcpl, cpl, apl; /* lists: of the link, of the object's creation and its access */
    hid_t dxpl;
} vz_creation;

/* A read or write of several datasets. */
typedef struct vz_h5_datasets_call {
    size_t count;
    vz_object **dset;
    hid_t *mem_type, *mem_space, *file_space;
    hid_t dxpl;
    void **buf; /* of a write only read */
    bool reading;
} vz_h5_datasets_call;

/* A link, and the target of its copy or move; one of the objects may be NULL (H5L_SAME_LOC). */
typedef struct vz_h5_link_ends {
    vz_object *src, *dst;
    const vz_loc *src_loc, *dst_loc;
    hid_t lcpl, lapl, dxpl;
} vz_h5_link_ends;

/* An object, and the target of its copy. */
typedef struct vz_object_ends {
    vz_object *src, *dst;
    const vz_loc *src_loc, *dst_loc;
    const char *src_name, *dst_name;
    hid_t ocpypl, lcpl, dxpl;
} vz_object_ends;

struct vz_ops {
    vz_ops_kind kind;

    vz_object *(*attr_create)(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                              vz_error *err);
    vz_object *(*attr_open)(vz_object *obj, const vz_loc *loc, const char *name, hid_t aapl, hid_t dxpl, vz_error *err);
    herr_t (*attr_read)(vz_object *attr, hid_t mem_type, void *buf, hid_t dxpl, vz_error *err);
    herr_t (*attr_write)(vz_object *attr, hid_t mem_type, const void *buf, hid_t dxpl, vz_error *err);
    herr_t (*attr_get)(vz_object *obj, H5VL_attr_get_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*attr_specific)(vz_object *obj, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl,
                            vz_error *err);
    herr_t (*attr_optional)(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*attr_close)(vz_object *attr, hid_t dxpl, vz_error *err);

    vz_object *(*dataset_create)(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                                 vz_error *err);
    vz_object *(*dataset_open)(vz_object *obj, const vz_loc *loc, const char *name, hid_t dapl, hid_t dxpl,
                               vz_error *err);
    /* All of one kind; src/hdf5/vol splits mixed calls. */
    herr_t (*datasets_move)(const vz_h5_datasets_call *call, vz_error *err);
    /* Starts it, to go on after the call; the buffers are the request's until then. *request stays
     * NULL, without an error, if datasets_move is to do it instead. NULL: it always is. */
    herr_t (*datasets_start)(const vz_h5_datasets_call *call, struct vz_async_request **request, vz_error *err);
    herr_t (*dataset_get)(vz_object *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*dataset_specific)(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*dataset_optional)(vz_object *dset, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*dataset_close)(vz_object *dset, hid_t dxpl, vz_error *err);

    vz_object *(*datatype_commit)(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                                  vz_error *err);
    vz_object *(*datatype_open)(vz_object *obj, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl,
                                vz_error *err);
    herr_t (*datatype_get)(vz_object *type, H5VL_datatype_get_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*datatype_specific)(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*datatype_optional)(vz_object *type, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*datatype_close)(vz_object *type, hid_t dxpl, vz_error *err);

    /* obj: of any type */
    herr_t (*file_get)(vz_object *obj, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*file_specific)(vz_object *obj, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*file_optional)(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*file_close)(vz_object *file, hid_t dxpl, vz_error *err);

    vz_object *(*group_create)(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with,
                               vz_error *err);
    vz_object *(*group_open)(vz_object *obj, const vz_loc *loc, const char *name, hid_t gapl, hid_t dxpl,
                             vz_error *err);
    herr_t (*group_get)(vz_object *group, H5VL_group_get_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*group_specific)(vz_object *group, H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*group_optional)(vz_object *group, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*group_close)(vz_object *group, hid_t dxpl, vz_error *err);

    /* link_create, link_copy, link_move, object_copy: src/hdf5/vol has checked that both objects
     * are of this kind. An object that may be NULL (H5L_SAME_LOC) is NULL here, too. */
    herr_t (*link_create)(H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl, hid_t lapl,
                          hid_t dxpl, vz_error *err);
    herr_t (*link_copy)(const vz_h5_link_ends *ends, vz_error *err);
    herr_t (*link_move)(const vz_h5_link_ends *ends, vz_error *err);
    herr_t (*link_get)(vz_object *obj, const vz_loc *loc, H5VL_link_get_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*link_specific)(vz_object *obj, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl,
                            vz_error *err);
    herr_t (*link_optional)(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

    vz_object *(*object_open)(vz_object *obj, const vz_loc *loc, H5I_type_t *opened_type, hid_t dxpl, vz_error *err);
    herr_t (*object_copy)(const vz_object_ends *ends, vz_error *err);
    herr_t (*object_get)(vz_object *obj, const vz_loc *loc, H5VL_object_get_args_t *args, hid_t dxpl, vz_error *err);
    herr_t (*object_specific)(vz_object *obj, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl,
                              vz_error *err);
    herr_t (*object_optional)(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

    herr_t (*opt_query)(vz_object *obj, H5VL_subclass_t subclass, int op, uint64_t *flags, vz_error *err);
    /* LVL_TERM: the native class for wrapped objects, and for zarr ones while the gateway is on;
     * NULL = ours. */
    const H5VL_class_t *(*terminal_class)(vz_object *obj);
    /* The native object behind a wrapped one, or in place of ours (gateway); NULL without
     * gateway. Does no work and never fails. */
    void *(*get_object)(const vz_object *obj);
    /* Wrap contexts: made here, given back through vz_wrap_context->ops. */
    struct vz_wrap_context *(*wrap_context)(const vz_object *obj);

    herr_t (*token_cmp)(vz_object *obj, const H5O_token_t *a, const H5O_token_t *b, int *result, vz_error *err);
    herr_t (*token_to_str)(vz_object *obj, H5I_type_t type, const H5O_token_t *token, char **text, vz_error *err);
    herr_t (*token_from_str)(vz_object *obj, H5I_type_t type, const char *text, H5O_token_t *token, vz_error *err);

    herr_t (*blob_put)(vz_object *obj, const void *buf, size_t size, void *blob_id, vz_error *err);
    herr_t (*blob_get)(vz_object *obj, const void *blob_id, void *buf, size_t size, vz_error *err);
    herr_t (*blob_specific)(vz_object *obj, void *blob_id, H5VL_blob_specific_args_t *args, vz_error *err);
};

/* Begins every wrap context. */
typedef struct vz_wrap_context {
    void *(*wrap)(struct vz_wrap_context *context, void *native,
                  H5I_type_t type); /* our object for a native one; NULL fails */
    void (*free)(struct vz_wrap_context *context);
} vz_wrap_context;

/* Makes an id for an object of ours (H5VLwrap_register, marked so that our wrap callback passes
 * it through). Takes the object: closing the id closes it. On failure (H5I_INVALID_HID, err
 * VZ_HDF5) the object is still the caller's. */
hid_t vz_object_register(vz_object *object, vz_error *err);
/* True while vz_object_register runs in this thread. */
bool vz_object_registering(void);

/* vz_object_seen remembers the argument of the last get_object callback. vz_object_of_id uses it to
 * find the object behind an id. NULL if the id is not of an object of ours. */
void vz_object_seen(const vz_object *object);
vz_object *vz_object_of_id(hid_t id);
/* Is this thread inside vz_object_of_id? Then nobody uses the answer of get_object. */
bool vz_object_is_looked_for(void);

/* Calls `visit` for each open id of a type whose object is of ours (any kind), until it returns
 * false. */
typedef bool (*vz_id_visit)(void *context, hid_t id, vz_object *object);
void vz_object_each_id(H5I_type_t type, vz_id_visit visit, void *context);

#endif
