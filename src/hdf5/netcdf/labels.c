/* labels.c - names of dimensions as HDF5's labels, of arrays that are none of netCDF's. */
#include "hdf5/dialects/dialects.h"
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/netcdf/netcdf_internal.h"
#include <string.h>

/* Of HDF5's high-level library: a text for each dimension, empty without a label. */
#define LABELS "DIMENSION_LABELS"

/* The text; "" for a dimension without a name, or with one that no label can be. */
static const char *label_of(const vz_json *name)
{
    size_t length = 0;
    const char *text = vz_json_get_string(name, &length);
    return text && strlen(text) == length ? text : "";
}

/* Has the list a name for each dimension, at least for one of them? */
static bool says_something(const vz_json *names, unsigned rank)
{
    bool found = false;
    if (vz_json_kind_of(names) != VZ_JSON_ARRAY || vz_json_length(names) != rank)
        return false;
    for (unsigned axis = 0; axis < rank; axis++)
        found = found || *label_of(vz_json_at(names, axis));
    return found;
}

/* Names that another program wrote in an array of format 3, which is no other convention's, and
 * xarray's in format 2 where `all` says so. Our own stores have labels where a program made
 * some. */
static const vz_json *names_to_show(const vz_node *array, bool all)
{
    vz_hierarchy *hierarchy = array->hierarchy;
    const char *member = array->zarr_format->dimension_names;
    const vz_json *names = member ? vz_json_get(array->document, member)
                           : all  ? vz_node_attribute(array, VZ_ARRAY_DIMENSIONS)
                                  : NULL;
    if (!array->meta || !says_something(names, array->meta->rank) || vz_hierarchy_is_ours(hierarchy) ||
        vz_hierarchy_options(hierarchy)->netcdf == VZ_NETCDF_NEVER || vz_node_has_attribute(array, LABELS))
        return NULL;
    return vz_netcdf_is_others(array->parent) ? NULL : names;
}

static bool show(vz_node *array, const vz_json *names, vz_error *err)
{
    vz_json *derived = vz_json_object(err), *labels = derived ? vz_json_array(err) : NULL;
    bool ok = labels != NULL;
    for (size_t axis = 0; ok && axis < vz_json_length(names); axis++)
        ok = vz_json_append(labels, vz_json_text(label_of(vz_json_at(names, axis)), err), err);
    if (!ok || !vz_netcdf_add(derived, LABELS, labels, NULL, NULL, err)) {
        if (!ok)
            vz_json_free(labels);
        vz_json_free(derived);
        return false;
    }
    array->labelled = true;
    return vz_node_set_derived(array, derived, err);
}

bool vz_netcdf_label(vz_node *array, bool all, vz_error *err)
{
    const vz_json *names = array->derived ? NULL : names_to_show(array, all);
    return !names || show(array, names, err);
}

/* null for an empty label. */
static vz_json *names_of(const vz_json *labels, unsigned rank, vz_error *err)
{
    vz_json *names = vz_json_array(err);
    bool ok = names != NULL;
    for (unsigned axis = 0; ok && axis < rank; axis++) {
        const char *label = label_of(vz_json_at(labels, axis));
        ok = vz_json_append(names, *label ? vz_json_text(label, err) : vz_json_null(err), err);
    }
    if (ok)
        return names;
    vz_json_free(names);
    return NULL;
}

/* Labels that a program changed become names; the attribute is as derived from these, and so no
 * document has it. */
bool vz_netcdf_finish_labels(vz_node *array, vz_error *err)
{
    if (!array->labelled || vz_node_shows_derived(array, LABELS))
        return true;
    const vz_json *labels = vz_node_attribute(array, LABELS);
    const char *member = array->zarr_format->dimension_names;
    vz_json *names = names_of(labels, array->meta->rank, err);
    if (!names || !vz_json_set(array->document, member, names, err) || !vz_node_meta_changed(array, err))
        return false;
    return labels ? show(array, vz_json_get(array->document, member), err)
                  : vz_node_set_derived(array, vz_json_object(err), err);
}
