/* alias_rescue.c - a node that loses its first name takes another one. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/alias.h"
#include <stdlib.h>

static bool rescue_below(vz_node *group, vz_node *gone, vz_error *err);

static bool is_below(const vz_node *node, const vz_node *above)
{
    for (; node; node = node->parent)
        if (node == above)
            return true;
    return false;
}

vz_member *vz_alias_outside(const vz_node *node, const vz_node *gone)
{
    for (vz_member *member = node->aliases; member; member = member->next_name)
        if (!is_below(member->group, gone) && vz_node_is_linked(member->group))
            return member;
    return NULL;
}

bool vz_alias_becomes_first(vz_node *node, vz_member *member, vz_error *err)
{
    vz_node *group = member->group;
    const uint64_t order = member->link.order, next_order = group->next_order;
    const bool utf8 = member->link.utf8;
    char *name = strdup(member->link.name);
    if (!name)
        return vz_fail_memory(err);
    vz_members_remove(group->members, member);
    const bool ok = vz_node_move(node->parent, node->link->name, group, name, utf8, err);
    if (ok)
        node->link->order = order;
    else
        vz_alias_add(group, node, name, utf8, NULL); /* as it was, but for its place in the order */
    group->next_order = next_order;
    free(name);
    return ok;
}

static bool rescue_node(vz_node *node, vz_node *gone, bool *moved, vz_error *err)
{
    vz_member *name = vz_alias_outside(node, gone);
    *moved = name != NULL;
    if (name)
        return vz_alias_becomes_first(node, name, err);
    return !node->members || rescue_below(node, gone, err);
}

static bool rescue_below(vz_node *group, vz_node *gone, vz_error *err)
{
    size_t cursor = 0;
    vz_node *node;
    bool moved;
    while ((node = vz_node_next_below(group, &cursor)))
        if (!rescue_node(node, gone, &moved, err))
            return false;
    return true;
}

bool vz_aliases_rescue(vz_node *node, bool *moved, vz_error *err)
{
    *moved = false;
    if (!node->hierarchy->has_aliases || !vz_node_is_linked(node))
        return true;
    if (!vz_aliases_know(node, err))
        return false;
    if (!vz_alias_outside(node, node) && !vz_aliases_know_below(node, err))
        return false;
    return rescue_node(node, node, moved, err);
}
