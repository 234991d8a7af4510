/* edit.h - changes of names and shapes: linked, moved, renamed, unlinked, resized. */
#ifndef VZ_HIERARCHY_EDIT_H
#define VZ_HIERARCHY_EDIT_H

#include "hierarchy/node.h"

/* move_log_recover.c */
/* What writers that were killed had told of moves and deletions, and not flushed, goes into documents: after opening
 * for writing, when the hierarchy's dialect is known. What cannot be written waits for the flush; fails when it cannot
 * be read. */
bool vz_hierarchy_recover(vz_hierarchy *hierarchy, vz_error *err);

/* move.c */
/* vz_link_rename, but a group that moves into itself is VZ_INVALID whatever it is called elsewhere. */
bool vz_node_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err);

#endif
