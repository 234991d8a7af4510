/* writeback_internal.h - see deferred_links.c. Only while the hierarchy's `leaves_early` is set names are left out. */
#ifndef VZ_WRITEBACK_WRITEBACK_INTERNAL_H
#define VZ_WRITEBACK_WRITEBACK_INTERNAL_H

#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/writeback.h"

/* node_vanished.c */
bool vz_node_holds_unwritten(const vz_node *node); /* it or a loaded node below */

/* Another process deleted it; whoever holds it keeps what is in memory. */
bool vz_node_orphan(vz_node *node, vz_error *err);

/* Another process took the node away: whoever holds it keeps what is in memory, else it is freed. */
bool vz_node_lost(vz_node *node, vz_error *err);

/* After paths were stored: the root's document says so, so that others look for the journal. */
bool vz_move_log_announce(vz_hierarchy *hierarchy, vz_error *err);

/* Groups of which names were left out. */
struct vz_early;

/* Before a node is written: if it is a group with such names, it will be written without them, and is entered in the
 * list. */
bool vz_early_leave_out(vz_node *node, struct vz_early **list, vz_error *err);
/* The groups of the list, which is emptied, have all their names again, and are dirty; `write`: they are written, but
 * for those some name of which still has to wait. The first failure is told. */
bool vz_early_put_back(struct vz_early **list, bool write, vz_error *err);

#endif
