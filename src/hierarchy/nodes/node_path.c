/* node_path.c - where a node is: its path, its keys, its neighbours; the lists of nodes that are
 * in no group, or that nobody holds. */
#include "hierarchy/nodes/hierarchy_internal.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define PARTIAL_NAME_SIZE 320

vz_node *vz_node_top(vz_node *node)
{
    while (node->parent)
        node = node->parent;
    return node;
}

bool vz_node_is_linked(const vz_node *node)
{
    while (node->parent)
        node = node->parent;
    return node == node->hierarchy->root;
}

size_t vz_node_depth(const vz_node *node)
{
    size_t depth = 0;
    for (; node->parent; node = node->parent)
        depth++;
    return depth;
}

static const char *part_of(const vz_node *node, bool segments)
{
    return segments ? node->link->segment : node->link->name;
}

/* Puts the part and the slash in front of it before `p`, which moves there. */
static char *put_part(char *p, const char *part)
{
    const size_t length = strlen(part);
    p -= length;
    memcpy(p, part, length);
    *--p = '/';
    return p;
}

/* The parts from the top down, '/' between them, behind `start`, and `below` behind them (NULL:
 * nothing); built from its end. An empty part (the one array of an array store) takes no slash. */
static char *join_parts(const vz_node *node, const char *start, bool segments, const char *below, vz_error *err)
{
    size_t size = strlen(start) + 1 + (below ? strlen(below) + 1 : 0);
    for (const vz_node *n = node; n->parent; n = n->parent)
        size += strlen(part_of(n, segments)) + 1;
    char *text = malloc(size);
    if (!text) {
        vz_fail_memory(err);
        return NULL;
    }
    char *p = text + size;
    *--p = '\0';
    if (below)
        p = put_part(p, below);
    for (const vz_node *n = node; n->parent; n = n->parent)
        p = put_part(p, part_of(n, segments));
    p -= strlen(start);
    memcpy(p, start, strlen(start));
    /* A key has no slash in front and none at its end. */
    char *first = segments && *p == '/' ? p + 1 : p;
    size_t length = strlen(first);
    if (segments && length > 0 && first[length - 1] == '/')
        length--;
    memmove(text, first, length);
    text[length] = '\0';
    return text;
}

char *vz_node_path(const vz_node *node, vz_error *err)
{
    if (!vz_node_is_linked(node))
        return NULL;
    return join_parts(node, node->parent ? "" : "/", false, NULL, err);
}

char *vz_node_path_of_name(const vz_node *group, const char *name, vz_error *err)
{
    char *above = vz_node_path(group, err), *path = NULL;
    if (above && asprintf(&path, "%s/%s", group->parent ? above : "", name) < 0) {
        path = NULL;
        vz_fail_memory(err);
    }
    free(above);
    return path;
}

/* The start of all keys in the tree of a node. */
static const char *start_of(const vz_node *node)
{
    while (node->parent)
        node = node->parent;
    return node->partial ? node->partial : "";
}

char *vz_node_prefix(const vz_node *node, vz_error *err)
{
    return join_parts(node, start_of(node), true, NULL, err);
}

char *vz_node_key_in(const vz_node *group, const char *segment, vz_error *err)
{
    return join_parts(group, start_of(group), true, segment, err);
}

vz_node *vz_node_next_below(const vz_node *node, size_t *cursor)
{
    const char *name;
    void *member;
    while (node->members && vz_strmap_next(node->members->by_name, cursor, &name, &member))
        if (((vz_member *)member)->link.node)
            return ((vz_member *)member)->link.node;
    return NULL;
}

static bool reprefix_below(vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    vz_node *node;
    while ((node = vz_node_next_below(group, &cursor)))
        if (!vz_node_reprefix(node, err))
            return false;
    return true;
}

bool vz_node_reprefix(vz_node *node, vz_error *err)
{
    if (node->members)
        return reprefix_below(node, err);
    if (!node->io)
        return true;
    if (node->meta->is_referenced) { /* opened anew, with the list that is there then */
        vz_array_close(node->io);
        node->io = NULL;
        return true;
    }
    char *prefix = vz_node_prefix(node, err);
    const bool ok = prefix && vz_array_set_prefix(node->io, prefix, err);
    free(prefix);
    return ok;
}

bool vz_node_has_refs(const vz_node *node)
{
    if (node->refs > 0)
        return true;
    size_t cursor = 0;
    const vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        if (vz_node_has_refs(member))
            return true;
    return false;
}

bool vz_node_make_unlinked(vz_node *node, vz_error *err)
{
    char name[PARTIAL_NAME_SIZE];
    if (!vz_hierarchy_ranks_name(node->hierarchy, name, sizeof name, err))
        return false;
    if (!(node->partial = strdup(name)))
        return vz_fail_memory(err);
    vz_hierarchy *hierarchy = node->hierarchy;
    vz_node_leave_idle(node);
    node->next = hierarchy->unlinked;
    node->previous = NULL;
    if (hierarchy->unlinked)
        hierarchy->unlinked->previous = node;
    hierarchy->unlinked = node;
    return true;
}

void vz_node_leave_unlinked(vz_node *node)
{
    if (node->next)
        node->next->previous = node->previous;
    if (node->previous)
        node->previous->next = node->next;
    else if (node->hierarchy->unlinked == node)
        node->hierarchy->unlinked = node->next;
    node->next = node->previous = NULL;
}

void vz_node_leave_idle(vz_node *node)
{
    if (!node->idle)
        return;
    vz_hierarchy *hierarchy = node->hierarchy;
    *(node->previous ? &node->previous->next : &hierarchy->idle.first) = node->next;
    *(node->next ? &node->next->previous : &hierarchy->idle.last) = node->previous;
    node->next = node->previous = NULL;
    node->idle = false;
    hierarchy->idle.count--;
}
