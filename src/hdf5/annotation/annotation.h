/* annotation.h - the annotation of a node (docs/format.md, "_HDF5"): its keys, edited in node->annotation. */
#ifndef VZ_ANNOTATION_ANNOTATION_H
#define VZ_ANNOTATION_ANNOTATION_H

#include "hierarchy/nodes/node.h"

/* Members "t" (with its guard "z"), "s", "l", "f", "p", "pl" of a dataset's annotation: NULL if absent or its guard
 * fails. */
const vz_json *vz_annotation_get(const vz_node *node, const char *key);
/* Takes the value, also on failure; NULL removes the member. Marks the node. */
bool vz_annotation_set(vz_node *node, const char *key, vz_json *take, vz_error *err);

#endif
