/* stored_note.c - where the annotation of a netCDF array stands: in its group's, as long as an
 * array that loses it keeps its names and values. Its own document is then plain Zarr. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/annotation/annotation.h"
#include <string.h>

/* Bytes of attributes, which JSON does not hold. */
static bool holds_bytes(const vz_json *entries)
{
    const char *name;
    vz_json *entry;
    for (size_t i = 0; vz_json_member(entries, i, &name, &entry); i++)
        if (vz_json_get(entry, "b"))
            return true;
    return false;
}

/* Attributes that follow from the names of dimensions, or from the fill value. */
static bool all_follow(const vz_node *array, const vz_json *unseen)
{
    for (size_t i = 0; i < vz_json_length(unseen); i++) {
        const char *name = vz_json_get_string(vz_json_at(vz_json_at(unseen, i), 1), NULL);
        const bool is_fill = name && strcmp(name, VZ_FILL_ATTRIBUTE) == 0 && vz_netcdf_missing_value(array);
        if (!name || (!is_fill && !vz_netcdf_is_bookkeeping(array, name)))
            return false;
    }
    return true;
}

static bool can_be_lost(const vz_node *array, const char *key, const vz_json *value)
{
    /* creation order, filters, fill value, layout of HDF5, and forms of attributes */
    static const char *const always[] = {"ad", "f", VZ_ANNOTATION_FILL, "l", "p", "pl", VZ_ANNOTATION_FORMS, "z"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(key, always[i]) == 0)
            return true;
    if (strcmp(key, "a") == 0)
        return !holds_bytes(value);
    if (strcmp(key, VZ_ANNOTATION_UNSEEN) == 0)
        return all_follow(array, value);
    if (strcmp(key, "s") == 0)
        return vz_json_get(value, "max") != NULL;
    return strcmp(key, "t") == 0 && vz_json_get(value, "str"); /* how text is padded */
}

static bool is_plain(const vz_node *array)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_member(array->annotation, i, &key, &value); i++)
        if (!can_be_lost(array, key, value))
            return false;
    return true;
}

static size_t note_count(const vz_node *group)
{
    return vz_json_length(vz_json_get(group->annotation, VZ_ANNOTATION_ARRAYS));
}

bool vz_netcdf_place_note(vz_node *array, vz_error *err)
{
    const bool has_place = array->parent && !array->parent->partial &&
                           (array->note_in_group || note_count(array->parent) < VZ_NETCDF_NOTES_MAX);
    return has_place && is_plain(array) ? vz_flush_note_to_group(array, err) : vz_flush_note_to_array(array, err);
}
