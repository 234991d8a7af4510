/* link_slot.c - a place for a name in a group: checked, made free, filled. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/merge.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

bool vz_merge_check_group(vz_node *group, vz_error *err)
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

bool vz_merge_check_name(vz_node *group, const char *name, vz_error *err)
{
    if (*name == '\0' || strchr(name, '/'))
        return vz_fail(err, VZ_INVALID, "\"%.200s\" is no name of a link", name);
    vz_error ignored = VZ_ERROR_NONE;
    if (vz_group_find(group, name, &ignored))
        return vz_fail(err, VZ_EXISTS, "there is a link \"%.200s\"", name);
    return ignored.class == VZ_NOT_FOUND || vz_fail(err, ignored.class, "%s", ignored.text);
}

char *vz_merge_prepare_place(vz_node *group, const char *segment, bool is_group, vz_error *err)
{
    char *above = vz_node_prefix(group, err);
    char *prefix = above ? vz_document_key_join(above, segment, err) : NULL;
    free(above);
    vz_strmap *hidden = group->members->hidden;
    if (prefix && hidden && vz_strmap_get(hidden, segment)) {
        if (!vz_node_clear_leftover(group->hierarchy->store, prefix, is_group, err)) {
            free(prefix);
            return NULL;
        }
        vz_strmap_remove(hidden, segment);
    }
    return prefix;
}

bool vz_merge_rename_prefix(vz_store *store, const char *from, const char *to, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_store_rename_tree(store, from, to, &failed) || failed.class == VZ_NOT_FOUND)
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

vz_member *vz_merge_add_link(vz_node *group, vz_node *node, const char *name, char *segment, bool utf8, vz_error *err)
{
    vz_link link = {.name = strdup(name), .segment = segment, .node = node, .utf8 = utf8, .order = group->next_order};
    vz_member *member = vz_members_add(group->members, link, err);
    if (!member)
        return NULL;
    group->members->unknown--;
    group->next_order++;
    member->state = node->kind == VZ_NODE_ARRAY ? VZ_MEMBER_ARRAY : VZ_MEMBER_GROUP;
    member->zarr_format = node->zarr_format;
    node->parent = group;
    node->link = &member->link;
    /* names of dimensions, and the group that has its annotation */
    const bool follows = node->note_in_group || vz_json_get(node->annotation, VZ_NOTE_DIMENSIONS);
    if (follows && !vz_node_annotated(node, err))
        return NULL;
    return member;
}

vz_member *vz_merge_add_value(vz_node *group, const char *name, bool utf8, vz_link_kind kind, int class, vz_bytes value,
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
