/* deleted_objects.c - objects that were deleted while somebody holds them. From the entry of its
 * deletion in the move log on, stored references to one lead below VZ_NOWHERE
 * (nodes/root_move_log.c). The node remembers that path as long as it has no name, so that they
 * find it. When the node gets a name, that is logged as a move from there. */
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/resolve/token.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* ---- from such a path to its node ---- */

static vz_node *walk_down(vz_node *node, const char *path, vz_error *err)
{
    char *copy = strdup(path), *rest = copy, *part;
    vz_error absent = VZ_ERROR_NONE;
    if (!copy)
        vz_fail_memory(err);
    while (copy && node && rest && (part = strsep(&rest, "/"))) {
        if (!*part)
            continue;
        vz_link *link = node->kind == VZ_NODE_GROUP ? vz_group_find(node, part, &absent) : NULL;
        node = link ? vz_link_node(node, link, &absent) : NULL;
    }
    if (absent.class == VZ_NO_MEMORY)
        vz_fail_memory(err);
    free(copy);
    return copy ? node : NULL;
}

/* The node at `path` where it is this one, or below it. */
static vz_node *find(vz_node *node, const char *path, vz_error *err)
{
    const char *rest = node->gone ? vz_key_below(path, node->gone) : NULL;
    vz_node *found = rest ? walk_down(node, rest, err) : NULL;
    size_t cursor = 0;
    vz_node *member;
    while (!found && (member = vz_node_next_below(node, &cursor)))
        found = find(member, path, err);
    return found;
}

bool vz_token_of_deleted(vz_hierarchy *hierarchy, const char *path, uint64_t *token, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_node *found = NULL;
    *token = 0;
    for (vz_node *node = hierarchy->unlinked; node && !found; node = node->next)
        found = find(node, path, &failed);
    if (found)
        *token = vz_token_of_node(found, &failed);
    return failed.class == VZ_OK || vz_fail(err, failed.class, "%s", failed.text);
}

/* ---- from a node to its path ---- */

bool vz_path_of_deleted(const vz_node *node, char **path, vz_error *err)
{
    *path = NULL;
    if (node->gone)
        return (*path = strdup(node->gone)) || vz_fail_memory(err);
    if (!node->parent)
        return true;
    char *above;
    if (!vz_path_of_deleted(node->parent, &above, err) || !above)
        return above != NULL || err == NULL || err->class == VZ_OK;
    *path = vz_document_key_join(above, node->link->name, err);
    free(above);
    return *path != NULL;
}

/* ---- a name again ---- */

static bool come_back(vz_node *node, vz_error *err)
{
    char *path = node->gone ? vz_node_path(node, err) : NULL;
    bool ok = !node->gone || (path && vz_root_move_log_add(node->hierarchy, node->gone, path, err));
    free(path);
    free(node->gone);
    node->gone = NULL;
    size_t cursor = 0;
    vz_node *member;
    while (ok && (member = vz_node_next_below(node, &cursor)))
        ok = come_back(member, err);
    return ok;
}

bool vz_path_deleted_linked(vz_node *node, char *was, vz_error *err)
{
    if (was) {
        free(node->gone);
        node->gone = was;
    }
    return !vz_node_is_linked(node) || come_back(node, err);
}
