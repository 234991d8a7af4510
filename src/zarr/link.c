/* link.c - giving a node its name. */
#include "zarr/hierarchy.h"
#include <stdlib.h>

static bool check_group(vz_node *group, vz_error *err)
{
    if (group->kind != VZ_NODE_GROUP)
        return vz_fail(err, VZ_INVALID, "an array has no members");
    if (!vz_node_check_writable(group, err))
        return false;
    if (group->hierarchy->array_root)
        return vz_fail(err, VZ_UNSUPPORTED, "the store is one array: it has no groups");
    if (vz_node_depth(group) >= VZ_MAX_DEPTH)
        return vz_fail(err, VZ_LIMIT, "groups nested deeper than %d", VZ_MAX_DEPTH);
    return true;
}

static bool check_name(vz_node *group, const char *name, vz_error *err)
{
    if (*name == '\0' || strchr(name, '/'))
        return vz_fail(err, VZ_INVALID, "\"%.200s\" is no name of a link", name);
    vz_error ignored = VZ_ERROR_NONE;
    if (vz_group_find(group, name, &ignored))
        return vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", name);
    return ignored.class == VZ_NOT_FOUND || vz_fail(err, ignored.class, "%s", ignored.text);
}

static bool check_linkable(const vz_node *node, const vz_node *group, vz_error *err)
{
    if (node->hierarchy != group->hierarchy)
        return vz_fail(err, VZ_INVALID, "a hard link cannot lead to another store");
    if (node->parent || node == node->hierarchy->root)
        return vz_fail(err, VZ_UNSUPPORTED, "a second hard link to an object");
    for (const vz_node *above = group; above; above = above->parent)
        if (above == node)
            return vz_fail(err, VZ_INVALID, "a group cannot become a member of itself");
    return true;
}

/* Makes the place `segment` below `group` free of what no node has left there. Caller frees the key it stands for. */
static char *prepare_place(vz_node *group, const char *segment, bool is_group, vz_error *err)
{
    char *above = vz_node_prefix(group, err);
    char *prefix = above ? vz_key_join(above, segment, err) : NULL;
    free(above);
    vz_strmap *hidden = group->members->hidden;
    if (prefix && hidden && vz_strmap_get(hidden, segment)) {
        if (!vz_clear_leftover(group->hierarchy->store, prefix, is_group, err)) {
            free(prefix);
            return NULL;
        }
        vz_strmap_remove(hidden, segment);
    }
    return prefix;
}

/* Moves what lies under one prefix to another; nothing there (nothing was written yet) is as good. */
static bool rename_prefix(vz_store *store, const char *from, const char *to, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_store_rename_tree(store, from, to, &failed) || failed.class == VZ_NOT_FOUND)
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* A link that leads to `node`, in the table of `group`. */
static vz_member *add_link(vz_node *group, vz_node *node, const char *name, char *segment, bool utf8, vz_error *err)
{
    vz_link link = {.name = strdup(name), .segment = segment, .node = node, .utf8 = utf8, .order = group->next_order};
    vz_member *member = vz_members_add(group->members, link, err);
    if (!member)
        return NULL;
    group->members->unknown--;
    group->next_order++;
    member->state = node->kind == VZ_NODE_ARRAY ? VZ_MEMBER_ARRAY : VZ_MEMBER_GROUP;
    node->parent = group;
    node->link = &member->link;
    return member;
}

/* May something lie under the partial prefix? A chunk can have been written as soon as there is an I/O state. */
static bool is_maybe_stored(const vz_node *node)
{
    if (node->io || node->was_stored)
        return true;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (node->members && vz_strmap_next(node->members->by_name, &cursor, &name, &value)) {
        const vz_node *member = ((vz_member *)value)->link.node;
        if (member && is_maybe_stored(member))
            return true;
    }
    return false;
}

static bool link_at(vz_node *node, vz_node *group, const char *name, char *segment, bool utf8, vz_error *err)
{
    char *prefix = prepare_place(group, segment, node->kind == VZ_NODE_GROUP, err);
    bool ok = prefix && (!is_maybe_stored(node) || rename_prefix(group->hierarchy->store, node->partial, prefix, err));
    free(prefix);
    if (!ok) {
        free(segment);
        return false;
    }
    if (!add_link(group, node, name, segment, utf8, err))
        return false;
    vz_node_leave_unlinked(node);
    free(node->partial);
    node->partial = NULL;
    if (vz_node_is_linked(group))
        node->was_stored = false; /* else its data moves once more, with the group */
    return vz_node_reprefix(node, err) && vz_node_mark_new(node, err) && vz_group_links_changed(group, err);
}

bool vz_node_link(vz_node *node, vz_node *group, const char *name, bool utf8, vz_error *err)
{
    if (!check_group(group, err) || !check_linkable(node, group, err) || !check_name(group, name, err))
        return false;
    char *segment = vz_members_segment(group->members, name, err);
    if (!segment || !link_at(node, group, name, segment, utf8, err))
        return false;
    vz_token_linked(node);
    return true;
}

/* ---- moving ---- */

static bool check_move(vz_node *node, vz_node *to_group, vz_error *err)
{
    if (node->hierarchy != to_group->hierarchy)
        return vz_fail(err, VZ_INVALID, "an object cannot be moved to another store");
    for (const vz_node *above = to_group; above; above = above->parent)
        if (above == node)
            return vz_fail(err, VZ_INVALID, "a group cannot be moved into itself");
    return true;
}

static bool note_unlinked(vz_node *group, const char *name, vz_error *err)
{
    struct vz_node_dirt *dirt = vz_dirt_of(group, err);
    return dirt && vz_dirt_note(&dirt->unlinked, name, err) && vz_group_links_changed(group, err);
}

/* The renaming in the store and in memory. The old link goes last: until then a failure changes nothing. */
static bool move_to(vz_node *group, vz_link *link, vz_node *to_group, const char *to_name, char *segment, bool utf8,
                    vz_error *err)
{
    vz_node *node = link->node;
    char *from = vz_node_prefix(node, err);
    char *to = prepare_place(to_group, segment, false, err);
    bool ok = from && to && note_unlinked(group, link->name, err) && vz_consolidated_drop(group, err) &&
              vz_consolidated_drop(to_group, err) && rename_prefix(group->hierarchy->store, from, to, err);
    free(from);
    free(to);
    if (!ok) {
        free(segment);
        return false;
    }
    if (!add_link(to_group, node, to_name, segment, utf8, err))
        return false;
    vz_members_remove(group->members, (vz_member *)link);
    return vz_node_reprefix(node, err) && vz_group_links_changed(to_group, err);
}

bool vz_node_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err)
{
    if (!check_group(group, err) || !check_group(to_group, err))
        return false;
    vz_link *link = vz_group_find(group, name, err);
    vz_node *node = link ? vz_link_node(group, link, err) : NULL;
    if (!node || !check_move(node, to_group, err))
        return false;
    if (group == to_group && strcmp(name, to_name) == 0)
        return true;
    if (!check_name(to_group, to_name, err))
        return false;
    char *old_path = vz_node_path(node, err);
    char *segment = vz_members_segment(to_group->members, to_name, err);
    const bool ok = segment && move_to(group, link, to_group, to_name, segment, utf8, err);
    char *new_path = ok ? vz_node_path(node, err) : NULL;
    if (old_path && new_path)
        vz_token_moved(node->hierarchy, old_path, new_path);
    free(old_path);
    free(new_path);
    return ok;
}
