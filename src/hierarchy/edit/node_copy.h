/* node_copy.h - a second node with what the first one holds. */
#ifndef VZ_EDIT_NODE_COPY_H
#define VZ_EDIT_NODE_COPY_H

#include "hierarchy/nodes/node.h"

/* A new, unlinked node (one reference) in `to`: attributes, annotation and metadata of `node`, and, with `chunks`, its
 * data as it is stored, nothing decoded. A group comes without its members. */
vz_node *vz_node_copy(vz_node *node, vz_hierarchy *to, bool chunks, vz_error *err);
/* What of an array is stored as chunks, as bytes; and all else that stands under its prefix. */
bool vz_chunks_copy(vz_store *from, const char *from_prefix, vz_store *to, const char *to_prefix, vz_error *err);
bool vz_others_copy(vz_store *store, const char *from, const char *to, vz_error *err);

#endif
