/* root_move_log.h - the move log of an open store (hierarchy/moves/move_log.h). Its list stands in
 * the annotation of the root: loaded when it is needed, marked as dirty when it grows. Objects that
 * go on without a name while they are in use are in it, too (resolve/deleted_objects.c). */
#ifndef VZ_NODES_ROOT_MOVE_LOG_H
#define VZ_NODES_ROOT_MOVE_LOG_H

#include "hierarchy/moves/move_log.h"
#include "hierarchy/nodes/hierarchy.h"

/* A node and what is below went from one path to another (NULL: are deleted), and what is stored
 * must find it. Called after the name changed in the store, as vz_flush_begin_move (writeback.h)
 * is before. */
bool vz_root_move_log_add(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err);

/* Logs the deletion of a node that is in use: `held` learns where references to it lead now. */
bool vz_root_move_log_add_held(vz_node *held, const char *from, vz_error *err);

/* Before anything appears in the store where something was: the last move is known to have
 * happened. */
bool vz_root_move_log_confirm(vz_hierarchy *hierarchy, vz_error *err);
/* before the root's documents are written */
bool vz_root_move_log_to_root(vz_hierarchy *hierarchy, vz_error *err);
/* after, or when they were read */
void vz_root_move_log_written(vz_hierarchy *hierarchy);
void vz_root_move_log_recovered(vz_hierarchy *hierarchy); /* journals of dead writers go, if
                                                           * documents have all they tell */
void vz_root_move_log_close(vz_hierarchy *hierarchy);     /* the journal stays if it is still
                                                           * needed */

/* All moves; NULL: out of memory. */
vz_moves *vz_root_move_log_all(vz_hierarchy *hierarchy, vz_error *err);

/* Does the annotation of a root say that moves are logged? Then there may be a journal, too. */
bool vz_root_move_log_is_announced(const vz_json *annotation);

/* Is a move to that path logged (NULL: a deletion)? */
bool vz_root_move_log_has(const vz_hierarchy *hierarchy, const char *to);

#endif
