/* partial.h - leftovers of other processes, for the store kinds. */
#ifndef VZ_STORE_PARTIAL_H
#define VZ_STORE_PARTIAL_H

#include <stdbool.h>

/* Something in a directory under a partial name that no lease noted: nobody has touched it for a week, and where its
 * name tells a process, that does not run here. */
bool vz_is_dead_partial(int directory, const char *name);

#endif
