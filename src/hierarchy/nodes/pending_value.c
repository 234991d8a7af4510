/* pending_value.c - see pending_value.h and node.h. The hierarchy has a list of the nodes with
 * one. */
#include "hierarchy/nodes/pending_value_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include <stdlib.h>

struct vz_deferred {
    vz_node *node;
    struct vz_deferred *next, *previous; /* in the hierarchy's list */
    const vz_deferred_class *class;
    void *value; /* owned */
    char *name;  /* owned */
};

bool vz_deferred_put(vz_node *node, const char *name, const vz_deferred_class *class, void *value, vz_error *err)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    struct vz_deferred *deferred = calloc(1, sizeof *deferred);
    char *copy = deferred ? strdup(name) : NULL;
    if (!copy) {
        free(deferred);
        class->free(value);
        return vz_fail_memory(err);
    }
    *deferred = (struct vz_deferred){node, hierarchy->dirty.deferred, NULL, class, value, copy};
    if (deferred->next)
        deferred->next->previous = deferred;
    hierarchy->dirty.deferred = node->deferred = deferred;
    return true;
}

bool vz_deferred_is(const vz_node *node, const char *name)
{
    return node->deferred && strcmp(node->deferred->name, name) == 0;
}

const void *vz_node_deferred(const vz_node *node, const char *name)
{
    return vz_deferred_is(node, name) ? node->deferred->value : NULL;
}

static void drop(struct vz_deferred *deferred)
{
    if (deferred->next)
        deferred->next->previous = deferred->previous;
    if (deferred->previous)
        deferred->previous->next = deferred->next;
    else
        deferred->node->hierarchy->dirty.deferred = deferred->next;
    deferred->class->free(deferred->value);
    free(deferred->name);
    free(deferred);
}

void vz_deferred_drop(vz_node *node)
{
    if (node->deferred)
        drop(node->deferred);
    node->deferred = NULL;
}

/* While the JSON is made the node has the attribute as any other: it is set. */
bool vz_deferred_render(vz_node *node, vz_error *err)
{
    struct vz_deferred *deferred = node->deferred;
    if (!deferred)
        return true;
    node->deferred = NULL;
    if (deferred->class->render(node, deferred->name, deferred->value, err)) {
        drop(deferred);
        return true;
    }
    node->deferred = deferred;
    return false;
}

bool vz_hierarchy_render_deferred(vz_hierarchy *hierarchy, vz_error *err)
{
    bool ok = true;
    for (struct vz_deferred *deferred = hierarchy->dirty.deferred, *next; deferred; deferred = next) {
        next = deferred->next;
        ok = vz_deferred_render(deferred->node, ok ? err : NULL) && ok;
    }
    return ok;
}
