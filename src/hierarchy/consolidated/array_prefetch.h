/* array_prefetch.h - documents of arrays that will be opened by their names, asked for together. */
#ifndef VZ_CONSOLIDATED_ARRAY_PREFETCH_H
#define VZ_CONSOLIDATED_ARRAY_PREFETCH_H

#include "hierarchy/nodes/node.h"

typedef struct vz_tree_name {
    vz_node *group;
    const char *name; /* of a member */
} vz_tree_name;

/* The group that the last name of a path is in, if it and all above it are in memory. Else
 * `group` is NULL. */
vz_tree_name vz_tree_name_of(vz_node *start, const char *path);

/* Would looking for the name in its group, which was looked into, ask a server? */
bool vz_tree_name_is_far(const vz_tree_name *at);

/* Reads the documents of arrays of one store, as one batch. False for want of memory only. */
bool vz_tree_prefetch_arrays(const vz_tree_name *list, size_t count, vz_error *err);

#endif
