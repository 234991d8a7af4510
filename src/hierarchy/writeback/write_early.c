/* write_early.c - see writeback.h. */
#include "hierarchy/writeback/writeback.h"
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/nodes/cache.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

#define LAG        16    /* so many nodes that were made or changed later wait for what their program does next */
#define KEPT_MAX   16384 /* arrays whose documents are kept until the flush takes them on: some KB each */
#define MISSED_MAX 16    /* documents in vain, beyond an eighth of all: this program comes back to what it has made */

/* Does it lie in a group that waits itself? In one that others see somebody may have made
 * something of its name, and that is met before documents are written. */
static bool is_hidden_above(const vz_node *node, char *prefix)
{
    char *slash = strrchr(prefix, '/');
    if (!slash)
        return false;
    *slash = '\0';
    const bool hidden = vz_store_hides(node->hierarchy->store, prefix);
    *slash = '/';
    return hidden;
}

/* Is there nothing that only the last look at it decides? */
static bool is_settled(vz_node *node)
{
    const vz_conventions *conventions = node->hierarchy->conventions;
    return node->is_new && node->kind == VZ_NODE_ARRAY && !node->deferred && node->refs == 0 && node->meta &&
           node->meta->fill_defined && !node->aliases && !node->rest_is_gone &&
           !(node->io && vz_array_dirty_bytes(node->io) > 0) && vz_node_is_linked(node) && node->parent->is_new &&
           !node->unwritten->put_attributes &&
           (!conventions || !conventions->decides_late || !conventions->decides_late(node));
}

static void put(vz_node *node)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    char *prefix = vz_node_prefix(node, NULL);
    if (prefix && is_hidden_above(node, prefix)) {
        hierarchy->flush.stages_documents = true;
        if (!vz_node_print_documents(node, prefix, NULL))
            vz_staged_documents_forget(node->unwritten); /* the flush tries again, and tells */
        hierarchy->flush.stages_documents = false;
        hierarchy->staged.put += node->unwritten->staged != NULL;
    }
    free(prefix);
}

void vz_staged_documents_put(vz_hierarchy *hierarchy)
{
    const bool is_busy = hierarchy->flush.closes || hierarchy->flush.defers_links || hierarchy->dirty.preparing ||
                         hierarchy->flush.round || hierarchy->access.document_locks || hierarchy->ranks.comm;
    while (!is_busy && hierarchy->staged.waiting > LAG) {
        struct vz_unwritten *unwritten = hierarchy->staged.next;
        vz_staged_documents_pass(unwritten);
        if (hierarchy->staged.kept < KEPT_MAX && hierarchy->staged.missed <= MISSED_MAX + hierarchy->staged.put / 8 &&
            is_settled(unwritten->node))
            put(unwritten->node);
    }
}
