/* host.h - the HDF5 library that loaded us: finding it, taking its functions, and what to do
 * with a second one. None of this calls HDF5: HDF5 asks plugins in the middle of failing opens,
 * and a call would erase its error records. */
#ifndef VZ_PLUGIN_HOST_H
#define VZ_PLUGIN_HOST_H

#include "hdf5/vol/vol_internal.h"

typedef struct vz_host {
    void *handle;     /* of the module with the functions; never closed, so that the host cannot go
                       * away */
    const void *base; /* where it is loaded, which no other is: its identity */
    const char *file;
} vz_host;

/* The library whose code `address` lies in. That may have no HDF5 functions (a test that calls us
 * by dlsym). Then it is the library that the program itself sees, else the first loaded module that
 * has them. */
bool vz_host_find(const void *address, vz_host *host);
/* Fills vz_h5 from it. Returns NULL, or the name of a function that it lacks. */
const char *vz_host_bind(const vz_host *host);

/* The class for the library that called, whose return address this is; the same at every call.
 * Several libraries: the first is bound here, each other one by a copy of this module. */
const H5VL_class_t *vz_class_for(const void *return_address);

/* Loads a private copy of this module and asks its vz_class_for. NULL with the reason in `why`. */
const H5VL_class_t *vz_copy_class_for(const void *return_address, char *why, size_t why_size);

/* Says why on standard error, once for each call, and answers a class that opens and creates
 * nothing. A program that starts with HDF5_VOL_CONNECTOR=zarr must not crash where the connector
 * cannot work. */
const H5VL_class_t *vz_refuse(const vz_host *host, const char *why) __attribute__((cold));

#endif
