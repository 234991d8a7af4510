/* adopt.h - opening by default (no HDF5_VOL_CONNECTOR) in HDF5 2.0 to 2.2.
 *
 * When the native connector cannot open a name, HDF5 asks the plugins and lets ours open it. These releases then
 * register what we opened as an object of the *native* connector, which takes it for an H5F_t and crashes. So there we
 * open the store by a call of our own, give HDF5 an empty native file to register, and exchange the objects of the two
 * ids as soon as it has done so: the id that the program gets is then the store's. */
#ifndef VZ_NATIVE_ADOPT_H
#define VZ_NATIVE_ADOPT_H

#include "native/gateway.h"

/* In IS_ACCESSIBLE, before it says yes: false where an open by default would crash. Makes no HDF5 call. */
bool vz_adopt_asked(hid_t fapl);
/* In the open callback, after vz_native_start: is it such an open? */
bool vz_adopt_needed(hid_t fapl);
/* What the callback has to answer then: a native file; NULL with err set. */
void *vz_adopt_open(const char *name, unsigned flags, hid_t fapl, vz_error *err);
/* In wrap_object: is this the native file, which must stay as it is? */
bool vz_adopt_wraps(const void *object);
/* At the end of free_wrap_ctx: HDF5 has done with the native file. */
void vz_adopt_finish(void);

#endif
