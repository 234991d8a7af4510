/* second.c - nodes with more than one name. The first name is the directory. Another one is an entry in the "L" of its
 * group that holds the node's path, and the node lists ("nm") the paths of its other names: so each side leads to the
 * other, and only what is asked about is loaded. In memory they are pointers; paths are put right before they are
 * written. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/moved.h"
#include "hierarchy/moves.h"
#include "hierarchy/second.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- pointers ---- */

static void attach(vz_member *member, vz_node *node)
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

vz_node *vz_node_above_path(vz_hierarchy *hierarchy, const char *path, vz_error *err)
{
    const char *slash = strrchr(path, '/');
    char *above = slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    vz_node *node = above ? node_at(hierarchy, above, err) : NULL;
    if (!above)
        vz_fail_memory(err);
    free(above);
    return node && node->kind == VZ_NODE_GROUP ? node : NULL;
}

vz_node *vz_second_node(vz_member *member, vz_error *err)
{
    if (member->leads_to)
        return member->leads_to;
    vz_hierarchy *hierarchy = member->group->hierarchy;
    char *path = vz_moved_path(hierarchy, member->link.target, member->link.since, err);
    vz_node *node = path ? node_at(hierarchy, path, err) : NULL;
    free(path);
    if (node)
        attach(member, node);
    return node;
}

bool vz_second_is_gone(vz_hierarchy *hierarchy, const vz_link *link, bool *gone, vz_error *err)
{
    char *path = vz_moved_path(hierarchy, link->target, link->since, err);
    *gone = path && vz_path_is_nowhere(path);
    free(path);
    return path != NULL;
}

static bool know_name(vz_node *node, const char *stored, vz_error *err)
{
    vz_node *group = NULL;
    char *path = vz_hierarchy_path_of_stored(node->hierarchy, stored, err);
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
    *count = node->second_count + (node->parent || node == node->hierarchy->root);
    return true;
}

/* ---- changes ---- */

bool vz_second_add(vz_node *group, vz_node *node, const char *name, bool utf8, vz_error *err)
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
    node->hierarchy->names_changed++;
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
    if (ok)
        node->link->order = order;
    else
        vz_second_add(group, node, name, utf8, NULL); /* as it was, but for its place in the order */
    group->next_order = next_order;
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
    vz_node *node;
    bool moved;
    while ((node = vz_node_next_below(group, &cursor)))
        if (!rescue_node(node, gone, &moved, err))
            return false;
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

/* What a list of names says of each path, under the path of today. */
static vz_strmap *texts_by_path(const vz_node *node, const vz_json *list, vz_error *err)
{
    vz_strmap *texts = vz_strmap_new();
    bool ok = texts != NULL || vz_fail_memory(err);
    for (size_t i = 0; ok && i < vz_json_length(list); i++) {
        const char *stored = vz_json_get_string(vz_json_at(list, i), NULL);
        char *path = stored ? vz_hierarchy_path_of_stored(node->hierarchy, stored, err) : NULL;
        ok = !stored || (path && vz_strmap_put(texts, path, vz_json_at(list, i), err));
        free(path);
    }
    if (ok)
        return texts;
    vz_strmap_free(texts, NULL);
    return NULL;
}

/* In the text that was there, where it still leads to the path. Removes it from `texts`. */
static bool append_path(vz_json *paths, vz_strmap *texts, const vz_member *member, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *path = vz_path_of_name(member->group, member->link.name, &failed);
    const vz_json *old = path ? vz_strmap_remove(texts, path) : NULL;
    char *fresh = path && !old ? vz_hierarchy_stored_path(member->group->hierarchy, path, &failed) : NULL;
    free(path);
    if (!old && !fresh)
        return failed.class == VZ_OK || vz_fail(err, failed.class, "%s", failed.text);
    const bool ok = vz_json_append(paths, old ? vz_json_copy(old, err) : vz_json_text(fresh, err), err);
    free(fresh);
    return ok;
}

/* What other processes added since we read the list stays on it. */
static bool append_elsewhere(vz_json *paths, const vz_node *node, vz_error *err)
{
    vz_strmap *known = vz_json_length(node->names_elsewhere) ? texts_by_path(node, paths, err) : NULL;
    bool ok = known || !vz_json_length(node->names_elsewhere);
    for (size_t i = 0; ok && i < vz_json_length(node->names_elsewhere); i++) {
        const vz_json *entry = vz_json_at(node->names_elsewhere, i);
        const char *stored = vz_json_get_string(entry, NULL);
        char *path = stored ? vz_hierarchy_path_of_stored(node->hierarchy, stored, err) : NULL;
        ok = !stored || (path && (vz_strmap_get(known, path) || vz_json_append(paths, vz_json_copy(entry, err), err)));
        free(path);
    }
    vz_strmap_free(known, NULL);
    return ok;
}

/* The names as they are to be written; *same: as they were. */
static vz_json *list_names(const vz_node *node, const vz_json *old, bool *same, vz_error *err)
{
    vz_json *paths = vz_json_array(err);
    vz_strmap *texts = paths ? texts_by_path(node, old, err) : NULL;
    bool ok = texts != NULL;
    for (const vz_member *member = node->seconds; ok && member; member = member->next_name)
        ok = append_path(paths, texts, member, err);
    *same = ok && vz_strmap_count(texts) == 0 && vz_json_length(paths) == vz_json_length(old);
    ok = ok && append_elsewhere(paths, node, err);
    *same = *same && vz_json_length(paths) == vz_json_length(old);
    vz_strmap_free(texts, NULL);
    if (ok)
        return paths;
    vz_json_free(paths);
    return NULL;
}

static bool settle_names(vz_node *node, settling *s, vz_error *err)
{
    const vz_json *old = vz_json_get(node->annotation, VZ_ANNOTATION_NAMES);
    if (!node->seconds_known || (!node->seconds && !old)) /* what nobody looked at has not changed */
        return true;
    if (vz_node_is_behind_link(node))
        return true;
    bool same;
    vz_json *paths = list_names(node, old, &same, err);
    if (!paths)
        return false;
    const size_t count = vz_json_length(paths);
    s->any = s->any || count > 0;
    if (same) {
        vz_json_free(paths);
        return true;
    }
    if (count > 0)
        return vz_json_set(node->annotation, VZ_ANNOTATION_NAMES, paths, err) && vz_node_annotated(node, err);
    vz_json_free(paths);
    vz_json_remove(node->annotation, VZ_ANNOTATION_NAMES);
    return vz_node_annotated(node, err);
}

/* Does what the name says lead to that path? *since: what it must say with the path if it does not. */
static bool says(const vz_member *member, const char *path, bool *leads, uint64_t *since, vz_error *err)
{
    vz_hierarchy *hierarchy = member->group->hierarchy;
    char *now = vz_moved_path(hierarchy, member->link.target, member->link.since, err);
    *leads = now && strcmp(now, path) == 0;
    free(now);
    return now && (*leads || vz_hierarchy_since(hierarchy, path, since, err));
}

/* The name says where its node is now. */
static bool settle_target(vz_member *member, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool leads = false;
    uint64_t since;
    char *path = member->leads_to ? vz_node_path(member->leads_to, &failed) : NULL;
    if (!path)
        return failed.class == VZ_OK || vz_fail_memory(err);
    const bool ok = says(member, path, &leads, &since, err);
    if (!ok || leads) {
        free(path);
        return ok;
    }
    free(member->link.target);
    member->link.target = path;
    member->link.since = since;
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
    const uint64_t changed = hierarchy->names_changed;
    if (!hierarchy->has_seconds || hierarchy->array_root || !hierarchy->dirty || changed == hierarchy->names_settled)
        return true;
    if (!vz_hierarchy_each_loaded(hierarchy, settle_node, &s, err))
        return false;
    hierarchy->names_settled = changed;
    vz_node *root = hierarchy->root;
    if (!s.any || vz_json_get(root->annotation, VZ_ANNOTATION_SECONDS))
        return true;
    vz_json *mark = vz_json_int64(1, err);
    return mark && vz_json_set(root->annotation, VZ_ANNOTATION_SECONDS, mark, err) && vz_node_annotated(root, err);
}
