/* probe_library.h - does the plugin work in an HDF5 library? To be asked in a process that does nothing else. */
#ifndef VZ_CONVERT_PROBE_LIBRARY_H
#define VZ_CONVERT_PROBE_LIBRARY_H

#include "command/convert/hdf5_library.h"

typedef struct vz_library_probe {
    vz_library_version version; /* all 0: it could not be loaded */
    bool loads;                 /* the plugin is there, and registered */
    bool finds;                 /* the plugin lies where the library looks by itself */
    bool works;                 /* a store was made through it, and found again by the plugin path alone */
    char why[512];              /* not */
} vz_library_probe;

/* `directory`: an empty one that may be written; what is made there is the caller's to remove. */
void vz_probe_library(const char *file, const char *plugin, const char *directory, vz_library_probe *probe);

#endif
