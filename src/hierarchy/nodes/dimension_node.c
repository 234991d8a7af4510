/* dimension_node.c - members of a group that no document of their own says: dimensions of a netCDF
 * group that have no variable. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

static vz_node *new_node(vz_node *group, vz_array_meta *meta, vz_error *err)
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

vz_node *vz_group_add_dimension(vz_node *group, const char *name, vz_array_meta *meta, vz_error *err)
{
    struct vz_members *members = group->members;
    vz_node *node = new_node(group, meta, err);
    if (node && vz_strmap_get(members->by_name, name))
        vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", name);
    else if (node) {
        vz_link link = {.name = strdup(name), .segment = vz_members_segment(members, name, err)};
        link.utf8 = !vz_text_is_ascii(name);
        link.order = group->next_order++;
        vz_member *member = vz_members_add(members, link, err);
        if (member) {
            member->state = VZ_MEMBER_ARRAY;
            member->zarr_format = node->zarr_format;
            members->unknown--;
            member->link.node = node;
            node->parent = group;
            node->link = &member->link;
            return node;
        }
    }
    vz_node_free(node);
    return NULL;
}

bool vz_group_show_as(vz_node *group, vz_link *link, const char *name, vz_error *err)
{
    if (link->kind != VZ_LINK_NODE || vz_strmap_get(group->members->by_name, name))
        return vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", name);
    return vz_members_show_as(group->members, (vz_member *)link, name, err);
}
