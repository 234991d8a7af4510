/* pending_value_internal.h - attributes whose value is not JSON yet: put, asked for. */
#ifndef VZ_NODES_PENDING_VALUE_INTERNAL_H
#define VZ_NODES_PENDING_VALUE_INTERNAL_H

#include "hierarchy/nodes/pending_value.h"

/* Takes the value, also on failure. The node has none yet. */
bool vz_deferred_put(vz_node *node, const char *name, const vz_deferred_class *class, void *value, vz_error *err);

/* Is it this attribute's? */
bool vz_deferred_is(const vz_node *node, const char *name);

void vz_deferred_drop(vz_node *node);
/* Forgets the one whose JSON was made. */
void vz_deferred_forget(vz_node *node);

#endif
