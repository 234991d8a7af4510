/* idle_nodes.c - nodes without handles. The last few thousand are remembered, so h5py's habit of
 * opening an object for each access costs nothing. A walk over a hundred thousand objects takes
 * little memory. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state_internal.h"

/* Groups whose members were looked at stay: members point up to them, and know in which order
 * they were met. */
static bool may_be_forgotten(const vz_node *node)
{
    return node->refs == 0 && !node->unwritten && !node->members && !node->aliases && node->parent && !node->is_new &&
           !node->derived;
}

static void forget(vz_node *node)
{
    node->link->node = NULL; /* it is loaded again when asked for */
    vz_node_free(node);
}

static void append(vz_hierarchy *hierarchy, vz_node *node)
{
    node->previous = hierarchy->idle.last;
    node->next = NULL;
    *(node->previous ? &node->previous->next : &hierarchy->idle.first) = node;
    hierarchy->idle.last = node;
    node->idle = true;
    hierarchy->idle.count++;
}

void vz_node_left(vz_node *node)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    if (node->io && vz_array_dirty_bytes(node->io) == 0) {
        vz_array_close(node->io);
        node->io = NULL;
    }
    vz_node_forget_view(node); /* it may hold ids, which HDF5 counts */
    if (!may_be_forgotten(node) || node->idle)
        return;
    append(hierarchy, node);
    while (hierarchy->idle.count > VZ_IDLE_NODES) {
        vz_node *oldest = hierarchy->idle.first;
        vz_node_leave_idle(oldest);
        if (may_be_forgotten(oldest)) /* it may have changed since, without a handle */
            forget(oldest);
    }
}
