/* pending_value_internal.h - the part of pending_value.h that only this module uses. */
#ifndef VZ_NODES_PENDING_VALUE_INTERNAL_H
#define VZ_NODES_PENDING_VALUE_INTERNAL_H

#include "hierarchy/nodes/pending_value.h"

/* Takes the value, also on failure. The node has none yet. */
bool vz_deferred_put(vz_node *node, const char *name, const vz_deferred_class *class, void *value, vz_error *err);

/* Is it this attribute's? */
bool vz_deferred_is(const vz_node *node, const char *name);

#endif
