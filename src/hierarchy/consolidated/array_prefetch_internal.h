/* array_prefetch_internal.h - lists of keys. */
#ifndef VZ_CONSOLIDATED_ARRAY_PREFETCH_INTERNAL_H
#define VZ_CONSOLIDATED_ARRAY_PREFETCH_INTERNAL_H

#include "hierarchy/consolidated/array_prefetch.h"

/* Takes the key; NULL: there was no memory for it. */
bool vz_tree_keys_add(vz_tree_keys *keys, char *key);

#endif
