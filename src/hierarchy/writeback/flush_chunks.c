/* flush_chunks.c - the chunks of dirty arrays go to the store. */
#include "hierarchy/writeback/writeback_internal.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

/* With an undefined fill value a missing chunk has no value at all for other readers: none may
 * be missing. */
static bool write_missing(vz_node *node, vz_error *err)
{
    const bool changed = node->is_new || node->unwritten->meta;
    if (vz_hierarchy_follows(node->hierarchy) || /* the leader does, when others have written what
                                                  * they had */
        !changed || node->chunks_elsewhere || !vz_node_understood(node) || node->meta->is_referenced ||
        node->meta->fill_defined || !vz_node_is_linked(node))
        return true;
    vz_array *io = vz_node_io(node, err);
    return io && vz_array_write_missing(io, err);
}

/* Chunks inside of a shape that another program made smaller are written. Chunks beyond it are an
 * error once. */
static bool flush_io(vz_node *node, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool lost = false;
    if (vz_array_flush(node->io, &failed))
        return true;
    if (node->seen.cut_off && vz_flush_follow_shrink(node, &lost, NULL) &&
        vz_array_flush(node->io, lost ? NULL : err) && !lost)
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

bool vz_flush_chunks(vz_node *node, vz_error *err)
{
    if (!node->unwritten || node->kind != VZ_NODE_ARRAY)
        return true;
    bool ok = write_missing(node, err);
    vz_residue_retry(node);
    ok = (!node->io || flush_io(node, err)) && vz_residue_written(node, err) && ok;
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

bool vz_flush_new_chunks(vz_flush *flush)
{
    bool ok = true;
    for (struct vz_unwritten *unwritten = flush->hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        if (unwritten->node->is_new && vz_node_is_linked(unwritten->node))
            ok = vz_flush_note(flush, vz_flush_chunks(unwritten->node, &flush->now)) && ok;
    return ok;
}

bool vz_flush_all_chunks(vz_flush *flush, bool unlinked_too)
{
    bool ok = true;
    for (struct vz_unwritten *unwritten = flush->hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        if (unwritten->node->kind == VZ_NODE_ARRAY && (unlinked_too || vz_node_is_linked(unwritten->node)))
            ok = vz_flush_note(flush, vz_flush_chunks(unwritten->node, &flush->now)) && ok;
    return ok;
}

static bool flush_for_room(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_flush flush;
    vz_flush_init(&flush, hierarchy, VZ_FLUSH_ALL);
    vz_flush_all_chunks(&flush, true);
    return vz_flush_result(&flush, err);
}

bool vz_flush_is_due(const vz_hierarchy *hierarchy)
{
    return hierarchy->options.dirty_max >= 0 && hierarchy->dirty.chunk_bytes > (uint64_t)hierarchy->options.dirty_max;
}

bool vz_flush_note_written(vz_node *node, vz_error *err)
{
    const bool holds_chunks = node->io && vz_array_dirty_bytes(node->io) > 0;
    if ((holds_chunks || node->unwritten) && !vz_unwritten_elements(node, err))
        return false;
    vz_unwritten_chunks(node);
    return true;
}

bool vz_flush_after_write(vz_node *node, vz_error *err)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    if (!vz_flush_note_written(node, err))
        return false;
    if (hierarchy->options.write_through)
        return vz_flush_chunks(node, err) && vz_store_drain(hierarchy->store, err);
    return !vz_flush_is_due(hierarchy) || flush_for_room(hierarchy, err);
}
