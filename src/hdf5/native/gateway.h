/* gateway.h - the private native in-memory file that stands for Zarr objects wherever the library looks for native
 * ones. One per host. */
#ifndef VZ_NATIVE_GATEWAY_H
#define VZ_NATIVE_GATEWAY_H

#include "hdf5/h5/object.h"

/* Called by the first file create or open (and again after H5close/H5open): finds the native connector, registers the
 * H5atclose callback that closes our ids in order and then the gateway, and learns the host's version. `gateway`: there
 * is one from now on, which is made when it is needed. */
bool vz_native_start(bool gateway, vz_error *err);
bool vz_gateway_is_on(void);
/* Was it needed? */
bool vz_gateway_is_made(void);
/* Makes it, if it is on and not there yet. May be called inside get_object: HDF5 may be walking through the ids. */
bool vz_gateway_need(vz_error *err);
/* The native connector's id and class (valid between start and shutdown). */
hid_t vz_native_connector(void);
const H5VL_class_t *vz_native_class(void);
/* The id of our own connector in this host (for FAPLs); borrowed. */
hid_t vz_own_connector(void);

/* The gateway's own object of that kind, made if need be: stands for groups, datasets, attributes, types. NULL where it
 * cannot be made. */
void *vz_gateway_stand_in(H5I_type_t type);

/* A file handle's own native file (rules 2, 3). Zero-initialised = none: get answers the gateway's own file then, NULL
 * where that is not made. */
typedef struct vz_file_twin {
    void *file; /* H5F_t: valid until retired */
    void *root; /* its root group: keeps the native file alive */
} vz_file_twin;
bool vz_file_twin_open(vz_file_twin *twin, void *owner, vz_error *err); /* owner: found again by vz_file_twin_owner */
/* In the file-close callback, while the id is still in the table. Afterwards get answers the gateway's own file. */
void vz_file_twin_retire(vz_file_twin *twin);
/* When the last object opened through the handle goes. */
void vz_file_twin_release(vz_file_twin *twin);
void *vz_file_twin_get(const vz_file_twin *twin);
/* The owner of the twin that is this native file, or NULL: native pointers are looked up, never dereferenced (rule 7).
 */
void *vz_file_twin_owner(const void *native_file);

/* A committed type's own native object, equal to `type` (rule 4); made when one is opened or committed, never inside
 * get_object. NULL without gateway. Fails for what the native library does not commit. */
bool vz_type_twin_open(void **twin, hid_t type, vz_error *err);
void vz_type_twin_close(void *twin); /* NULL is fine */

/* A dataset's native twin, whose address is the token (rule 5): old region references read its extent. Made, or made
 * anew where the extent is another now; nothing without gateway. */
bool vz_dataset_twin_renew(uint64_t token, hid_t space, vz_error *err);
bool vz_dataset_twin_exists(uint64_t token);
/* Where the heap is that old region references of stores are in: addresses of other files are below. */
#define VZ_GATEWAY_HEAP ((uint64_t)1 << 62)

/* Hook that the object room sets: forget per-host state at H5atclose, after all ids were closed. */
void vz_native_at_shutdown(void (*hook)(void));
/* A number for each time that HDF5 was started, 0 before the first file: what is remembered of the library (ids, what a
 * new list says) counts as long as it is the same. */
unsigned vz_native_starts(void);
/* HDF5 closes, at exit too: everything that is open is being closed. */
bool vz_native_is_closing(void);
/* Called once all ids are closed, while the gateway is still there. */
void vz_native_when_closed(void (*hook)(void));

#endif
