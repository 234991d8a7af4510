/* store_dimension.c - arrays that stand in the annotation of their group, as dimensions of netCDF
 * without a variable do. They become arrays of the store when elements of theirs are written. */
#include "hierarchy/edit/edit.h"
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/merge.h"
#include <stdlib.h>

bool vz_edit_store_dimension(vz_node *array, vz_error *err)
{
    if (!array->is_dimension || !vz_node_is_linked(array))
        return true;
    array->hierarchy->ranks.wrote_dimension |= array->hierarchy->ranks.comm != NULL;
    char *prefix = vz_merge_prepare_place(array->parent, array->link->segment, false, err);
    const bool ok = prefix && vz_store_begin(array->hierarchy->store, prefix, err) && vz_node_mark_new(array, err);
    free(prefix);
    return ok;
}

/* ---- of which other ranks wrote elements ---- */

static bool stop(void *context, const uint64_t *chunk, uint64_t size)
{
    (void)chunk, (void)size;
    *(bool *)context = true;
    return false;
}

static bool store_written(vz_node *array, vz_error *err)
{
    bool has = false;
    vz_array *io = vz_node_io(array, err);
    if (!io || (!vz_array_each_chunk(io, false, stop, &has, err) && !has))
        return false;
    return !has || vz_edit_store_dimension(array, err);
}

static bool search(vz_node *group, vz_error *err);

static bool search_member(vz_node *node, vz_error *err)
{
    vz_node_ref(node);
    const bool ok = node->kind == VZ_NODE_GROUP ? search(node, err) : !node->is_dimension || store_written(node, err);
    vz_node_unref(node);
    return ok;
}

/* Nobody writes into what is damaged or gone. A server that fails is another case. */
static bool may_pass(const vz_error *failed, vz_error *err)
{
    if (failed->class != VZ_IO && failed->class != VZ_TRANSIENT && failed->class != VZ_NO_MEMORY)
        return true;
    if (err && err->class == VZ_OK)
        *err = *failed;
    return false;
}

/* Such an array is in memory since its group was listed: others need not be loaded. */
static bool search(vz_node *group, vz_error *err)
{
    uint64_t count = 0;
    if (!vz_group_count(group, &count, err))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        vz_link *link = vz_group_link_at(group, VZ_BY_NAME, i, err);
        if (!link)
            return false;
        if (link->kind != VZ_LINK_NODE || (!link->node && vz_link_is_array(link)))
            continue;
        vz_error failed = VZ_ERROR_NONE;
        vz_node *node = vz_link_node(group, link, &failed);
        if (node ? !search_member(node, err) : !may_pass(&failed, err))
            return false;
    }
    return true;
}

bool vz_edit_store_dimensions(vz_hierarchy *hierarchy, vz_error *err)
{
    return search_member(hierarchy->root, err);
}
