/* show.c - what was derived becomes part of the nodes in memory, when a group is listed, or an
 * array of it is loaded. */
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/dialects/dialects.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNLIMITED_CHUNK 1024 /* elements of a chunk of a dimension without a variable */
#define FIXED_CHUNK     ((uint64_t)1 << 20)

/* Does what HDF5 sees of the array follow from names that others gave? Of our own the annotation
 * tells. */
static bool follows(const vz_node *array)
{
    return !array->is_new && !vz_dimensions_are_ours(array) &&
           (!vz_hierarchy_is_ours(array->hierarchy) || (array->meta->rank > 0 && vz_netcdf_says_names(array)));
}

/* ---- dimensions without a variable ---- */

static vz_meta *dimension_meta(const vz_netcdf_dimension *dimension, vz_error *err)
{
    const uint64_t most = dimension->unlimited ? UNLIMITED_CHUNK : FIXED_CHUNK;
    vz_meta *meta = calloc(1, sizeof *meta);
    if (!meta) {
        vz_fail_memory(err);
        return NULL;
    }
    meta->rank = 1;
    meta->shape[0] = dimension->length;
    meta->chunks[0] = dimension->unlimited || dimension->length > most ? most : dimension->length;
    if (meta->chunks[0] == 0)
        meta->chunks[0] = 1;
    meta->separator = '.';
    vz_meta_set_order(meta, false);
    meta->dtype = vz_dtype_new(VZ_DTYPE_FLOAT, sizeof(float), true, err);
    if (meta->dtype && vz_meta_set_zero_fill(meta, err) && vz_meta_measure_chunk(meta, err))
        return meta;
    vz_meta_free(meta);
    return NULL;
}

/* A fixed one is contiguous, an unlimited one grows. */
static bool annotate(vz_node *node, bool unlimited, vz_error *err)
{
    static const char growing[] = "{\"max\":[null]}";
    return unlimited ? vz_json_set(node->annotation, "s", vz_json_parse(growing, strlen(growing), err), err)
                     : vz_json_set_text(node->annotation, "l", "contiguous", err);
}

/* The member that is there, or a new one. */
static vz_node *dimension_node(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, vz_error *err)
{
    vz_error absent = VZ_ERROR_NONE;
    const vz_link *link = vz_group_find(table->group, dimension->name, &absent);
    if (link)
        return link->node;
    vz_meta *meta = dimension_meta(dimension, err);
    vz_node *node = meta ? vz_group_add_dimension(table->group, dimension->name, meta, err) : NULL;
    return node && annotate(node, dimension->unlimited, err) ? node : NULL;
}

static bool show_dimension(const vz_netcdf_table *table, const vz_netcdf_dimension *dimension, vz_error *err)
{
    if (dimension->scale || dimension->path)
        return true;
    vz_node *node = dimension_node(table, dimension, err);
    if (!node)
        return false;
    node->meta->shape[0] = dimension->length;
    if (!node->derived && vz_dimensions_is_scale(node)) /* the group's annotation has it */
        return true;
    node->fixed_shape = !dimension->unlimited;
    return vz_node_set_derived(node, vz_netcdf_derive_dimension(table, dimension, err), err);
}

/* ---- arrays ---- */

/* Not the scale of the dimension whose name it has: its name is the dimension's. */
static bool is_displaced(const vz_netcdf_table *table, const vz_netcdf_array *array)
{
    const vz_netcdf_dimension *dimension = vz_netcdf_find(table, array->name);
    return dimension && !dimension->path && dimension->scale != array->node;
}

static bool displace(const vz_netcdf_table *table, const vz_netcdf_array *array, vz_error *err)
{
    char *name = NULL;
    if (!is_displaced(table, array) || strcmp(array->node->link->name, array->name) != 0)
        return true;
    if (asprintf(&name, "%s%s", VZ_NETCDF_NON_COORD, array->name) < 0)
        return vz_fail_memory(err);
    const bool ok = vz_group_show_as(table->group, array->node->link, name, err);
    free(name);
    return ok;
}

static bool show_array(const vz_netcdf_table *table, const vz_netcdf_array *array, vz_error *err)
{
    if (!follows(array->node))
        return true;
    const vz_netcdf_dimension *dimension = vz_netcdf_find(table, array->name);
    const bool is_scale = dimension && dimension->scale == array->node;
    array->node->fixed_shape = is_scale && !dimension->unlimited;
    return vz_node_set_derived(array->node, vz_netcdf_derive(table, array, err), err);
}

/* ---- groups ---- */

/* Attributes are as in documents while dimensions are derived from them. */
static bool begin(const vz_netcdf_table *table, vz_error *err)
{
    bool ok = vz_node_set_derived(table->group, vz_json_object(err), err);
    for (size_t i = 0; ok && i < table->array_count; i++) {
        if (!follows(table->arrays[i].node))
            continue;
        table->arrays[i].node->labelled = false;
        ok = vz_node_set_derived(table->arrays[i].node, vz_json_object(err), err) &&
             displace(table, &table->arrays[i], err);
    }
    return ok;
}

static bool show(const vz_netcdf_table *table, vz_error *err)
{
    bool ok = begin(table, err);
    for (size_t i = 0; ok && i < table->dimension_count; i++)
        ok = show_dimension(table, &table->dimensions[i], err);
    for (size_t i = 0; ok && i < table->array_count; i++)
        ok = show_array(table, &table->arrays[i], err);
    vz_json *of_group = ok ? vz_json_object(err) : NULL;
    ok = of_group && vz_netcdf_derive_types(table->group, of_group, err) &&
         vz_netcdf_derive_texts(table->group, of_group, err);
    if (ok)
        return vz_node_set_derived(table->group, of_group, err);
    vz_json_free(of_group);
    return false;
}

static bool stop_at_foreign(void *context, vz_node *group, vz_link *link, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_node *node = link->kind == VZ_LINK_NODE ? vz_link_node(group, link, &failed) : NULL;
    if (!vz_netcdf_is_answer(&failed, err))
        return false;
    *(bool *)context |=
        node && node->kind == VZ_NODE_ARRAY && vz_node_understood(node) && !node->is_dimension && follows(node);
    return !*(bool *)context;
}

static bool forget_names(void *context, vz_node *group, vz_link *link, vz_error *err)
{
    (void)context;
    vz_error failed = VZ_ERROR_NONE;
    vz_node *node = link->kind == VZ_LINK_NODE ? vz_link_node(group, link, &failed) : NULL;
    if (!vz_netcdf_is_answer(&failed, err))
        return false;
    return !node || node->kind != VZ_NODE_ARRAY || !vz_node_understood(node) || vz_netcdf_forget_names(node, err);
}

/* Of our own stores nothing is derived while all arrays of a group are as we wrote them. Where
 * other programs put some there, or turned some, all are: numbers of dimensions count for all or
 * none. */
static bool has_foreign(vz_node *group, bool *has, vz_error *err)
{
    *has = !vz_hierarchy_is_ours(group->hierarchy);
    if (*has)
        return true;
    if (!vz_group_each_link(group, stop_at_foreign, has, err) && !*has)
        return false;
    return !*has || vz_group_each_link(group, forget_names, NULL, err);
}

bool vz_netcdf_complete(vz_node *group, vz_error *err)
{
    vz_netcdf_table table;
    bool has;
    if (!vz_netcdf_may_qualify(group))
        return true;
    if (!has_foreign(group, &has, err))
        return false;
    if (!has)
        return true;
    const bool ok = vz_netcdf_table_make(&table, group, err) && (!table.qualifies || show(&table, err));
    vz_netcdf_table_clear(&table);
    return ok;
}

bool vz_netcdf_orders_links(vz_node *group)
{
    uint64_t ignored;
    if (!vz_netcdf_shows_order(group) && vz_netcdf_may_qualify(group))
        vz_group_count(group, &ignored, NULL);
    return vz_netcdf_shows_order(group);
}

/* A store of an earlier version, of which an array was turned: its group is looked at as one of
 * netCDF. */
static bool look_again(vz_node *group, vz_error *err)
{
    if (group->netcdf)
        return true;
    group->netcdf = true;
    return vz_netcdf_complete(group, err);
}

bool vz_netcdf_loaded(vz_node *array, vz_error *err)
{
    uint64_t ignored;
    bool fell = false;
    vz_error failed = VZ_ERROR_NONE;
    if (!array->meta || array->derived || !array->parent)
        return true;
    if (!vz_netcdf_check_names(array, &fell, err))
        return false;
    const bool may = vz_netcdf_may_qualify(array->parent) && follows(array) &&
                     (array->meta->rank == 0 || vz_netcdf_says_names(array));
    if (may && !vz_group_prefetch_up(array->parent, err))
        return false;
    const bool is_listed = !may || vz_group_count(array->parent, &ignored, &failed);
    const bool ok = !is_listed || !fell || look_again(array->parent, &failed);
    if (!vz_netcdf_is_answer(&failed, err))
        return false;
    return !ok || vz_netcdf_label(array, !is_listed, err);
}
