/* hard_link_promote.c - a node that loses its first name takes another one. */
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

struct rescue;
static bool rescue_below(struct rescue *r, vz_node *group, vz_error *err);

static bool is_below(const vz_node *node, const vz_node *above)
{
    for (; node; node = node->parent)
        if (node == above)
            return true;
    return false;
}

vz_member *vz_edit_alias_outside(const vz_node *node, const vz_node *gone)
{
    for (vz_member *member = node->aliases; member; member = member->next_name)
        if (!is_below(member->group, gone) && vz_node_is_linked(member->group))
            return member;
    return NULL;
}

bool vz_edit_alias_becomes_first(vz_node *node, vz_member *member, vz_error *err)
{
    vz_node *group = member->group;
    const uint64_t order = member->link.order, next_order = group->next_order;
    const bool utf8 = member->link.utf8;
    char *name = strdup(member->link.name);
    if (!name)
        return vz_fail_memory(err);
    vz_members_remove(group->members, member);
    const bool ok = vz_edit_node_move(node->parent, node->link->name, group, name, utf8, err);
    if (ok)
        node->link->order = order;
    else
        vz_alias_add(group, node, name, utf8, NULL); /* as it was, but for its place in the order */
    group->next_order = next_order;
    free(name);
    return ok;
}

bool vz_edit_alias_changes_place(vz_node *node, vz_member *member, vz_error *err)
{
    vz_node *group = node->parent;
    const uint64_t order = node->link->order, next_order = group->next_order;
    const bool utf8 = node->link->utf8;
    char *name = strdup(node->link->name);
    bool ok = name ? vz_edit_alias_becomes_first(node, member, err) : vz_fail_memory(err);
    ok = ok && vz_alias_add(group, node, name, utf8, err);
    vz_link *added = ok ? vz_group_find(group, name, err) : NULL;
    if (added)
        added->order = order;
    group->next_order = next_order;
    free(name);
    return added != NULL;
}

typedef struct rescue {
    vz_node *gone;
    size_t count; /* of nodes that went away */
} rescue;

/* Its group keeps the name: somebody may hold the group, or it is found to have a name
 * elsewhere, too. */
static bool rescue_member(rescue *r, vz_node *node, vz_error *err)
{
    vz_member *name = vz_edit_alias_outside(node, r->gone);
    if (!name)
        return !node->members || rescue_below(r, node, err);
    r->count++;
    return vz_edit_alias_changes_place(node, name, err);
}

static bool rescue_below(rescue *r, vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    vz_node *node;
    while ((node = vz_node_next_below(group, &cursor)))
        if (!rescue_member(r, node, err))
            return false;
    return true;
}

/* A node that went away may be named by one that was passed over before, and by itself. */
static bool rescue_all(vz_node *node, bool *moved, vz_error *err)
{
    rescue r = {.gone = node};
    for (size_t before = SIZE_MAX; r.count != before;) {
        vz_member *name = vz_edit_alias_outside(node, node);
        if (name) {
            *moved = true;
            return vz_edit_alias_becomes_first(node, name, err);
        }
        before = r.count;
        if (!rescue_below(&r, node, err))
            return false;
    }
    return true;
}

bool vz_edit_aliases_rescue(vz_node *node, bool *moved, vz_error *err)
{
    *moved = false;
    if (!node->hierarchy->hard_links.any || !vz_node_is_linked(node))
        return true;
    if (!vz_aliases_know(node, err))
        return false;
    if (!vz_edit_alias_outside(node, node) && !vz_aliases_know_below(node, err))
        return false;
    return rescue_all(node, moved, err);
}
