/* edit.h - changes of names and shapes: linked, moved, renamed, unlinked, resized. */
#ifndef VZ_HIERARCHY_EDIT_H
#define VZ_HIERARCHY_EDIT_H

#include "hierarchy/node.h"

/* move_log_recover.c */
/* What writers that were killed had told of moves and deletions, and not flushed, goes into documents: after opening
 * for writing, when the hierarchy's dialect is known. What cannot be written waits for the flush; fails when it cannot
 * be read. */
bool vz_hierarchy_recover(vz_hierarchy *hierarchy, vz_error *err);

#endif
