/* link.c - giving a node its name. */
#include "zarr/consolidated.h"
#include "zarr/hierarchy.h"
#include <stdlib.h>

bool vz_group_check(vz_node *group, vz_error *err)
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

bool vz_link_name_check(vz_node *group, const char *name, vz_error *err)
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
    return true;
}

/* Does a node have a first name that counts as seen from `group`? What is the top of the same unlinked tree does, too:
 * a directory cannot lie in itself. */
static bool has_name(const vz_node *node, const vz_node *group)
{
    for (const vz_node *above = group; above; above = above->parent)
        if (above == node)
            return true;
    return vz_node_is_linked(node) || (node->parent && !vz_node_is_linked(group));
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
    member->format = node->format;
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
    vz_store *store = group->hierarchy->store;
    bool ok = prefix && (!vz_node_is_linked(group) || vz_store_begin(store, prefix, err)) &&
              (!is_maybe_stored(node) || rename_prefix(store, node->partial, prefix, err));
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

/* The node is in a group that was deleted, or has no name yet. The directory goes where the store can hold it; the
 * group keeps its name for the node. */
static bool link_from_unnamed(vz_node *node, vz_node *group, const char *name, bool utf8, vz_error *err)
{
    vz_node *old_group = node->parent;
    const bool old_utf8 = node->link->utf8;
    char *old_name = strdup(node->link->name);
    bool ok = old_name ? vz_node_move(old_group, old_name, group, name, utf8, err) : vz_fail_memory(err);
    ok = ok && vz_second_add(old_group, node, old_name, old_utf8, err) && vz_node_mark_new(node, err);
    if (ok)
        vz_token_linked(node);
    free(old_name);
    return ok;
}

/* A symbolic link that was deleted while somebody held what it leads to: there is nothing that could get a name. */
static bool check_not_symbolic(const vz_node *node, vz_error *err)
{
    vz_store_thing thing = VZ_STORE_NOTHING;
    if (!node->was_stored || !node->partial)
        return true;
    return vz_store_look(node->hierarchy->store, node->partial, &thing, err) &&
           (thing != VZ_STORE_LINK ||
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

bool vz_node_link(vz_node *node, vz_node *group, const char *name, bool utf8, vz_error *err)
{
    if (!vz_group_check(group, err) || !check_linkable(node, group, err) || !vz_link_name_check(group, name, err))
        return false;
    char *was;
    if (has_name(node, group))
        return vz_second_add(group, node, name, utf8, err);
    if (!vz_gone_path(node, &was, err))
        return false;
    if (node->parent ? link_from_unnamed(node, group, name, utf8, err) : link_top(node, group, name, utf8, err))
        return vz_gone_linked(node, was, err);
    free(was);
    return false;
}

/* ---- links that are no directories ---- */

/* The name is known to be free. */
static vz_member *add_value(vz_node *group, const char *name, bool utf8, vz_link_kind kind, int class, vz_bytes value,
                            vz_error *err)
{
    const bool soft = kind == VZ_LINK_SOFT;
    vz_link link = {.name = strdup(name), .utf8 = utf8, .order = group->next_order, .kind = kind, .class = class};
    uint8_t *copy = malloc(value.size + 1);
    if (!copy) {
        vz_link_clear(&link);
        vz_fail_memory(err);
        return NULL;
    }
    if (value.size)
        memcpy(copy, value.data, value.size);
    copy[value.size] = '\0';
    if (soft)
        link.target = (char *)copy;
    else {
        link.value = copy;
        link.value_size = value.size;
    }
    vz_member *member = vz_members_add(group->members, link, err);
    if (!member)
        return NULL;
    member->group = group;
    group->next_order++;
    return member;
}

bool vz_group_link_value(vz_node *group, const char *name, bool utf8, vz_link_kind kind, int class, vz_bytes value,
                         vz_error *err)
{
    return vz_group_check(group, err) && vz_link_name_check(group, name, err) &&
           add_value(group, name, utf8, kind, class, value, err) && vz_group_links_changed(group, err);
}

bool vz_group_has_links(const vz_node *group)
{
    return group->members && group->members->others > 0;
}

bool vz_group_add_foreign(vz_node *group, const char *name, vz_link_kind kind, int class, vz_bytes value, vz_error *err)
{
    if (*name == '\0' || strchr(name, '/') || vz_strmap_get(group->members->by_name, name))
        return true;
    vz_member *member = add_value(group, name, !vz_text_is_ascii(name), kind, class, value, err);
    if (member)
        member->link.is_plain = true;
    return member != NULL;
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
              vz_consolidated_drop(to_group, err) &&
              (vz_node_is_linked(group) || !vz_node_is_linked(to_group) ||
               vz_store_begin(group->hierarchy->store, to, err)) &&
              rename_prefix(group->hierarchy->store, from, to, err);
    free(from);
    free(to);
    if (!ok) {
        free(segment);
        return false;
    }
    if (!add_link(to_group, node, to_name, segment, utf8, err))
        return false;
    vz_group_forget_link(group, link);
    return vz_node_reprefix(node, err) && vz_group_links_changed(to_group, err);
}

static bool copy_name(vz_node *to_group, const char *to_name, bool utf8, vz_link *link, vz_error *err)
{
    vz_node *node = link->kind == VZ_LINK_SECOND ? vz_link_node(to_group, link, err) : NULL;
    if (link->kind == VZ_LINK_SECOND)
        return node && vz_second_add(to_group, node, to_name, utf8, err);
    const bool soft = link->kind == VZ_LINK_SOFT;
    const vz_bytes value = {soft ? (const uint8_t *)link->target : link->value,
                            soft ? strlen(link->target) : link->value_size};
    return add_value(to_group, to_name, utf8, link->kind, link->class, value, err) != NULL;
}

/* A link that is no directory; the place is known to be free. */
static bool move_name(vz_node *group, vz_link *link, vz_node *to_group, const char *to_name, bool utf8, vz_error *err)
{
    if (group->hierarchy != to_group->hierarchy)
        return vz_fail(err, VZ_INVALID, "a link cannot be moved to another store");
    if (!note_unlinked(group, link->name, err) || !copy_name(to_group, to_name, utf8, link, err))
        return false;
    vz_group_forget_link(group, link);
    return vz_group_links_changed(to_group, err);
}

static bool is_unwritten(const vz_node *group)
{
    return (group->is_new || group->implicit) && group->dirt;
}

/* A name is changed in the store at once. Below a group that is not stored yet, what a flush has shown would be nowhere
 * until the next one. */
static bool write_groups(vz_node *group, vz_error *err)
{
    bool all_written = true;
    for (vz_node *above = group; above; above = above->parent)
        all_written = all_written && !is_unwritten(above);
    if (all_written || !vz_node_is_linked(group))
        return true;
    if (group->hierarchy->hdmf && !vz_hierarchy_settle(group->hierarchy, err)) /* some values readers must never see */
        return false;
    for (vz_node *above = group; above; above = above->parent)
        if (is_unwritten(above) && !vz_node_write_documents(above, err))
            return false;
    return true;
}

bool vz_node_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err)
{
    if (!vz_group_check(group, err) || !vz_group_check(to_group, err))
        return false;
    vz_link *link = vz_group_find(group, name, err);
    if (!link || (group == to_group && strcmp(name, to_name) == 0))
        return link != NULL;
    if (!vz_link_name_check(to_group, to_name, err))
        return false;
    if (link->kind != VZ_LINK_NODE)
        return move_name(group, link, to_group, to_name, utf8, err);
    vz_node *node = vz_link_node(group, link, err);
    if (!node || !check_move(node, to_group, err) || !vz_seconds_know_below(node, err) ||
        (!node->is_new && !write_groups(to_group, err)))
        return false;
    char *old_path = vz_node_path(node, err);
    char *segment = vz_members_segment(to_group->members, to_name, err);
    bool ok = segment && move_to(group, link, to_group, to_name, segment, utf8, err);
    char *new_path = ok ? vz_node_path(node, err) : NULL;
    if (old_path && new_path) {
        vz_token_moved(node->hierarchy, old_path, new_path);
        ok = vz_moved_note(node->hierarchy, old_path, new_path, err);
    }
    free(old_path);
    free(new_path);
    return ok;
}
