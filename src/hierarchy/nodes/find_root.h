/* find_root.h - which of the groups above a directory is the root of the store that it is in. */
#ifndef VZ_NODES_FIND_ROOT_H
#define VZ_NODES_FIND_ROOT_H

#include "store/store/store_read.h"

/* The group that the root of `store` lies in, if what is in that group may be one store with it, opened to look into
 * it: NULL without an error where it is none, or belongs to somebody else, or others may write to it, or we may not
 * while we may write to `store`. */
vz_store *vz_group_above(vz_store *store, vz_error *err);
/* Does the group at that prefix say that it is the root of a store, by our mark, by what only a root's annotation has,
 * or as HDMF's stores do? */
bool vz_group_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err);
/* Is there an array at the store's root? */
bool vz_root_is_array(vz_store *store);

#endif
