/* case_rename.c - a directory that is called otherwise than its node, where the file system does
 * not tell the name from another one ("A" from "a"). */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/writeback.h"
#include "hierarchy/writeback/merge_internal.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

/* The segment that the name gets instead; NULL with err set if that is taken as well. Caller
 * frees. */
char *vz_merge_other_segment(const struct vz_members *members, const char *name, vz_error *err)
{
    char *segment = vz_segment_of_name_hashed(name, err);
    if (!segment || !vz_members_by_segment(members, segment))
        return segment;
    free(segment);
    vz_fail(err, VZ_EXISTS, "the store has no room for a link called \"%.200s\"", name);
    return NULL;
}

bool vz_flush_node_rename_case(vz_node *node, vz_error *err)
{
    vz_node *group = node->parent;
    vz_store *store = node->hierarchy->store;
    char *segment = vz_merge_other_segment(group->members, node->link->name, err);
    char *from = segment ? vz_node_prefix(node, err) : NULL;
    char *to = from ? vz_node_key_in(group, segment, err) : NULL;
    vz_group_note_drop(group, node->link->segment);
    bool ok = to && vz_merge_rename_prefix(store, from, to, err);
    if (ok && !vz_members_rename_case(group->members, (vz_member *)node->link, segment, err)) {
        vz_merge_rename_prefix(store, to, from, NULL);
        ok = false;
    }
    free(segment);
    free(from);
    free(to);
    return ok && (!node->note_in_group || vz_flush_note_to_group(node, err)) && vz_node_reprefix(node, err) &&
           vz_group_links_changed(group, err);
}
