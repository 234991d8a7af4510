/* hidden.c - attributes that belong to a convention. */
#include "attributes/hidden.h"
#include "dialects/dimensions.h"
#include "dialects/zarr_dtype.h"
#include <string.h>

const char *vz_attribute_next_hidden(const vz_node *node, size_t *cursor)
{
    const char *name;
    while ((name = vz_hidden_attributes[(*cursor)++]))
        if (strcmp(name, VZ_ARRAY_DIMENSIONS) != 0 || vz_dimensions_are_ours(node))
            return name;
    return NULL;
}

bool vz_attribute_is_hidden(const vz_node *node, const char *name)
{
    if (*name != '_' && *name != 'z') /* as they begin, and hardly any other does */
        return false;
    for (size_t i = 0; vz_hidden_attributes[i]; i++)
        if (*vz_hidden_attributes[i] == *name && strcmp(vz_hidden_attributes[i], name) == 0)
            return strcmp(name, VZ_ARRAY_DIMENSIONS) != 0 || vz_dimensions_are_ours(node);
    return false;
}
