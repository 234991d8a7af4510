/* h5.h - HDF5 for all modules above. No other file includes <hdf5.h>.
 *
 * The functions are those of the library that loaded us. plugin/host.c fills a table with their
 * addresses, and macros give them their ordinary names. Data symbols (H5T_NATIVE_INT ...) are
 * read through pointers at each use, since their values change over H5close and H5open.
 *
 * Built with the headers of 1.14; runs with 2.x. */
#ifndef VZ_H5_H5_H
#define VZ_H5_H5_H

#include "base/util/error.h"
#include <H5FDdevelop.h>
#include <H5PLextern.h>
#include <H5VLconnector.h>
#include <H5VLconnector_passthru.h>
#include <H5VLnative.h>
#include <hdf5.h>
#include <stdbool.h>

/* Functions of 2.x that the headers of 1.14 do not declare. */
herr_t H5VLopen_lib_context(void **context);
herr_t H5VLclose_lib_context(void *context);
hid_t H5Tdecode2(const void *buf, size_t buf_size);
hid_t H5Tcomplex_create(hid_t base_type_id);
herr_t H5Dread_chunk1(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf);
herr_t H5Dread_chunk2(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf,
                      size_t *buf_size);

#ifndef H5_HAVE_PARALLEL /* of libraries with MPI, whichever; handles are of its sizes */
herr_t H5Pget_fapl_mpio(hid_t fapl_id, void *comm, void *info);
herr_t H5Pget_dxpl_mpio(hid_t dxpl_id, H5FD_mpio_xfer_t *xfer_mode);
herr_t H5Pset_dxpl_mpio(hid_t dxpl_id, H5FD_mpio_xfer_t xfer_mode);
#endif

typedef struct vz_h5_table {
#define VZ_H5_FUNCTION(name) __typeof__(name) *name;
#define VZ_H5_OPTIONAL(name) __typeof__(name) *name; /* NULL in hosts that lack it */
#define VZ_H5_DATA(name)     hid_t *name;
#include "hdf5/h5/functions.def" /* made by CMake from functions.txt */
#include "hdf5/h5/data.def"      /* made by CMake from data.txt */
#undef VZ_H5_FUNCTION
#undef VZ_H5_OPTIONAL
#undef VZ_H5_DATA
    unsigned major, minor, release; /* of the host, known after the first file callback */
} vz_h5_table;

extern vz_h5_table vz_h5;

/* Fills the functions and data pointers; `find` returns the address of a name, or NULL. Returns
 * NULL, or the first required function that the host lacks; the table is then empty. A missing
 * data symbol reads as H5I_INVALID_HID. Makes no HDF5 call. */
typedef void *(*vz_h5_find)(void *context, const char *name, bool is_data);
const char *vz_h5_bind(vz_h5_find find, void *context);

#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK
/* Not in the file that fills the table by name. names.h has lines such as
 * #define H5Fcreate (vz_h5.H5Fcreate), #define H5T_NATIVE_INT_g (*vz_h5.H5T_NATIVE_INT_g). */
#ifndef VZ_H5_NO_NAMES
#include "hdf5/h5/names.h"
#endif

/* -- API context --
 * HDF5's API context around calls that may come without one. Programs call get_object through
 * the library's private functions, and the calls for connectors (H5VLgroup_open ...) require a
 * context. */
typedef struct vz_h5_context {
    bool open;
    void *of_library; /* HDF5 2.x */
} vz_h5_context;

/* Opens a context for the calls up to vz_h5_context_close. If the library cannot make one, the
 * calls use the present context. */
vz_h5_context vz_h5_context_open(void);
void vz_h5_context_close(const vz_h5_context *context);

/* The value of a call within a new context. */
#define VZ_H5_IN_CONTEXT(call)                                                                                         \
    __extension__({                                                                                                    \
        const vz_h5_context context_ = vz_h5_context_open();                                                           \
        __auto_type in_context_ = (call);                                                                              \
        vz_h5_context_close(&context_);                                                                                \
        in_context_;                                                                                                   \
    })

/* -- Caller --
 * Detects which function of HDF5 called us, for the one case in which the answer depends on it. */
/* Is H5Dclose on the stack? False if that cannot be found out. Slow: for failures only. */
bool vz_h5_dclose_calls(void);

/* -- Discovery --
 * Files that HDF5 2.x finds by its plugin search (no HDF5_VOL_CONNECTOR set, only the plugin
 * path).
 *
 * HDF5 2.0 to 2.2 opens such a file with the connector that it found, but registers the id with
 * the native connector, which had failed. The native connector takes our object for a native
 * file and crashes the program. 1.14 is right.
 *
 * The connector is an argument of the library's internal H5VL_register. For the one registration
 * after our callback, the library's call of that function goes through us and gets the right
 * connector. */
/* Does HDF5 search plugins at this moment? In a search HDF5 asks in the middle of a failed open,
 * whose records are on its error stack; a program's own question clears them first. Leaves the
 * records. Drivers whose code clears the stack when a list is copied hide a search. */
bool vz_discovery_searches(void);
/* Notes that HDF5 got the answer that this name is a store. After a search an open follows at
 * once. Makes no HDF5 call. */
void vz_discovery_answered(const char *name, bool searched);
/* A file callback begins: is it the open of this name that follows such an answer? Forgets the
 * answer. */
bool vz_discovery_follows(const char *name);
/* The open callback is about to return `object`: corrects its registration. Closes the list that
 * the search made and HDF5 never closes; drivers run code when it closes, which is too late at
 * exit. VZ_UNSUPPORTED, with a way out, if the host cannot be corrected. */
bool vz_discovery_opened(void *object, hid_t fapl, vz_error *err);
/* The open callback is about to fail: closes the list and keeps HDF5's records. */
void vz_discovery_failed(hid_t fapl);

/* -- Error stack --
 * Keeps HDF5's error stack over a clean-up. Every HDF5 call clears the stack, also those that
 * close ids. */
/* Takes HDF5's records off the stack if `err` says that HDF5 failed (VZ_HDF5). Call it before
 * cleaning up. Returns an error stack for one of the next two functions. */
hid_t vz_h5_errors_keep(const vz_error *err);
/* Puts the records back; the last act of a callback. */
void vz_h5_errors_restore(hid_t kept);
/* Drops the records. */
void vz_h5_errors_drop(hid_t kept);

/* Stops HDF5 from printing the stack when a call inside a callback fails. The program's own call
 * prints all of it when it returns. */
typedef struct vz_h5_printing {
    bool stopped;
    unsigned is_v2;
    H5E_auto1_t print1;
    H5E_auto2_t print2;
    void *context;
} vz_h5_printing;
vz_h5_printing vz_h5_printing_stop(void);
void vz_h5_printing_restore(const vz_h5_printing *printing);

/* The value of a call without printing. If the call runs the program's own code (iterations),
 * its errors are printed. */
#define VZ_H5_QUIETLY_UNLESS(runs_program, call)                                                                       \
    __extension__({                                                                                                    \
        const vz_h5_printing quietly_ = (runs_program) ? (vz_h5_printing){0} : vz_h5_printing_stop();                  \
        __auto_type result_ = (call);                                                                                  \
        vz_h5_printing_restore(&quietly_);                                                                             \
        result_;                                                                                                       \
    })
#define VZ_H5_QUIETLY(call) VZ_H5_QUIETLY_UNLESS(false, call)

/* Closes an id of ours and keeps the records: for use after a call that may have failed. */
void vz_h5_close_quietly(hid_t id);

/* -- Object --
 * The head of every object that HDF5 holds a pointer to, and its table of operations.
 *
 * Two kinds exist: objects of Zarr stores (src/hdf5/object) and wrapped native objects
 * (src/hdf5/native). src/hdf5/vol translates each VOL callback into one call of this table and
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

typedef struct vz_object {
    const vz_ops *ops;
    H5I_type_t type; /* H5I_FILE, GROUP, DATASET, DATATYPE, ATTR */
} vz_object;

typedef H5VL_loc_params_t vz_loc;

typedef enum vz_ops_kind { VZ_OPS_ZARR, VZ_OPS_NATIVE } vz_ops_kind;

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

/* vz_object_seen remembers the argument of the last get_object callback. vz_object_of_id uses it
 * to find the object behind an id; NULL if the id is not of an object of ours. */
void vz_object_seen(const vz_object *object);
vz_object *vz_object_of_id(hid_t id);
/* Is this thread inside vz_object_of_id? Then nobody uses the answer of get_object. */
bool vz_object_is_looked_for(void);

/* Calls `visit` for each open id of a type whose object is of ours (any kind), until it returns
 * false. */
typedef bool (*vz_id_visit)(void *context, hid_t id, vz_object *object);
void vz_object_each_id(H5I_type_t type, vz_id_visit visit, void *context);

/* -- Selection offset --
 * The offset of H5Soffset_simple. A dataspace has it beside its selection. HDF5's calls that
 * list a selection, project it or set another extent ignore it, so the offset is folded into the
 * selection first. */
/* Moves the selection by the offset and sets the offset to zero. False if the id is no
 * dataspace, or the offset moves the selection below zero. */
bool vz_h5_selection_fold(hid_t space);
/* A copy whose offset is folded. */
hid_t vz_h5_selection_copy(hid_t space);

#endif
