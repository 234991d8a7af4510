/* node_refs.c - who holds a node, and what happens when nobody does any more. */
#include "hierarchy/nodes/hierarchy_internal.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state_internal.h"

void vz_node_ref(vz_node *node)
{
    node->refs++;
    vz_node_leave_idle(node);
}

/* Nobody can reach it any more: its data goes, too. Residue after a failure is a partial directory,
 * which the next writer of the store removes. */
static void delete_unlinked(vz_node *top)
{
    vz_hierarchy *hierarchy = top->hierarchy;
    const bool ours =
        hierarchy->writable && !vz_hierarchy_inherited(hierarchy) && !vz_hierarchy_ranks_keep_unlinked(top);
    vz_node_leave_unlinked(top);
    if (ours && (top->io || top->kind == VZ_NODE_GROUP || top->was_stored))
        vz_store_del_tree(hierarchy->store, top->partial, NULL);
    vz_node_free(top);
}

void vz_node_unref(vz_node *node)
{
    if (node->refs > 0 && --node->refs > 0)
        return;
    vz_node *top = vz_node_top(node);
    if (top == top->hierarchy->root)
        vz_node_left(node);
    else if (!vz_node_has_refs(top))
        delete_unlinked(top);
    else
        vz_node_drop_names(node);
}

void vz_node_forget_detached(vz_node *top)
{
    if (!vz_node_has_refs(top))
        delete_unlinked(top);
}

static void drop_names_below(vz_node *node)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (node->refs == 0 && node->members && vz_strmap_next(node->members->by_name, &cursor, &name, &value)) {
        vz_link *link = &((vz_member *)value)->link;
        if (link->kind == VZ_LINK_ALIAS)
            vz_group_forget_link(node, link);
        else if (link->node)
            drop_names_below(link->node);
    }
}

void vz_node_drop_names(vz_node *node)
{
    const vz_node *held = node;
    while (held && held->refs == 0)
        held = held->parent;
    if (!held)
        drop_names_below(node);
}

void vz_group_forget_link(vz_node *group, vz_link *link)
{
    group->hierarchy->hard_links.names_changed += link->kind == VZ_LINK_ALIAS;
    vz_group_note_drop(group, link->segment);
    vz_members_remove(group->members, (vz_member *)link);
    if (vz_strmap_count(group->members->by_name) == 0)
        group->next_order = 0;
}
