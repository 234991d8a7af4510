/* pending_value.c - see pending_value.h and node.h. The hierarchy has a list of the nodes with
 * one. */
#include "hierarchy/nodes/pending_value_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include <stdlib.h>

struct vz_deferred {
    vz_node *node;
    struct vz_deferred *next, *previous; /* in the hierarchy's list */
    const vz_deferred_class *class;
    void *value;     /* owned */
    char *name;      /* owned */
    vz_json *json;   /* what was made of it, with one more owner; NULL: nothing yet */
    uint64_t moment; /* when it was made; 0: of no class that tells */
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
    *deferred = (struct vz_deferred){node, hierarchy->dirty.deferred, NULL, class, value, copy, NULL, 0};
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

const void *vz_node_rendered(const vz_node *node, const char *name, const vz_json **json, uint64_t *moment)
{
    const struct vz_deferred *rendered = node->rendered;
    if (!rendered || strcmp(rendered->name, name) != 0)
        return NULL;
    *json = rendered->json;
    *moment = rendered->moment;
    return rendered->value;
}

static void leave_list(struct vz_deferred *deferred)
{
    if (deferred->next)
        deferred->next->previous = deferred->previous;
    if (deferred->previous)
        deferred->previous->next = deferred->next;
    else
        deferred->node->hierarchy->dirty.deferred = deferred->next;
}

static void drop(struct vz_deferred *deferred)
{
    deferred->class->free(deferred->value);
    vz_json_free(deferred->json);
    free(deferred->name);
    free(deferred);
}

void vz_deferred_drop(vz_node *node)
{
    if (!node->deferred)
        return;
    leave_list(node->deferred);
    drop(node->deferred);
    node->deferred = NULL;
}

void vz_deferred_forget(vz_node *node)
{
    if (node->rendered)
        drop(node->rendered);
    node->rendered = NULL;
}

/* The value stays beside its JSON: the next one may begin as it does. */
static void keep_rendered(vz_node *node, struct vz_deferred *deferred)
{
    vz_json *json = vz_json_get(node->attributes, deferred->name);
    leave_list(deferred);
    vz_deferred_forget(node);
    deferred->json = json ? vz_json_share(json) : NULL;
    deferred->moment = deferred->class->moment(node);
    node->rendered = deferred;
}

/* While the JSON is made the node has the attribute as any other: it is set. */
bool vz_deferred_render(vz_node *node, vz_error *err)
{
    struct vz_deferred *deferred = node->deferred;
    if (!deferred)
        return true;
    node->deferred = NULL;
    if (deferred->class->render(node, deferred->name, deferred->value, err)) {
        keep_rendered(node, deferred);
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
