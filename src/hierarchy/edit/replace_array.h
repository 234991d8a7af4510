/* replace_array.h - an array's stored form is replaced by another one, written beside it first. */
#ifndef VZ_EDIT_REPLACE_ARRAY_H
#define VZ_EDIT_REPLACE_ARRAY_H

#include "hierarchy/nodes/node.h"

/* The chunks that belong to the node's changed metadata stand under the prefix `beside` (vz_partial_name, at the root).
 * They and the node's documents take the place of what is stored, in one step: a reader, and whoever comes after a
 * crash, finds the old array or the new one. Only where the store cannot do that (a file system that cannot exchange
 * two directories; a store that is one array) are chunks, then documents replaced one by one. `beside` is gone
 * afterwards, also on failure. NULL: there are no chunks, or they stay as they are; then the documents are written at
 * once, before any chunk of the new form. */
bool vz_node_replace(vz_node *node, const char *beside, vz_error *err);

#endif
