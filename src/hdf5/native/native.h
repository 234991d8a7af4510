/* native.h - external reference, file image, gateway, scratch file, vfd byte source. */
#ifndef VZ_NATIVE_NATIVE_H
#define VZ_NATIVE_NATIVE_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "hdf5/h5/h5.h"
#include "store/store/kind.h"

/* -- External reference --
 * an H5R_ref_t that names its file, as HDF5 reads them from the disk. No public call makes one, and
 * H5Rcreate* wants the file open. */
/* To the object with that token in the file of that name, which nobody looks at until the reference is followed.
 * space: the region meant, in a dataspace of any extent, else H5I_INVALID_HID; attribute: the one meant, else NULL. The
 * caller's to destroy. */
bool vz_far_reference(const char *file_name, uint64_t token, hid_t space, const char *attribute, H5R_ref_t *out,
                      vz_error *err);

/* -- File image --
 * the image in memory that an access list has (H5Pset_file_image), as a medium that is only read. The driver
 * of memory takes an image that is not copied once (H5LT_FILE_IMAGE_DONT_COPY, netCDF's), and native may have taken it:
 * the list has it still. */
bool vz_image_is_there(hid_t fapl);

/* What H5Pset_file_image gave the list, or a copy where its callbacks make one, until the medium is closed. NULL with
 * err set. Makes HDF5 calls; reading makes none. */
vz_byte_source *vz_image_open(hid_t fapl, vz_error *err);

/* -- Gateway --
 * the private native in-memory file that stands for Zarr objects wherever the library looks for native
 * ones. One per host. */
/* Called by the first file create or open (and again after H5close/H5open): finds the native connector, registers the
 * H5atclose callback that closes our ids in order and then the gateway, and learns the host's version. `gateway`: there
 * is one from now on, which is made when it is needed. */
bool vz_native_start(bool gateway, vz_error *err);
bool vz_gateway_is_on(void);

/* Was it needed? */
bool vz_gateway_is_made(void);

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

/* -- Scratch file --
 * what a native dataset in memory makes of filters. HDF5 gives a connector no call to run or to ask a
 * filter, whether built in, registered by the program or found as a plugin; its own datasets use them all. */
/* A copy of the creation list with its filters as H5Dcreate leaves them in a native dataset: checked for the type, with
 * the values that they choose themselves. The list's layout must be chunked. */
hid_t vz_scratch_filters(hid_t type, hid_t dcpl, vz_error *err);

/* A chunk as a program would write it directly (mask: filters that were not applied), with its filters undone: elements
 * of `type`, which has no parts of variable length. */
bool vz_scratch_undo(hid_t type, hid_t dcpl, uint32_t mask, vz_bytes chunk, vz_buffer *elements, vz_error *err);

/* -- Vfd byte source --
 * files behind any driver of HDF5's: Python's file objects, images in memory, and what else an access list
 * names. Their bytes are reached by the driver alone, on the thread that called HDF5; the name is the driver's business
 * and often no path. */
typedef enum vz_driver_kind {
    VZ_DRIVER_USUAL, /* the one that reads the file of that name */
    VZ_DRIVER_NAMED, /* others that do: what the name leads to is what they would read */
    VZ_DRIVER_BYTES, /* has bytes that only it knows */
    VZ_DRIVER_RANKS, /* several processes at once read the file of that name */
    VZ_DRIVER_NONE,  /* one that has not the bytes of one file */
} vz_driver_kind;

/* Of an access list. Makes HDF5 calls. */
vz_driver_kind vz_driver_kind_of(hid_t fapl);

/* Does it open another file under another name? What Python's file objects stand behind knows its one file. */
bool vz_driver_opens_names(hid_t fapl);

/* The bytes of the file that the list's driver knows under that name; flags: H5Fopen's or H5Fcreate's. VZ_UNSUPPORTED
 * where it is of VZ_DRIVER_NONE. */
vz_byte_source *vz_driver_open(const char *name, unsigned flags, hid_t fapl, vz_error *err);

/* -- Filters --
 * filters that a Zarr store shows to HDF5: bzip2 307, blosc 32001, lz4 32004, zstd 32015. */
/* At the first open: registers those that the host lacks. They are backed by our codecs. */
bool vz_filters_register(vz_error *err);

/* -- Wrap --
 * native HDF5 files that are opened or created through us. Each native object gets a thin wrapper with the "native"
 * table of operations, which forwards every call to the native connector. */
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
