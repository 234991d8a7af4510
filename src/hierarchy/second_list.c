/* second_list.c - the further names of a node, as pointers from it to them and back. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/second.h"

void vz_second_attach(vz_member *member, vz_node *node)
{
    vz_node_leave_idle(node);
    member->leads_to = node;
    member->next_name = node->seconds;
    if (member->next_name)
        member->next_name->previous_name = member;
    node->seconds = member;
    node->second_count++;
}

void vz_second_detach(vz_member *member)
{
    vz_node *node = member->leads_to;
    if (!node)
        return;
    if (member->next_name)
        member->next_name->previous_name = member->previous_name;
    if (member->previous_name)
        member->previous_name->next_name = member->next_name;
    else
        node->seconds = member->next_name;
    node->second_count--;
    member->leads_to = NULL;
    member->next_name = member->previous_name = NULL;
}

void vz_seconds_forget(vz_node *node)
{
    while (node->seconds)
        vz_second_detach(node->seconds);
}
