/* renew.c - netCDF nodes in the form of an earlier version get the form of today. */
#include "hdf5/netcdf/renew.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/dialects/zarr_link.h"
#include "hdf5/netcdf/netcdf_internal.h"
#include "hierarchy/writeback/writeback.h"

static bool update_links(vz_node *node, void *context, vz_error *err)
{
    (void)context;
    return node->kind != VZ_NODE_GROUP || vz_dialect_links_update(node, err);
}

/* An array that left the store is not written. */
static bool finish(vz_node *node, void *context, vz_error *err)
{
    if (node->kind == VZ_NODE_GROUP)
        return update_links(node, context, err) && vz_netcdf_finish_group(node, err);
    if (!vz_node_is_dirty(node) || node->is_dimension || !vz_node_understood(node))
        return true;
    return !vz_netcdf_is_array(node) ||
           (vz_dimensions_update(node, false, err) && vz_netcdf_form_array(node, err) &&
            (node->note_in_group ? vz_flush_note_to_group(node, err) : vz_flush_note_to_array(node, err)));
}

static bool before_writing(vz_hierarchy *hierarchy, vz_node *only, vz_error *err)
{
    if (only)
        return update_links(only, NULL, err);
    return vz_dialect_links_update_all(hierarchy, err) && vz_netcdf_finish_lengths(hierarchy, err) &&
           vz_hierarchy_each_to_finish(hierarchy, finish, NULL, err);
}

const vz_conventions vz_netcdf_renew_conventions = {
    VZ_NETCDF_CONVENTIONS,
    .before_writing = before_writing,
};

/* Its groups are written in any case: their attributes have other forms, too. */
static bool mark(vz_node *node, vz_error *err)
{
    bool ok = vz_netcdf_mark(node, err);
    for (vz_node *group = node->parent; ok && group; group = group->parent)
        ok = vz_node_annotated(group, err);
    return ok;
}

bool vz_netcdf_renew(vz_node *node, bool *can, bool *leaves, vz_error *err)
{
    *leaves = false;
    *can = node->kind == VZ_NODE_GROUP || vz_netcdf_is_array(node);
    if (!*can)
        return true;
    if (!mark(node, err))
        return false;
    if (node->kind == VZ_NODE_GROUP)
        return vz_node_annotated(node, err);
    return vz_netcdf_leave_store(node, leaves, err) &&
           (*leaves || (vz_annotation_set(node, VZ_ANNOTATION_RENEWED, vz_json_int64(1, err), err) &&
                        vz_node_meta_changed(node, err)));
}

bool vz_netcdf_renew_note(vz_node *node, vz_error *err)
{
    return node->kind == VZ_NODE_GROUP || node->is_dimension || !vz_netcdf_is_array(node) ||
           (vz_annotation_set(node, VZ_ANNOTATION_RENEWED, NULL, err) && vz_netcdf_place_note(node, err));
}
