/* attribute_types.c - numbers in attributes that NCZarr describes: {"types": {name: dtype}}; text,
 * which netCDF-C has as characters where it is ASCII. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/annotation/annotation.h"
#include "hierarchy/documents/documents.h"
#include <stdio.h>
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
        if (text && is_number_type(text) && !vz_json_get(derived, name) && !add(node, name, type, derived, err))
            return false;
    }
    return true;
}

/* ---- text ---- */

/* netCDF-C writes a string of fixed length, and programs as NCO read no other kind. */
static vz_json *characters(size_t length, vz_error *err)
{
    char type[96];
    const int size =
        snprintf(type, sizeof type, "{\"t\":{\"str\":%zu,\"pad\":\"null\",\"cs\":\"ascii\"}}", length ? length : 1);
    return vz_json_parse(type, (size_t)size, err);
}

static bool is_ascii(const vz_json *value)
{
    size_t length = 0;
    const char *text = vz_json_get_string(value, &length);
    return text && strlen(text) == length && vz_text_is_ascii(text);
}

/* In a store of ours text says its type where that is not a string of variable length. */
bool vz_netcdf_derive_texts(const vz_node *node, vz_json *derived, vz_error *err)
{
    if (vz_hierarchy_is_ours(node->hierarchy))
        return true;
    const vz_json *said = vz_json_get(node->annotation, "a");
    const char *name;
    vz_json *value;
    for (size_t i = 0; vz_json_member(node->attributes, i, &name, &value); i++) {
        size_t length = 0;
        vz_json_get_string(value, &length);
        if (!is_ascii(value) || vz_json_get(derived, name) || vz_json_get(said, name))
            continue;
        vz_json *entry = characters(length, err), *shown = vz_json_copy(value, err), *kept = vz_json_copy(value, err);
        if (entry && shown && kept) {
            if (!vz_netcdf_add(derived, name, shown, entry, kept, err))
                return false;
            continue;
        }
        vz_json_free(entry);
        vz_json_free(shown);
        vz_json_free(kept);
        return false;
    }
    return true;
}

/* A string of variable length, which the text alone would give elsewhere. */
static bool say_variable(vz_json *entries, const char *name, vz_error *err)
{
    static const char type[] = "{\"t\":{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"utf8\"}}";
    return vz_json_set(entries, name, vz_json_parse(type, sizeof type - 1, err), err);
}

bool vz_netcdf_keep_texts(vz_node *node, vz_error *err)
{
    const vz_json *said = vz_json_get(node->annotation, "a");
    vz_json *entries = said ? vz_json_copy(said, err) : vz_json_object(err), *value;
    const size_t before = vz_json_length(entries);
    const char *name;
    bool ok = entries != NULL;
    if (vz_hierarchy_is_ours(node->hierarchy)) {
        vz_json_free(entries);
        return ok;
    }
    for (size_t i = 0; ok && vz_json_member(node->attributes, i, &name, &value); i++)
        ok = !is_ascii(value) || vz_node_shows_derived(node, name) || vz_json_get(entries, name) ||
             say_variable(entries, name, err);
    if (ok && vz_json_length(entries) > before)
        return vz_annotation_set(node, "a", entries, err);
    vz_json_free(entries);
    return ok;
}
