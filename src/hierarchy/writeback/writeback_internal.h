/* writeback_internal.h - nodes that vanished, and deferred links (deferred_links.c), which are
 * left out while `flush.defers_links` is set. */
#ifndef VZ_WRITEBACK_WRITEBACK_INTERNAL_H
#define VZ_WRITEBACK_WRITEBACK_INTERNAL_H

#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/writeback.h"

/* node_vanished.c */
bool vz_node_holds_unwritten(const vz_node *node); /* it or a loaded node below */

/* Another process deleted it; open handles keep what is in memory. */
bool vz_node_orphan(vz_node *node, vz_error *err);

/* Another process removed the node: open handles keep what is in memory, else it is freed. */
bool vz_node_lost(vz_node *node, vz_error *err);

/* After paths were stored: notes in the root's document that there may be a journal. */
bool vz_move_log_announce(vz_hierarchy *hierarchy, vz_error *err);

/* Groups of which names were left out. */
struct vz_deferred_links;

/* Before a node is written: if it is a group with such names, it will be written without them,
 * and is entered in the list. */
bool vz_deferred_links_leave_out(vz_node *node, struct vz_deferred_links **list, vz_error *err);
/* The groups of the list, which is emptied, have all their names again, and are dirty; `write`:
 * they are written, but for those some name of which still has to wait. The first failure is
 * reported. */
bool vz_deferred_links_put_back(struct vz_deferred_links **list, bool write, vz_error *err);

#endif
