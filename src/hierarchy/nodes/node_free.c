/* node_free.c - nodes go, with the members of groups. */
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/pending_value_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/alias_internal.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

void vz_node_free(vz_node *node)
{
    if (!node)
        return;
    vz_node_leave_idle(node);
    vz_unwritten_drop(node);
    vz_aliases_forget(node);
    vz_node_forget_view(node);
    vz_members_free(node->members);
    vz_array_close(node->io);
    vz_meta_free(node->meta);
    free(node->meta_error);
    vz_json_free(node->document);
    vz_attributes_order_drop(node);
    vz_deferred_drop(node);
    vz_deferred_forget(node);
    vz_json_free(node->derived);
    vz_json_free(node->attributes);
    vz_json_free(node->annotation);
    vz_json_free(node->annotation_value);
    vz_json_free(node->names_elsewhere);
    free(node->versions);
    free(node->partial);
    free(node->gone);
    free(node);
}

void vz_node_forget_view(vz_node *node)
{
    if (node->view && node->view_free)
        node->view_free(node->view);
    node->view = NULL;
}

static void free_with_node(void *value)
{
    vz_member *member = value;
    vz_node_free(member->link.node);
    vz_member_free(member);
}

void vz_members_free(struct vz_members *members)
{
    if (!members)
        return;
    vz_members_change();
    vz_members_forget_links(members);
    vz_strmap_free(members->by_name, free_with_node);
    vz_strmap_free(members->escaped, NULL);
    vz_strmap_free(members->hidden, NULL);
    vz_strmap_free(members->gone, NULL);
    free(members->unlisted);
    free(members->sorted);
    free(members->created);
    free(members->block);
    vz_entry_names_free(members->names);
    free(members);
}
