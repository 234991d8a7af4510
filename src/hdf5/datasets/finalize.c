/* finalize.c - final changes of a node before it is written: superfluous annotations, and chunks
 * that must exist because the fill value is undefined. */
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/view_internal.h"

#include "hdf5/dialects/hdmf.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/datasets/finalize_internal.h"
#include "hdf5/dialects/zarr_link.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/netcdf/stored_form.h"

/* AnnData writes "encoding-type": "null" beside the null dataspace: that says it all. */
static bool drop_null_space(vz_node *node, vz_error *err)
{
    if (!vz_json_is(vz_annotation_get(node, "s"), "null") ||
        !vz_json_is(vz_node_attribute(node, "encoding-type"), "null"))
        return true;
    return vz_annotation_set(node, "s", NULL, err);
}

/* *is_dimension: it stands in its group's annotation. */
static bool finish_array(vz_node *array, bool alone, bool *is_dimension, vz_error *err)
{
    return vz_netcdf_finish_dimension(array, is_dimension, err) &&
           (*is_dimension || (vz_netcdf_finish_labels(array, err) && vz_dimensions_update(array, alone, err) &&
                              vz_netcdf_finish_array(array, err)));
}

static bool finish_node(vz_node *node, void *context, vz_error *err)
{
    bool is_dimension = false;
    (void)context;
    if (vz_node_is_dirty(node) && vz_writer_of(node->hierarchy)->shows_late && !vz_finalize_node(node, err))
        return false;
    if (node->kind == VZ_NODE_GROUP)
        return vz_dialect_links_update(node, err) && vz_netcdf_finish_group(node, err);
    if (node->kind != VZ_NODE_ARRAY || !vz_node_understood(node))
        return true;
    if (vz_node_is_dirty(node) && !finish_array(node, false, &is_dimension, err))
        return false;
    if (is_dimension)
        return true;
    if (!node->is_new)
        return true;
    if (!drop_null_space(node, err))
        return false;
    if (node->meta->fill_defined || node->chunks_elsewhere || vz_json_is(vz_annotation_get(node, "s"), "null"))
        return true;
    vz_array *io = vz_dataset_io(node, err); /* readers of v2 take missing chunks under fill_value
                                              * null for anything */
    return io && vz_array_write_missing(io, err);
}

/* Arrays still in the plain form are rewritten, references get the present ids of their targets,
 * and attributes that hdmf-zarr refuses are hidden from it. */
static bool bring_over(vz_hierarchy *hierarchy, vz_error *err)
{
    const bool late = vz_writer_of(hierarchy)->shows_late, references = vz_hdmf_references_are_due(hierarchy);
    const bool forms = late && vz_hierarchy_due(hierarchy) & VZ_DUE_FORMS;
    if (!forms && !references && !(late && vz_hierarchy_names_gone(hierarchy)))
        return true;
    if (!vz_finalize_all(hierarchy, err))
        return false;
    if (references)
        vz_hierarchy_done(hierarchy, VZ_DUE_REFERENCES);
    return !forms || vz_hdmf_forms_done(hierarchy, err);
}

/* A group's document tells its links twice, us and others: both are what is there when it is
 * written. */
static bool update_links(vz_node *only, vz_error *err)
{
    const bool is_array = only->kind == VZ_NODE_ARRAY && vz_node_understood(only) && vz_node_is_dirty(only);
    bool is_dimension;
    if (is_array)
        vz_netcdf_forget_lengths(only); /* those of others are matched with the whole file */
    if (is_array && !finish_array(only, true, &is_dimension, err))
        return false;
    for (vz_node *node = only; node; node = node->parent) {
        const bool is_due = vz_node_is_dirty(node) && (node == only || node->is_new || node->implicit);
        if (is_due && node->kind == VZ_NODE_GROUP && !vz_dialect_links_update(node, err))
            return false;
    }
    return true;
}

static bool before_writing(vz_hierarchy *hierarchy, vz_node *only, vz_error *err)
{
    const bool shows_late = vz_writer_of(hierarchy)->shows_late;
    if (only && !shows_late)
        return update_links(only, err);
    if (!bring_over(hierarchy, err) || !vz_dialect_links_update_all(hierarchy, err) ||
        !vz_netcdf_finish_lengths(hierarchy, err))
        return false;
    return shows_late ? vz_hierarchy_each_loaded(hierarchy, finish_node, NULL, err)
                      : vz_hierarchy_each_to_finish(hierarchy, finish_node, NULL, err);
}

const vz_conventions vz_finalize_conventions = {
    VZ_NETCDF_CONVENTIONS,
    .before_writing = before_writing,
};
