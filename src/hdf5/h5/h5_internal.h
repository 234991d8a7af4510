/* h5_internal.h - the place where a loaded module keeps the address of a function that it calls
 * through its linkage table. */
#ifndef VZ_H5_H5_INTERNAL_H
#define VZ_H5_H5_INTERNAL_H

#include <stdbool.h>

/* handle: of dlopen. NULL if the module does not call `name` through the table. */
void **vz_import_slot(void *handle, const char *name);
/* Stores an address there, making the page writable where it is not. */
bool vz_import_set(void **slot, void *address);

#endif
