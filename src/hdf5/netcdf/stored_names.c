/* stored_names.c - the part of an annotation that describes dimensions counts for the names and the
 * rank for which it was written. Other programs copy arrays with it, and turn or rename them. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/dialects/dialects.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vz_netcdf_is_bookkeeping(const vz_node *node, const char *name)
{
    static const char *const always[] = {"DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(name, always[i]) == 0)
            return true;
    return vz_dimensions_is_scale(node) && (strcmp(name, "CLASS") == 0 || strcmp(name, "NAME") == 0);
}

/* ---- does it agree with the names? ---- */

/* The last part of the path that a reference to a scale has; NULL: it leads nowhere. */
static const char *name_of_reference(const vz_json *reference)
{
    const char *path = vz_json_get_string(vz_json_get(reference, "path"), NULL);
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : NULL;
}

/* A name that no scale gave: a label's, or one made of the array's own. */
static bool is_made_up(const vz_node *array, unsigned axis, const char *name)
{
    const char *text = vz_json_get_string(vz_json_at(vz_node_attribute(array, "DIMENSION_LABELS"), axis), NULL);
    const char *end = strrchr(name, '_');
    char expected[32];
    snprintf(expected, sizeof expected, "_dim_%u", axis);
    return (text && strcmp(text, name) == 0) ||
           (end && strlen(name) > strlen(expected) && strcmp(name + strlen(name) - strlen(expected), expected) == 0);
}

static bool axis_agrees(const vz_node *array, unsigned axis, const char *name)
{
    const vz_json *reference = vz_dimensions_first_scale(array, axis);
    const char *scale = name_of_reference(reference);
    return !scale || strcmp(vz_netcdf_stored_name(scale), name) == 0 || is_made_up(array, axis, name);
}

/* NULL: the annotation does not tell for which names it was written. */
static const vz_json *names_of_note(const vz_node *array)
{
    const vz_json *names = vz_annotation_get(array, VZ_NOTE_DIMENSIONS);
    return vz_json_kind_of(names) == VZ_JSON_ARRAY ? names : NULL;
}

static bool is_own_name(const vz_node *array, const vz_json *name)
{
    return vz_json_is(name, vz_netcdf_stored_name(array->link->name)) || vz_json_is(name, array->link->segment);
}

static bool agrees(const vz_node *array, const vz_json *names)
{
    const vz_json *list = vz_dimensions_references(array, "DIMENSION_LIST"), *noted = names_of_note(array);
    const unsigned rank = array->meta->rank;
    if (vz_json_length(names) != rank || (list && vz_json_length(list) != rank) ||
        (vz_dimensions_is_scale(array) && rank > 0 && !is_own_name(array, vz_json_at(names, 0))))
        return false;
    if (noted)
        return vz_json_equal(noted, names);
    for (unsigned axis = 0; list && axis < rank; axis++) {
        const char *name = vz_json_get_string(vz_json_at(names, axis), NULL);
        if (!name || !axis_agrees(array, axis, name))
            return false;
    }
    return true;
}

/* ---- it falls ---- */

/* In memory: the array is not changed by being read. */
static bool forget(vz_node *array, vz_error *err)
{
    vz_json *attributes = vz_json_object(err), *value;
    vz_json *entries = vz_json_get(array->annotation, "a");
    const char *name;
    bool ok = attributes != NULL;
    for (size_t i = 0; ok && vz_json_member(array->attributes, i, &name, &value); i++) {
        if (vz_netcdf_is_bookkeeping(array, name))
            vz_json_remove(entries, name);
        else
            ok = vz_json_set(attributes, name, vz_json_copy(value, err), err);
    }
    if (!ok) {
        vz_json_free(attributes);
        return false;
    }
    vz_json_remove(array->annotation, VZ_NOTE_DIMENSIONS);
    vz_node_show_attributes(array, attributes);
    return true;
}

bool vz_netcdf_forget_names(vz_node *array, vz_error *err)
{
    const bool has = vz_dimensions_are_ours(array) || (array->is_dimension && vz_dimensions_is_scale(array));
    return !has || array->derived || vz_node_is_dirty(array) || forget(array, err);
}

bool vz_netcdf_check_names(vz_node *array, bool *fell, vz_error *err)
{
    const vz_json *names = vz_node_understood(array) ? vz_node_dimension_names(array) : NULL;
    *fell = names && !array->is_new && !array->derived && !vz_node_is_dirty(array) && vz_dimensions_are_ours(array) &&
            !agrees(array, names);
    return !*fell || forget(array, err);
}
