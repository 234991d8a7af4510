/* by_name.c - dimension scales in groups that cannot be listed. An array that names dimensions
 * shows the scales that can be opened by those names. */
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/dialects/dialects.h"
#include <stdlib.h>
#include <string.h>

/* The names of an array's dimensions, and its scales. */
typedef struct scales {
    vz_node *array;
    vz_json *names; /* of its dimensions */
    vz_json *list;  /* as DIMENSION_LIST */
    bool any;       /* was one found? */
} scales;

static bool is_scale_called(vz_node *node, const char *name, uint64_t length, vz_error *err)
{
    bool is_scalar;
    const bool fits = node && node->kind == VZ_NODE_ARRAY && vz_node_understood(node) && node->meta->rank == 1 &&
                      node->meta->shape[0] == length;
    vz_json *names = fits ? vz_netcdf_names(node, &is_scalar, err) : NULL;
    const bool is = names && vz_json_is(vz_json_at(names, 0), name);
    vz_json_free(names);
    return is;
}

/* In the array's group, or else in the nearest one above; NULL without an error: none. */
static vz_node *find_scale(const vz_node *array, const char *name, uint64_t length, vz_error *err)
{
    for (vz_node *group = array->parent; group; group = group->parent) {
        vz_error failed = VZ_ERROR_NONE;
        vz_link *link = vz_group_find(group, name, &failed);
        vz_node *node = link && link->kind == VZ_LINK_NODE ? vz_link_node(group, link, &failed) : NULL;
        const bool is = node && is_scale_called(node, name, length, &failed);
        if (!vz_netcdf_is_answer(&failed, err))
            return NULL;
        if (is)
            return node;
        if (node && node->kind == VZ_NODE_ARRAY && group == array->parent)
            return NULL;
    }
    return NULL;
}

static bool add_axis(scales *s, unsigned axis, vz_error *err)
{
    const char *name = vz_json_get_string(vz_json_at(s->names, axis), NULL);
    vz_error failed = VZ_ERROR_NONE;
    const vz_node *scale = find_scale(s->array, name, s->array->meta->shape[axis], &failed);
    vz_json *one = failed.class == VZ_OK ? vz_json_array(&failed) : NULL;
    char *path = one && scale ? vz_node_path(scale, &failed) : NULL;
    if (path)
        s->any = vz_json_append(one, vz_netcdf_reference(path, &failed), &failed);
    free(path);
    if (failed.class == VZ_OK)
        return vz_json_append(s->list, one, err);
    vz_json_free(one);
    return vz_fail(err, failed.class, "%s", failed.text);
}

/* The documents of all of them are read at once. A failure there comes again, one by one. */
static bool prefetch(const scales *s, vz_error *err)
{
    const char *names[VZ_MAX_RANK];
    vz_error failed = VZ_ERROR_NONE;
    const size_t rank = vz_json_length(s->names);
    for (size_t axis = 0; axis < rank; axis++)
        names[axis] = vz_json_get_string(vz_json_at(s->names, axis), NULL);
    vz_group_prefetch_names(s->array->parent, names, rank, &failed);
    return failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static bool find_scales(scales *s, vz_error *err)
{
    bool ok = prefetch(s, err);
    for (unsigned axis = 0; ok && axis < s->array->meta->rank; axis++)
        ok = add_axis(s, axis, err);
    return ok;
}

/* The labels stay beside the scales. */
static bool show(scales *s, vz_error *err)
{
    const char *own = vz_netcdf_stored_name(s->array->link->name);
    const bool is_scale = s->array->meta->rank == 1 && vz_json_is(vz_json_at(s->names, 0), own);
    if (!is_scale && !find_scales(s, err))
        return false;
    if (!is_scale && !s->any)
        return true;
    vz_json *derived = vz_json_copy(s->array->derived, err);
    if (derived &&
        (is_scale ? vz_netcdf_add_scale(derived, own, err) : vz_netcdf_add_list(derived, vz_json_share(s->list), err)))
        return vz_node_set_derived(s->array, derived, err);
    vz_json_free(derived);
    return false;
}

/* Arrays of groups that can be listed show what the whole group says. */
static bool is_alone(const vz_node *array, bool *is, vz_error *err)
{
    uint64_t ignored;
    vz_error failed = VZ_ERROR_NONE;
    *is = array->parent && vz_netcdf_may_qualify(array->parent) && !vz_group_count(array->parent, &ignored, &failed);
    return vz_netcdf_is_answer(&failed, err);
}

static bool look(vz_node *array, vz_error *err)
{
    bool is_scalar;
    scales s = {.array = array};
    vz_error failed = VZ_ERROR_NONE;
    s.names = vz_netcdf_names(array, &is_scalar, &failed);
    s.list = s.names ? vz_json_array(&failed) : NULL;
    const bool ok = !s.list || show(&s, &failed);
    vz_json_free(s.names);
    vz_json_free(s.list);
    return failed.class == VZ_OK ? ok : vz_fail(err, failed.class, "%s", failed.text);
}

/* Once. After a failure the next call looks again. */
static bool find_by_name(vz_node *array, vz_error *err)
{
    bool alone;
    if (array->scales_looked)
        return true;
    if (!is_alone(array, &alone, err) || (alone && !look(array, err)))
        return false;
    array->scales_looked = vz_links_moment();
    return true;
}

bool vz_netcdf_attributes_wanted(vz_node *node, const char *name, vz_error *err)
{
    if (node->kind != VZ_NODE_ARRAY || !node->derived || !vz_node_understood(node))
        return true;
    if (!node->labelled)
        return !name || strcmp(name, "REFERENCE_LIST") != 0 || vz_netcdf_find_users(node, err);
    const bool may_say =
        !name || strcmp(name, "DIMENSION_LIST") == 0 || strcmp(name, "CLASS") == 0 || strcmp(name, "NAME") == 0;
    return !may_say || find_by_name(node, err);
}
