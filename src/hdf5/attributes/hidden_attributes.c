/* hidden_attributes.c - attributes that belong to a convention. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/netcdf/netcdf.h"
#include <assert.h>
#include <string.h>

/* As those of the table begin, and hardly any other does. */
static bool may_be_hidden(const char *name)
{
    return *name == '_' || *name == 'z';
}

/* The names of dimensions are hidden where they are ours, and of netCDF's nodes (the second
 * list). */
static bool is_shown(const vz_node *node, const char *name)
{
    switch (name[1]) { /* which tells these names apart */
    case 'A':
        return strcmp(name, VZ_ARRAY_DIMENSIONS) == 0 && (vz_netcdf_is_shown(node) || !vz_dimensions_are_ours(node));
    case 'S':
    case 'C':
    case 'E':
        return vz_dialect_lindi_shows(node, name);
    default:
        return false;
    }
}

const char *vz_attribute_next_hidden(const vz_node *node, size_t *cursor)
{
    const char *name;
    size_t i = *cursor;
    for (; i < VZ_HIDDEN_ATTRIBUTES; i++) {
        assert(may_be_hidden(vz_hidden_attributes[i]));
        if (!is_shown(node, vz_hidden_attributes[i])) {
            *cursor = i + 1;
            return vz_hidden_attributes[i];
        }
    }
    name = vz_netcdf_is_shown(node) ? vz_hidden_netcdf_attributes[i - VZ_HIDDEN_ATTRIBUTES] : NULL;
    *cursor = name ? i + 1 : i;
    return name;
}

static bool is_among(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (**names == *name && strcmp(*names, name) == 0)
            return true;
    return false;
}

bool vz_attribute_is_hidden(const vz_node *node, const char *name)
{
    if (!may_be_hidden(name))
        return false;
    if (vz_netcdf_is_shown(node) && is_among(vz_hidden_netcdf_attributes, name))
        return true;
    return is_among(vz_hidden_attributes, name) && !is_shown(node, name);
}
