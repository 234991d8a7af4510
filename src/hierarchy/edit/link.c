/* link.c - giving a node its name. */
#include "hierarchy/writeback/writeback.h"
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/merge.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/resolve/token.h"
#include <stdlib.h>

static bool check_linkable(const vz_node *node, const vz_node *group, vz_error *err)
{
    if (node->hierarchy != group->hierarchy)
        return vz_fail(err, VZ_INVALID, "a hard link cannot lead to another store");
    return true;
}

/* Does a node have a first name that counts as seen from `group`? A node above the group counts as
 * named, since a directory cannot lie in itself. */
static bool has_name(const vz_node *node, const vz_node *group)
{
    for (const vz_node *above = group; above; above = above->parent)
        if (above == node)
            return true;
    return vz_node_is_linked(node) || (node->parent && !vz_node_is_linked(group));
}

/* May something lie, or wait, under the partial prefix? A chunk can have been written as soon as
 * there is an I/O state. */
static bool is_maybe_stored(const vz_node *node)
{
    return node->io || node->was_stored || (node->members && vz_strmap_count(node->members->by_name) > 0);
}

static bool link_at(vz_node *node, vz_node *group, const char *name, char *segment, bool utf8, vz_error *err)
{
    char *prefix = vz_merge_prepare_place(group, segment, node->kind == VZ_NODE_GROUP, err);
    vz_store *store = group->hierarchy->store;
    const bool is_stored = is_maybe_stored(node);
    const bool ready = prefix && vz_store_begin(store, prefix, err) &&
                       (!is_stored || vz_merge_rename_prefix(store, node->partial, prefix, err));
    if (!ready)
        free(segment);
    const bool added = ready && vz_merge_add_link(group, node, name, segment, utf8, err);
    if (ready && !added && is_stored) /* no memory for the link: back to where it has no name */
        vz_merge_rename_prefix(store, prefix, node->partial, NULL);
    free(prefix);
    if (!added)
        return false;
    vz_node_leave_unlinked(node);
    free(node->partial);
    node->partial = NULL;
    if (vz_node_is_linked(group))
        node->was_stored = false; /* else its data moves once more, with the group */
    return vz_node_reprefix(node, err) && vz_node_mark_new(node, err) && vz_group_links_changed(group, err);
}

/* The node is in a group that was deleted, or has no name yet. The directory goes where the
 * store can hold it; the group keeps its name for the node. */
static bool link_from_unnamed(vz_node *node, vz_node *group, const char *name, bool utf8, vz_error *err)
{
    vz_node *old_group = node->parent;
    const bool old_utf8 = node->link->utf8;
    char *old_name = strdup(node->link->name);
    bool ok = old_name ? vz_edit_node_move(old_group, old_name, group, name, utf8, err) : vz_fail_memory(err);
    ok = ok && vz_alias_add(old_group, node, old_name, old_utf8, err) && vz_node_mark_new(node, err);
    if (ok)
        vz_token_linked(node);
    free(old_name);
    return ok;
}

/* A symbolic link that was deleted while somebody held what it leads to: there is nothing that
 * could get a name. */
static bool check_not_symbolic(const vz_node *node, vz_error *err)
{
    vz_store_key_kind kind = VZ_STORE_NOTHING;
    if (!node->was_stored || !node->partial)
        return true;
    return vz_store_look(node->hierarchy->store, node->partial, &kind, err) &&
           (kind != VZ_STORE_LINK ||
            vz_fail(err, VZ_UNSUPPORTED, "a new name for what was behind a symbolic link that was deleted"));
}

static bool link_top(vz_node *node, vz_node *group, const char *name, bool utf8, vz_error *err)
{
    char *segment = check_not_symbolic(node, err) ? vz_members_segment(group->members, name, err) : NULL;
    if (!segment || !link_at(node, group, name, segment, utf8, err))
        return false;
    vz_token_linked(node);
    return true;
}

bool vz_edit_link(vz_node *node, vz_node *group, const char *name, bool utf8, vz_error *err)
{
    if (!vz_merge_check_group(group, err) || !check_linkable(node, group, err) ||
        !vz_merge_check_name(group, name, err))
        return false;
    char *was;
    vz_flush_early(group->hierarchy);
    if (has_name(node, group))
        return vz_alias_add(group, node, name, utf8, err);
    if (!vz_path_of_deleted(node, &was, err))
        return false;
    if (node->parent ? link_from_unnamed(node, group, name, utf8, err) : link_top(node, group, name, utf8, err))
        return vz_path_deleted_linked(node, was, err);
    free(was);
    return false;
}

/* ---- links that are no directories ---- */

bool vz_edit_link_value(vz_node *group, const char *name, bool utf8, vz_link_kind kind, int class, vz_bytes value,
                        vz_error *err)
{
    return vz_merge_check_group(group, err) && vz_merge_check_name(group, name, err) &&
           vz_merge_add_value(group, name, utf8, kind, class, value, err) && vz_group_links_changed(group, err);
}

bool vz_edit_has_links(const vz_node *group)
{
    return group->members && group->members->others > 0;
}

bool vz_edit_add_foreign(vz_node *group, const char *name, vz_link_kind kind, int class, vz_bytes value, vz_error *err)
{
    if (*name == '\0' || strchr(name, '/') || vz_strmap_get(group->members->by_name, name) ||
        vz_members_had(group->members, name)) /* a further hard link of what was deleted */
        return true;
    vz_member *member = vz_merge_add_value(group, name, !vz_text_is_ascii(name), kind, class, value, err);
    if (member)
        member->link.is_foreign = true;
    return member != NULL;
}
