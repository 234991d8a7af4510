/* token.c - numbers for nodes, for the life of the process. They are those of the nodes' paths
 * (token_paths.c). A node without a name keeps the number that it had, or has one of its own. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/moves/moves.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/resolve/token.h"
#include <stdlib.h>

static void keep_numbers(vz_node *node, const vz_moves_token_entry *s)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    if (s->token)
        node->token = s->token;
    while (s->below && node->members && vz_strmap_next(s->below, &cursor, &name, &value)) {
        const vz_member *member = vz_strmap_get(node->members->by_name, name);
        if (member && member->link.node)
            keep_numbers(member->link.node, value);
    }
}

void vz_token_keep(vz_node *node, const char *path)
{
    const vz_moves_token_entry *s = vz_moves_token_at(node->hierarchy->registry.identity, path, false, NULL);
    if (s)
        keep_numbers(node, s);
}

static void name_went(vz_hierarchy *hierarchy)
{
    hierarchy->dirty.names_gone = true;
    hierarchy->hard_links.names_changed++;
}

void vz_token_deleted(vz_hierarchy *hierarchy, const char *path)
{
    name_went(hierarchy);
    vz_moves_tokens_retire(hierarchy->registry.identity, path);
}

void vz_token_moved(vz_hierarchy *hierarchy, const char *from, const char *to)
{
    name_went(hierarchy);
    vz_moves_tokens_move(hierarchy->registry.identity, from, to);
}

static void link_number(vz_node *node)
{
    char *path = node->token ? vz_node_path(node, NULL) : NULL;
    vz_moves_token_entry *s = path ? vz_moves_token_at(node->hierarchy->registry.identity, path, true, NULL) : NULL;
    free(path);
    if (s)
        vz_moves_token_take(s, node->token);
}

void vz_token_linked(vz_node *node)
{
    size_t cursor = 0;
    vz_node *member;
    node->hierarchy->hard_links.names_changed++;
    link_number(node);
    while ((member = vz_node_next_below(node, &cursor)))
        vz_token_linked(member);
}

/* ---- nodes ---- */

uint64_t vz_token_at_path(vz_hierarchy *hierarchy, const char *path, vz_error *err)
{
    return vz_moves_token_of_path(hierarchy->registry.identity, path, err);
}

uint64_t vz_path_token(const char *store, const vz_named *named, const char *path, vz_error *err)
{
    vz_path_result found;
    vz_buffer whole = {0};
    uint64_t token = 0;
    if (vz_path_result_look_named(store, named, &found, err) && found.kind == VZ_PATH_ZARR &&
        vz_path_result_climb(&found, err) &&
        vz_buffer_printf(&whole, err, "%s%s/%s", *found.at.inside ? "/" : "", found.at.inside, path) &&
        vz_buffer_append(&whole, "", 1, err))
        token = vz_moves_token_of_path(vz_identity_number(&found.at.identity), (const char *)whole.data, err);
    vz_buffer_clear(&whole);
    vz_path_result_clear(&found);
    return token;
}

char *vz_token_path_here(const vz_hierarchy *hierarchy, uint64_t token, vz_error *err)
{
    vz_moves_token_entry *entry;
    if (vz_moves_token_find(token, &entry) && entry && entry->identity == hierarchy->registry.identity)
        return vz_moves_token_path(entry, err);
    vz_fail(err, VZ_NOT_FOUND, "no named object of this store has the token %llu", (unsigned long long)token);
    return NULL;
}

char *vz_token_path(uint64_t token, vz_error *err)
{
    vz_moves_token_entry *entry;
    return vz_moves_token_find(token, &entry) && entry ? vz_moves_token_path(entry, err) : NULL;
}

bool vz_token_is_named(const vz_hierarchy *hierarchy, uint64_t token)
{
    vz_moves_token_entry *entry;
    return vz_moves_token_find(token, &entry) && entry && entry->identity == hierarchy->registry.identity;
}

uint64_t vz_token_here(vz_hierarchy *hierarchy, uint64_t token, vz_error *err)
{
    vz_moves_token_entry *entry;
    if (!vz_moves_token_find(token, &entry) || !entry || entry->identity == hierarchy->registry.identity)
        return entry ? token : 0;
    char *path = vz_moves_token_path(entry, err);
    const uint64_t here = path ? vz_token_at_path(hierarchy, path, err) : 0;
    free(path);
    return here;
}

/* Of a deleted tree what somebody holds is there, and what is below that. */
static vz_node *find_unlinked(vz_node *node, uint64_t token, bool held)
{
    held = held || node->refs > 0;
    if (node->token == token)
        return held ? node : NULL;
    size_t cursor = 0;
    vz_node *found = NULL, *member;
    while (!found && (member = vz_node_next_below(node, &cursor)))
        found = find_unlinked(member, token, held);
    return found;
}

bool vz_token_is_nameless(const vz_hierarchy *hierarchy, uint64_t token)
{
    for (vz_node *node = hierarchy->unlinked; node; node = node->next)
        if (find_unlinked(node, token, false))
            return true;
    return false;
}

bool vz_token_is_retired(const vz_hierarchy *hierarchy, uint64_t token)
{
    vz_moves_token_entry *entry;
    return vz_moves_token_find(token, &entry) && !entry && !vz_token_is_nameless(hierarchy, token);
}

static uint64_t token_of_linked(vz_node *node, vz_error *err)
{
    char *path = vz_node_path(node, err);
    const uint64_t token = path ? vz_token_at_path(node->hierarchy, path, err) : 0;
    free(path);
    return token;
}

static uint64_t token_of_unlinked(const vz_node *node, vz_error *err)
{
    char *prefix = vz_node_prefix(node, err);
    const uint64_t token =
        prefix ? vz_moves_token_new(vz_hash(prefix, strlen(prefix), node->hierarchy->registry.identity), err) : 0;
    free(prefix);
    return token;
}

uint64_t vz_token_of_node(vz_node *node, vz_error *err)
{
    if (!node->token)
        node->token = vz_node_is_linked(node) ? token_of_linked(node, err) : token_of_unlinked(node, err);
    return node->token;
}

/* The number of the name's place: what it leads to has that number, and is not read to tell it. */
static uint64_t token_of_name(vz_node *group, const char *name, vz_error *err)
{
    vz_moves_token_entry *entry;
    const uint64_t above = vz_token_of_node(group, err);
    if (above && vz_moves_token_find(above, &entry) && entry && entry->identity == group->hierarchy->registry.identity)
        return vz_moves_token_below(entry, name, err);
    char *path = above ? vz_node_path_of_name(group, name, err) : NULL;
    const uint64_t token = path ? vz_token_at_path(group->hierarchy, path, err) : 0;
    free(path);
    return token;
}

bool vz_token_of_link(vz_node *group, vz_link *link, uint64_t *token, vz_error *err)
{
    *token = 0;
    if (link->kind == VZ_LINK_NODE && !link->node && vz_node_is_linked(group))
        return (*token = token_of_name(group, link->name, err)) != 0;
    vz_node *node = vz_link_node(group, link, NULL);
    if (!node)
        return true;
    vz_node_ref(node);
    *token = vz_token_of_node(node, err);
    vz_node_unref(node); /* listing a large group does not keep all its members in memory */
    return *token != 0;
}

/* Goes down from the root along the entries above. */
static vz_node *node_at(vz_hierarchy *hierarchy, const vz_moves_token_entry *s, vz_error *err)
{
    if (!s->above)
        return hierarchy->root;
    vz_node *group = node_at(hierarchy, s->above, err);
    if (!group || group->kind != VZ_NODE_GROUP)
        return NULL;
    vz_link *link = vz_group_find(group, s->name, err);
    return link ? vz_link_node(group, link, err) : NULL;
}

/* Nothing is at the path of a token. A stored reference leads below VZ_NOWHERE where its object
 * was deleted. */
static void fail_gone(const vz_hierarchy *hierarchy, const vz_moves_token_entry *entry, const vz_error *why,
                      vz_error *err)
{
    char *path = vz_moves_token_path(entry, err);
    const bool deleted = path && vz_moves_is_nowhere(path);
    if (deleted)
        vz_fail(err, VZ_NOT_FOUND,
                "the object was deleted after the reference to it was stored (an object of that name now is another "
                "one): store the reference again");
    else if (err && err->class == VZ_OK && why->class != VZ_OK)
        *err = *why;
    if (path)
        vz_error_where(err, hierarchy->path, deleted ? vz_moves_path_before_deletion(path) : path);
    free(path);
}

vz_node *vz_token_node(vz_hierarchy *hierarchy, uint64_t token, vz_error *err)
{
    vz_moves_token_entry *entry;
    const bool is_known = vz_moves_token_find(token, &entry);
    vz_node *found = NULL;
    vz_error why = VZ_ERROR_NONE;
    if (entry && entry->identity == hierarchy->registry.identity) {
        found = node_at(hierarchy, entry, &why);
        if (found)
            found->token = token;
        else
            fail_gone(hierarchy, entry, &why, err);
    } else if (is_known && !entry) {
        for (vz_node *node = hierarchy->unlinked; node && !found; node = node->next)
            found = find_unlinked(node, token, false);
    }
    if (!found)
        vz_fail(err, VZ_NOT_FOUND, "no object of this store has the token %llu", (unsigned long long)token);
    return found;
}
