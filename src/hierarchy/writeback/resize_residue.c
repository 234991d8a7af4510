/* resize_residue.c - what an array that shrank may have left in the store beyond its shape:
 * "rest" in its annotation, the extents that it had. Until the chunks there are known to be
 * gone, they are looked through before it grows. */
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback_internal.h"

/* A list of extents, within which chunks may be left from before the array shrank. */
#define REST "rest"

bool vz_residue_read(const vz_node *node, uint64_t *rest)
{
    const vz_json *list = vz_json_get(node->annotation, REST);
    if (!list || vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) != node->meta->rank)
        return false;
    for (unsigned d = 0; d < node->meta->rank; d++)
        if (!vz_json_get_uint64(vz_json_at(list, d), &rest[d]))
            return false;
    return true;
}

bool vz_residue_set(vz_node *node, const uint64_t *rest, vz_error *err)
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

void vz_residue_drop_if_gone(vz_node *node)
{
    if (!node->rest_is_gone || (node->io && vz_array_dirty_bytes(node->io) > 0))
        return;
    vz_json_remove(node->annotation, REST);
    node->rest_is_gone = false;
}

/* Removes it; what of it lay in memory may still have to be written. */
bool vz_residue_remove(vz_node *node, vz_error *err)
{
    uint64_t rest[VZ_MAX_RANK];
    if (node->rest_is_gone || !vz_residue_read(node, rest))
        return true;
    vz_array *io = vz_node_io(node, err);
    if (!io || !vz_array_resized(io, rest, err))
        return false;
    node->rest_is_gone = true;
    return vz_node_annotated(node, err);
}

void vz_residue_retry(vz_node *node)
{
    vz_error ignored = VZ_ERROR_NONE;
    if (vz_node_understood(node) && vz_json_get(node->annotation, REST))
        vz_residue_remove(node, &ignored);
}

bool vz_residue_written(vz_node *node, vz_error *err)
{
    return !node->rest_is_gone || vz_node_annotated(node, err);
}

void vz_residue_shape_written(vz_node *node, const char *prefix)
{
    if (!node->reshaped || vz_json_get(node->annotation, REST))
        return;
    vz_store_end_shape_change(node->hierarchy->store, prefix);
    node->reshaped = false;
}
