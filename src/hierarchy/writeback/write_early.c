/* write_early.c - documents of finished arrays go into the staging area before the flush.
 *
 * A program that makes many arrays keeps its own core busy. The thread of the staging queue has
 * little to do until the flush has everything at once. So documents of arrays that the program has
 * closed are put meanwhile. In memory the array stays new and dirty. The flush comes to it, prints
 * its documents again only if it changed since, and publishes it. */
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

#define BATCH       32 /* new objects between two looks at what is finished */
#define IN_VAIN_MAX 16 /* beyond an eighth of all, this program comes back to what it has made */

/* The rule: a new array that nobody holds, in a group that others do not see yet. In one that they
 * see they may have made something of its name, which is looked at when documents are written. */
static bool is_finished(const vz_node *node)
{
    return node->is_new && node->kind == VZ_NODE_ARRAY && node->refs == 0 && vz_node_is_linked(node) &&
           vz_node_understood(node) && node->parent->is_new && !node->unwritten->goes_early;
}

/* Does the flush add to its document for certain? */
static bool changes_late(const vz_node *node)
{
    return node->deferred || node->aliases || node->rest_is_gone || node->is_dimension;
}

static bool is_hidden(const vz_node *group)
{
    char *prefix = vz_node_prefix(group, NULL);
    const bool hidden = prefix && vz_store_hides(group->hierarchy->store, prefix);
    free(prefix);
    return hidden;
}

static void put(vz_flush *flush, vz_node *node)
{
    vz_error failed = VZ_ERROR_NONE;
    char *prefix = vz_node_prefix(node, NULL);
    if (prefix && vz_flush_node_print_documents(flush, node, prefix, &failed)) {
        node->unwritten->goes_early = true;
        flush->hierarchy->dirty.early++;
    }
    free(prefix);
}

/* Nobody else has a part in what is written, and no flush is under way. In a durable store each put
 * waits for the disk, and no thread makes it. */
static bool may_write(vz_hierarchy *hierarchy)
{
    return hierarchy->dirty.in_vain <= IN_VAIN_MAX + hierarchy->dirty.early / 8 && !hierarchy->dirty.preparing &&
           !hierarchy->store->durable && !hierarchy->ranks.comm && hierarchy->access.document_locks == 0 &&
           hierarchy->writable && vz_hierarchy_ownership(hierarchy, NULL) == VZ_OWNED;
}

void vz_flush_early(vz_hierarchy *hierarchy)
{
    size_t left = hierarchy->dirty.unseen;
    if (left < BATCH)
        return;
    hierarchy->dirty.unseen = 0;
    if (!may_write(hierarchy))
        return;
    vz_flush flush;
    vz_flush_init(&flush, hierarchy, VZ_FLUSH_EARLY);
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten && left > 0;
         unwritten = unwritten->next, left--)
        if (is_finished(unwritten->node) && !changes_late(unwritten->node) && is_hidden(unwritten->node->parent))
            put(&flush, unwritten->node);
}
