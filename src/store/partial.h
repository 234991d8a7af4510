/* partial.h - leftovers of other processes, for the store kinds. */
#ifndef VZ_STORE_PARTIAL_H
#define VZ_STORE_PARTIAL_H

#include <stdbool.h>

/* A partial name of a process of this host that does not run any more. */
bool vz_is_dead_partial_name(const char *name);

#endif
