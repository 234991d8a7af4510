/* stored_name_list.h - a name that comes out of a store is opened through HDF5: its access list tells the open what says the
 * name. */
#ifndef VZ_HANDLES_STORED_NAME_LIST_H
#define VZ_HANDLES_STORED_NAME_LIST_H

#include "hdf5/handles/handle.h"

/* A name that stands in the file; borrowed. */
vz_named vz_file_named(const vz_file *file, const char *name);

/* Into a list of ours, for as long as `named` lives. False with the record of a failed HDF5 call. */
bool vz_named_list_put(hid_t fapl, const vz_named *named);
/* A copy of what stands there; false: nothing does, and the user himself names what is opened. */
bool vz_named_list_get(hid_t fapl, vz_named *named);
/* Out of the copy that a file keeps: the program may see and use that one. */
void vz_named_list_drop(hid_t fapl);

#endif
