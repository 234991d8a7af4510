/* vol_internal.h - the callback tables, the choice between stores and native files, and how a
 * callback ends. */
#ifndef VZ_VOL_VOL_INTERNAL_H
#define VZ_VOL_VOL_INTERNAL_H

#include "base/mpi/comm.h"
#include "base/util/options.h"
#include "hdf5/async/async.h"
#include "hdf5/h5/h5.h"
#include "hdf5/h5/object.h"
#include "hdf5/object/object.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path.h"
#include <errno.h>

/* -- Class --
 * The connector's class: what HDF5 gets from the plugin. */
/* Returns one table, the same at each call. Makes no HDF5 call. */
const H5VL_class_t *vz_vol_class(void);

/* -- Dispatch --
 * Is a name a Zarr store or a native HDF5 file, or to become one? */
typedef enum vz_vol_kind {
    VZ_KIND_NONE, /* neither: err is set */
    VZ_KIND_ZARR,
    VZ_KIND_NATIVE,
    VZ_KIND_REMOTE, /* an HDF5 file that is not in the file system */
    VZ_KIND_EMPTY,  /* an empty file that is opened for writing and becomes a store */
    VZ_KIND_DRIVER, /* what the access list's driver has under that name (vol_internal.h) */
} vz_vol_kind;

/* Native: other drivers than the default one and file images, unless the options ask for one file.
 * Names that the option `create` does not match are native, too. Everything else becomes a store,
 * of the kind that options->container says afterwards and behind a user block of
 * options->user_block bytes. Of H5Fcreate's flags: a store that is truncated to become an HDF5 file
 * is removed here. *found: the result of the probe, which the caller frees; NULL: the name was not
 * probed. */
vz_vol_kind vz_vol_kind_to_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, vz_options *options,
                                  vz_path_result **found, vz_error *err);
/* False + VZ_BUSY if the name is an HDF5 file that is open through us: a store must not take its
 * place. */
bool vz_vol_kind_may_replace(const char *name, const vz_path_result *found, vz_error *err);
/* Probes the name. Nothing there: VZ_NOT_FOUND, errno 2. Native opens, or refuses with its own
 * message, a file that is no store and would not become one by its name. A file that native made
 * may still be empty on the disk. An empty file that is opened for writing becomes the kind of file
 * that would be created there, as in native HDF5. For a store that is the kind of
 * options->container. flags: H5Fopen's. A mark in the list identifies the file that holds the name
 * (handle.h). *found as above. */
vz_vol_kind vz_vol_kind_to_open(const char *name, unsigned flags, hid_t fapl, vz_options *options,
                                vz_path_result **found, vz_error *err);
/* The answer of H5Fis_accessible. The search of HDF5 opens a store after a yes, never a native
 * file. */
typedef enum vz_vol_kind_answer { VZ_ANSWER_NO, VZ_ANSWER_STORE, VZ_ANSWER_NATIVE } vz_vol_kind_answer;

/* True for stores. True for HDF5 files only if we are the default connector. Then a missing file
 * is a failure as well, as for native HDF5, which asks no other plugin. `follows`: an open
 * follows a yes. Makes HDF5 calls. */
bool vz_vol_kind_is_accessible(H5VL_file_specific_args_t *args, bool follows, hid_t dxpl, vz_vol_kind_answer *answer,
                               vz_error *err);

/* -- Driver store --
 * Stores behind a driver of HDF5's: found by the access list, whatever the name says. */
/* Is there a store, or, with `follows`, a damaged one? False if it cannot be probed. With
 * `follows`, HDF5 opens it next after a yes, so the result of the probe is kept for that open. */
bool vz_vol_driver_store_is_there(const char *name, hid_t fapl, bool follows);
/* Drops a kept result of another list than this. */
void vz_vol_driver_store_forget(hid_t fapl);
/* Opens what the driver has. Without `is_store`, known from the question before, native is asked
 * first. A file that it can open is no store, and a driver may hand its bytes out once only. */
vz_object *vz_vol_driver_store_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, bool is_store,
                                    const vz_options *options, vz_error *err);
/* Makes a store behind the driver, a zip or one file as the options say. Replaces what the
 * driver had under that name. */
vz_object *vz_vol_driver_store_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl,
                                      const vz_options *options, vz_error *err);

/* -- Options --
 * The connector's info object and the options in it. */
/* Defaults, the environment, then the string in the access list's connector info, if any. False
 * + VZ_INVALID, with a text that lists the known options, for a wrong one from either source. */
bool vz_vol_options(hid_t fapl, vz_options *options, vz_error *err);

/* -- Ranks --
 * Stores that several ranks open together: H5Pset_fapl_mpio. */
/* The ranks of an access list; NULL: this process is the only one, or the list names another
 * driver. A copy, to be freed, which all ranks make together. False with err set where the MPI
 * library is none that is known. */
bool vz_vol_ranks_of(hid_t fapl, vz_comm **comm, vz_error *err);

typedef struct vz_vol_ranks_call {
    bool creating;
    const char *name;
    unsigned flags;
    hid_t fcpl, fapl, dxpl;
    vz_options *options;
} vz_vol_ranks_call;

/* H5Fcreate or H5Fopen, made by all ranks: the leader probes the name for all, makes or opens
 * the store, and then the others open it. All ranks hand a native file to native. Takes `comm`. */
vz_object *vz_vol_ranks_open(const vz_vol_ranks_call *call, vz_comm *comm, vz_error *err);
/* H5Fdelete: the leader does it. *native: it is native's to do, on all ranks. Takes `comm`. */
bool vz_vol_ranks_delete(const char *name, hid_t fapl, vz_options *options, vz_comm *comm, bool *native, vz_error *err);

/* -- Vol --
 * The callbacks, one table a class, and how each of them ends.
 *
 * A callback translates its arguments into one call of the object's operations table and
 * reports. Callbacks that are done when they return leave `req` alone: it is named so that it may
 * be unused. */
#define VOL_UNUSED __attribute__((unused))

extern const H5VL_info_class_t vz_vol_info_class;
extern const H5VL_wrap_class_t vz_vol_wrap_class;
extern const H5VL_attr_class_t vz_vol_attr_class;
extern const H5VL_dataset_class_t vz_vol_dataset_class;
extern const H5VL_datatype_class_t vz_vol_datatype_class;
extern const H5VL_file_class_t vz_vol_file_class;
extern const H5VL_group_class_t vz_vol_group_class;
extern const H5VL_link_class_t vz_vol_link_class;
extern const H5VL_object_class_t vz_vol_object_class;
extern const H5VL_request_class_t vz_vol_request_class;
extern const H5VL_blob_class_t vz_vol_blob_class;
extern const H5VL_token_class_t vz_vol_token_class;

static inline const vz_ops *vz_vol_ops(const void *obj)
{
    return ((const vz_object *)obj)->ops;
}

/* State that every callback begins with, and the failure it reports. */
typedef struct vz_vol_call {
    int *errno_place; /* of the thread: asked for once */
    int errno_before; /* what succeeds leaves it so */
    bool beside;      /* requests may be under way */
    vz_error err;
} vz_vol_call;

/* Waits for all requests that are under way, and settles them. */
vz_vol_call vz_vol_begin(void);
/* For callbacks that touch no elements, if they may be beside requests, which go on then. */
vz_vol_call vz_vol_begin_beside(bool may_be);
/* Is this thread in a callback? Then what an operator starts must not go on beside it. */
bool vz_vol_is_inside(void);
/* The last act of a callback: passes the result on. Of a failure it pushes the record, after a
 * success errno is as it was: programs (Perl's PDL) take any other value for a failure. */
herr_t vz_vol_status(herr_t status, const vz_vol_call *call, const char *callback);
void *vz_vol_object(vz_object *object, const vz_vol_call *call, const char *callback);

/* Pushes the record of a failure on that stack. */
void vz_vol_push(hid_t stack, const vz_error *err, const char *callback);

/* -- Requests -- request.c */
/* The request that HDF5 gets. It is made before the work starts. NULL: no memory. */
void *vz_vol_request_new(void);
/* Takes the request, and returns what HDF5 gets. Of NULL, nothing. */
void *vz_vol_request_of(void *request, vz_async_request *work);
/* Has an event set heard of a failure? Then it refuses what comes after, and HDF5 never frees a
 * request that it did not insert. So nothing may go on after its call any more. */
bool vz_vol_request_has_failed(void);
/* May HDF5 get another request? Neither after a failure, nor as long as requests are there of which
 * a later one was canceled. */
bool vz_vol_request_may_be_new(void);

/* -- Later -- later.c: calls of event sets that wait for what they need of a server.
 * A call whose request HDF5 gets. */
typedef struct vz_vol_later {
    void *request;
    vz_async_request *work; /* none: there was nothing to do later */
    vz_vol_call call;
} vz_vol_later;

/* Nothing that an operator starts goes on beside it. */
bool vz_vol_may_go_on(void);
/* May a call that has a request look into a store, beside what is under way? */
bool vz_vol_may_ask(void **req);
/* False: the call is made at once. */
bool vz_vol_later_begin(vz_vol_later *l);
bool vz_vol_later_end(vz_vol_later *l, void **req, const char *caller);
/* NULL, or false: the call is made at once. */
void *vz_vol_open_later(const vz_obj_later_open *what, void **req, const char *caller);
bool vz_vol_ask_later(void *obj, const H5VL_loc_params_t *loc, const vz_obj_later_query *what, void **req,
                      const char *caller);
bool vz_vol_close_later(void *obj, void **req, const char *caller);
/* An object of a store whose elements are its own, which is looked at or closed: requests go on. */
bool vz_vol_may_be_beside(const void *obj, bool closes);

/* Are the objects of a call with two of them (either may be NULL) of one kind? */
bool vz_vol_same_kind(const void *a, const void *b, const char *call, vz_error *err);

#endif
