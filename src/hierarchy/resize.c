/* resize.c - another shape for an array. What was flushed must be there as long as the store tells the old shape: a
 * smaller shape is written at once, together with the extents that the array had ("rest"), and chunks go after it.
 * Until they are known to be gone, the rest is looked through before the array grows. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/document.h"
#include "hierarchy/second.h"
#include <stdlib.h>

/* In an array's annotation: a list of extents, within which chunks may be left from before the array shrank. */
#define REST "rest"

/* ---- the note ---- */

/* False: there is none that fits the array. */
static bool read_rest(const vz_node *node, uint64_t *rest)
{
    const vz_json *list = vz_json_get(node->annotation, REST);
    if (!list || vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) != node->meta->rank)
        return false;
    for (unsigned d = 0; d < node->meta->rank; d++)
        if (!vz_json_get_uint64(vz_json_at(list, d), &rest[d]))
            return false;
    return true;
}

static bool note_rest(vz_node *node, const uint64_t *rest, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (unsigned d = 0; ok && d < node->meta->rank; d++)
        ok = vz_json_append(list, vz_json_uint64(rest[d], err), err);
    if (!ok) {
        vz_json_free(list);
        return false;
    }
    node->rest_is_gone = false;
    return vz_json_set(node->annotation, REST, list, err) && vz_node_annotated(node, err);
}

void vz_rest_settle(vz_node *node)
{
    if (!node->rest_is_gone || (node->io && vz_array_dirty_bytes(node->io) > 0))
        return;
    vz_json_remove(node->annotation, REST);
    node->rest_is_gone = false;
}

/* ---- what is left beyond the shape ---- */

/* Removes it; what of it lay in memory may still have to be written. */
static bool remove_rest(vz_node *node, vz_error *err)
{
    uint64_t rest[VZ_MAX_RANK];
    if (node->rest_is_gone || !read_rest(node, rest))
        return true;
    vz_array *io = vz_node_io(node, err);
    if (!io || !vz_array_resized(io, rest, err))
        return false;
    node->rest_is_gone = true;
    return vz_node_annotated(node, err);
}

void vz_rest_retry(vz_node *node)
{
    vz_error ignored = VZ_ERROR_NONE;
    if (node->meta && vz_json_get(node->annotation, REST))
        remove_rest(node, &ignored);
}

bool vz_rest_written(vz_node *node, vz_error *err)
{
    return !node->rest_is_gone || vz_node_annotated(node, err);
}

/* Before the array grows: nothing that was cut off may show again. */
static bool prepare_growth(vz_node *node, vz_error *err)
{
    uint64_t rest[VZ_MAX_RANK];
    if (!read_rest(node, rest))
        return true;
    return remove_rest(node, err) && vz_array_flush(node->io, err);
}

/* ---- between the change and the document ---- */

/* Until the document tells the shape, or what is beyond it is gone, a writer that dies leaves chunks outside of it. */
static bool unsettle(vz_node *node, vz_error *err)
{
    if (!vz_node_is_in_place(node))
        return true;
    char *prefix = vz_node_prefix(node, err);
    const bool ok = prefix && vz_store_unsettle_shape(node->hierarchy->store, prefix, err);
    node->reshaped = node->reshaped || ok;
    free(prefix);
    return ok;
}

void vz_shape_written(vz_node *node, const char *prefix)
{
    if (!node->reshaped || vz_json_get(node->annotation, REST))
        return;
    vz_store_settle_shape(node->hierarchy->store, prefix);
    node->reshaped = false;
}

/* ---- shrinking ---- */

bool vz_node_prepare_shrink(vz_node *node, vz_error *err)
{
    if (!vz_node_is_in_place(node))
        return true;
    return vz_hierarchy_prepare(node->hierarchy, false, err) && vz_seconds_settle(node->hierarchy, err);
}

static bool write_smaller_shape(vz_node *node, const uint64_t *old, vz_error *err)
{
    uint64_t rest[VZ_MAX_RANK];
    if (!read_rest(node, rest))
        memcpy(rest, old, sizeof rest);
    for (unsigned d = 0; d < node->meta->rank; d++)
        rest[d] = rest[d] > old[d] ? rest[d] : old[d];
    return note_rest(node, rest, err) && vz_node_meta_changed(node, err) &&
           (!vz_node_is_in_place(node) || vz_node_write_documents(node, err));
}

/* What cannot be removed is left for whoever lets the array grow, or flushes it next. */
static bool shrink(vz_node *node, const uint64_t *old, vz_error *err)
{
    if (!write_smaller_shape(node, old, err)) {
        memcpy(node->meta->shape, old, node->meta->rank * sizeof *old);
        return false;
    }
    vz_rest_retry(node);
    return true;
}

bool vz_node_resize(vz_node *node, const uint64_t *shape, vz_error *err)
{
    vz_array_meta *meta = node->meta;
    uint64_t old[VZ_MAX_RANK] = {0};
    bool shrinks = false, grows = false;
    vz_array *io = vz_node_check_writable(node, err) ? vz_node_io(node, err) : NULL;
    if (!io)
        return false;
    memcpy(old, meta->shape, meta->rank * sizeof *old);
    for (unsigned d = 0; d < meta->rank; d++) {
        shrinks = shrinks || shape[d] < old[d];
        grows = grows || shape[d] > old[d];
    }
    if (((grows || shrinks) && !unsettle(node, err)) || (grows && !prepare_growth(node, err)))
        return false;
    memcpy(meta->shape, shape, meta->rank * sizeof *shape);
    node->cut_off = node->cut_off && !grows && !shrinks;
    if (shrinks)
        return shrink(node, old, err) && vz_node_meta_changed(node, err);
    return vz_array_resized(io, old, err) && vz_node_meta_changed(node, err);
}
