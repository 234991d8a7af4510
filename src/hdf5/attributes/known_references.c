/* known_references.c - a long list of references becomes JSON at each flush, while a program adds
 * one after the other. Items that were made before are taken where they tell what would be made
 * now. */
#include "hdf5/attributes/attributes.h"
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/references/references.h"
#include "hdf5/types/elements.h"
#include <string.h>

/* ---- is it what would be made now? ---- */

static bool tells_number(const vz_type_tree *layout, const uint8_t *data, const vz_json *json)
{
    const uint64_t bits = vz_scalar_load(data, layout->size, layout->number.big_endian);
    int64_t number;
    uint64_t natural;
    return layout->number.kind == VZ_NUMBER_INT
               ? vz_json_get_int64(json, &number) && number == vz_scalar_signed(bits, layout->size)
               : vz_json_get_uint64(json, &natural) && natural == bits;
}

static bool tells_member(vz_hierarchy *hierarchy, const vz_type_tree *layout, const uint8_t *data, const vz_json *json)
{
    if (layout->is_reference && layout->size == sizeof(hobj_ref_t))
        return vz_reference_tells(hierarchy, vz_bytes_load_le64(data), json);
    return layout->is_number && layout->class == H5T_INTEGER && tells_number(layout, data, json);
}

/* Of compounds of references and integers. */
static bool tells_element(vz_hierarchy *hierarchy, const vz_type_tree *layout, const uint8_t *element,
                          const vz_json *json)
{
    const char *name;
    vz_json *value;
    if (layout->class != H5T_COMPOUND || layout->is_complex || vz_json_length(json) != layout->count)
        return false;
    for (size_t i = 0; i < layout->count; i++) {
        const vz_type_tree_member *member = &layout->members[i];
        if (!vz_json_member(json, i, &name, &value) || strcmp(name, member->name) != 0 ||
            !tells_member(hierarchy, member->layout, element + member->offset, value))
            return false;
    }
    return true;
}

/* The value of then, and its JSON. */
typedef struct rendered {
    const vz_attribute_value *value; /* with tokens */
    const vz_json *json;
    bool paths_stay;
} rendered;

static bool find_rendered(const vz_node *node, const char *name, rendered *before)
{
    uint64_t moment = 0;
    before->value = vz_node_rendered(node, name, &before->json, &moment);
    before->paths_stay = moment != 0 && moment == vz_hierarchy_paths_moment(node->hierarchy);
    return before->value && before->json;
}

/* So many of the first elements are the ones of then, byte for byte, in the very same type. */
static size_t equal_elements(const vz_attribute_value *value, const vz_attribute_value *before)
{
    const size_t size = value->layout->size, most = value->count < before->count ? value->count : before->count;
    size_t count = 0;
    if (value == before)
        return most;
    if (!before->has_tokens || before->rank != 1 || H5Tequal(value->type, before->type) <= 0)
        return 0;
    while (count < most && memcmp(value->bytes + count * size, before->bytes + count * size, size) == 0)
        count++;
    return count;
}

/* So many of the first items. While all paths are those of then, equal elements have equal
 * items, if the first one shows that there still are no ids. */
static size_t count_known(const vz_node *node, const vz_attribute_value *value, const rendered *before)
{
    const size_t size = value->layout->size;
    const vz_json *list = before->json;
    size_t count = 0;
    if (value->rank != 1 || !value->has_tokens || vz_json_kind_of(list) != VZ_JSON_ARRAY)
        return 0;
    while (count < value->count &&
           tells_element(node->hierarchy, value->layout, value->bytes + count * size, vz_json_at(list, count))) {
        count++;
        if (count == 1 && before->paths_stay)
            count = vz_json_length(list) == before->value->count ? equal_elements(value, before->value) : 1;
        count = count ? count : 1;
    }
    return count;
}

/* ---- made anew ---- */

/* Printing a reference says that to the store. */
static bool note_known(const vz_node *node, vz_error *err)
{
    vz_hierarchy_add_due(node->hierarchy, VZ_DUE_REFERENCES);
    return vz_hierarchy_holds_references(node->hierarchy, err);
}

vz_attribute_value *vz_attribute_value_spell(const vz_node *node, const char *name, const vz_attribute_value *value,
                                             vz_error *err)
{
    vz_attribute_value *copy = vz_attribute_value_copy(value, value->bytes, err);
    if (!copy)
        return NULL;
    rendered before;
    if (find_rendered(node, name, &before)) {
        copy->known = before.json;
        copy->known_count = count_known(node, copy, &before);
    }
    const vz_reference_context references = {node->hierarchy, NULL, false, &copy->arena};
    const size_t known = copy->known_count, size = copy->layout->size;
    memset(copy->bytes, 0, known * size);
    if ((known == 0 || note_known(node, err)) &&
        vz_references_print(&references, copy->layout, copy->bytes + known * size, copy->count - known, err)) {
        copy->has_tokens = false;
        return copy;
    }
    vz_attribute_value_free(copy);
    return NULL;
}

/* ---- read again ---- */

const vz_attribute_value *vz_attribute_value_rendered(const vz_node *node, const char *name)
{
    rendered before;
    if (!find_rendered(node, name, &before) || vz_attribute_is_hidden(node, name) ||
        vz_node_attribute(node, name) != before.json || vz_json_length(before.json) != before.value->count ||
        count_known(node, before.value, &before) < before.value->count)
        return NULL;
    vz_json *instead = vz_attribute_meaning(node, name, before.json);
    vz_json_free(instead);
    return instead ? NULL : before.value;
}
