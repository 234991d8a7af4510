/* consolidated_hint.h - what the copy of all documents told when a store that is far away was opened for writing. */
#ifndef VZ_NODES_CONSOLIDATED_HINT_H
#define VZ_NODES_CONSOLIDATED_HINT_H

#include "hierarchy/nodes/node.h"

typedef struct vz_told vz_told;

/* When the root was loaded, and what was read ahead is still there. What cannot be read tells nothing. */
void vz_told_read(vz_hierarchy *hierarchy);
/* A copy that stood in the root's document, and is taken out of it now. */
void vz_told_copy(vz_hierarchy *hierarchy, const vz_json *copy);
void vz_told_free(vz_told *told); /* NULL is fine */
/* The nodes, in any order; `cursor` begins at 0. None where this process moved or deleted some since. */
bool vz_told_next(const vz_hierarchy *hierarchy, size_t *cursor, const char **prefix, bool *is_group);
/* Is the prefix one of those? */
bool vz_told_has(const vz_hierarchy *hierarchy, const char *prefix);
/* Was there a copy in a document of the root's own when the store was opened, and nobody took it away since? */
bool vz_told_has_copy(const vz_hierarchy *hierarchy);
/* The same, of who takes it away now. */
bool vz_told_take_copy(vz_hierarchy *hierarchy);

#endif
