/* rename_link.c - a link of any kind gets another name, as a program asks for it. */
#include "hierarchy/nodes/alias.h"
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/merge.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

static bool is_below(const vz_node *node, const vz_node *above)
{
    while (node && node != above)
        node = node->parent;
    return node != NULL;
}

/* The new name leads from the group to itself, and what it is called outside becomes its first
 * name. */
static bool name_inside(vz_node *node, vz_member *outside, vz_node *to_group, const char *to_name, bool utf8,
                        vz_error *err)
{
    if (!vz_merge_check_name(to_group, to_name, err) || !vz_alias_add(to_group, node, to_name, utf8, err))
        return false;
    if (vz_edit_alias_becomes_first(node, outside, err))
        return true;
    vz_link *added = vz_group_find(to_group, to_name, NULL);
    if (added)
        vz_group_forget_link(to_group, added);
    return false;
}

/* Where it, or a group on the way to the new place, has a name outside, it can still be reached. */
static bool move_into_itself(vz_node *group, vz_node *node, vz_node *to_group, const char *to_name, bool utf8,
                             vz_error *err)
{
    if (!vz_aliases_know(node, err))
        return false;
    vz_member *outside = vz_edit_alias_outside(node, node);
    if (outside)
        return name_inside(node, outside, to_group, to_name, utf8, err);
    for (vz_node *at = to_group; at != node; at = at->parent) {
        if (!vz_aliases_know(at, err))
            return false;
        outside = vz_edit_alias_outside(at, node);
        if (outside) /* written, as a writer that dies must not leave the group without the old
                      * name */
            return vz_edit_alias_changes_place(at, outside, err) && vz_flush_write(node->hierarchy, err) &&
                   vz_edit_node_move(group, node->link->name, to_group, to_name, utf8, err);
    }
    return vz_fail(err, VZ_INVALID, "a group cannot be moved into itself");
}

bool vz_edit_rename(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err)
{
    vz_link *link = vz_group_find(group, name, err);
    vz_node *node = link && link->kind == VZ_LINK_NODE ? vz_link_node(group, link, err) : NULL;
    if (!link || (link->kind == VZ_LINK_NODE && !node))
        return false;
    if (!node || !is_below(to_group, node))
        return vz_edit_node_move(group, name, to_group, to_name, utf8, err);
    if (!vz_merge_check_group(to_group, err))
        return false;
    vz_node_ref(node);
    vz_node_ref(to_group);
    const bool ok = move_into_itself(group, node, to_group, to_name, utf8, err);
    vz_node_unref(to_group);
    vz_node_unref(node);
    return ok;
}
