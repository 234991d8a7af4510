/* rank_names.c - nodes without a name in a store that several ranks write. Their names are equal on
 * all ranks, and are removed when no rank can hold them any more. */
#include "hierarchy/nodes/hierarchy_internal.h"
#include <stdio.h>

bool vz_hierarchy_ranks_name(vz_hierarchy *hierarchy, char *name, size_t size, vz_error *err)
{
    if (!hierarchy->ranks.comm)
        return vz_partial_name(name, size, err);
    snprintf(name, size, "%s-%d.partial", hierarchy->ranks.names, ++hierarchy->ranks.name_count);
    return true;
}

const bool *vz_hierarchy_ranks_leader_owes(const vz_hierarchy *hierarchy)
{
    return &hierarchy->ranks.leader_owes;
}

bool vz_hierarchy_ranks_keep_unlinked(const vz_node *top)
{
    static char present;
    vz_hierarchy *hierarchy = top->hierarchy;
    if (!hierarchy->ranks.comm)
        return false;
    if (vz_hierarchy_follows(hierarchy))
        return true;
    if (!hierarchy->ranks.unlinked_left && !(hierarchy->ranks.unlinked_left = vz_strmap_new()))
        return true;
    /* else it stays, and goes by and by */
    vz_strmap_put(hierarchy->ranks.unlinked_left, top->partial, &present, NULL);
    return true;
}

void vz_hierarchy_delete_unlinked(vz_hierarchy *hierarchy)
{
    size_t cursor = 0;
    const char *prefix;
    void *value;
    if (!hierarchy->ranks.unlinked_left || hierarchy->ranks.others_hold_unlinked)
        return;
    while (vz_strmap_next(hierarchy->ranks.unlinked_left, &cursor, &prefix, &value))
        vz_store_del_tree(hierarchy->store, prefix, NULL);
    vz_strmap_free(hierarchy->ranks.unlinked_left, NULL);
    hierarchy->ranks.unlinked_left = NULL;
}
