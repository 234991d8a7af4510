/* qualify.c - groups that are another convention's are none of netCDF's. */
#include "hdf5/netcdf/netcdf_internal.h"
#include <string.h>

/* Attributes of groups by which AnnData, MuData, OME-Zarr, SpatialData, and NWB are known. */
static const char *const others[] = {
    "encoding-type", "multiscales",      "ome", "plate", "well", "omero", "nwb_version", "neurodata_type",
    ".specloc",      "spatialdata_attrs"};

static bool has_mark(const vz_node *group)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (vz_node_has_attribute(group, others[i]))
            return true;
    return false;
}

bool vz_netcdf_is_others(const vz_node *group)
{
    for (; group; group = group->parent)
        if (has_mark(group))
            return true;
    return false;
}

/* A store of ours that is a netCDF file: others may have put arrays there. */
static bool is_ours(const vz_node *group)
{
    if (vz_node_has_attribute(vz_hierarchy_root(group->hierarchy), VZ_NETCDF_PROPERTIES))
        return true;
    while (group && !group->netcdf)
        group = group->parent;
    return group != NULL;
}

bool vz_netcdf_may_qualify(vz_node *group)
{
    vz_hierarchy *hierarchy = group->hierarchy;
    const vz_option_netcdf option = vz_hierarchy_options(hierarchy)->netcdf;
    if (option != VZ_NETCDF_AUTO)
        return option == VZ_NETCDF_ALWAYS;
    if (vz_hierarchy_is_array(hierarchy) || (vz_hierarchy_is_ours(hierarchy) && !is_ours(group)))
        return false;
    return !vz_netcdf_is_others(group);
}

bool vz_netcdf_is_nczarr(const vz_node *node)
{
    const vz_node *root = vz_hierarchy_root(node->hierarchy);
    const char *properties = vz_json_get_string(vz_node_attribute(root, VZ_NETCDF_PROPERTIES), NULL);
    return (properties && strstr(properties, "nczarr=")) || vz_node_has_attribute(root, "_nczarr_superblock") ||
           vz_node_has_attribute(node, "_nczarr_array") || vz_node_has_attribute(node, "_nczarr_group") ||
           vz_json_get(node->document, "_NCZARR_ARRAY");
}
