/* flush_documents.c - the documents of dirty nodes go to the store: arrays before groups, deeper
 * groups before those above. */
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/writeback/writeback_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch.h"
#include <stdlib.h>

#define LOCKED_TOGETHER 64 /* nodes that are written with others kept out once */

typedef struct pending {
    vz_node *node;
    size_t depth;
    bool appears; /* it is new, or in a group that is */
} pending;

/* Arrays come before groups, and new nodes before those that may have further hard links of them.
 * Deeper groups come before those above, so that a group appears when all in it is there. */
static int compare_pending(const void *a, const void *b)
{
    const pending *x = a, *y = b;
    if (x->node->kind != y->node->kind)
        return x->node->kind == VZ_NODE_ARRAY ? -1 : 1;
    if (x->appears != y->appears)
        return x->appears ? -1 : 1;
    return x->depth > y->depth ? -1 : x->depth < y->depth;
}

static bool appears(const vz_node *node)
{
    for (; node; node = node->parent)
        if (node->is_new)
            return true;
    return false;
}

/* A new array of which the store did not take all chunks does not appear yet. */
static bool lacks_chunks(const vz_node *node)
{
    char *prefix = node->is_new && node->kind == VZ_NODE_ARRAY ? vz_node_prefix(node, NULL) : NULL;
    const bool lacks = prefix && vz_store_has_unwritten(node->hierarchy->store, prefix);
    free(prefix);
    return lacks;
}

static bool collect(const vz_flush *flush, pending **list, size_t *count, vz_error *err)
{
    const vz_hierarchy *hierarchy = flush->hierarchy;
    size_t all = 0;
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        all++;
    *count = 0;
    *list = malloc((all ? all : 1) * sizeof **list);
    if (!*list)
        return vz_fail_memory(err);
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        if (vz_node_is_linked(unwritten->node) && !(flush->hold_incomplete && lacks_chunks(unwritten->node)))
            (*list)[(*count)++] = (pending){unwritten->node, vz_node_depth(unwritten->node), appears(unwritten->node)};
    qsort(*list, *count, sizeof **list, compare_pending);
    return true;
}

/* Where each document would be a round trip: those of arrays at once, then those of the groups of
 * each depth. So all in a group is there before the group is. */
static bool write_in_rounds(vz_flush *flush, const pending *list, size_t count)
{
    vz_node **nodes = malloc((count + 1) * sizeof *nodes);
    bool ok = vz_flush_note(flush, nodes || vz_fail_memory(&flush->now));
    size_t last = count;
    while (last > 0 && !vz_flush_node_needs_documents(list[last - 1].node))
        last--;
    for (size_t first = 0, end; nodes && first < count; first = end) {
        for (end = first; end < count && list[end].node->kind == list[first].node->kind &&
                          (list[first].node->kind == VZ_NODE_ARRAY || list[end].depth == list[first].depth);
             end++) {
            nodes[end - first] = list[end].node;
            ok = vz_flush_note(flush, vz_flush_deferred_links_leave_out(flush, list[end].node, &flush->now)) && ok;
        }
        if (first < last && last <= end && flush->scope == VZ_FLUSH_CLOSE)
            vz_tree_prefetch_begin(flush->hierarchy);
        ok = vz_flush_documents_write(flush, nodes, end - first) && ok;
    }
    free(nodes);
    return ok;
}

/* One after the other, with one lock for all of them. *locked_out: it could not be had, and who
 * waited in vain for it once would again. */
static bool write_some(vz_flush *flush, const pending *list, size_t count, bool *locked_out)
{
    bool ok = vz_flush_note(flush, vz_documents_lock(flush->hierarchy, &flush->now));
    if (!ok) {
        *locked_out = true;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const bool written = vz_flush_deferred_links_leave_out(flush, list[i].node, &flush->now) &&
                             vz_flush_node_documents(flush, list[i].node, &flush->now);
        ok = vz_flush_note(flush, written) && ok;
    }
    vz_documents_unlock(flush->hierarchy);
    return ok;
}

void vz_flush_all_documents(vz_flush *flush)
{
    vz_hierarchy *hierarchy = flush->hierarchy;
    pending *list;
    size_t count;
    bool ok = true, locked_out = false;
    if (!vz_flush_note(flush, collect(flush, &list, &count, &flush->now)))
        return;
    flush->links = VZ_LINKS_DEFER;
    if (vz_hierarchy_is_remote(hierarchy)) {
        ok = write_in_rounds(flush, list, count);
        count = 0;
    }
    for (size_t i = 0, end; i < count && !locked_out; i = end) {
        end = count - i < LOCKED_TOGETHER ? count : i + LOCKED_TOGETHER;
        ok = write_some(flush, list + i, end - i, &locked_out) && ok;
    }
    ok = vz_flush_deferred_links_put_back(flush, !locked_out) && ok;
    hierarchy->hard_links.left = hierarchy->hard_links.left && !ok;
    free(list);
}

void vz_flush_moved_names(vz_flush *flush)
{
    vz_hierarchy *hierarchy = flush->hierarchy;
    pending *list;
    size_t count;
    if (!hierarchy->hard_links.moved)
        return;
    bool ok = vz_flush_note(flush, collect(flush, &list, &count, &flush->now));
    flush->links = VZ_LINKS_KEEP_OLD;
    for (size_t i = 0; ok && i < count; i++) {
        vz_node *node = list[i].node;
        if (node->kind == VZ_NODE_GROUP && node->unwritten->links && !node->is_new && !node->implicit)
            ok = vz_flush_note(flush, vz_flush_deferred_links_leave_out(flush, node, &flush->now) &&
                                          vz_flush_node_write_names(flush, node, &flush->now));
    }
    ok = vz_flush_deferred_links_put_back(flush, false) && ok;
    hierarchy->hard_links.moved = !ok;
    free(list);
}

void vz_flush_one_node(vz_flush *flush)
{
    vz_node *node = flush->node;
    flush->links = VZ_LINKS_DEFER;
    bool ok = vz_flush_note(flush, vz_flush_deferred_links_leave_out(flush, node, &flush->now) &&
                                       vz_flush_node_documents(flush, node, &flush->now));
    for (vz_node *above = node->parent; ok && above; above = above->parent)
        if ((above->is_new || above->implicit) && above->unwritten)
            ok = vz_flush_note(flush, vz_flush_deferred_links_leave_out(flush, above, &flush->now) &&
                                          vz_flush_node_documents(flush, above, &flush->now));
    vz_flush_deferred_links_put_back(flush, ok);
}
