/* prefetch_tree.c - prefetches a subtree before all of it is walked through. Each level takes
 * one round of listings and one of documents, where each by itself would be a round trip. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define TREE_NODES_MAX 100000 /* beyond, they are read when they are asked for */

/* Keys, each from malloc. */
typedef struct key_list {
    char **at;
    size_t count, capacity;
} key_list;

static void clear(key_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i]);
    free(list->at);
    *list = (key_list){0};
}

/* Takes the key; NULL fails. */
static bool add(key_list *list, char *key, vz_error *err)
{
    if (key && list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        char **at = realloc(list->at, capacity * sizeof *at);
        if (!at) {
            free(key);
            return vz_fail_memory(err);
        }
        list->at = at;
        list->capacity = capacity;
    }
    if (key)
        list->at[list->count++] = key;
    return key != NULL;
}

typedef struct walk {
    vz_store *store;
    const vz_zarr_format *zarr_format;
    key_list groups;    /* to be listed next */
    key_list members;   /* prefixes of what they hold */
    key_list documents; /* of those */
    size_t nodes;
} walk;

static bool add_documents(walk *w, const char *prefix, vz_error *err)
{
    const vz_zarr_format *zarr_format = w->zarr_format;
    const char *const names[] = {zarr_format->array, zarr_format->says ? NULL : zarr_format->group,
                                 zarr_format->attributes};
    bool ok = true, found;
    vz_bytes bytes;
    for (unsigned i = 0; ok && i < sizeof names / sizeof *names; i++) {
        if (!names[i])
            continue;
        char *key = vz_document_key_join(prefix, names[i], err);
        const bool known = key && vz_store_has_prefetched(w->store, key, &found, &bytes);
        if (known)
            free(key);
        ok = known || add(&w->documents, key, err);
    }
    return ok;
}

static bool add_members(walk *w, const char *group, vz_error *err)
{
    size_t count;
    const vz_entry *entries = vz_store_prefetched_list(w->store, group, &count);
    bool ok = true;
    for (size_t i = 0; ok && entries && i < count && w->nodes < TREE_NODES_MAX; i++) {
        if (!entries[i].is_prefix)
            continue;
        char *prefix = vz_document_key_join(group, entries[i].name, err);
        ok = add(&w->members, prefix, err) && add_documents(w, prefix, err);
        w->nodes++;
    }
    return ok;
}

static bool is_group(const walk *w, const char *prefix, bool *group, vz_error *err)
{
    vz_bytes text = {0};
    bool found = false;
    char *key = vz_document_key_join(prefix, w->zarr_format->group, err);
    *group = key && vz_store_has_prefetched(w->store, key, &found, &text) && found &&
             (!w->zarr_format->says ||
              vz_node_document_says(w->zarr_format, (const char *)text.data, text.size) != VZ_SAYS_ARRAY);
    free(key);
    return key != NULL;
}

/* The groups among the members are the next level. */
static bool descend(walk *w, vz_error *err)
{
    bool ok = true;
    size_t count;
    clear(&w->groups);
    clear(&w->documents);
    for (size_t i = 0; ok && i < w->members.count; i++) {
        bool group;
        ok = is_group(w, w->members.at[i], &group, err);
        if (ok && group && !vz_store_prefetched_list(w->store, w->members.at[i], &count)) {
            ok = add(&w->groups, w->members.at[i], err);
            w->members.at[i] = NULL;
        }
    }
    clear(&w->members);
    return ok;
}

static bool read_levels(walk *w, vz_error *err)
{
    bool ok = true;
    while (ok && (w->groups.count > 0 || w->documents.count > 0)) {
        ok = vz_store_prefetch_all(w->store, (const char *const *)w->documents.at, w->documents.count,
                                   (const char *const *)w->groups.at, w->groups.count, err);
        clear(&w->documents);
        for (size_t i = 0; ok && i < w->groups.count; i++)
            ok = add_members(w, w->groups.at[i], err);
        ok = ok && vz_store_prefetch(w->store, (const char *const *)w->documents.at, w->documents.count, err) &&
             descend(w, err);
    }
    clear(&w->groups);
    clear(&w->members);
    clear(&w->documents);
    return ok;
}

/* Adds the nodes that the consolidated metadata listed when the store was opened. They are
 * requested together with the root's documents. */
static bool add_hinted(walk *w, const vz_hierarchy *hierarchy, vz_error *err)
{
    size_t cursor = 0;
    const char *prefix;
    bool ok = true, is_listed_group;
    while (ok && vz_doc_cache_next_hint(hierarchy->documents, hierarchy->hard_links.names_changed, &cursor, &prefix,
                                        &is_listed_group)) {
        char *copy = is_listed_group ? strdup(prefix) : NULL;
        ok = (!is_listed_group || copy || vz_fail_memory(err)) && (!copy || add(&w->groups, copy, err)) &&
             add_documents(w, prefix, err);
    }
    return ok;
}

/* Adds the nodes in memory that the store has, unless add_hinted has added them. */
static bool add_loaded(walk *w, const vz_hierarchy *hierarchy, const vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    const vz_node *node;
    bool ok = true;
    while (ok && w->nodes < TREE_NODES_MAX && (node = vz_node_next_below(group, &cursor))) {
        const bool is_group = node->kind == VZ_NODE_GROUP;
        char *prefix = node->is_new ? NULL : vz_node_prefix(node, err);
        const bool asked =
            prefix && vz_doc_cache_has_hint(hierarchy->documents, hierarchy->hard_links.names_changed, prefix);
        ok = (node->is_new || prefix) && (!prefix || asked || add_documents(w, prefix, err));
        w->nodes++;
        if (ok && prefix && is_group && !asked)
            ok = add(&w->groups, prefix, err);
        else
            free(prefix);
        ok = ok && (!is_group || add_loaded(w, hierarchy, node, err));
    }
    return ok;
}

bool vz_tree_prefetch(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix,
                      const vz_hierarchy *hierarchy, vz_error *err)
{
    walk w = {.store = store, .zarr_format = zarr_format};
    char *copy = strdup(prefix);
    if (!copy)
        return vz_fail_memory(err);
    if (add(&w.groups, copy, err) && add_documents(&w, prefix, err) &&
        (!hierarchy || *prefix || (add_hinted(&w, hierarchy, err) && add_loaded(&w, hierarchy, hierarchy->root, err))))
        return read_levels(&w, err);
    clear(&w.groups);
    clear(&w.documents);
    return false;
}

/* ---- of nodes, where some are in memory ---- */

static bool add_unknown(walk *w, vz_node *group, vz_error *err);

/* A member of which not more is known than what it is, or a group that was not looked into. */
static bool add_member(walk *w, const char *above, const vz_member *member, vz_error *err)
{
    vz_node *node = member->link.node;
    if (node)
        return node->kind != VZ_NODE_GROUP || node->is_new || add_unknown(w, node, err);
    if (member->state == VZ_MEMBER_LINK)
        return true;
    char *prefix = vz_document_key_join(above, member->link.segment, err);
    bool ok = prefix && add_documents(w, prefix, err);
    if (ok && member->state == VZ_MEMBER_GROUP)
        return add(&w->groups, prefix, err);
    if (ok && member->state == VZ_MEMBER_UNKNOWN)
        return add(&w->members, prefix, err);
    free(prefix);
    return ok;
}

static bool add_unknown(walk *w, vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    char *prefix = vz_node_prefix(group, err);
    bool ok = prefix != NULL;
    if (ok && !group->members)
        return add(&w->groups, prefix, err);
    while (ok && vz_strmap_next(group->members->by_name, &cursor, &name, &value))
        ok = add_member(w, prefix, value, err);
    free(prefix);
    return ok;
}

bool vz_tree_read(vz_node *group, vz_error *err)
{
    vz_store *store = group->hierarchy->store;
    walk w = {.store = store, .zarr_format = group->zarr_format};
    if ((store->capabilities & (VZ_STORE_CHEAP | VZ_STORE_AT_HAND)) || group->kind != VZ_NODE_GROUP || group->is_new ||
        !vz_node_is_linked(group))
        return true;
    if (add_unknown(&w, group, err))
        return read_levels(&w, err);
    clear(&w.groups);
    clear(&w.members);
    clear(&w.documents);
    return false;
}
