/* dispatch.h - is a name a Zarr store or a native HDF5 file, or to become one? */
#ifndef VZ_VOL_DISPATCH_H
#define VZ_VOL_DISPATCH_H

#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path_lookup.h"
#include "base/util/options.h"

typedef enum vz_kind {
    VZ_KIND_NONE, /* neither: err tells */
    VZ_KIND_ZARR,
    VZ_KIND_NATIVE,
    VZ_KIND_EMPTY,  /* an empty file that is opened for writing and becomes a store */
    VZ_KIND_DRIVER, /* what the access list's driver has under that name (driver_store.h) */
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
 * created there, of the kind in options->container. flags: H5Fopen's. The list tells who says the name (stored_name_list.h).
 * *found as above. */
vz_kind vz_kind_to_open(const char *name, unsigned flags, hid_t fapl, vz_options *options, vz_found **found,
                        vz_error *err);
/* True for stores; for HDF5 files only where we are the default connector, and so the question is not whether somebody
 * else than native can open the file. There a file that is not there is a failure as well, as it is for native: HDF5
 * then asks no other plugin. `follows`: an open follows a yes. Makes HDF5 calls. */
bool vz_kind_is_accessible(H5VL_file_specific_args_t *args, bool follows, hid_t dxpl, bool *accessible, vz_error *err);

#endif
