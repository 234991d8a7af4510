/* table.c - the dimensions of a group, from the names that its arrays give theirs. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/dialects/dialects.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one group. One that declares more is none of netCDF's: each costs a few KiB of memory. */
#define DIMENSIONS_MAX ((size_t)1 << 14)

/* ---- memory ---- */

static void array_clear(vz_netcdf_array *array)
{
    free(array->name);
    vz_json_free(array->names);
}

static void dimension_clear(vz_netcdf_dimension *dimension)
{
    free(dimension->name);
    free(dimension->path);
    free(dimension->uses);
}

void vz_netcdf_table_clear(vz_netcdf_table *table)
{
    for (size_t i = 0; i < table->array_count; i++)
        array_clear(&table->arrays[i]);
    for (size_t i = 0; i < table->dimension_count; i++)
        dimension_clear(&table->dimensions[i]);
    free(table->arrays);
    free(table->dimensions);
    if (table->dimensions_by_name)
        vz_strmap_free(table->dimensions_by_name, NULL);
    if (table->arrays_by_name)
        vz_strmap_free(table->arrays_by_name, NULL);
    *table = (vz_netcdf_table){.group = table->group};
}

/* Room for one more. */
static bool grow(void **list, size_t count, size_t *room, size_t size, vz_error *err)
{
    if (count < *room)
        return true;
    const size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*list, more * size);
    if (!grown)
        return vz_fail_memory(err);
    *list = grown;
    *room = more;
    return true;
}

/* Notes the place of a name. The first one of a name stays. */
static bool note_name(vz_strmap **map, const char *name, size_t place, vz_error *err)
{
    if (!*map && !(*map = vz_strmap_new()))
        return vz_fail_memory(err);
    return vz_strmap_get(*map, name) || vz_strmap_put(*map, name, (void *)(uintptr_t)(place + 1), err);
}

/* False: there is none of that name. */
static bool place_of(const vz_strmap *map, const char *name, size_t *place)
{
    const uintptr_t found = map ? (uintptr_t)vz_strmap_get(map, name) : 0;
    *place = found - 1;
    return found != 0;
}

/* ---- dimensions ---- */

static vz_netcdf_dimension *find(const vz_netcdf_table *table, const char *name)
{
    size_t place;
    return place_of(table->dimensions_by_name, name, &place) ? &table->dimensions[place] : NULL;
}

const vz_netcdf_dimension *vz_netcdf_find(const vz_netcdf_table *table, const char *name)
{
    return find(table, name);
}

static vz_netcdf_dimension *add_dimension(vz_netcdf_table *table, const char *name, uint64_t length, vz_error *err)
{
    if (!grow((void **)&table->dimensions, table->dimension_count, &table->dimension_room, sizeof *table->dimensions,
              err))
        return NULL;
    vz_netcdf_dimension *dimension = &table->dimensions[table->dimension_count];
    *dimension = (vz_netcdf_dimension){.name = strdup(name), .length = length};
    if (!dimension->name) {
        vz_fail_memory(err);
        return NULL;
    }
    const bool ok = note_name(&table->dimensions_by_name, name, table->dimension_count++, err);
    return ok ? dimension : NULL;
}

/* A number, or {"size", "unlimited"}. */
static bool declare(vz_netcdf_table *table, const char *name, const vz_json *what, vz_error *err)
{
    uint64_t length, unlimited = 0;
    const vz_json *size = vz_json_get(what, "size");
    if (!vz_json_get_uint64(size ? size : what, &length) || !vz_netcdf_is_name(name))
        return true;
    vz_netcdf_dimension *dimension = add_dimension(table, name, length, err);
    if (!dimension)
        return false;
    vz_json_get_uint64(vz_json_get(what, "unlimited"), &unlimited);
    dimension->unlimited = unlimited != 0;
    dimension->is_declared = true;
    return true;
}

/* *fits=false: there are too many. */
static bool declare_all(vz_netcdf_table *table, bool *fits, vz_error *err)
{
    const vz_json *dimensions = vz_json_get(vz_node_attribute(table->group, "_nczarr_group"), "dimensions");
    const char *name;
    vz_json *what;
    *fits = vz_json_length(dimensions) <= DIMENSIONS_MAX;
    for (size_t i = 0; *fits && vz_json_member(dimensions, i, &name, &what); i++)
        if (!declare(table, name, what, err))
            return false;
    return true;
}

static bool add_use(vz_netcdf_dimension *dimension, size_t array, unsigned axis, vz_error *err)
{
    if (!grow((void **)&dimension->uses, dimension->use_count, &dimension->use_room, sizeof *dimension->uses, err))
        return false;
    dimension->uses[dimension->use_count++] = (vz_netcdf_use){.array = array, .axis = axis};
    return true;
}

/* *fits=false: the name has another length already, or there are too many. */
static bool add_axes(vz_netcdf_table *table, const vz_netcdf_array *array, bool *fits, vz_error *err)
{
    const size_t place = (size_t)(array - table->arrays);
    for (unsigned axis = 0; axis < vz_json_length(array->names); axis++) {
        const char *name = vz_json_get_string(vz_json_at(array->names, axis), NULL);
        const uint64_t length = array->node->meta->shape[axis];
        vz_netcdf_dimension *dimension = find(table, name);
        if (dimension ? dimension->length != length : table->dimension_count == DIMENSIONS_MAX)
            return !(*fits = false);
        if (!dimension && !(dimension = add_dimension(table, name, length, err)))
            return false;
        if (!add_use(dimension, place, axis, err))
            return false;
    }
    return true;
}

/* ---- arrays ---- */

static const vz_netcdf_array *array_named(const vz_netcdf_table *table, const char *name)
{
    size_t place;
    return place_of(table->arrays_by_name, name, &place) ? &table->arrays[place] : NULL;
}

/* *fits=false: it has no names, or they do not fit; or another array has its name for netCDF. */
static bool add_array(vz_netcdf_table *table, vz_node *node, bool *fits, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (!grow((void **)&table->arrays, table->array_count, &table->array_room, sizeof *table->arrays, err))
        return false;
    vz_netcdf_array *array = &table->arrays[table->array_count];
    *array = (vz_netcdf_array){.node = node};
    array->names = vz_netcdf_names(node, &array->is_scalar, &failed);
    if (!array->names)
        return failed.class == VZ_OK ? !(*fits = false) : vz_fail(err, failed.class, "%s", failed.text);
    array->name = strdup(vz_netcdf_stored_name(node->link->name));
    table->array_count++;
    if (!array->name)
        return vz_fail_memory(err);
    if (array_named(table, array->name))
        return !(*fits = false);
    return note_name(&table->arrays_by_name, array->name, table->array_count - 1, err) &&
           add_axes(table, array, fits, err);
}

/* Arrays that cannot be read are as if they were not there: they hide no others. */
static bool add_member(vz_netcdf_table *table, vz_link *link, bool *fits, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (link->kind != VZ_LINK_NODE)
        return true;
    vz_node *node = vz_link_node(table->group, link, &failed);
    if (!node)
        return vz_netcdf_is_answer(&failed, err);
    if (node->kind != VZ_NODE_ARRAY || !node->meta || node->is_dimension)
        return true;
    return add_array(table, node, fits, err);
}

static bool add_members(vz_netcdf_table *table, bool *fits, vz_error *err)
{
    uint64_t count;
    vz_link **links = vz_group_links(table->group, VZ_BY_NAME, &count, err);
    for (uint64_t i = 0; links && *fits && i < count; i++)
        if (!add_member(table, links[i], fits, err))
            return false;
    return links != NULL;
}

/* ---- scales ---- */

/* The path of the nearest scale above that is as long; heap. NULL without an error: none. */
static bool find_above(const vz_netcdf_table *table, vz_netcdf_dimension *dimension, vz_error *err)
{
    for (vz_node *group = table->group->parent; group; group = group->parent) {
        uint64_t ignored;
        vz_error failed = VZ_ERROR_NONE;
        const bool listed = vz_group_count(group, &ignored, &failed); /* with what is derived */
        vz_link *link = listed ? vz_group_find(group, dimension->name, &failed) : NULL;
        vz_node *node = link && link->kind == VZ_LINK_NODE ? vz_link_node(group, link, &failed) : NULL;
        if (!vz_netcdf_is_answer(&failed, err))
            return false;
        if (!node || node->kind != VZ_NODE_ARRAY || !node->meta || node->meta->rank == 0 ||
            !vz_dimensions_is_scale(node) || node->meta->shape[0] != dimension->length)
            continue;
        dimension->path = vz_node_path(node, err);
        return dimension->path != NULL;
    }
    return true;
}

/* Our annotations say so, of a variable or of a dimension without one. */
static void note_unlimited(const vz_netcdf_table *table, vz_netcdf_dimension *dimension)
{
    vz_error absent = VZ_ERROR_NONE;
    const vz_link *link = dimension->scale ? NULL : vz_group_find(table->group, dimension->name, &absent);
    const vz_node *node = link && link->node && link->node->is_dimension ? link->node : dimension->scale;
    if (node && node->annotation && vz_hierarchy_is_ours(node->hierarchy))
        dimension->unlimited |= vz_dimensions_is_unlimited(node, 0);
}

static bool find_scale(const vz_netcdf_table *table, vz_netcdf_dimension *dimension, vz_error *err)
{
    const vz_netcdf_array *array = array_named(table, dimension->name);
    if (array && vz_json_length(array->names) == 1 && vz_json_is(vz_json_at(array->names, 0), dimension->name))
        dimension->scale = array->node;
    note_unlimited(table, dimension);
    return array || dimension->is_declared || find_above(table, dimension, err);
}

/* Is there a link of that name, which `own` is not? Datasets of dimensions are made anew. */
static bool is_anothers(const vz_netcdf_table *table, const char *name, const vz_link *own)
{
    vz_error absent = VZ_ERROR_NONE;
    const vz_link *link = vz_group_find(table->group, name, &absent);
    return link && link != own && !(link->node && link->node->is_dimension);
}

/* *fits=false: a link has the name that the dataset of a dimension would have, or that an array
 * would have beside it. */
static bool find_place(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, bool *fits, vz_error *err)
{
    const vz_netcdf_array *array = array_named(table, dimension->name);
    const vz_link *own = array ? array->node->link : NULL;
    char *beside = NULL;
    if (dimension->scale || dimension->path)
        return true;
    if (array && asprintf(&beside, "%s%s", VZ_NETCDF_NON_COORD, dimension->name) < 0)
        return vz_fail_memory(err);
    *fits = !is_anothers(table, dimension->name, own) && !(array && is_anothers(table, beside, own));
    free(beside);
    return true;
}

/* ---- all ---- */

/* Is there a sign that the arrays are netCDF's at all? */
static bool has_sign(const vz_netcdf_table *table)
{
    double number;
    if (table->dimension_count > 0)
        return true;
    for (size_t i = 0; i < table->array_count; i++) {
        const vz_node *array = table->arrays[i].node;
        const vz_json *missing = vz_node_attribute(array, VZ_FILL_ATTRIBUTE);
        if (vz_netcdf_says_names(array) ||
            (array->meta->dtype->kind == VZ_DTYPE_FLOAT && missing && vz_netcdf_is_spelled_float(missing, &number)))
            return true;
    }
    return false;
}

bool vz_netcdf_table_make(vz_netcdf_table *table, vz_node *group, vz_error *err)
{
    bool fits = true;
    *table = (vz_netcdf_table){.group = group};
    bool ok = declare_all(table, &fits, err) && add_members(table, &fits, err);
    if (ok && fits && has_sign(table)) {
        for (size_t i = 0; ok && fits && i < table->dimension_count; i++) {
            vz_netcdf_dimension *dimension = &table->dimensions[i];
            ok = find_scale(table, dimension, err) && find_place(table, dimension, &fits, err);
        }
        table->qualifies = ok && fits;
    }
    if (!table->qualifies)
        vz_netcdf_table_clear(table);
    return ok;
}
