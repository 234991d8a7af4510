/* writeback.c - what is dirty goes to the store: chunks, then arrays, then groups, so that a
 * writer that dies at any point leaves a store that every reader opens. What cannot be written
 * stays dirty, and does not stop the rest. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/writeback/writeback_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch.h"
#include "hierarchy/writeback/writeback.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* ---- chunks ---- */

/* With an undefined fill value a missing chunk has no value at all for other readers: none may
 * be missing. */
static bool write_missing(vz_node *node, vz_error *err)
{
    const bool changed = node->is_new || node->unwritten->meta;
    if (vz_hierarchy_follows(node->hierarchy) || /* the leader does, when others have written what they had */
        !changed || !vz_node_understood(node) || node->meta->fill_defined || !vz_node_is_linked(node))
        return true;
    vz_array *io = vz_node_io(node, err);
    return io && vz_array_write_missing(io, err);
}

/* What lies inside of a shape that another program made smaller is written, and what does not is
 * an error once. */
static bool flush_io(vz_node *node, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool lost = false;
    if (vz_array_flush(node->io, &failed))
        return true;
    if (node->cut_off && vz_node_follow_shrink(node, &lost, NULL) && vz_array_flush(node->io, lost ? NULL : err) &&
        !lost)
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

bool vz_node_flush_chunks(vz_node *node, vz_error *err)
{
    if (!node->unwritten || node->kind != VZ_NODE_ARRAY)
        return true;
    bool ok = write_missing(node, err);
    vz_rest_retry(node);
    ok = (!node->io || flush_io(node, err)) && vz_rest_written(node, err) && ok;
    vz_unwritten_chunks(node);
    if (ok && node->refs == 0 && vz_node_is_linked(node)) {
        vz_array_close(node->io); /* kept after its last handle only for what was dirty */
        node->io = NULL;
    }
    if (!ok) {
        char *path = vz_node_path(node, NULL);
        vz_error_where(err, node->hierarchy->path, path);
        free(path);
    }
    return ok;
}

/* The first failure is reported. */
static bool keep_first(bool ok, vz_error *failed, vz_error *err)
{
    if (!ok && err && err->class == VZ_OK)
        *err = *failed;
    if (failed->class != VZ_OK)
        *failed = VZ_ERROR_NONE;
    return ok;
}

/* Of arrays that nobody else knows: before them there is nothing to look at. */
static bool flush_new_chunks(vz_hierarchy *hierarchy, vz_error *err)
{
    bool ok = true;
    vz_error failed = VZ_ERROR_NONE;
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        if (unwritten->node->is_new && vz_node_is_linked(unwritten->node))
            ok = keep_first(vz_node_flush_chunks(unwritten->node, &failed), &failed, err) && ok;
    return ok;
}

/* Unlinked nodes keep their chunks in memory unless there are too many. */
static bool flush_all_chunks(vz_hierarchy *hierarchy, bool unlinked_too, vz_error *err)
{
    bool ok = true;
    vz_error failed = VZ_ERROR_NONE;
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        if (unwritten->node->kind == VZ_NODE_ARRAY && (unlinked_too || vz_node_is_linked(unwritten->node)))
            ok = keep_first(vz_node_flush_chunks(unwritten->node, &failed), &failed, err) && ok;
    return ok;
}

bool vz_node_wrote(vz_node *node, vz_error *err)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    const bool holds_chunks = node->io && vz_array_dirty_bytes(node->io) > 0;
    if ((holds_chunks || node->unwritten) && !vz_unwritten_of(node, err))
        return false;
    vz_unwritten_chunks(node);
    if (hierarchy->options.write_through)
        return vz_node_flush_chunks(node, err) && vz_store_drain(hierarchy->store, err);
    if (hierarchy->options.dirty_max < 0 || hierarchy->dirty.chunk_bytes <= (uint64_t)hierarchy->options.dirty_max)
        return true;
    return flush_all_chunks(hierarchy, true, err);
}

/* ---- documents ---- */

#define LOCKED_TOGETHER 64 /* nodes that are written with others kept out once */

typedef struct pending {
    vz_node *node;
    size_t depth;
    bool appears; /* it is new, or in a group that is */
} pending;

/* Arrays before groups; what is new before what may have further names of it; deeper groups
 * before those above, so that a group appears when all in it is there. */
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

static bool collect(vz_hierarchy *hierarchy, pending **list, size_t *count, vz_error *err)
{
    size_t all = 0;
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        all++;
    *count = 0;
    *list = malloc((all ? all : 1) * sizeof **list);
    if (!*list)
        return vz_fail_memory(err);
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        if (vz_node_is_linked(unwritten->node) && !(hierarchy->flush.holds_incomplete && lacks_chunks(unwritten->node)))
            (*list)[(*count)++] = (pending){unwritten->node, vz_node_depth(unwritten->node), appears(unwritten->node)};
    qsort(*list, *count, sizeof **list, compare_pending);
    return true;
}

/* Where each document would be a round trip: those of arrays at once, then those of the groups
 * of each depth, so that what is in a group is there before it is. */
static bool write_in_rounds(vz_hierarchy *hierarchy, const pending *list, size_t count,
                            struct vz_deferred_links **deferred, vz_error *err)
{
    vz_node **nodes = malloc((count + 1) * sizeof *nodes);
    bool ok = nodes || vz_fail_memory(err);
    size_t last = count;
    while (last > 0 && !vz_node_needs_documents(list[last - 1].node))
        last--;
    for (size_t first = 0, end; nodes && first < count; first = end) {
        vz_error failed = VZ_ERROR_NONE;
        for (end = first; end < count && list[end].node->kind == list[first].node->kind &&
                          (list[first].node->kind == VZ_NODE_ARRAY || list[end].depth == list[first].depth);
             end++) {
            nodes[end - first] = list[end].node;
            ok = keep_first(vz_deferred_links_leave_out(list[end].node, deferred, &failed), &failed, err) && ok;
        }
        if (first < last && last <= end)
            vz_tree_prefetch_begin(hierarchy);
        ok = keep_first(vz_documents_write(hierarchy, nodes, end - first, &failed), &failed, err) && ok;
    }
    free(nodes);
    return ok;
}

/* One after the other, with one lock for all of them. *locked_out: it could not be had, and who
 * waited in vain for it once would again. */
static bool write_some(vz_hierarchy *hierarchy, const pending *list, size_t count, struct vz_deferred_links **deferred,
                       bool *locked_out, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool ok = keep_first(vz_documents_lock(hierarchy, &failed), &failed, err);
    if (!ok) {
        *locked_out = true;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const bool written = vz_deferred_links_leave_out(list[i].node, deferred, &failed) &&
                             vz_node_write_documents(list[i].node, &failed);
        ok = keep_first(written, &failed, err) && ok;
    }
    vz_documents_unlock(hierarchy);
    return ok;
}

static bool write_all_documents(vz_hierarchy *hierarchy, vz_error *err)
{
    pending *list;
    size_t count;
    vz_error failed = VZ_ERROR_NONE;
    bool ok = true, locked_out = false;
    struct vz_deferred_links *deferred = NULL;
    if (!collect(hierarchy, &list, &count, err))
        return false;
    hierarchy->flush.defers_links = true;
    if (vz_hierarchy_is_remote(hierarchy)) {
        ok = write_in_rounds(hierarchy, list, count, &deferred, err);
        count = 0;
    }
    for (size_t i = 0, end; i < count && !locked_out; i = end) {
        end = count - i < LOCKED_TOGETHER ? count : i + LOCKED_TOGETHER;
        ok = write_some(hierarchy, list + i, end - i, &deferred, &locked_out, err) && ok;
    }
    ok = keep_first(vz_deferred_links_put_back(&deferred, !locked_out, &failed), &failed, err) && ok;
    hierarchy->flush.defers_links = false;
    hierarchy->hard_links.left = hierarchy->hard_links.left && !ok;
    free(list);
    return ok;
}

/* A name that moved stands in two groups: in both places, before anything else can take the old
 * one. */
static bool write_moved_names(vz_hierarchy *hierarchy, vz_error *err)
{
    pending *list;
    size_t count;
    if (!hierarchy->hard_links.moved)
        return true;
    struct vz_deferred_links *deferred = NULL;
    vz_error failed = VZ_ERROR_NONE;
    bool ok = collect(hierarchy, &list, &count, err);
    hierarchy->flush.keeps_unlinked = hierarchy->flush.defers_links = true;
    for (size_t i = 0; ok && i < count; i++) {
        const vz_node *node = list[i].node;
        if (node->kind == VZ_NODE_GROUP && node->unwritten->links && !node->is_new && !node->implicit)
            ok = vz_deferred_links_leave_out(list[i].node, &deferred, err) && vz_node_write_names(list[i].node, err);
    }
    hierarchy->flush.keeps_unlinked = false;
    ok = keep_first(vz_deferred_links_put_back(&deferred, false, &failed), &failed, err) && ok;
    hierarchy->flush.defers_links = false;
    hierarchy->hard_links.moved = !ok;
    free(list);
    return ok;
}

/* Writes chunks, as far as the remote store takes them. `give_up`: a chunk that it does not take
 * holds nothing back. */
static bool drain_chunks(vz_hierarchy *hierarchy, bool give_up, vz_error *err)
{
    const bool ok = vz_store_drain(hierarchy->store, err);
    hierarchy->flush.holds_incomplete = !ok && !give_up;
    return ok;
}

static bool write_all_alone(vz_hierarchy *hierarchy, bool give_up, vz_error *err);

/* Chunks of a rank that follows are its own to write; documents are the leader's. */
static bool write_all(vz_hierarchy *hierarchy, bool give_up, vz_error *err)
{
    vz_store *store = hierarchy->store;
    vz_error failed = VZ_ERROR_NONE;
    const bool follows = vz_hierarchy_follows(hierarchy) && !store->repeats;
    bool ok = !follows || !hierarchy->writable || vz_hierarchy_inherited(hierarchy) ||
              (keep_first(flush_all_chunks(hierarchy, true, &failed), &failed, err) &&
               keep_first(vz_store_drain(store, &failed), &failed, err));
    store->repeats |= follows;
    ok = keep_first(write_all_alone(hierarchy, give_up, &failed), &failed, err) && ok;
    store->repeats &= !follows;
    return ok;
}

static bool write_all_alone(vz_hierarchy *hierarchy, bool give_up, vz_error *err)
{
    const vz_ownership ownership = hierarchy->writable ? vz_hierarchy_ownership(hierarchy, err) : VZ_OWNED_BY_PARENT;
    if (ownership != VZ_OWNED)
        return ownership == VZ_OWNED_BY_PARENT;
    vz_error failed = VZ_ERROR_NONE;
    vz_consolidated_look_again(hierarchy);
    bool ok = keep_first(vz_hierarchy_prepare(hierarchy, NULL, &failed), &failed, err);
    ok = keep_first(vz_aliases_reconcile(hierarchy, &failed), &failed, err) && ok;
    if (hierarchy->dirty.nodes && vz_hierarchy_is_remote(hierarchy)) { /* chunks are on their way meanwhile */
        ok = keep_first(flush_new_chunks(hierarchy, &failed), &failed, err) && ok;
        ok = keep_first(vz_documents_prefetch(hierarchy, &failed), &failed, err) && ok;
    }
    ok = keep_first(flush_all_chunks(hierarchy, false, &failed), &failed, err) && ok;
    ok = keep_first(drain_chunks(hierarchy, give_up, &failed), &failed, err) && ok;
    ok = keep_first(write_moved_names(hierarchy, &failed), &failed, err) && ok;
    ok = keep_first(write_all_documents(hierarchy, &failed), &failed, err) && ok;
    if (vz_hierarchy_is_remote(hierarchy)) {
        if (!hierarchy->root->unwritten)
            vz_tree_prefetch_keep_root(hierarchy, NULL);
        vz_store_forget_prefetched(hierarchy->store, NULL);
    }
    hierarchy->flush.holds_incomplete = hierarchy->creation.just_made = false;
    if (ok)
        vz_move_log_recovered(hierarchy);
    return ok;
}

bool vz_hierarchy_write(vz_hierarchy *hierarchy, vz_error *err)
{
    return write_all(hierarchy, false, err);
}

/* ---- the end of a flush, of a file ---- */

/* A store that holds back its changes publishes all of them: if a part is missing it stays as it
 * was, unless that part is given up. */
static bool complete(vz_hierarchy *hierarchy, bool is_last, bool give_up, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool ok = keep_first(write_all(hierarchy, give_up, &failed), &failed, err);
    if (!hierarchy->writable || vz_hierarchy_inherited(hierarchy))
        return ok;
    if (vz_hierarchy_follows(hierarchy))
        return ok;
    vz_ranks_delete_unlinked(hierarchy);
    if (is_last && (ok || give_up)) /* it is of all documents: a flush takes as long as what changed */
        ok = keep_first(vz_consolidated_write(hierarchy, &failed), &failed, err) && ok;
    if (ok || give_up)
        ok =
            keep_first(is_last ? vz_store_commit(hierarchy->store, &failed) : vz_store_flush(hierarchy->store, &failed),
                       &failed, err) &&
            ok;
    if (hierarchy->options.sync)
        ok = keep_first(vz_store_sync(hierarchy->store, &failed), &failed, err) && ok;
    vz_store_touch(hierarchy->store);
    return ok;
}

bool vz_hierarchy_flush(vz_hierarchy *hierarchy, bool sync, vz_error *err)
{
    if (vz_store_keeps_back(hierarchy->store))
        return complete(hierarchy, false, false, err);
    vz_error failed = VZ_ERROR_NONE;
    bool ok = keep_first(vz_hierarchy_write(hierarchy, &failed), &failed, err);
    if (sync && hierarchy->writable && !vz_hierarchy_inherited(hierarchy))
        ok = keep_first(vz_store_sync(hierarchy->store, &failed), &failed, err) && ok;
    vz_store_touch(hierarchy->store);
    return ok;
}

/* Documents that others may have changed since are read again for the consolidated metadata. */
bool vz_hierarchy_finish(vz_hierarchy *hierarchy, bool give_up, vz_error *err)
{
    vz_doc_cache_forget_written(hierarchy->documents.cache);
    hierarchy->flush.closes = true;
    const bool ok = complete(hierarchy, true, give_up, err);
    hierarchy->flush.closes = false;
    vz_tree_prefetch_drop(hierarchy);
    vz_doc_cache_forget_written(hierarchy->documents.cache);
    hierarchy->flush.discards_failed = !ok && give_up;
    return ok;
}

/* And the groups above that are not there yet. */
static bool write_node_documents(vz_node *node, vz_error *err)
{
    struct vz_deferred_links *deferred = NULL;
    vz_error failed = VZ_ERROR_NONE;
    node->hierarchy->flush.defers_links = true;
    bool ok = vz_deferred_links_leave_out(node, &deferred, err) && vz_node_write_documents(node, err);
    for (vz_node *above = node->parent; ok && above; above = above->parent)
        if ((above->is_new || above->implicit) && above->unwritten)
            ok = vz_deferred_links_leave_out(above, &deferred, err) && vz_node_write_documents(above, err);
    ok = keep_first(vz_deferred_links_put_back(&deferred, ok, &failed), &failed, err) && ok;
    node->hierarchy->flush.defers_links = false;
    return ok;
}

static bool write_node(vz_node *node, vz_error *err)
{
    return vz_hierarchy_prepare(node->hierarchy, node, err) && vz_aliases_reconcile(node->hierarchy, err) &&
           vz_node_flush_chunks(node, err) && vz_store_drain(node->hierarchy->store, err) &&
           write_node_documents(node, err) && vz_move_log_announce(node->hierarchy, err);
}

bool vz_node_flush(vz_node *node, vz_error *err)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    if (!vz_hierarchy_check_flush(hierarchy, err))
        return false;
    if (!hierarchy->writable || vz_hierarchy_ownership(hierarchy, NULL) != VZ_OWNED || !vz_node_is_linked(node))
        return true;
    if (vz_store_keeps_back(hierarchy->store))
        return vz_hierarchy_flush(hierarchy, false, err);
    vz_consolidated_look_again(hierarchy);
    const bool ok = write_node(node, err);
    vz_store_touch(hierarchy->store);
    return ok;
}
