/* attribute_types.c - numbers in attributes that NCZarr describes: {"types": {name: dtype}}. */
#include "hdf5/netcdf/netcdf_internal.h"
#include <string.h>

static const vz_json *types_of(const vz_node *node)
{
    const vz_json *now = vz_node_attribute(node, "_nczarr_attr"), *before = vz_node_attribute(node, "_NCZARR_ATTR");
    return vz_json_get(now ? now : before, "types");
}

/* "<i2" and the like. */
static bool is_number_type(const char *text)
{
    return strlen(text) == 3 && strchr("<>|", text[0]) && strchr("iuf", text[1]) && strchr("1248", text[2]);
}

/* A number, or the word for one that JSON has none for. NULL: neither, or failed. */
static vz_json *number_of(const vz_json *value, vz_error *err)
{
    double number;
    if (vz_json_number_text(value))
        return vz_json_copy(value, err);
    return vz_netcdf_is_spelled_float(value, &number) ? vz_json_double(number, err) : NULL;
}

static vz_json *numbers_of(const vz_json *value, vz_error *err)
{
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY)
        return number_of(value, err);
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < vz_json_length(value); i++)
        ok = vz_json_append(list, number_of(vz_json_at(value, i), err), err);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static bool add(const vz_node *node, const char *name, const vz_json *type, vz_json *derived, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_json *value = vz_node_attribute(node, name);
    vz_json *numbers = value ? numbers_of(value, &failed) : NULL;
    if (!numbers)
        return failed.class == VZ_OK || vz_fail(err, failed.class, "%s", failed.text);
    vz_json *entry = vz_json_object(err), *stored = vz_json_copy(value, err);
    if (entry && stored && vz_json_set(entry, "t", vz_json_copy(type, err), err))
        return vz_netcdf_add(derived, name, numbers, entry, stored, err);
    vz_json_free(numbers);
    vz_json_free(entry);
    vz_json_free(stored);
    return false;
}

bool vz_netcdf_derive_types(const vz_node *node, vz_json *derived, vz_error *err)
{
    const vz_json *types = types_of(node);
    const char *name;
    vz_json *type;
    for (size_t i = 0; vz_json_member(types, i, &name, &type); i++) {
        const char *text = vz_json_get_string(type, NULL);
        if (text && is_number_type(text) && !add(node, name, type, derived, err))
            return false;
    }
    return true;
}
