/* resize.c - another shape for an array. Flushed chunks must be there as long as the store has the
 * old shape. A smaller shape is written at once, with the extents that the array had ("rest"), and
 * chunks go after it. Until they are known to be gone, the rest is looked through before the array
 * grows. */
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

/* Before the array grows: nothing that was cut off may show again. */
static bool prepare_growth(vz_node *node, vz_error *err)
{
    uint64_t rest[VZ_MAX_RANK];
    if (!vz_residue_read(node, rest))
        return true;
    return vz_residue_remove(node, err) && vz_array_flush(node->io, err);
}

/* ---- between the change and the document ---- */

/* Until the document tells the shape, or what is beyond it is gone, a writer that dies leaves
 * chunks outside of it. */
static bool begin_change(vz_node *node, vz_error *err)
{
    if (!vz_flush_is_in_place(node))
        return true;
    char *prefix = vz_node_prefix(node, err);
    const bool ok = prefix && vz_store_begin_shape_change(node->hierarchy->store, prefix, err);
    node->reshaped = node->reshaped || ok;
    free(prefix);
    return ok;
}

/* ---- shrinking ---- */

bool vz_edit_prepare_shrink(vz_node *node, vz_error *err)
{
    if (!vz_flush_is_in_place(node))
        return true;
    return vz_flush_prepare(node->hierarchy, node, err) && vz_aliases_reconcile(node->hierarchy, err);
}

static bool write_smaller_shape(vz_node *node, const uint64_t *old, vz_error *err)
{
    uint64_t rest[VZ_MAX_RANK];
    if (!vz_residue_read(node, rest))
        memcpy(rest, old, sizeof rest);
    for (unsigned d = 0; d < node->meta->rank; d++)
        rest[d] = rest[d] > old[d] ? rest[d] : old[d];
    return vz_residue_set(node, rest, err) && vz_node_meta_changed(node, err) &&
           (!vz_flush_is_in_place(node) || vz_flush_documents(node, err));
}

/* Chunks that cannot be removed are left for the next process that lets the array grow, or flushes
 * it. */
static bool shrink(vz_node *node, const uint64_t *old, vz_error *err)
{
    if (!write_smaller_shape(node, old, err)) {
        memcpy(node->meta->shape, old, node->meta->rank * sizeof *old);
        return false;
    }
    vz_residue_retry(node);
    return true;
}

bool vz_edit_resize(vz_node *node, const uint64_t *shape, vz_error *err)
{
    vz_meta *meta = node->meta;
    uint64_t old[VZ_MAX_RANK] = {0};
    bool shrinks = false, grows = false;
    vz_array *io = vz_node_check_elements(node, err) ? vz_node_io(node, err) : NULL;
    if (!io)
        return false;
    memcpy(old, meta->shape, meta->rank * sizeof *old);
    for (unsigned d = 0; d < meta->rank; d++) {
        shrinks = shrinks || shape[d] < old[d];
        grows = grows || shape[d] > old[d];
    }
    if (((grows || shrinks) && !begin_change(node, err)) || (grows && !prepare_growth(node, err)))
        return false;
    memcpy(meta->shape, shape, meta->rank * sizeof *shape);
    node->seen.cut_off = node->seen.cut_off && !grows && !shrinks;
    if (shrinks)
        return shrink(node, old, err) && vz_node_meta_changed(node, err);
    return vz_array_resized(io, old, err) && vz_node_meta_changed(node, err);
}
