/* attribute_list.c - the attributes that HDF5 sees, and their order. */
#include "hdf5/attributes/attributes.h"
#include "hdf5/attributes/attributes_internal.h"

#define HIDDEN_MAX 16
#define FEW        8 /* attributes that are looked through one by one */

/* Hidden attributes, found by the name of each attribute. */
static size_t hidden_among_few(const vz_node *node, size_t places[HIDDEN_MAX])
{
    size_t count = 0;
    const char *name;
    for (size_t i = 0; count < HIDDEN_MAX && vz_json_member(node->attributes, i, &name, NULL); i++)
        if (vz_attribute_is_hidden(node, name))
            places[count++] = i;
    return count;
}

/* The places of the hidden attributes a node has, in increasing order; returns their number. */
static size_t hidden_places(const vz_node *node, size_t places[HIDDEN_MAX])
{
    size_t count = 0, cursor = 0;
    const char *hidden;
    if (vz_json_length(node->attributes) <= FEW)
        return hidden_among_few(node, places);
    while (count < HIDDEN_MAX && (hidden = vz_attribute_next_hidden(node, &cursor))) {
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
    while (count < HIDDEN_MAX && (hidden = vz_attribute_next_hidden(node, &cursor))) {
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
    return key && vz_node_has_attribute(node, key);
}

int64_t vz_attribute_order(const vz_node *node, const char *name)
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
