/* hierarchy_state.c - questions about one hierarchy in memory, and its settings. */
#include "hierarchy/nodes/hierarchy_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "base/os/file.h"

#define FILENO_TOP_BIT ((uint64_t)1 << 63)

static bool visit_below(vz_node *group, vz_node_visit visit, void *context, vz_error *err);

void vz_hierarchy_ref(vz_hierarchy *hierarchy)
{
    hierarchy->registry.opens++;
}

vz_node *vz_hierarchy_root(vz_hierarchy *hierarchy)
{
    return hierarchy->root;
}

const char *vz_hierarchy_path(const vz_hierarchy *hierarchy)
{
    return hierarchy->path;
}

vz_store *vz_hierarchy_store(vz_hierarchy *hierarchy)
{
    return hierarchy->store;
}

vz_options *vz_hierarchy_options(vz_hierarchy *hierarchy)
{
    return &hierarchy->options;
}

const vz_zarr_format *vz_hierarchy_zarr_format(const vz_hierarchy *hierarchy)
{
    return hierarchy->zarr_format;
}

bool vz_hierarchy_is_ours(const vz_hierarchy *hierarchy)
{
    return vz_json_get(hierarchy->root->annotation, VZ_ANNOTATION_MARK) != NULL;
}

/* Another process that changes documents of our store does as we do, and the last one to close
 * leaves consolidated metadata. */
bool vz_hierarchy_may_have_copies(const vz_hierarchy *hierarchy)
{
    return (vz_hierarchy_is_ours(hierarchy) || !hierarchy->consolidation.met_foreign) &&
           hierarchy->options.consolidated != VZ_CONSOLIDATED_IGNORE;
}

bool vz_hierarchy_leaves_copy(const vz_hierarchy *hierarchy)
{
    return !hierarchy->array_root && vz_hierarchy_may_have_copies(hierarchy) &&
           (vz_hierarchy_is_ours(hierarchy) || hierarchy->consolidation.at_close);
}

bool vz_hierarchy_is_array(const vz_hierarchy *hierarchy)
{
    return hierarchy->array_root;
}

uint64_t vz_hierarchy_fileno(const vz_hierarchy *hierarchy)
{
    return hierarchy->registry.identity | FILENO_TOP_BIT;
}

uint64_t vz_hierarchy_changes(const vz_hierarchy *hierarchy)
{
    return hierarchy->dirty.changes;
}

uint64_t vz_hierarchy_facts(const vz_hierarchy *hierarchy)
{
    return hierarchy->dirty.facts;
}

bool vz_hierarchy_inherited(const vz_hierarchy *hierarchy)
{
    return hierarchy->process.owner != vz_process_id();
}

/* Only the parent writes its unwritten changes: here they would be written twice, or torn. */
bool vz_hierarchy_keep_inherited(vz_hierarchy *hierarchy)
{
    if (!vz_hierarchy_inherited(hierarchy))
        return false;
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten && !hierarchy->process.kept;
         unwritten = unwritten->next)
        if (unwritten->node->io)
            vz_array_keep_dirty(unwritten->node->io, true);
    hierarchy->process.kept = true;
    return true;
}

static bool visit_node(vz_node *node, vz_node_visit visit, void *context, vz_error *err)
{
    return visit(node, context, err) && (!node->members || visit_below(node, visit, context, err));
}

static bool visit_below(vz_node *group, vz_node_visit visit, void *context, vz_error *err)
{
    size_t cursor = 0;
    vz_node *node;
    while ((node = vz_node_next_below(group, &cursor)))
        if (!visit_node(node, visit, context, err))
            return false;
    return true;
}

bool vz_hierarchy_each_loaded(vz_hierarchy *hierarchy, vz_node_visit visit, void *context, vz_error *err)
{
    return visit_node(hierarchy->root, visit, context, err);
}

bool vz_hierarchy_each_to_finish(vz_hierarchy *hierarchy, vz_node_visit visit, void *context, vz_error *err)
{
    struct vz_unwritten *unwritten = hierarchy->dirty.nodes;
    struct vz_members *members = hierarchy->with_links;
    bool ok = true;
    for (; ok && unwritten; unwritten = unwritten->next)
        ok = !vz_node_is_linked(unwritten->node) || visit(unwritten->node, context, err);
    for (; ok && members; members = members->next)
        ok = members->group->members != members || !vz_node_is_linked(members->group) ||
             visit(members->group, context, err);
    return ok;
}

bool vz_hierarchy_is_at(const vz_hierarchy *hierarchy, const char *path)
{
    return vz_store_is_at(hierarchy->store, path);
}

bool vz_hierarchy_names_gone(const vz_hierarchy *hierarchy)
{
    return hierarchy->dirty.names_gone;
}

const struct vz_writer *vz_hierarchy_writer(const vz_hierarchy *hierarchy)
{
    return hierarchy->writer;
}

void vz_hierarchy_set_writer(vz_hierarchy *hierarchy, const struct vz_writer *writer)
{
    hierarchy->writer = writer;
}

unsigned vz_hierarchy_due(const vz_hierarchy *hierarchy)
{
    return hierarchy->dirty.due;
}

void vz_hierarchy_add_due(vz_hierarchy *hierarchy, unsigned due)
{
    hierarchy->dirty.due |= due;
}

void vz_hierarchy_done(vz_hierarchy *hierarchy, unsigned due)
{
    hierarchy->dirty.due &= ~due;
}

bool vz_hierarchy_take_names_gone(vz_hierarchy *hierarchy)
{
    const bool gone = hierarchy->dirty.names_gone;
    hierarchy->dirty.names_gone = false;
    return gone;
}
