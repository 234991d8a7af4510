/* vol_internal.h - class, dispatch, driver store, options, ranks, vol. */
#ifndef VZ_VOL_VOL_INTERNAL_H
#define VZ_VOL_VOL_INTERNAL_H

#include "base/mpi/comm.h"
#include "base/util/options.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path.h"
#include <errno.h>

/* -- Class --
 * the connector's class: what HDF5 gets from the plugin. */
/* The same table at each call. Makes no HDF5 call. */
const H5VL_class_t *vz_vol_class(void);

/* -- Dispatch --
 * is a name a Zarr store or a native HDF5 file, or to become one? */
typedef enum vz_kind {
    VZ_KIND_NONE, /* neither: err tells */
    VZ_KIND_ZARR,
    VZ_KIND_NATIVE,
    VZ_KIND_EMPTY,  /* an empty file that is opened for writing and becomes a store */
    VZ_KIND_DRIVER, /* what the access list's driver has under that name (vol_internal.h) */
} vz_kind;

/* What only a real HDF5 file can do is native: other drivers than the default one and file images, unless the
 * options ask for one file; and names that the option `create` does not match. Everything else becomes a store, of the
 * kind that options->container says afterwards and behind a user block of options->user_block bytes. Of H5Fcreate's
 * flags: a store that is truncated to become an HDF5 file is removed here. *found: what is there, the caller's to free;
 * NULL: nobody looked.
 */
vz_kind vz_kind_to_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, vz_options *options,
                          vz_found **found, vz_error *err);
/* False + VZ_BUSY if the name is an HDF5 file that is open through us: a store must not take its place. */
bool vz_kind_may_replace(const char *name, const vz_found *found, vz_error *err);
/* By looking at what is there. Nothing: VZ_NOT_FOUND, errno 2. What is no store, and by its name would not become one,
 * is native's to open or to refuse in its own words; one that native made may still be empty on the disk. Native HDF5
 * makes of an empty file that is opened for writing a file like a created one: so what it becomes is what would be
 * created there, of the kind in options->container. flags: H5Fopen's. The list tells who says the name (handle.h).
 * *found as above. */
vz_kind vz_kind_to_open(const char *name, unsigned flags, hid_t fapl, vz_options *options, vz_found **found,
                        vz_error *err);
/* True for stores; for HDF5 files only where we are the default connector, and so the question is not whether somebody
 * else than native can open the file. There a file that is not there is a failure as well, as it is for native: HDF5
 * then asks no other plugin. `follows`: an open follows a yes. Makes HDF5 calls. */
bool vz_kind_is_accessible(H5VL_file_specific_args_t *args, bool follows, hid_t dxpl, bool *accessible, vz_error *err);

/* -- Driver store --
 * stores behind a driver of HDF5's: found by the access list, whatever the name says. */
/* Is there a store, or, with `follows`, one that is damaged? What cannot be looked at is none. With `follows`, HDF5
 * opens it next if told yes: what was found is kept for that. */
bool vz_driver_store_is_there(const char *name, hid_t fapl, bool follows);
/* What was kept for another list than this goes. */
void vz_driver_store_forget(hid_t fapl);
/* Opens what the driver has. Without `is_store`, known from the question before, native is asked first: what it can
 * open is no store, and a driver may hand its bytes out once only. */
vz_object *vz_driver_store_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, bool is_store,
                                const vz_options *options, vz_error *err);
/* Makes one behind the driver, a zip or one file as the options say: what it had under that name is gone. */
vz_object *vz_driver_store_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, const vz_options *options,
                                  vz_error *err);

/* -- Options --
 * the connector's info object and the options in it. */
/* Defaults, the environment, then the string in the access list's connector info, if any. False + VZ_INVALID, with a
 * text that lists the known options, for a wrong one from either source. */
bool vz_vol_options(hid_t fapl, vz_options *options, vz_error *err);

/* -- Ranks --
 * stores that several ranks open together: H5Pset_fapl_mpio. */
/* The ranks of an access list; NULL: this process is the only one, or the list names another driver. A copy, to be
 * freed, which all ranks make together. False with err set where the MPI library is none that is known. */
bool vz_ranks_of(hid_t fapl, vz_comm **comm, vz_error *err);

typedef struct vz_ranks_call {
    bool creating;
    const char *name;
    unsigned flags;
    hid_t fcpl, fapl, dxpl;
    vz_options *options;
} vz_ranks_call;

/* H5Fcreate or H5Fopen, made by all ranks: the leader looks what is at the name, which is so for all, makes or opens
 * the store, and then the others open it. What is native's all of them hand to native. Takes `comm`. */
vz_object *vz_ranks_open(const vz_ranks_call *call, vz_comm *comm, vz_error *err);
/* H5Fdelete: the leader does it. *native: it is native's to do, on all ranks. Takes `comm`. */
bool vz_ranks_delete(const char *name, hid_t fapl, vz_options *options, vz_comm *comm, bool *native, vz_error *err);

/* -- Vol --
 * inside the room: the callbacks, one table a class, and how each of them ends.
 *
 * A callback translates its arguments into one call of the object's operations table and reports. Arguments that no
 * connector without asynchronous requests needs are named so that they may be unused. */
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
extern const H5VL_blob_class_t vz_vol_blob_class;
extern const H5VL_token_class_t vz_vol_token_class;

static inline const vz_ops *vz_vol_ops(const void *obj)
{
    return ((const vz_object *)obj)->ops;
}

/* What every callback begins with, and the failure it reports. */
typedef struct vz_vol_call {
    int *errno_place; /* of the thread: asked for once */
    int errno_before; /* what succeeds leaves it so */
    vz_error err;
} vz_vol_call;

vz_vol_call vz_vol_begin(void);
/* The last act of a callback: passes the result on. Of a failure it pushes the record, after a success errno is as it
 * was: programs (Perl's PDL) take any other value for a failure. */
herr_t vz_vol_status(herr_t status, const vz_vol_call *call, const char *callback);
void *vz_vol_object(vz_object *object, const vz_vol_call *call, const char *callback);

/* Are the objects of a call with two of them (either may be NULL) of one kind? */
bool vz_vol_same_kind(const void *a, const void *b, const char *call, vz_error *err);

#endif
