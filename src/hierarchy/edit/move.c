/* move.c - giving a node another name. Where the file system does not tell the name from another
 * one ("A" from "a"), the directory is called otherwise. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/merge.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/resolve/token.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

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
    struct vz_unwritten *unwritten = vz_unwritten_of(group, err);
    return unwritten && vz_unwritten_name(&unwritten->unlinked, name, err) && vz_group_links_changed(group, err);
}

/* Stored paths may name a node that moves, if it is stored itself. */
static bool begin_move(vz_node *node, const char *from_key, vz_node *to_group, const char *to_name, const char *segment,
                       vz_error *err)
{
    if (node->is_new)
        return true;
    char *from = vz_node_path(node, err), *to = from ? vz_node_path_of_name(to_group, to_name, err) : NULL;
    char *to_key = to ? vz_node_key_in(to_group, segment, err) : NULL;
    const bool ok = to_key ? vz_flush_begin_move(node->hierarchy, from, to, from_key, to_key, err)
                           : !err || err->class == VZ_OK; /* one of them is in no path */
    free(from);
    free(to);
    free(to_key);
    return ok;
}

/* In the store, to the place of `segment`. The key it has there (caller frees), or NULL. *clash:
 * the file system takes that for another name that is there. */
static char *rename_to(vz_node *group, const char *from, vz_node *to_group, const char *segment, bool *clash,
                       vz_error *err)
{
    vz_store *store = group->hierarchy->store;
    const bool appears = !vz_node_is_linked(group) && vz_node_is_linked(to_group);
    char *to = vz_merge_prepare_place(to_group, segment, false, err);
    vz_error failed = VZ_ERROR_NONE;
    *clash = false;
    vz_doc_cache_forget_written(group->hierarchy->documents);
    if (to && (!appears || vz_store_begin(store, to, &failed)) && vz_merge_rename_prefix(store, from, to, &failed))
        return to;
    *clash = to && failed.class == VZ_EXISTS && vz_store_names_collide(store, to);
    free(to);
    if (err && err->class == VZ_OK)
        *err = failed;
    return NULL;
}

/* "A" to "a": now that it is away, nothing is in the way any more. NULL: it stays where it is. */
static char *rename_on(vz_node *group, const char *segment, const char *wanted)
{
    bool clash;
    char *from = vz_node_key_in(group, segment, NULL);
    char *to = from ? rename_to(group, from, group, wanted, &clash, NULL) : NULL;
    free(from);
    return to;
}

/* As above under a segment that differs from others; *segment may become that one. */
static char *rename_apart(vz_node *group, vz_node *node, const char *from, vz_node *to_group, const char *to_name,
                          char **segment, vz_error *err)
{
    bool clash;
    vz_error failed = VZ_ERROR_NONE;
    if (!begin_move(node, from, to_group, to_name, *segment, err))
        return NULL;
    char *to = rename_to(group, from, to_group, *segment, &clash, &failed);
    if (to)
        return to;
    if (!clash) {
        if (err && err->class == VZ_OK)
            *err = failed;
        return NULL;
    }
    char *other = vz_merge_other_segment(to_group->members, to_name, err);
    if (other && begin_move(node, from, to_group, to_name, other, err))
        to = rename_to(group, from, to_group, other, &clash, err);
    char *wanted = to ? rename_on(to_group, other, *segment) : NULL;
    if (to && !wanted) {
        free(*segment);
        *segment = other;
        return to;
    }
    free(other);
    free(to);
    return wanted;
}

/* The renaming in the store and in memory. The old link goes last: until then a failure changes
 * nothing. */
static bool move_to(vz_node *group, vz_link *link, vz_node *to_group, const char *to_name, char *segment, bool utf8,
                    vz_error *err)
{
    vz_node *node = link->node;
    char *from = vz_node_prefix(node, err);
    const bool ready = from && note_unlinked(group, link->name, err) && vz_consolidated_drop(group, err) &&
                       vz_consolidated_drop(to_group, err);
    char *to = ready ? rename_apart(group, node, from, to_group, to_name, &segment, err) : NULL;
    if (!to)
        free(segment);
    const bool added = to && vz_merge_add_link(to_group, node, to_name, segment, utf8, err);
    if (to && !added) /* no memory for the new link: back to where the old one leads */
        vz_merge_rename_prefix(group->hierarchy->store, to, from, NULL);
    free(from);
    free(to);
    if (!added)
        return false;
    vz_group_forget_link(group, link);
    return vz_node_reprefix(node, err) && vz_group_links_changed(to_group, err);
}

static bool copy_name(vz_node *to_group, const char *to_name, bool utf8, vz_link *link, vz_error *err)
{
    vz_node *node = link->kind == VZ_LINK_ALIAS ? vz_link_node(to_group, link, err) : NULL;
    if (link->kind == VZ_LINK_ALIAS)
        return node && vz_alias_add(to_group, node, to_name, utf8, err);
    const bool soft = link->kind == VZ_LINK_SOFT;
    const vz_bytes value = {soft ? (const uint8_t *)link->target : link->value,
                            soft ? strlen(link->target) : link->value_size};
    return vz_merge_add_value(to_group, to_name, utf8, link->kind, link->class, value, err) != NULL;
}

/* A link that is no directory; the place is known to be free. */
static bool move_name(vz_node *group, vz_link *link, vz_node *to_group, const char *to_name, bool utf8, vz_error *err)
{
    if (group->hierarchy != to_group->hierarchy)
        return vz_fail(err, VZ_INVALID, "a link cannot be moved to another store");
    if (!note_unlinked(group, link->name, err) || !copy_name(to_group, to_name, utf8, link, err))
        return false;
    if (link->kind == VZ_LINK_ALIAS && !group->is_new)
        group->hierarchy->hard_links.moved = group->hierarchy->hard_links.left = true;
    vz_group_forget_link(group, link);
    return vz_group_links_changed(to_group, err);
}

/* A further hard link that moved away from here may stand here in the store, and nowhere else. */
static bool was_left(const vz_node *group, const char *name)
{
    const struct vz_unwritten *unwritten = group->unwritten;
    return group->hierarchy->hard_links.moved && unwritten && unwritten->unlinked &&
           vz_strmap_get(unwritten->unlinked, name);
}

/* A group that moves takes along, in the store, further hard links that moved out of it or were
 * deleted: paths that nobody made. */
static bool holds_old_names(const vz_node *group)
{
    const struct vz_unwritten *unwritten =
        group && group->hierarchy->hard_links.left ? group->hierarchy->dirty.nodes : NULL;
    for (; unwritten; unwritten = unwritten->next) {
        const vz_node *at = unwritten->unlinked && !unwritten->node->is_new ? unwritten->node : NULL;
        while (at && at != group)
            at = at->parent;
        if (at)
            return true;
    }
    return false;
}

static bool write_names_before(vz_node *group, const vz_link *link, vz_node *to_group, const char *to_name,
                               vz_error *err)
{
    vz_hierarchy *hierarchy = to_group->hierarchy;
    if (!was_left(to_group, to_name) && !(link->kind == VZ_LINK_NODE && holds_old_names(link->node)))
        return true;
    vz_node_ref(group);
    vz_node_ref(to_group);
    const bool ok = vz_flush_write(hierarchy, err);
    vz_node_unref(to_group);
    vz_node_unref(group);
    return ok;
}

static bool is_unwritten(const vz_node *group)
{
    return (group->is_new || group->implicit) && group->unwritten;
}

/* A name is changed in the store at once. Below a group that is not stored yet, what a flush has
 * shown would be nowhere until the next one. */
static bool write_groups(vz_node *group, vz_error *err)
{
    bool all_written = true;
    for (vz_node *above = group; above; above = above->parent)
        all_written = all_written && !is_unwritten(above);
    if (all_written || !vz_node_is_linked(group))
        return true;
    if (!vz_flush_prepare(group->hierarchy, group, err))
        return false;
    for (vz_node *above = group; above; above = above->parent)
        if (is_unwritten(above) && !vz_flush_documents(above, err))
            return false;
    return true;
}

/* A link of any kind, which is there. */
static bool move_link(vz_node *group, vz_link *link, vz_node *to_group, const char *to_name, bool utf8, vz_error *err)
{
    if (!vz_merge_check_name(to_group, to_name, err))
        return false;
    if (link->kind != VZ_LINK_NODE)
        return move_name(group, link, to_group, to_name, utf8, err);
    vz_node *node = vz_link_node(group, link, err);
    if (!node || !check_move(node, to_group, err) || !vz_aliases_know_below(node, err) ||
        (!node->is_new && !write_groups(to_group, err)))
        return false;
    char *old_path = vz_node_path(node, err);
    char *segment = vz_members_segment(to_group->members, to_name, err);
    bool ok = segment && move_to(group, link, to_group, to_name, segment, utf8, err);
    char *new_path = ok ? vz_node_path(node, err) : NULL;
    if (old_path && new_path) {
        vz_token_moved(node->hierarchy, old_path, new_path);
        ok = vz_root_move_log_add(node->hierarchy, old_path, new_path, err);
    }
    free(old_path);
    free(new_path);
    return ok;
}

bool vz_edit_node_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8,
                       vz_error *err)
{
    if (!vz_merge_check_group(group, err) || !vz_merge_check_group(to_group, err))
        return false;
    vz_link *link = vz_group_find(group, name, err);
    return link && write_names_before(group, link, to_group, to_name, err) &&
           (link = vz_group_find(group, name, err)) && move_link(group, link, to_group, to_name, utf8, err);
}
