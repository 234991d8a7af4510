/* node_vanished.c - nodes that another process took away. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback_internal.h"

bool vz_flush_node_holds_unwritten(const vz_node *node)
{
    if (node->unwritten)
        return true;
    size_t cursor = 0;
    const vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        if (vz_flush_node_holds_unwritten(member))
            return true;
    return false;
}

/* Another process deleted it; whoever holds it keeps what is in memory. */
bool vz_flush_node_orphan(vz_node *node, vz_error *err)
{
    vz_unwritten_drop_tree(node);
    node->parent = NULL;
    node->link = NULL;
    return vz_node_make_unlinked(node, err);
}

bool vz_flush_node_lost(vz_node *node, vz_error *err)
{
    if (vz_node_has_refs(node) || vz_flush_node_holds_unwritten(node))
        return vz_flush_node_orphan(node, err);
    vz_node_free(node);
    return true;
}
