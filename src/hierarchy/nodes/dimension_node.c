/* dimension_node.c - members of a group that no document of their own says: dimensions of a netCDF
 * group that have no variable. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

vz_node *vz_group_dimension_new(vz_node *group, vz_meta *meta, vz_error *err)
{
    vz_node *node = vz_node_new(group->hierarchy, VZ_NODE_ARRAY, err);
    if (!node) {
        vz_meta_free(meta);
        return NULL;
    }
    node->zarr_format = group->zarr_format;
    node->meta = meta;
    node->is_new = node->is_dimension = true;
    return node;
}

bool vz_group_link_dimension(vz_node *group, const char *name, vz_node *node, uint64_t order, vz_error *err)
{
    struct vz_members *members = group->members;
    vz_link link = {.name = strdup(name), .segment = vz_members_segment(members, name, err), .order = order};
    link.utf8 = !vz_text_is_ascii(name);
    vz_member *member = vz_members_add(members, link, err);
    if (!member) {
        vz_node_free(node);
        return false;
    }
    if (order >= group->next_order && order < VZ_NO_ORDER)
        group->next_order = order + 1;
    member->state = VZ_MEMBER_ARRAY;
    member->zarr_format = node->zarr_format;
    members->unknown--;
    member->link.node = node;
    node->parent = group;
    node->link = &member->link;
    return true;
}

vz_node *vz_group_add_dimension(vz_node *group, const char *name, vz_meta *meta, vz_error *err)
{
    if (vz_strmap_get(group->members->by_name, name)) {
        vz_meta_free(meta);
        vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", name);
        return NULL;
    }
    vz_node *node = vz_group_dimension_new(group, meta, err);
    return node && vz_group_link_dimension(group, name, node, group->next_order, err) ? node : NULL;
}

bool vz_group_show_as(vz_node *group, vz_link *link, const char *name, vz_error *err)
{
    if (link->kind != VZ_LINK_NODE || vz_strmap_get(group->members->by_name, name))
        return vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", name);
    return vz_members_show_as(group->members, (vz_member *)link, name, err);
}
