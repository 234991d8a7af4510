/* root_move_log_internal.h - paths of links and names, followed through the move log. */
#ifndef VZ_NODES_ROOT_MOVE_LOG_INTERNAL_H
#define VZ_NODES_ROOT_MOVE_LOG_INTERNAL_H

#include "hierarchy/nodes/root_move_log.h"

/* Is there a journal that may tell the name of what stands under a segment? */
bool vz_root_move_log_has_stored_names(const vz_hierarchy *hierarchy);

/* The name of what stands under that segment in a group, as a journal tells it; *name NULL: it
 * does not. Borrowed. */
bool vz_root_move_log_stored_name(vz_node *group, const char *segment, const char **name, vz_error *err);

/* Where a stored path leads now: heap, below VZ_NOWHERE if it was deleted. */
char *vz_root_move_log_follow(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err);

/* Where a path made by vz_hierarchy_stored_path leads now. */
char *vz_hierarchy_path_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err);

void vz_root_move_log_forget(vz_hierarchy *hierarchy); /* the root's annotation is another one */

#endif
