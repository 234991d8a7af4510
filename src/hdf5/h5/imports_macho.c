/* imports_macho.c - macOS: a library calls its own exported functions directly (two-level names),
 * so it has no slot for them. The Python package names the connector there
 * (python/_vol_zarr_named.py). */
#include "hdf5/h5/h5_internal.h"
#include <stddef.h>

void **vz_import_slot(void *handle, const char *name)
{
    (void)handle, (void)name;
    return NULL;
}

bool vz_import_set(void **slot, void *address)
{
    (void)slot, (void)address;
    return false;
}
