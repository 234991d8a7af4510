/* dirt.c - what of a node is not yet written, and the hierarchy's list of such nodes. */
#include "hierarchy/hierarchy.h"
#include <stdlib.h>

struct vz_node_dirt *vz_dirt_of(vz_node *node, vz_error *err)
{
    node->hierarchy->changes++;
    if (node->dirt)
        return node->dirt;
    struct vz_node_dirt *dirt = calloc(1, sizeof *dirt);
    if (!dirt) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_hierarchy *hierarchy = node->hierarchy;
    dirt->node = node;
    dirt->next = hierarchy->dirty;
    if (dirt->next)
        dirt->next->previous = dirt;
    hierarchy->dirty = dirt;
    node->dirt = dirt;
    return dirt;
}

void vz_dirt_drop(vz_node *node)
{
    struct vz_node_dirt *dirt = node->dirt;
    if (!dirt)
        return;
    vz_hierarchy *hierarchy = node->hierarchy;
    if (dirt->next)
        dirt->next->previous = dirt->previous;
    if (dirt->previous)
        dirt->previous->next = dirt->next;
    else
        hierarchy->dirty = dirt->next;
    hierarchy->dirty_bytes -= dirt->chunk_bytes;
    vz_strmap_free(dirt->attributes, NULL);
    vz_strmap_free(dirt->unlinked, NULL);
    free(dirt);
    node->dirt = NULL;
}

void vz_dirt_drop_tree(vz_node *node)
{
    vz_dirt_drop(node);
    size_t cursor = 0;
    vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        vz_dirt_drop_tree(member);
}

bool vz_dirt_note(vz_strmap **set, const char *name, vz_error *err)
{
    static char present;
    if (!*set && !(*set = vz_strmap_new()))
        return vz_fail_memory(err);
    return vz_strmap_put(*set, name, &present, err);
}

void vz_dirt_chunks(vz_node *node)
{
    struct vz_node_dirt *dirt = node->dirt;
    if (!dirt)
        return;
    const uint64_t bytes = node->io ? vz_array_dirty_bytes(node->io) : 0;
    node->hierarchy->dirty_bytes += bytes - dirt->chunk_bytes;
    dirt->chunk_bytes = bytes;
}

bool vz_node_mark_new(vz_node *node, vz_error *err)
{
    struct vz_node_dirt *dirt = vz_dirt_of(node, err);
    if (!dirt)
        return false;
    node->is_new = true;
    node->document_hash = node->attributes_hash = 0;
    free(node->versions);
    node->versions = NULL;
    dirt->links = node->kind == VZ_NODE_GROUP;
    vz_dirt_chunks(node);
    size_t cursor = 0;
    vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        if (!vz_node_mark_new(member, err))
            return false;
    return true;
}

bool vz_group_links_changed(vz_node *group, vz_error *err)
{
    struct vz_node_dirt *dirt = vz_dirt_of(group, err);
    if (dirt)
        dirt->links = true;
    return dirt != NULL;
}
