/* hard_link_list.c - the further hard links of a node, as pointers from it to them and back. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/alias_internal.h"
#include "hierarchy/nodes/node_state_internal.h"

void vz_alias_attach(vz_member *member, vz_node *node)
{
    vz_node_leave_idle(node);
    member->leads_to = node;
    member->next_name = node->aliases;
    if (member->next_name)
        member->next_name->previous_name = member;
    node->aliases = member;
    node->alias_count++;
}

void vz_alias_detach(vz_member *member)
{
    vz_node *node = member->leads_to;
    if (!node)
        return;
    if (member->next_name)
        member->next_name->previous_name = member->previous_name;
    if (member->previous_name)
        member->previous_name->next_name = member->next_name;
    else
        node->aliases = member->next_name;
    node->alias_count--;
    member->leads_to = NULL;
    member->next_name = member->previous_name = NULL;
}

void vz_aliases_forget(vz_node *node)
{
    while (node->aliases)
        vz_alias_detach(node->aliases);
}
