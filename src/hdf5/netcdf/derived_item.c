/* derived_item.c - one attribute among those that are derived. */
#include "hdf5/netcdf/netcdf_internal.h"

bool vz_netcdf_add(vz_json *derived, const char *name, vz_json *value, vz_json *entry, vz_json *stored, vz_error *err)
{
    vz_json *item = value ? vz_json_array(err) : NULL;
    if (!item) {
        vz_json_free(value);
        vz_json_free(entry);
        vz_json_free(stored);
        return false;
    }
    bool ok = vz_json_append(item, value, err);
    vz_json *parts[] = {entry, stored};
    for (size_t i = 0; i < 2; i++) {
        if (ok)
            ok = vz_json_append(item, parts[i] ? parts[i] : vz_json_null(err), err);
        else
            vz_json_free(parts[i]);
    }
    if (ok)
        return vz_json_set(derived, name, item, err);
    vz_json_free(item);
    return false;
}
