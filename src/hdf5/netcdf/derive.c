/* derive.c - the attributes that HDF5's dimension scales have, and others that follow from what a
 * netCDF array says. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/references/references.h"
#include "hierarchy/documents/documents.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of dimensions that another program put into a store of ours, above those that netCDF
 * libraries gave. */
#define FIRST_NUMBER (1 << 16)
#define LAST_NUMBER  (1 << 24)

/* ---- texts ---- */

static vz_json *parse(const char *text, vz_error *err)
{
    return vz_json_parse(text, strlen(text), err);
}

static bool add_characters(vz_json *derived, const char *name, const char *text, size_t size, vz_error *err)
{
    char type[96];
    snprintf(type, sizeof type, "{\"t\":{\"str\":%zu,\"pad\":\"null\",\"cs\":\"ascii\"}}", size);
    vz_json *entry = parse(type, err);
    return entry && vz_netcdf_add(derived, name, vz_json_text(text, err), entry, NULL, err);
}

/* Fixed length with its NUL, as netCDF-C and h5netcdf compare it. */
static bool add_text(vz_json *derived, const char *name, const char *text, vz_error *err)
{
    return add_characters(derived, name, text, strlen(text) + 1, err);
}

/* ---- references ---- */

/* As src/hdf5/references writes one. */
vz_json *vz_netcdf_reference(const char *path, vz_error *err)
{
    vz_json *json = vz_json_object(err);
    if (json && vz_json_set_text(json, "source", ".", err) &&
        vz_json_set(json, "path", vz_text_json_of_path(path, err), err) &&
        vz_json_set(json, VZ_REFERENCE_ID, vz_json_null(err), err) &&
        vz_json_set(json, VZ_REFERENCE_SOURCE_ID, vz_json_null(err), err))
        return json;
    vz_json_free(json);
    return NULL;
}

/* The path of a member of the group; heap. */
static char *path_below(vz_node *group, const char *name, vz_error *err)
{
    char *above = vz_node_path(group, err), *path = NULL;
    if (above && asprintf(&path, "%s/%s", strcmp(above, "/") == 0 ? "" : above, name) < 0) {
        path = NULL;
        vz_fail_memory(err);
    }
    free(above);
    return path;
}

static vz_json *reference_to_scale(const vz_netcdf_table *table, const char *name, vz_error *err)
{
    const vz_netcdf_dimension *dimension = vz_netcdf_find(table, name);
    char *path = dimension->path ? strdup(dimension->path) : path_below(table->group, name, err);
    vz_json *reference = path ? vz_netcdf_reference(path, err) : NULL;
    free(path);
    return reference;
}

/* ---- DIMENSION_LIST ---- */

/* Takes it. */
static bool append_alone(vz_json *list, vz_json *take, vz_error *err)
{
    vz_json *one = take ? vz_json_array(err) : NULL;
    if (!one) {
        vz_json_free(take);
        return false;
    }
    if (vz_json_append(one, take, err))
        return vz_json_append(list, one, err);
    vz_json_free(one);
    return false;
}

static vz_json *wrapped(vz_json *take, vz_error *err)
{
    vz_json *json = take ? vz_json_object(err) : NULL;
    if (json && vz_json_set_text(json, "zarr_dtype", "object", err)) {
        if (vz_json_set(json, "value", take, err))
            return json;
        take = NULL;
    }
    vz_json_free(take);
    vz_json_free(json);
    return NULL;
}

bool vz_netcdf_add_list(vz_json *derived, vz_json *take, vz_error *err)
{
    char type[96];
    snprintf(type, sizeof type, "{\"t\":{\"vlen\":{\"ref\":\"obj\"}},\"s\":{\"d\":[%zu]}}", vz_json_length(take));
    vz_json *value = wrapped(take, err), *entry = value ? parse(type, err) : NULL;
    if (entry)
        return vz_netcdf_add(derived, "DIMENSION_LIST", value, entry, NULL, err);
    vz_json_free(value);
    return false;
}

static bool add_list(const vz_netcdf_table *table, const vz_netcdf_array *array, vz_json *derived, vz_error *err)
{
    const size_t rank = vz_json_length(array->names);
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t axis = 0; ok && axis < rank; axis++) {
        const char *name = vz_json_get_string(vz_json_at(array->names, axis), NULL);
        ok = append_alone(list, reference_to_scale(table, name, err), err);
    }
    if (ok)
        return vz_netcdf_add_list(derived, list, err);
    vz_json_free(list);
    return false;
}

/* ---- REFERENCE_LIST ---- */

bool vz_netcdf_append_use(vz_json *list, const char *path, unsigned axis, vz_error *err)
{
    vz_json *use = vz_json_object(err);
    const bool ok = use && vz_json_set(use, "dataset", vz_netcdf_reference(path, err), err) &&
                    vz_json_set(use, "dimension", vz_json_uint64(axis, err), err);
    if (ok)
        return vz_json_append(list, use, err);
    vz_json_free(use);
    return false;
}

static bool append_use(const vz_netcdf_table *table, const vz_netcdf_array *user, unsigned axis, vz_json *list,
                       vz_error *err)
{
    char *path = path_below(table->group, user->node->link->name, err);
    const bool ok = path && vz_netcdf_append_use(list, path, axis, err);
    free(path);
    return ok;
}

static bool append_uses(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, vz_json *list,
                        vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < dimension->use_count; i++) {
        const vz_netcdf_array *user = &table->arrays[dimension->uses[i].array];
        ok = user->node == dimension->scale || append_use(table, user, dimension->uses[i].axis, list, err);
    }
    return ok;
}

bool vz_netcdf_add_users(vz_json *derived, vz_json *take, vz_error *err)
{
    char type[160];
    vz_json *entry;
    if (vz_json_length(take) == 0) {
        vz_json_free(take);
        return true;
    }
    snprintf(type, sizeof type,
             "{\"t\":{\"cmpd\":16,\"m\":[[\"dataset\",0,{\"ref\":\"obj\"}],[\"dimension\",8,\"<u4\"]]},"
             "\"s\":{\"d\":[%zu]}}",
             vz_json_length(take));
    if ((entry = parse(type, err)))
        return vz_netcdf_add(derived, "REFERENCE_LIST", take, entry, NULL, err);
    vz_json_free(take);
    return false;
}

static bool add_uses(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, vz_json *derived,
                     vz_error *err)
{
    vz_json *list = vz_json_array(err);
    if (list && append_uses(table, dimension, list, err))
        return vz_netcdf_add_users(derived, list, err);
    vz_json_free(list);
    return false;
}

/* ---- scales ---- */

/* Scales of a file have numbers, or none has one: netCDF-C takes a missing one for another's. */
static bool add_number(const vz_node *group, vz_json *derived, vz_error *err)
{
    static const char type[] = "{\"t\":\"<i4\"}";
    static int64_t next = FIRST_NUMBER;
    if (!vz_hierarchy_is_ours(group->hierarchy) ||
        !vz_node_has_attribute(vz_hierarchy_root(group->hierarchy), VZ_NETCDF_PROPERTIES))
        return true;
    next = next + 1 < LAST_NUMBER ? next + 1 : FIRST_NUMBER;
    return vz_netcdf_add(derived, "_Netcdf4Dimid", vz_json_int64(next, err), parse(type, err), NULL, err);
}

bool vz_netcdf_add_scale(vz_json *derived, const char *name, vz_error *err)
{
    return add_text(derived, "CLASS", VZ_DIMENSION_SCALE, err) && add_text(derived, "NAME", name, err);
}

static bool add_scale(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, const char *name,
                      vz_json *derived, vz_error *err)
{
    return add_number(table->group, derived, err) && vz_netcdf_add_scale(derived, name, err) &&
           add_uses(table, dimension, derived, err);
}

vz_json *vz_netcdf_derive_dimension(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, vz_error *err)
{
    char name[sizeof VZ_DIMENSION_PLACEHOLDER + 24];
    vz_json *derived = vz_json_object(err);
    snprintf(name, sizeof name, "%s%10" PRIu64, VZ_DIMENSION_PLACEHOLDER, dimension->length);
    if (derived && add_scale(table, dimension, name, derived, err))
        return derived;
    vz_json_free(derived);
    return NULL;
}

/* ---- arrays ---- */

/* As xarray says it in netCDF files, which have no booleans. */
static bool add_bool(const vz_node *array, vz_json *derived, vz_error *err)
{
    if (array->meta->dtype->kind != VZ_DTYPE_BOOL || vz_node_has_attribute(array, "dtype"))
        return true;
    return add_characters(derived, "dtype", "bool", 4, err);
}

static bool add_dimensions(const vz_netcdf_table *table, const vz_netcdf_array *array, vz_json *derived, vz_error *err)
{
    const vz_netcdf_dimension *dimension = vz_netcdf_find(table, array->name);
    if (dimension && dimension->scale == array->node)
        return add_scale(table, dimension, dimension->name, derived, err);
    return vz_json_length(array->names) == 0 || add_list(table, array, derived, err);
}

vz_json *vz_netcdf_derive(const vz_netcdf_table *table, const vz_netcdf_array *array, vz_error *err)
{
    vz_json *derived = vz_json_object(err);
    if (derived && add_dimensions(table, array, derived, err) && vz_netcdf_derive_reserved(array->node, derived, err) &&
        vz_netcdf_derive_types(array->node, derived, err) && vz_netcdf_derive_missing(array->node, derived, err) &&
        add_bool(array->node, derived, err) && vz_netcdf_derive_texts(array->node, derived, err))
        return derived;
    vz_json_free(derived);
    return NULL;
}
