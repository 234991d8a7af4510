/* dimension_numbers.c - netCDF's numbers of dimensions. A scale of several dimensions has no list
 * of scales: its numbers alone tell what its further axes are. */
#include "hdf5/dialects/dialects.h"
#include "hdf5/dialects/dialects_internal.h"
#include <string.h>

/* A number that may stand in a list of one. */
static bool number_of(const vz_json *value, int64_t *number)
{
    return vz_json_get_int64(vz_json_kind_of(value) == VZ_JSON_ARRAY ? vz_json_at(value, 0) : value, number);
}

static bool has_number(const vz_node *scale, int64_t wanted)
{
    int64_t number;
    return scale->kind == VZ_NODE_ARRAY && vz_node_understood(scale) && scale->meta->rank > 0 &&
           vz_json_is(vz_node_attribute(scale, "CLASS"), VZ_DIMENSION_SCALE) &&
           number_of(vz_node_attribute(scale, "_Netcdf4Dimid"), &number) && number == wanted;
}

/* NULL: the group has none. */
static const char *name_in(vz_node *group, int64_t number, uint64_t length)
{
    uint64_t count;
    vz_error ignored = VZ_ERROR_NONE;
    vz_link **links = vz_group_links(group, VZ_BY_NAME, &count, &ignored);
    for (uint64_t i = 0; links && i < count; i++) {
        const vz_node *node = links[i]->kind == VZ_LINK_NODE ? vz_link_node(group, links[i], &ignored) : NULL;
        if (node && has_number(node, number) && node->meta->shape[0] == length)
            return links[i]->name;
    }
    return NULL;
}

const char *vz_dimensions_name_by_number(vz_node *node, unsigned axis)
{
    int64_t number;
    const vz_json *numbers = vz_node_attribute(node, "_Netcdf4Coordinates");
    if (vz_json_length(numbers) != node->meta->rank || !vz_json_get_int64(vz_json_at(numbers, axis), &number))
        return NULL;
    for (vz_node *group = node->parent; group; group = group->parent) {
        const char *name = name_in(group, number, node->meta->shape[axis]);
        if (name)
            return name;
    }
    return NULL;
}
