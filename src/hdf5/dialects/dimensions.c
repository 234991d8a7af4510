/* dimensions.c - names of dimensions, from HDF5's dimension scales (the attributes that its
 * high-level library keeps). */
#include "hdf5/dialects/dialects.h"
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/references/references.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include <stdlib.h>

bool vz_dimensions_are_ours(const vz_node *node)
{
    return vz_json_get(node->annotation, VZ_NOTE_DIMENSIONS) != NULL;
}

/* ---- one axis ---- */

bool vz_dimensions_is_scale(const vz_node *node)
{
    return vz_json_is(vz_node_attribute(node, "CLASS"), VZ_DIMENSION_SCALE);
}

const vz_json *vz_dimensions_references(const vz_node *node, const char *name)
{
    const vz_json *list = vz_node_attribute(node, name), *value = vz_json_get(list, "value");
    return value ? value : list;
}

vz_node *vz_dimensions_target(const vz_node *from, const vz_json *reference)
{
    const uint64_t token = reference ? vz_reference_target(from->hierarchy, reference, NULL) : 0;
    return token ? vz_token_node(from->hierarchy, token, NULL) : NULL;
}

const vz_json *vz_dimensions_first_scale(const vz_node *node, unsigned axis)
{
    return vz_json_at(vz_json_at(vz_dimensions_references(node, "DIMENSION_LIST"), axis), 0);
}

bool vz_dimensions_is_unlimited(const vz_node *array, unsigned axis)
{
    const vz_json *max = vz_json_at(vz_json_get(vz_annotation_get(array, "s"), "max"), axis);
    return max && vz_json_kind_of(max) == VZ_JSON_NULL;
}

bool vz_dimensions_has_placeholder(const vz_node *scale)
{
    const char *name = vz_json_get_string(vz_node_attribute(scale, "NAME"), NULL);
    return name && vz_dimensions_is_scale(scale) &&
           strncmp(name, VZ_DIMENSION_PLACEHOLDER, sizeof VZ_DIMENSION_PLACEHOLDER - 1) == 0;
}

/* An unlimited dimension without a variable is as long as its longest user. `alone`: so will others
 * be when the whole file is written. */
static bool has_length(const vz_node *scale, const vz_node *node, unsigned axis, bool alone)
{
    return scale->meta->shape[0] == node->meta->shape[axis] ||
           (vz_dimensions_is_unlimited(scale, 0) &&
            (vz_dimensions_has_placeholder(scale) || (alone && vz_dimensions_is_unlimited(node, axis))));
}

/* A scale names the axis if it stands in the array's group or above it, and is as long. */
static bool fits(const vz_node *node, unsigned axis, const char *scale_path, const vz_node *scale, const char *own_path,
                 bool alone)
{
    const char *slash = strrchr(scale_path, '/');
    const size_t group = slash ? (size_t)(slash - scale_path) : 0;
    const vz_meta *meta = scale->meta;
    return slash && strncmp(scale_path, own_path, group) == 0 && own_path[group] == '/' && meta && meta->rank > 0 &&
           has_length(scale, node, axis, alone);
}

/* The last part of the path of the scale, or NULL without an error; heap. */
static char *name_of_scale(vz_node *node, unsigned axis, const char *own_path, bool alone)
{
    const vz_node *scale = vz_dimensions_target(node, vz_dimensions_first_scale(node, axis));
    char *path = scale ? vz_node_path(scale, NULL) : NULL;
    char *name = path && fits(node, axis, path, scale, own_path, alone) ? strdup(strrchr(path, '/') + 1) : NULL;
    free(path);
    return name;
}

static const char *label(const vz_node *node, unsigned axis)
{
    const char *text = vz_json_get_string(vz_json_at(vz_node_attribute(node, "DIMENSION_LABELS"), axis), NULL);
    return text && *text ? text : NULL;
}

/* ---- all of them ---- */

static bool is_taken(const vz_json *names, const char *name)
{
    for (size_t i = 0; i < vz_json_length(names); i++)
        if (vz_json_is(vz_json_at(names, i), name))
            return true;
    return false;
}

/* A name that is not UTF-8 is escaped as directory names are. */
static bool append_name(vz_json *names, const char *name, vz_error *err)
{
    if (vz_utf8_valid(name, strlen(name)))
        return vz_json_append(names, vz_json_text(name, err), err);
    char *segment = vz_segment_of_name(name, err);
    const bool ok = segment && vz_json_append(names, vz_json_text(segment, err), err);
    free(segment);
    return ok;
}

static const char *name_without_scale(vz_node *node, unsigned axis, const char *own_name)
{
    if (!vz_dimensions_is_scale(node))
        return label(node, axis);
    return axis == 0 ? own_name : vz_dimensions_name_by_number(node, axis);
}

static bool add_name(vz_node *node, unsigned axis, const char *own_path, bool alone, vz_json *names, vz_error *err)
{
    const char *own_name = strrchr(own_path, '/') + 1;
    char *scale = name_of_scale(node, axis, own_path, alone);
    const char *name = scale ? scale : name_without_scale(node, axis, own_name);
    char *unique = NULL;
    if (!name || is_taken(names, name)) { /* two equal ones make xarray refuse the group */
        if (asprintf(&unique, "%s_dim_%u", own_name, axis) < 0)
            unique = NULL;
        name = unique;
    }
    const bool ok = name ? append_name(names, name, err) : vz_fail_memory(err);
    free(scale);
    free(unique);
    return ok;
}

static vz_json *make_names(vz_node *node, bool alone, vz_error *err)
{
    char *path = vz_node_path(node, err);
    vz_json *names = path ? vz_json_array(err) : NULL;
    bool ok = names != NULL;
    for (unsigned axis = 0; ok && axis < node->meta->rank; axis++)
        ok = add_name(node, axis, path, alone, names, err);
    free(path);
    if (ok)
        return names;
    vz_json_free(names);
    return NULL;
}

bool vz_dimensions_is_netcdf_scalar(const vz_node *node)
{
    return node->kind == VZ_NODE_ARRAY && node->meta && node->meta->rank == 0 && node->parent && node->parent->netcdf &&
           (!vz_node_attribute(node, "zarr_dtype") || vz_json_is(vz_node_attribute(node, "zarr_dtype"), "scalar"));
}

/* In a netCDF file all variables have dimensions, scalars none of them. */
bool vz_dimensions_are_wanted(const vz_node *node)
{
    const vz_option_dims dims = vz_hierarchy_options(node->hierarchy)->dims;
    if (dims != VZ_DIMS_AUTO)
        return dims == VZ_DIMS_ALWAYS;
    return vz_dimensions_is_scale(node) || vz_node_attribute(node, "DIMENSION_LIST") ||
           vz_node_attribute(node, "DIMENSION_LABELS") || vz_dimensions_is_netcdf_scalar(node) ||
           vz_node_attribute(vz_hierarchy_root(node->hierarchy), "_NCProperties");
}

/* The names are ours; NULL: there are none any more. */
static bool mark(vz_node *node, const vz_json *names, vz_error *err)
{
    if (!names && !vz_dimensions_are_ours(node))
        return true;
    vz_json *copy = names ? vz_json_copy(names, err) : NULL;
    return (copy || !names) && vz_annotation_set(node, VZ_NOTE_DIMENSIONS, copy, err);
}

/* Takes `names`; NULL takes away what was made here. */
static bool store_attribute(vz_node *node, vz_json *names, vz_error *err)
{
    if (!names)
        return !vz_node_attribute(node, VZ_ARRAY_DIMENSIONS) ||
               (vz_node_remove_attribute(node, VZ_ARRAY_DIMENSIONS, err) && mark(node, NULL, err));
    if (vz_json_equal(names, vz_node_attribute(node, VZ_ARRAY_DIMENSIONS))) {
        vz_json_free(names);
        return true;
    }
    return vz_node_set_attribute(node, VZ_ARRAY_DIMENSIONS, names, err) &&
           mark(node, vz_node_attribute(node, VZ_ARRAY_DIMENSIONS), err);
}

static bool store_member(vz_node *node, vz_json *names, vz_error *err)
{
    const char *member = node->zarr_format->dimension_names;
    if (!node->document && !(node->document = vz_json_object(err))) {
        vz_json_free(names);
        return false;
    }
    if (!names) {
        vz_json_remove(node->document, member);
        return mark(node, NULL, err) && vz_node_meta_changed(node, err);
    }
    if (vz_json_equal(names, vz_json_get(node->document, member))) {
        vz_json_free(names);
        return true;
    }
    return vz_json_set(node->document, member, names, err) && mark(node, vz_json_get(node->document, member), err) &&
           vz_node_meta_changed(node, err);
}

static bool store(vz_node *node, vz_json *names, vz_error *err)
{
    return node->zarr_format->dimension_names ? store_member(node, names, err) : store_attribute(node, names, err);
}

/* Names that another program wrote stay. */
static bool is_foreign(const vz_node *node)
{
    if (vz_dimensions_are_ours(node))
        return false;
    const char *member = node->zarr_format->dimension_names;
    return member ? vz_json_get(node->document, member) != NULL : vz_node_attribute(node, VZ_ARRAY_DIMENSIONS) != NULL;
}

bool vz_dimensions_update(vz_node *node, bool alone, vz_error *err)
{
    const bool wanted = vz_dimensions_are_wanted(node);
    if (!vz_node_understood(node) || (!wanted && !vz_dimensions_are_ours(node)) || is_foreign(node))
        return true;
    vz_json *names = wanted ? make_names(node, alone, err) : NULL;
    if (wanted && !names)
        return false;
    return store(node, names, err);
}

bool vz_dimensions_release_name(vz_node *node, const char *name, vz_error *err)
{
    if (strcmp(name, VZ_ARRAY_DIMENSIONS) != 0 || !vz_dimensions_are_ours(node) || !node->meta)
        return true;
    return store(node, NULL, err);
}
