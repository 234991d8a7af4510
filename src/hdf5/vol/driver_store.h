/* driver_store.h - stores behind a driver of HDF5's: found by the access list, whatever the name says. */
#ifndef VZ_VOL_DRIVER_STORE_H
#define VZ_VOL_DRIVER_STORE_H

#include "hdf5/h5/object.h"
#include "base/util/options.h"

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

#endif
