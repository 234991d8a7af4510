/* reserved.c - attributes that HDF5's dimension scales and netCDF have for themselves, in documents
 * of other programs. Such attributes are not shown, and stay in the document. */
#include "hdf5/netcdf/netcdf_internal.h"

static const char *const reserved[] = {"CLASS",          "NAME",          "DIMENSION_LIST",
                                       "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates"};

/* A copy; NULL for null, or failed. */
static vz_json *part(const vz_json *item, size_t index, vz_error *err)
{
    const vz_json *value = vz_json_at(item, index);
    return !value || vz_json_kind_of(value) == VZ_JSON_NULL ? NULL : vz_json_copy(value, err);
}

static bool reserve(const char *name, const vz_json *stored, vz_json *derived, vz_error *err)
{
    const vz_json *item = vz_json_get(derived, name);
    vz_error failed = VZ_ERROR_NONE;
    vz_json *value = item ? part(item, 0, &failed) : vz_json_null(&failed);
    vz_json *entry = part(item, 1, &failed), *kept = vz_json_copy(stored, &failed);
    if (failed.class == VZ_OK)
        return vz_netcdf_add(derived, name, value, entry, kept, err);
    vz_json_free(value);
    vz_json_free(entry);
    vz_json_free(kept);
    return vz_fail(err, failed.class, "%s", failed.text);
}

bool vz_netcdf_derive_reserved(const vz_node *node, vz_json *derived, vz_error *err)
{
    if (vz_hierarchy_is_ours(node->hierarchy))
        return true;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        const vz_json *stored = vz_node_attribute(node, reserved[i]);
        if (stored && !reserve(reserved[i], stored, derived, err))
            return false;
    }
    return true;
}
