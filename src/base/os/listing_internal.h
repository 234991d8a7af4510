/* listing_internal.h - names in a directory: shared by the systems' ways to ask for them. */
#ifndef VZ_OS_LISTING_INTERNAL_H
#define VZ_OS_LISTING_INTERNAL_H

#include <stdbool.h>

/* Is it "." or ".."? */
bool vz_os_is_dot(const char *name);

#endif
