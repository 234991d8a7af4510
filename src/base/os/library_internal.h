/* library_internal.h - the texts of loaders. */
#ifndef VZ_OS_LIBRARY_INTERNAL_H
#define VZ_OS_LIBRARY_INTERNAL_H

#include <stdbool.h>

/* vz_os_library_says_missing of macOS. */
bool vz_os_dyld_says_missing(const char *error);

#endif
