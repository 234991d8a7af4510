/* find_member.c - looking for members of a group, and for the nodes that their links lead to. A
 * further hard link of a node holds that one's path, which is walked: so the two go together. */
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/root_move_log_internal.h"
#include "hierarchy/nodes/alias_internal.h"
#include "hierarchy/nodes/node_state_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define NAME_SHOWN 200 /* bytes of a name in a message */

bool vz_link_is_array(const vz_link *link)
{
    return ((const vz_member *)link)->state == VZ_MEMBER_ARRAY;
}

static vz_link *not_found(const char *name, vz_error *err)
{
    vz_fail(err, VZ_NOT_FOUND, "there is no link \"%.200s\"", name);
    return NULL;
}

/* reads: the member's document, which opening it wants; else a look tells, where that is cheap. */
static vz_link *find(vz_node *group, const char *name, bool reads, vz_error *err)
{
    bool read_ahead;
    if (!vz_node_probe_name_prefetch(group, name, &read_ahead, err) || !vz_members_load(group, err))
        return NULL;
    vz_member *member = vz_strmap_get(group->members->by_name, name);
    if (!member && group->members->unlisted && !vz_member_ask(group, name, &member, err))
        return NULL;
    if (read_ahead && !member)
        vz_node_probe_forget_name(group, name);
    if (!member && !group->members->unlisted) {
        if (!vz_group_complete(group, err))
            return NULL;
        member = vz_strmap_get(group->members->by_name, name);
    }
    if (!member)
        return not_found(name, err);
    if (!reads && !vz_node_probe_one_name(group, member, err))
        return NULL;
    if (member->state != VZ_MEMBER_UNKNOWN)
        return &member->link;
    bool is_node;
    char start[NAME_SHOWN + 1]; /* the name may be the member's own, and the member may go */
    const size_t shown = strnlen(name, NAME_SHOWN);
    memcpy(start, name, shown);
    start[shown] = '\0';
    if (!vz_member_probe(group, member, &is_node, err))
        return NULL;
    return is_node ? &member->link : not_found(start, err);
}

vz_link *vz_group_find(vz_node *group, const char *name, vz_error *err)
{
    vz_link *link = find(group, name, true, err);
    vz_store_forget_refused(group->hierarchy->store);
    return link;
}

vz_link *vz_members_find_unread(vz_node *group, const char *name, vz_error *err)
{
    vz_link *link = find(group, name, false, err);
    vz_store_forget_refused(group->hierarchy->store);
    return link;
}

vz_link **vz_group_links(vz_node *group, vz_link_order order, uint64_t *count, vz_error *err)
{
    return vz_group_count(group, count, err) ? vz_members_in_order(group->members, order, err) : NULL;
}

vz_link **vz_group_links_to_find(vz_node *group, vz_link_order order, uint64_t *count, vz_error *err)
{
    if (!(group->hierarchy->store->capabilities & VZ_STORE_CHEAP))
        return vz_group_links(group, order, count, err);
    if (!vz_members_load(group, err) || !vz_members_check_listed(group, err) || !vz_group_complete(group, err))
        return NULL;
    *count = vz_strmap_count(group->members->by_name);
    return vz_members_in_order(group->members, order, err);
}

vz_link *vz_group_link_at(vz_node *group, vz_link_order order, uint64_t index, vz_error *err)
{
    uint64_t count;
    if (!vz_group_count(group, &count, err))
        return NULL;
    if (index >= count) {
        vz_fail(err, VZ_NOT_FOUND, "there are only %llu links", (unsigned long long)count);
        return NULL;
    }
    vz_link **links = vz_members_in_order(group->members, order, err);
    return links ? links[index] : NULL;
}

static vz_node *tell_loaded(vz_node *node, vz_error *err)
{
    const vz_conventions *conventions = node->hierarchy->conventions;
    const bool has_one = node->kind == VZ_NODE_ARRAY && conventions && conventions->loaded;
    node->is_untold = has_one && !conventions->loaded(node, err);
    return node->is_untold ? NULL : node;
}

vz_node *vz_link_node(vz_node *group, vz_link *link, vz_error *err)
{
    if (link->node)
        return link->node->is_untold ? tell_loaded(link->node, err) : link->node;
    if (link->kind == VZ_LINK_ALIAS)
        return vz_alias_node((vz_member *)link, err);
    if (link->kind != VZ_LINK_NODE) {
        vz_fail(err, VZ_INVALID, "\"%.200s\" is no hard link", link->name);
        return NULL;
    }
    if (vz_node_depth(group) >= VZ_MAX_DEPTH) {
        vz_fail(err, VZ_LIMIT, "groups nested deeper than %d", VZ_MAX_DEPTH);
        return NULL;
    }
    vz_member *member = (vz_member *)link; /* every link is the first member of one */
    bool is_node;
    if (!vz_member_probe(group, member, &is_node, err))
        return NULL;
    if (!is_node) {
        vz_fail(err, VZ_NOT_FOUND, "the link leads nowhere");
        return NULL;
    }
    link->node = vz_node_load_member(group, member, err);
    return link->node ? tell_loaded(link->node, err) : NULL;
}

/* The link at an absolute path of which every part but the last is a directory. NULL without an
 * error: there is none. */
vz_link *vz_link_at_path(vz_hierarchy *hierarchy, const char *path, vz_node **group, vz_error *err)
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
    vz_link *link = *path == '/' ? vz_link_at_path(hierarchy, path, &group, err) : NULL;
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

vz_node *vz_alias_node(vz_member *member, vz_error *err)
{
    if (member->leads_to)
        return member->leads_to;
    vz_hierarchy *hierarchy = member->group->hierarchy;
    char *path = vz_root_move_log_follow(hierarchy, member->link.target, member->link.since, err);
    vz_node *node = path ? node_at(hierarchy, path, err) : NULL;
    free(path);
    if (node)
        vz_alias_attach(member, node);
    return node;
}
