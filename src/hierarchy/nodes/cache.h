/* cache.h - the consolidated hint of a remote store. */
#ifndef VZ_NODES_CACHE_H
#define VZ_NODES_CACHE_H

#include "hierarchy/nodes/node.h"

/* -- Consolidated hint --
 * prefixes that the consolidated metadata listed when a remote store was
 * opened for writing. The list may be stale, so they are hints only. */
typedef struct vz_hint vz_hint;

/* Adds the prefixes of consolidated metadata that is taken out of the root's document now. */
void vz_hint_add_consolidated(vz_hierarchy *hierarchy, const vz_json *copy);
void vz_hint_free(vz_hint *hint); /* NULL is fine */

/* Gives the nodes in any order; `cursor` begins at 0. Gives none if this process moved or
 * deleted nodes since. */
bool vz_hint_next(const vz_hierarchy *hierarchy, size_t *cursor, const char **prefix, bool *is_group);

/* Is the prefix in the hint? */
bool vz_hint_has(const vz_hierarchy *hierarchy, const char *prefix);

/* Did the store, when it was opened, have consolidated metadata in its own document, and is it
 * still there? */
bool vz_hint_has_consolidated(const vz_hierarchy *hierarchy);

/* Answers as vz_hint_has_consolidated, once: the caller removes it now. */
bool vz_hint_take_consolidated(vz_hierarchy *hierarchy);

#endif
