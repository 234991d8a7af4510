/* second.c - nodes with more than one name. The first name is the directory. Another one is an entry in the "L" of its
 * group that holds the node's path, and the node lists ("nm") the paths of its other names: so each side leads to the
 * other, and only what is asked about is loaded. In memory they are pointers; paths are put right before they are
 * written. */
#include "zarr/hierarchy.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- pointers ---- */

static void attach(vz_member *member, vz_node *node)
{
    vz_node_leave_idle(node);
    member->leads_to = node;
    member->next_name = node->seconds;
    node->seconds = member;
}

void vz_second_detach(vz_member *member)
{
    vz_node *node = member->leads_to;
    if (!node)
        return;
    vz_member **at = &node->seconds;
    while (*at && *at != member)
        at = &(*at)->next_name;
    if (*at)
        *at = member->next_name;
    member->leads_to = NULL;
    member->next_name = NULL;
}

void vz_seconds_forget(vz_node *node)
{
    while (node->seconds)
        vz_second_detach(node->seconds);
}

/* ---- from a name to its node, and back ---- */

/* The link at an absolute path of which every part but the last is a directory. NULL without an error: there is none.
 */
static vz_link *find_link(vz_hierarchy *hierarchy, const char *path, vz_node **group, vz_error *err)
{
    char *copy = strdup(path), *rest = copy, *part;
    vz_node *at = hierarchy->root;
    vz_link *link = NULL;
    if (!copy)
        vz_fail_memory(err);
    while (at && rest && (part = strsep(&rest, "/"))) {
        vz_error absent = VZ_ERROR_NONE;
        if (!*part)
            continue;
        if (link)
            at = link->kind == VZ_LINK_NODE ? vz_link_node(at, link, &absent) : NULL;
        *group = at;
        link = at && at->kind == VZ_NODE_GROUP ? vz_group_find(at, part, &absent) : NULL;
        if (!link)
            at = NULL;
    }
    free(copy);
    return link;
}

static vz_node *node_at(vz_hierarchy *hierarchy, const char *path, vz_error *err)
{
    vz_node *group = NULL;
    if (strcmp(path, "/") == 0)
        return hierarchy->root;
    vz_link *link = *path == '/' ? find_link(hierarchy, path, &group, err) : NULL;
    if (link && link->kind == VZ_LINK_NODE)
        return vz_link_node(group, link, err);
    vz_fail(err, VZ_NOT_FOUND, "the object that was at \"%.200s\" is gone", path);
    return NULL;
}

vz_node *vz_second_node(vz_member *member, vz_error *err)
{
    if (member->leads_to)
        return member->leads_to;
    vz_node *node = node_at(member->group->hierarchy, member->link.target, err);
    if (node)
        attach(member, node);
    return node;
}

static bool know_name(vz_node *node, const char *stored, vz_error *err)
{
    vz_node *group = NULL;
    char *path = vz_path_from_text(stored, err);
    if (!path)
        return false;
    vz_link *link = find_link(node->hierarchy, path, &group, err);
    vz_member *member = (vz_member *)link;
    vz_error gone = VZ_ERROR_NONE;
    if (link && link->kind == VZ_LINK_SECOND)
        vz_second_node(member, &gone);
    free(path);
    return gone.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

bool vz_seconds_know(vz_node *node, vz_error *err)
{
    const vz_json *paths = vz_json_get(node->annotation, VZ_ANNOTATION_NAMES);
    for (size_t i = 0; !node->seconds_known && i < vz_json_length(paths); i++) {
        const char *path = vz_json_get_string(vz_json_at(paths, i), NULL);
        if (path && !know_name(node, path, err))
            return false;
    }
    node->seconds_known = true;
    return true;
}

/* What cannot be read has no names that we could keep. */
static bool know_member(vz_node *group, vz_member *member, vz_error *err)
{
    vz_error unreadable = VZ_ERROR_NONE;
    if (member->link.kind == VZ_LINK_SOFT || member->link.kind == VZ_LINK_USER)
        return true;
    vz_node *node = vz_link_node(group, &member->link, &unreadable);
    if (!node)
        return unreadable.class != VZ_NO_MEMORY || vz_fail_memory(err);
    return member->link.kind == VZ_LINK_SECOND ? vz_seconds_know(node, err) : vz_seconds_know_below(node, err);
}

bool vz_seconds_know_below(vz_node *node, vz_error *err)
{
    if (!node->hierarchy->has_seconds)
        return true;
    if (!vz_seconds_know(node, err) || (node->kind == VZ_NODE_GROUP && !vz_members_probe_all(node, err)))
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
    if (!vz_seconds_know(node, err))
        return false;
    *count = node->parent || node == node->hierarchy->root;
    for (const vz_member *member = node->seconds; member; member = member->next_name)
        ++*count;
    return true;
}

/* ---- changes ---- */

bool vz_second_add(vz_node *group, vz_node *node, const char *name, bool utf8, vz_error *err)
{
    char *path = vz_node_path(node, err);
    vz_link link = {
        .name = strdup(name),
        .utf8 = utf8,
        .order = group->next_order,
        .kind = VZ_LINK_SECOND,
        .target = path ? path : strdup(""), /* of an unlinked node: put right when it is linked and written */
    };
    if (!link.target) {
        vz_link_clear(&link);
        return vz_fail_memory(err);
    }
    if (!vz_node_check_writable(node, err) || !vz_seconds_know(node, err) || !vz_group_links_changed(group, err)) {
        vz_link_clear(&link);
        return false;
    }
    vz_member *member = vz_members_add(group->members, link, err);
    if (!member)
        return false;
    group->next_order++;
    member->group = group;
    attach(member, node);
    node->hierarchy->has_seconds = true;
    return true;
}

static bool is_below(const vz_node *node, const vz_node *above)
{
    for (; node; node = node->parent)
        if (node == above)
            return true;
    return false;
}

/* Another name of `node` that can be reached from the root without passing `gone`; NULL: none. */
static vz_member *name_outside(const vz_node *node, const vz_node *gone)
{
    for (vz_member *member = node->seconds; member; member = member->next_name)
        if (!is_below(member->group, gone) && vz_node_is_linked(member->group))
            return member;
    return NULL;
}

/* The directory goes to where the other name is. */
static bool take_name(vz_node *node, vz_member *member, vz_error *err)
{
    vz_node *group = member->group;
    const uint64_t order = member->link.order, next_order = group->next_order;
    const bool utf8 = member->link.utf8;
    char *name = strdup(member->link.name);
    if (!name)
        return vz_fail_memory(err);
    vz_members_remove(group->members, member);
    const bool ok = vz_node_move(node->parent, node->link->name, group, name, utf8, err);
    if (ok) {
        node->link->order = order;
        group->next_order = next_order;
    }
    free(name);
    return ok;
}

static bool rescue_below(vz_node *group, vz_node *gone, vz_error *err);

static bool rescue_node(vz_node *node, vz_node *gone, bool *moved, vz_error *err)
{
    vz_member *name = name_outside(node, gone);
    *moved = name != NULL;
    if (name)
        return take_name(node, name, err);
    return !node->members || rescue_below(node, gone, err);
}

static bool rescue_below(vz_node *group, vz_node *gone, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    bool moved;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value)) {
        vz_node *node = ((vz_member *)value)->link.node;
        if (node && !rescue_node(node, gone, &moved, err))
            return false;
    }
    return true;
}

bool vz_seconds_rescue(vz_node *node, bool *moved, vz_error *err)
{
    *moved = false;
    if (!node->hierarchy->has_seconds || !vz_node_is_linked(node))
        return true;
    if (!vz_seconds_know(node, err))
        return false;
    if (!name_outside(node, node) && !vz_seconds_know_below(node, err))
        return false;
    return rescue_node(node, node, moved, err);
}

/* ---- before writing ---- */

typedef struct settling {
    bool any; /* nodes with more than one name */
} settling;

static char *path_of_name(const vz_member *member, vz_error *err)
{
    char *above = vz_node_path(member->group, err), *path = NULL;
    if (above && asprintf(&path, "%s/%s", member->group->parent ? above : "", member->link.name) < 0) {
        path = NULL;
        vz_fail_memory(err);
    }
    free(above);
    return path;
}

static bool append_path(vz_json *paths, const vz_member *member, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *path = path_of_name(member, &failed);
    bool ok = path ? vz_json_append(paths, vz_path_json(path, err), err) : failed.class == VZ_OK || vz_fail_memory(err);
    free(path);
    return ok;
}

/* What other processes added since we read the list stays on it. */
static bool append_elsewhere(vz_json *paths, const vz_node *node, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < vz_json_length(node->names_elsewhere); i++) {
        const vz_json *path = vz_json_at(node->names_elsewhere, i);
        bool known = false;
        for (size_t k = 0; !known && k < vz_json_length(paths); k++)
            known = vz_json_equal(path, vz_json_at(paths, k));
        ok = known || vz_json_append(paths, vz_json_copy(path, err), err);
    }
    return ok;
}

static bool settle_names(vz_node *node, settling *s, vz_error *err)
{
    const vz_json *old = vz_json_get(node->annotation, VZ_ANNOTATION_NAMES);
    if (!node->seconds_known || (!node->seconds && !old)) /* what nobody looked at has not changed */
        return true;
    if (vz_node_is_behind_link(node))
        return true;
    vz_json *paths = vz_json_array(err);
    bool ok = paths != NULL;
    for (const vz_member *member = node->seconds; ok && member; member = member->next_name)
        ok = append_path(paths, member, err);
    ok = ok && append_elsewhere(paths, node, err);
    if (!ok) {
        vz_json_free(paths);
        return false;
    }
    const size_t count = vz_json_length(paths);
    s->any = s->any || count > 0;
    if (old ? vz_json_equal(old, paths) : count == 0) {
        vz_json_free(paths);
        return true;
    }
    if (count > 0)
        return vz_json_set(node->annotation, VZ_ANNOTATION_NAMES, paths, err) && vz_node_annotated(node, err);
    vz_json_free(paths);
    vz_json_remove(node->annotation, VZ_ANNOTATION_NAMES);
    return vz_node_annotated(node, err);
}

/* The name says where its node is now. */
static bool settle_target(vz_member *member, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *path = member->leads_to ? vz_node_path(member->leads_to, &failed) : NULL;
    if (!path)
        return failed.class == VZ_OK || vz_fail_memory(err);
    if (strcmp(path, member->link.target) == 0) {
        free(path);
        return true;
    }
    free(member->link.target);
    member->link.target = path;
    return vz_group_links_changed(member->group, err);
}

static bool settle_node(vz_node *node, void *context, vz_error *err)
{
    if (!settle_names(node, context, err))
        return false;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (node->members && node->members->others > 0 &&
           vz_strmap_next(node->members->by_name, &cursor, &name, &value)) {
        vz_member *member = value;
        if (member->link.kind == VZ_LINK_SECOND && !settle_target(member, err))
            return false;
    }
    return true;
}

bool vz_seconds_settle(vz_hierarchy *hierarchy, vz_error *err)
{
    settling s = {0};
    if (!hierarchy->has_seconds || hierarchy->array_root || !hierarchy->dirty)
        return true;
    if (!vz_hierarchy_each_loaded(hierarchy, settle_node, &s, err))
        return false;
    vz_node *root = hierarchy->root;
    if (!s.any || vz_json_get(root->annotation, VZ_ANNOTATION_SECONDS))
        return true;
    vz_json *mark = vz_json_int64(1, err);
    return mark && vz_json_set(root->annotation, VZ_ANNOTATION_SECONDS, mark, err) && vz_node_annotated(root, err);
}
