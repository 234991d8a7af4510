/* list.c - which attributes HDF5 sees, and in what order. */
#include "attributes/attribute.h"
#include "attributes/name.h"
#include "dialects/plain.h"
#include "dialects/dimensions.h"

#define HIDDEN_MAX 16

/* The names that are hidden in this node, one after another; NULL at the end. */
static const char *next_hidden(const vz_node *node, size_t *cursor)
{
    const char *name;
    while ((name = vz_plain_hidden[(*cursor)++]))
        if (strcmp(name, VZ_ARRAY_DIMENSIONS) != 0 || vz_dimensions_are_ours(node))
            return name;
    return NULL;
}

bool vz_attribute_is_hidden(const vz_node *node, const char *name)
{
    size_t cursor = 0;
    const char *hidden;
    while ((hidden = next_hidden(node, &cursor)))
        if (strcmp(hidden, name) == 0)
            return true;
    return false;
}

/* The places of the hidden attributes a node has, in increasing order; returns their number. */
static size_t hidden_places(const vz_node *node, size_t places[HIDDEN_MAX])
{
    size_t count = 0, cursor = 0;
    const char *hidden;
    while (count < HIDDEN_MAX && (hidden = next_hidden(node, &cursor))) {
        const ptrdiff_t place = vz_json_index(node->attributes, hidden);
        if (place < 0)
            continue;
        size_t at = count++;
        for (; at > 0 && places[at - 1] > (size_t)place; at--)
            places[at] = places[at - 1];
        places[at] = (size_t)place;
    }
    return count;
}

size_t vz_attribute_count(const vz_node *node)
{
    size_t places[HIDDEN_MAX];
    return vz_json_length(node->attributes) - hidden_places(node, places);
}

const char *vz_attribute_at(const vz_node *node, size_t index)
{
    size_t places[HIDDEN_MAX];
    const size_t count = hidden_places(node, places);
    const char *name;
    vz_json *value;
    if (index >= vz_json_length(node->attributes))
        return NULL;
    for (size_t i = 0; i < count && places[i] <= index; i++)
        index++;
    return vz_json_member(node->attributes, index, &name, &value) ? vz_attribute_name_of(node, name) : NULL;
}

const char *vz_attribute_by_name(vz_node *node, size_t index, vz_error *err)
{
    size_t places[HIDDEN_MAX], count = 0, cursor = 0, place;
    const char *hidden;
    while (count < HIDDEN_MAX && (hidden = next_hidden(node, &cursor))) {
        if (!vz_node_attribute_place(node, hidden, &place, err))
            continue;
        size_t at = count++;
        for (; at > 0 && places[at - 1] > place; at--)
            places[at] = places[at - 1];
        places[at] = place;
    }
    for (size_t i = 0; i < count && places[i] <= index; i++)
        index++;
    return vz_node_attribute_in_order(node, index, err);
}

bool vz_attribute_exists(vz_node *node, const char *name)
{
    const char *key = vz_attribute_key(node, name);
    return key && vz_node_attribute(node, key) != NULL;
}

/* The creation order: how many visible ones stand before it. */
static int64_t order_of(const vz_node *node, const char *name)
{
    size_t places[HIDDEN_MAX];
    const size_t count = hidden_places(node, places);
    const char *key = vz_attribute_key(node, name);
    const ptrdiff_t place = key ? vz_json_index(node->attributes, key) : -1;
    size_t before = 0;
    while (before < count && (ptrdiff_t)places[before] < place)
        before++;
    return place < 0 ? -1 : (int64_t)place - (int64_t)before;
}

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

H5T_cset_t vz_attribute_charset(const vz_node *node, const char *name)
{
    const char *key = vz_attribute_key(node, name);
    const vz_json *entry = key ? vz_json_get(vz_json_get(node->annotation, "a"), key) : NULL;
    const bool looks_so = is_ascii(name) || !vz_utf8_valid(name, strlen(name));
    return looks_so && !vz_json_is(vz_json_get(entry, "cs"), "utf8") ? H5T_CSET_ASCII : H5T_CSET_UTF8;
}

bool vz_attribute_info(vz_attribute *attribute, H5A_info_t *info, vz_error *err)
{
    *info = (H5A_info_t){.corder_valid = true, .corder = order_of(attribute->node, attribute->name)};
    info->cset = vz_attribute_charset(attribute->node, attribute->name);
    return vz_attribute_storage_size(attribute, &info->data_size, err);
}
