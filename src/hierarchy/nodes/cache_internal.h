/* cache_internal.h - documents in the staging area; the consolidated hint, read. */
#ifndef VZ_NODES_CACHE_INTERNAL_H
#define VZ_NODES_CACHE_INTERNAL_H

#include "hierarchy/nodes/cache.h"

/* Makes the hint after the root was loaded, while its prefetched documents are still there.
 * Unreadable ones are skipped. */
void vz_hint_read(vz_hierarchy *hierarchy);

#endif
