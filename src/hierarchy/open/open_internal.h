/* open_internal.h - a hierarchy over a store, made and freed. */
#ifndef VZ_OPEN_OPEN_INTERNAL_H
#define VZ_OPEN_OPEN_INTERNAL_H

#include "hierarchy/nodes/node.h"

/* new_hierarchy.c */
void vz_hierarchy_free(vz_hierarchy *hierarchy); /* takes the store down with it; unregisters nothing */
/* Over any store, not registered: reads (or with `create` writes) the root. The store is taken, also on failure. Closed
 * by vz_hierarchy_close. */
vz_hierarchy *vz_hierarchy_over(vz_store *store, const char *path, const vz_options *options, bool writable,
                                bool create, vz_error *err);
/* The same of a store that is created. `leaves`: the root's documents are left to the first flush. `claims`: where
 * another program has put the root's document before, this is VZ_EXISTS (EEXIST), and nothing more is written. */
vz_hierarchy *vz_hierarchy_over_new(vz_store *store, const char *path, const vz_options *options, bool leaves,
                                    bool claims, vz_error *err);

/* recover_resize.c: removes chunks that writers which died left outside of arrays, where nobody else writes. What
 * cannot be removed is left to the next writer. */
void vz_shapes_recover(vz_store *store);

#endif
