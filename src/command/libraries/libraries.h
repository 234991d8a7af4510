/* libraries.h - the HDF5 libraries of this machine: where they are looked for, and how one becomes
 * the library that hdf5/h5/h5.h speaks to. Nothing of HDF5 is linked: a library is loaded when it
 * is asked for, one in a process. */
#ifndef VZ_LIBRARIES_LIBRARIES_H
#define VZ_LIBRARIES_LIBRARIES_H

#include "base/util/error.h"
#include <stdbool.h>
#include <stddef.h>

#define VZ_LIBRARY_OLDEST "1.14"

/* A file that is called like an HDF5 library. It was not looked into. */
typedef struct vz_library {
    char *file;  /* without links */
    char *where; /* for people: "system", "conda", "h5py (/usr/lib/python3/dist-packages)" ... */
} vz_library;

typedef struct vz_libraries {
    vz_library *items;
    size_t count, capacity;
} vz_libraries;

/* All that are found, in the order in which they are tried. `given`: a file, or the prefix of an
 * installation, beside which nothing else is looked for. NULL: the environment variable
 * VOL_ZARR_HDF5 may say so. Else LD_LIBRARY_PATH, conda's prefix, the system's directories and
 * the wheels of the active Python are searched. Fails if what was given is not there
 * (VZ_NOT_FOUND) and for want of memory; finding none is no failure. vz_libraries_clear it in
 * any case. */
bool vz_libraries_find(const char *given, vz_libraries *found, vz_error *err);
void vz_libraries_clear(vz_libraries *found);

typedef struct vz_library_version {
    unsigned major, minor, release;
} vz_library_version;

/* The first that can be loaded. VZ_NOT_FOUND: none, with a text that says what was there and what
 * to install. */
bool vz_library_load_first(const vz_libraries *found, const char **file, vz_library_version *version, vz_error *err);

/* The directory in which this connector's plugin lies, for H5PLprepend. `given`: that directory, or
 * NULL: beside the program (where it is installed, or built), else in HDF5_PLUGIN_PATH.
 * VZ_NOT_FOUND if there is none; the caller frees. */
char *vz_plugin_directory(const char *given, vz_error *err);

/* Loads the library and fills hdf5/h5/h5.h's table from it. VZ_UNSUPPORTED: it is older than 1.14,
 * or lacks a function; it is unloaded again, no function of it was called. Once it succeeded, no
 * other can be loaded. Initialises HDF5, turns its error printing off, and takes HDF5_VOL_CONNECTOR
 * out of the environment, which would decide what "native" means. */
bool vz_library_load(const char *file, vz_library_version *version, vz_error *err);

/* Does the loaded library look into the plugin's directory by itself? Asked before anybody names a
 * directory, with HDF5_PLUGIN_PATH unset: its list is its own then. `plugin` is a path without
 * links, as vz_plugin_directory gives it. */
bool vz_library_looks_in(const char *plugin);

#endif
