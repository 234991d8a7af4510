/* native.h - native HDF5 objects beside stores: the gateway and its twins, wrapped native files,
 * byte sources behind HDF5's file drivers. */
#ifndef VZ_NATIVE_NATIVE_H
#define VZ_NATIVE_NATIVE_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "hdf5/h5/h5.h"
#include "hdf5/h5/object.h"
#include "store/store/kind.h"

/* -- External reference --
 * An H5R_ref_t that names its file, as HDF5 reads it from the disk. No public call makes one:
 * H5Rcreate* needs the file open. */
/* Makes a reference to the object `token` of the file `file_name`. The file is not opened until
 * the reference is followed. space: the region, in a dataspace of any extent, else
 * H5I_INVALID_HID. attribute: its name, else NULL. The caller destroys the reference. */
bool vz_native_external_reference_new(const char *file_name, uint64_t token, hid_t space, const char *attribute,
                                      H5R_ref_t *out, vz_error *err);

/* -- File image --
 * The image in memory of an access list (H5Pset_file_image) as a read-only byte source. The core
 * driver takes an image that is not copied only once (H5LT_FILE_IMAGE_DONT_COPY, as netCDF sets
 * it), and native may have taken it. The list still has it. */
bool vz_image_is_there(hid_t fapl);

/* Opens the image that H5Pset_file_image gave the list, or a copy if its callbacks make one. It
 * is valid until the byte source is closed. NULL with err set. Makes HDF5 calls; reading makes
 * none. */
vz_byte_source *vz_image_open(hid_t fapl, vz_error *err);

/* -- Gateway --
 * The private native in-memory file that stands for Zarr objects wherever HDF5 looks for native
 * ones. One per host. */
/* Called by the first file create or open, and again after H5close/H5open. Finds the native
 * connector, and learns the host's version. Registers the H5atclose callback that closes our ids in
 * order and then the gateway. `gateway`: turn the gateway on; it is made when it is needed. */
bool vz_native_start(bool gateway, vz_error *err);
bool vz_gateway_is_on(void);

/* True once the gateway was made. */
bool vz_gateway_is_made(void);

/* The native connector's id and class (valid between start and shutdown). */
hid_t vz_native_connector(void);
const H5VL_class_t *vz_native_class(void);

/* The id of our own connector in this host (for FAPLs); borrowed. */
hid_t vz_native_own_connector(void);

/* The gateway's own object of that kind, made if need be: stands for groups, datasets,
 * attributes, types. NULL where it cannot be made. */
void *vz_gateway_stand_in(H5I_type_t type);

/* A file handle's own native file (rules 2, 3). Zero-initialised = none: get answers the
 * gateway's own file then, NULL where that is not made. */
typedef struct vz_twin_file {
    void *file; /* H5F_t: valid until retired */
    void *root; /* its root group: keeps the native file alive */
} vz_twin_file;
/* owner: found again by vz_twin_file_owner */
bool vz_twin_file_open(vz_twin_file *twin, void *owner, vz_error *err);

/* In the file-close callback, while the id is still in the table. Afterwards get answers the
 * gateway's own file. */
void vz_twin_file_retire(vz_twin_file *twin);

/* When the last object opened through the handle goes. */
void vz_twin_file_release(vz_twin_file *twin);
void *vz_twin_file_get(const vz_twin_file *twin);

/* The owner of the twin that is this native file, or NULL: native pointers are looked up, never
 * dereferenced (rule 7). */
void *vz_twin_file_owner(const void *native_file);

/* A committed type's own native object, equal to `type` (rule 4); made when one is opened or
 * committed, never inside get_object. NULL without gateway. Fails for what the native library
 * does not commit. */
bool vz_twin_type_open(void **twin, hid_t type, vz_error *err);
void vz_twin_type_close(void *twin); /* NULL is fine */

/* A dataset's native twin, whose address is the token (rule 5): old region references read its
 * extent. Makes it, or makes it anew if the extent has changed. Does nothing without gateway. */
bool vz_twin_dataset_renew(uint64_t token, hid_t space, vz_error *err);
bool vz_twin_dataset_exists(uint64_t token);

/* Address of the heap of old region references of stores. Addresses in other files are below it. */
#define VZ_GATEWAY_HEAP ((uint64_t)1 << 62)

/* Sets the hook that drops per-host state at H5atclose, after all ids were closed. */
void vz_native_at_shutdown(void (*hook)(void));

/* Number of the present start of HDF5, 0 before the first file. Facts kept about the library
 * (ids, defaults of a new list) are valid while it is unchanged. */
unsigned vz_native_starts(void);

/* True while HDF5 closes, also at exit, and all open objects are being closed. */
bool vz_native_is_closing(void);

/* Sets the hook that runs once all ids are closed, while the gateway still exists. */
void vz_native_when_closed(void (*hook)(void));

/* -- Scratch file --
 * A native dataset in memory that runs filters. HDF5 has no public call that runs or asks a
 * filter, whether built in, registered or found as a plugin. Its own datasets use them all. */
/* A copy of the creation list with its filters as H5Dcreate leaves them in a native dataset. They
 * are checked for the type, and have the values that they choose themselves. The list's layout must
 * be chunked. */
hid_t vz_scratch_filters(hid_t type, hid_t dcpl, vz_error *err);

/* A chunk as a program would write it directly, with its filters undone (mask: filters that were
 * not applied). It becomes elements of `type`, which has no parts of variable length. */
bool vz_scratch_undo_filters(hid_t type, hid_t dcpl, uint32_t mask, vz_bytes chunk, vz_buffer *elements, vz_error *err);

/* -- Vfd byte source --
 * Files behind any driver of HDF5: Python's file objects, images in memory and others that an
 * access list names. Only the driver reads their bytes, on the thread that called HDF5. The name
 * is an argument of the driver and often no path. */
typedef enum vz_driver_kind {
    VZ_DRIVER_USUAL, /* the one that reads the file of that name */
    VZ_DRIVER_NAMED, /* others that read the file of that name */
    VZ_DRIVER_BYTES, /* has bytes that only it knows */
    VZ_DRIVER_RANKS, /* several processes at once read the file of that name */
    VZ_DRIVER_NONE,  /* one that has not the bytes of one file */
} vz_driver_kind;

/* The kind of driver in an access list. Makes HDF5 calls. */
vz_driver_kind vz_driver_kind_of(hid_t fapl);

/* Can the driver open a different file under a different name? The driver of Python's file
 * objects cannot. */
bool vz_driver_opens_names(hid_t fapl);

/* The bytes of the file that the list's driver knows under that name; flags: H5Fopen's or
 * H5Fcreate's. VZ_UNSUPPORTED for VZ_DRIVER_NONE. */
vz_byte_source *vz_driver_open(const char *name, unsigned flags, hid_t fapl, vz_error *err);

/* Has this process a file open that only such a driver reads? */
bool vz_driver_is_in_use(void);

/* -- Filters --
 * Filters that a Zarr store shows to HDF5: bzip2 307, blosc 32001, lz4 32004, zstd 32015. */
/* At the first open: registers those that the host lacks. They are backed by our codecs. */
bool vz_filters_register(vz_error *err);

/* -- Wrap --
 * Native HDF5 files that are opened or created through us. Each native object gets a thin
 * wrapper with the "native" table of operations, which forwards every call to the native
 * connector. */
static inline bool vz_native_is_object(const vz_object *object)
{
    return object->ops->kind == VZ_OPS_NATIVE;
}

/* Open, create: with the caller's FAPL changed to the native connector. Failure: VZ_HDF5, the
 * native record stays innermost (with its errno). */
vz_object *vz_native_file_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, hid_t dxpl, vz_error *err);
vz_object *vz_native_file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_error *err);

/* An HDF5 file that is not in the file system, for reading. Names in it lead where the policy lets
 * names in a remote store lead, and never to files of this machine. `found` loses its bytes.
 * searched: HDF5 found us in a search for plugins. */
struct vz_path_result;
vz_object *vz_native_remote_open(const char *name, struct vz_path_result *found, unsigned flags, hid_t fapl, hid_t dxpl,
                                 const vz_options *options, bool searched, vz_error *err);
/* Is it a list with the driver of such files? Then the file is opened with it. */
bool vz_native_remote_is_listed(hid_t fapl);
vz_object *vz_native_remote_open_listed(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_error *err);

/* FILE_GET on a native file that has no wrapper. */
herr_t vz_native_file_get(void *native, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err);

/* The operations on wrapped objects. */
const vz_ops *vz_native_ops(void);

/* IS_ACCESSIBLE and DELETE without an object, through the native connector. */
herr_t vz_native_file_specific(H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err);

/* For the unwrap_object callback: the library takes its own object out of a wrapper that we made
 * for it. Frees the wrapper only, answers the native object. */
void *vz_native_unwrap(vz_object *object);

#endif
