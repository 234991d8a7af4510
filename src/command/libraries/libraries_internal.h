/* libraries_internal.h - what the files of this module share. */
#ifndef VZ_LIBRARIES_LIBRARIES_INTERNAL_H
#define VZ_LIBRARIES_LIBRARIES_INTERNAL_H

#include "command/libraries/libraries.h"

/* Adds one, unless that file is there already. */
bool vz_libraries_add(vz_libraries *found, const char *file, const char *where, vz_error *err);

/* find_python_libraries.c: those in wheels of the Python that is active, or first on PATH. */
bool vz_libraries_add_python(vz_libraries *found, vz_error *err);

/* Adds each file that the pattern of a shell matches, and that is called like the C library of
 * HDF5. */
bool vz_libraries_add_matches(vz_libraries *found, const char *pattern, const char *where, vz_error *err);

#endif
