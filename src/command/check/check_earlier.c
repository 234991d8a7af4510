/* check_earlier.c - netCDF nodes as version 0.1 stored them: their attributes hold what HDF5 keeps
 * of dimension scales, and xr.open_zarr shows it, or refuses the group. */
#include "command/check/check_internal.h"
#include "hdf5/netcdf/renew.h"

static bool is_file(const vz_node *root)
{
    return vz_node_has_attribute(root, "_NCProperties");
}

static bool has_scales(const vz_json *attributes)
{
    return vz_json_get(attributes, "DIMENSION_LIST") || vz_json_is(vz_json_get(attributes, "CLASS"), "DIMENSION_SCALE");
}

/* The hdmf dialect keeps that form. */
static bool is_hdmf(const vz_node *root)
{
    return vz_json_is(vz_json_get(root->annotation, "d"), "hdmf") || vz_node_has_attribute(root, "nwb_version") ||
           vz_node_has_attribute(root, ".specloc");
}

/* The store is ours, and what is netCDF's in it has a form of its own; NULL: no. */
static const vz_node *root_of(const vz_check *check)
{
    const vz_node *root = check->hierarchy ? vz_hierarchy_root(check->hierarchy) : NULL;
    return root && vz_hierarchy_is_ours(check->hierarchy) && !is_hdmf(root) ? root : NULL;
}

void vz_check_earlier_group(vz_check *check, const char *prefix, const vz_json *attributes)
{
    const vz_node *root = root_of(check);
    if (root && is_file(root) && vz_json_get(attributes, VZ_ANNOTATION))
        vz_report_find(&check->report, VZ_FINDING_EARLIER, prefix,
                       "a netCDF group in the form of version 0.1, of which xarray shows what is HDF5's");
}

/* A repair was killed before it came to its end. */
static bool is_half_renewed(const vz_json *document, const vz_json *attributes)
{
    const vz_json *value = vz_json_get(attributes, VZ_ANNOTATION_NETCDF);
    size_t length = 0;
    const char *text = vz_json_get_string(
        value ? value : vz_json_get(vz_json_get(document, VZ_ANNOTATION), VZ_ANNOTATION_NOTE), &length);
    vz_json *note = text ? vz_json_parse(text, length, NULL) : NULL;
    const bool is = vz_json_get(note, VZ_ANNOTATION_RENEWED) != NULL;
    vz_json_free(note);
    return is;
}

void vz_check_earlier_array(vz_check *check, const char *prefix, const vz_json *document, const vz_json *attributes,
                            const vz_json *names)
{
    const vz_node *root = root_of(check);
    const bool is_old =
        root && vz_json_get(attributes, VZ_ANNOTATION) && (is_file(root) || (names && has_scales(attributes)));
    if (is_old || (root && is_half_renewed(document, attributes)))
        vz_report_find(&check->report, VZ_FINDING_EARLIER, prefix,
                       "a netCDF array in the form of version 0.1, which xarray shows otherwise, or does not open");
}
