/* hard_link.c - nodes with more than one name. The first name is the directory. Another one is
 * an entry in the "L" of its group that holds the node's path. The node lists ("nm") the paths
 * of its other names. So each side leads to the other, and only what is asked about is loaded.
 * In memory they are pointers; paths are put right before they are written. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/root_move_log_internal.h"
#include "hierarchy/nodes/alias_internal.h"
#include <stdlib.h>

static bool know_name(vz_node *node, const char *stored, vz_error *err)
{
    vz_node *group = NULL;
    char *path = vz_hierarchy_path_of_stored(node->hierarchy, stored, err);
    if (!path)
        return false;
    vz_link *link = vz_link_at_path(node->hierarchy, path, &group, err);
    vz_member *member = (vz_member *)link;
    vz_error gone = VZ_ERROR_NONE;
    if (link && link->kind == VZ_LINK_ALIAS)
        vz_alias_node(member, &gone);
    free(path);
    return gone.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

bool vz_aliases_know(vz_node *node, vz_error *err)
{
    const vz_json *paths = vz_json_get(node->annotation, VZ_ANNOTATION_NAMES);
    for (size_t i = 0; !node->aliases_known && i < vz_json_length(paths); i++) {
        const char *path = vz_json_get_string(vz_json_at(paths, i), NULL);
        if (path && !know_name(node, path, err))
            return false;
    }
    node->aliases_known = true;
    return true;
}

/* A node that cannot be read has no names that we could keep. */
static bool know_member(vz_node *group, vz_member *member, vz_error *err)
{
    vz_error unreadable = VZ_ERROR_NONE;
    if (member->link.kind == VZ_LINK_SOFT || member->link.kind == VZ_LINK_USER)
        return true;
    vz_node *node = vz_link_node(group, &member->link, &unreadable);
    if (!node)
        return unreadable.class != VZ_NO_MEMORY || vz_fail_memory(err);
    return member->link.kind == VZ_LINK_ALIAS ? vz_aliases_know(node, err) : vz_aliases_know_below(node, err);
}

bool vz_aliases_know_below(vz_node *node, vz_error *err)
{
    if (!node->hierarchy->hard_links.any)
        return true;
    if (!vz_aliases_know(node, err) || (node->kind == VZ_NODE_GROUP && !vz_members_probe_all(node, err)))
        return false;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (node->kind == VZ_NODE_GROUP && vz_strmap_next(node->members->by_name, &cursor, &name, &value))
        if (!know_member(node, value, err))
            return false;
    return true;
}

bool vz_node_name_count(vz_node *node, unsigned *count, vz_error *err)
{
    if (!vz_aliases_know(node, err))
        return false;
    *count = node->alias_count + (node->parent || node == node->hierarchy->root);
    return true;
}

/* ---- changes ---- */

bool vz_alias_add(vz_node *group, vz_node *node, const char *name, bool utf8, vz_error *err)
{
    char *path = vz_node_path(node, err);
    uint64_t since = 0;
    if (path && !vz_hierarchy_since(node->hierarchy, path, &since, err)) {
        free(path);
        return false;
    }
    vz_link link = {
        .name = strdup(name),
        .since = since,
        .utf8 = utf8,
        .order = group->next_order,
        .kind = VZ_LINK_ALIAS,
        .target = path ? path : strdup(""), /* of an unlinked node: put right when it is linked and
                                             * written */
    };
    if (!link.target) {
        vz_link_clear(&link);
        return vz_fail_memory(err);
    }
    if (!vz_node_check_writable(node, err) || !vz_aliases_know(node, err) || !vz_group_links_changed(group, err)) {
        vz_link_clear(&link);
        return false;
    }
    vz_member *member = vz_members_add(group->members, link, err);
    if (!member)
        return false;
    group->next_order++;
    member->group = group;
    vz_alias_attach(member, node);
    node->hierarchy->hard_links.any = true;
    node->hierarchy->hard_links.names_changed++;
    return true;
}
