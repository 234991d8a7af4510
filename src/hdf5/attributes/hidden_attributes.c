/* hidden_attributes.c - attributes that belong to a convention. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/dialects/dialects.h"
#include <assert.h>
#include <string.h>

/* As those of the table begin, and hardly any other does. */
static bool may_be_hidden(const char *name)
{
    return *name == '_' || *name == 'z';
}

const char *vz_attribute_next_hidden(const vz_node *node, size_t *cursor)
{
    const char *name;
    while ((name = vz_hidden_attributes[(*cursor)++])) {
        assert(may_be_hidden(name));
        if (strcmp(name, VZ_ARRAY_DIMENSIONS) != 0 || vz_dimensions_are_ours(node))
            return name;
    }
    return NULL;
}

bool vz_attribute_is_hidden(const vz_node *node, const char *name)
{
    for (size_t i = 0; may_be_hidden(name) && vz_hidden_attributes[i]; i++)
        if (*vz_hidden_attributes[i] == *name && strcmp(vz_hidden_attributes[i], name) == 0)
            return strcmp(name, VZ_ARRAY_DIMENSIONS) != 0 || vz_dimensions_are_ours(node);
    return false;
}
