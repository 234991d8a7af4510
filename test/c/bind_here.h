/* bind_here.h - fills the table of HDF5 functions from the library this very program is linked with, for tests that
 * look inside the rooms above the line without a plugin. */
#ifndef VZ_TEST_BIND_HERE_H
#define VZ_TEST_BIND_HERE_H

#include "hdf5/h5/h5.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *bind_find(void *context, const char *name, bool is_data)
{
    (void)context;
    (void)is_data;
    return dlsym(RTLD_DEFAULT, name);
}

static inline void bind_here(void)
{
    const char *missing = vz_h5_bind(bind_find, NULL);
    if (missing) {
        fprintf(stderr, "this HDF5 has no %s\n", missing);
        exit(1);
    }
    H5open();
    H5get_libversion(&vz_h5.major, &vz_h5.minor, &vz_h5.release);
}

#endif
