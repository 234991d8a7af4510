/* listing_internal.h - names in a directory: shared by the systems' ways to ask for them. */
#ifndef VZ_OS_LISTING_INTERNAL_H
#define VZ_OS_LISTING_INTERNAL_H

#include <stdbool.h>

/* Is it "." or ".."? */
static inline bool vz_os_is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

#endif
