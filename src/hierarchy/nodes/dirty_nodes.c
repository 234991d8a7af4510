/* dirty_nodes.c - what of a node is not yet written, and the hierarchy's list of such nodes. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

void vz_hierarchy_changed(vz_hierarchy *hierarchy)
{
    hierarchy->dirty.changes++;
    hierarchy->dirty.facts++;
}

static struct vz_unwritten *make_dirty(vz_node *node, vz_error *err)
{
    if (node->unwritten)
        return node->unwritten;
    struct vz_unwritten *unwritten = calloc(1, sizeof *unwritten);
    if (!unwritten) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_hierarchy *hierarchy = node->hierarchy;
    unwritten->node = node;
    unwritten->next = hierarchy->dirty.nodes;
    if (unwritten->next)
        unwritten->next->previous = unwritten;
    hierarchy->dirty.nodes = unwritten;
    hierarchy->dirty.unseen++;
    node->unwritten = unwritten;
    return unwritten;
}

struct vz_unwritten *vz_unwritten_of(vz_node *node, vz_error *err)
{
    vz_hierarchy_changed(node->hierarchy);
    if (node->unwritten && node->unwritten->goes_early) {
        node->unwritten->goes_early = false;
        node->hierarchy->dirty.in_vain++;
    }
    return make_dirty(node, err);
}

struct vz_unwritten *vz_unwritten_elements(vz_node *node, vz_error *err)
{
    node->hierarchy->dirty.changes++;
    return make_dirty(node, err);
}

void vz_unwritten_drop(vz_node *node)
{
    struct vz_unwritten *unwritten = node->unwritten;
    if (!unwritten)
        return;
    vz_hierarchy *hierarchy = node->hierarchy;
    if (unwritten->next)
        unwritten->next->previous = unwritten->previous;
    if (unwritten->previous)
        unwritten->previous->next = unwritten->next;
    else
        hierarchy->dirty.nodes = unwritten->next;
    hierarchy->dirty.chunk_bytes -= unwritten->chunk_bytes;
    vz_strmap_free(unwritten->attributes, NULL);
    vz_strmap_free(unwritten->unlinked, NULL);
    free(unwritten);
    node->unwritten = NULL;
}

void vz_unwritten_drop_tree(vz_node *node)
{
    vz_unwritten_drop(node);
    size_t cursor = 0;
    vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        vz_unwritten_drop_tree(member);
}

bool vz_unwritten_name(vz_strmap **set, const char *name, vz_error *err)
{
    static char present;
    if (!*set && !(*set = vz_strmap_new()))
        return vz_fail_memory(err);
    return vz_strmap_put(*set, name, &present, err);
}

void vz_unwritten_chunks(vz_node *node)
{
    struct vz_unwritten *unwritten = node->unwritten;
    if (!unwritten)
        return;
    const uint64_t bytes = node->io ? vz_array_dirty_bytes(node->io) : 0;
    node->hierarchy->dirty.chunk_bytes += bytes - unwritten->chunk_bytes;
    unwritten->chunk_bytes = bytes;
}

bool vz_node_mark_new(vz_node *node, vz_error *err)
{
    struct vz_unwritten *unwritten = vz_unwritten_of(node, err);
    if (!unwritten)
        return false;
    node->is_new = true;
    node->document_hash = node->attributes_hash = 0;
    free(node->versions);
    node->versions = NULL;
    unwritten->links = node->kind == VZ_NODE_GROUP;
    vz_unwritten_chunks(node);
    size_t cursor = 0;
    vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        if (!vz_node_mark_new(member, err))
            return false;
    return true;
}

bool vz_group_links_changed(vz_node *group, vz_error *err)
{
    struct vz_unwritten *unwritten = vz_unwritten_of(group, err);
    if (unwritten)
        unwritten->links = true;
    return unwritten != NULL;
}
