/* array_prefetch.c - documents of arrays that will be opened by their names. Each would be a round
 * trip by itself. */
#include "hierarchy/consolidated/array_prefetch.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

enum { DOCUMENTS_MAX = 2 }; /* of an array */

static const vz_member *member_of(const vz_node *group, const char *name)
{
    return group->members ? vz_strmap_get(group->members->by_name, name) : NULL;
}

static vz_node *group_in_memory(const vz_node *group, char *name)
{
    const vz_member *member = name && group->kind == VZ_NODE_GROUP ? member_of(group, name) : NULL;
    free(name);
    return member && member->link.kind == VZ_LINK_NODE ? member->link.node : NULL;
}

vz_tree_name vz_tree_name_of(vz_node *start, const char *path)
{
    vz_tree_name at = {start, path + strspn(path, "/")};
    for (const char *slash; at.group && (slash = strchr(at.name, '/'));) {
        at.group = group_in_memory(at.group, strndup(at.name, (size_t)(slash - at.name)));
        at.name = slash + strspn(slash, "/");
    }
    if (!*at.name || strcmp(at.name, ".") == 0)
        at.group = NULL;
    return at;
}

/* A group that cannot be listed may have it. */
static bool is_unknown(const vz_tree_name *at)
{
    const vz_member *member = member_of(at->group, at->name);
    return member ? member->state == VZ_MEMBER_UNKNOWN : at->group->members->unlisted != NULL;
}

bool vz_tree_name_is_far(const vz_tree_name *at)
{
    const vz_node *group = at->group;
    return !(group->hierarchy->store->capabilities & (VZ_STORE_CHEAP | VZ_STORE_AT_HAND)) &&
           group->kind == VZ_NODE_GROUP && group->members && !group->is_new && is_unknown(at);
}

static bool add_key(const char *prefix, const char *document, char **keys, size_t *count, vz_error *err)
{
    char *key = document ? vz_document_key_join(prefix, document, err) : NULL;
    if (key)
        keys[(*count)++] = key;
    return key || !document;
}

static char *prefix_of(const vz_tree_name *at, vz_error *err)
{
    const vz_member *member = member_of(at->group, at->name);
    char *above = vz_node_prefix(at->group, err), *segment = member ? NULL : vz_segment_of_name(at->name, err);
    char *prefix =
        above && (member || segment) ? vz_document_key_join(above, member ? member->link.segment : segment, err) : NULL;
    free(segment);
    free(above);
    return prefix;
}

static bool add(const vz_tree_name *at, char **keys, size_t *count, vz_error *err)
{
    const vz_zarr_format *zarr_format = at->group->zarr_format;
    char *prefix = prefix_of(at, err);
    const bool ok = prefix && add_key(prefix, zarr_format->array, keys, count, err) &&
                    add_key(prefix, zarr_format->attributes, keys, count, err);
    free(prefix);
    return ok;
}

/* An array has no document of a group: nobody asks for it. */
static void know_group_missing(const vz_tree_name *at)
{
    bool found = false;
    vz_bytes text;
    vz_store *store = at->group->hierarchy->store;
    const vz_zarr_format *zarr_format = at->group->zarr_format;
    char *prefix = zarr_format->says ? NULL : prefix_of(at, NULL);
    char *array = prefix ? vz_document_key_join(prefix, zarr_format->array, NULL) : NULL;
    char *group = prefix ? vz_document_key_join(prefix, zarr_format->group, NULL) : NULL;
    if (array && group && vz_store_has_prefetched(store, array, &found, &text) && found)
        vz_store_know_missing(store, group);
    free(group);
    free(array);
    free(prefix);
}

bool vz_tree_prefetch_arrays(const vz_tree_name *list, size_t count, vz_error *err)
{
    size_t asked = 0;
    char **keys = calloc(count * DOCUMENTS_MAX + 1, sizeof *keys);
    bool ok = keys || vz_fail_memory(err);
    for (size_t i = 0; ok && i < count; i++)
        ok = !vz_tree_name_is_far(&list[i]) || add(&list[i], keys, &asked, err);
    ok =
        ok && (asked == 0 || vz_store_prefetch(list[0].group->hierarchy->store, (const char *const *)keys, asked, err));
    for (size_t i = 0; ok && i < count; i++)
        know_group_missing(&list[i]);
    for (size_t i = 0; i < asked; i++)
        free(keys[i]);
    free(keys);
    return ok;
}
