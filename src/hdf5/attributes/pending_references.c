/* pending_references.c - lists of references that stay as written until their JSON is needed. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/references/references.h"
#include <stdlib.h>

#define DEFERRED_FROM 16 /* elements: what is short is stored at once */

/* Calls `each` for the references in one element, as long as it returns true. */
static bool each_reference(const vz_type_tree *layout, const uint8_t *element, const vz_hierarchy *hierarchy,
                           bool (*each)(const vz_type_tree *layout, const uint8_t *reference,
                                        const vz_hierarchy *where))
{
    if (layout->is_reference)
        return each(layout, element, hierarchy);
    if (!layout->has_references)
        return true;
    const bool is_compound = layout->class == H5T_COMPOUND;
    for (size_t i = 0; i < layout->count; i++) {
        const vz_type_tree *part = is_compound ? layout->members[i].layout : layout->base;
        const uint8_t *at = element + (is_compound ? layout->members[i].offset : i * part->size);
        if (!each_reference(part, at, hierarchy, each))
            return false;
    }
    return true;
}

static bool is_token(const vz_type_tree *layout, const uint8_t *reference, const vz_hierarchy *hierarchy)
{
    (void)reference, (void)hierarchy;
    return layout->size == sizeof(hobj_ref_t);
}

static bool is_named(const vz_type_tree *layout, const uint8_t *reference, const vz_hierarchy *hierarchy)
{
    const uint64_t token = vz_bytes_load_le64(reference);
    (void)layout;
    return token == 0 || vz_token_is_named(hierarchy, token);
}

bool vz_attribute_value_may_defer(const vz_node *node, const vz_attribute_value *value, const uint8_t *elements)
{
    const vz_type_tree *layout = value->layout;
    if (value->null || value->count < DEFERRED_FROM || !layout->has_references || layout->has_vlen ||
        vz_writer_of_node(node)->shows_late || !each_reference(layout, elements, node->hierarchy, is_token))
        return false;
    for (size_t i = 0; i < value->count; i++)
        if (!each_reference(layout, elements + i * layout->size, node->hierarchy, is_named))
            return false;
    return true;
}

vz_attribute_value *vz_attribute_value_copy(const vz_attribute_value *value, const uint8_t *elements, vz_error *err)
{
    const size_t size = value->count * value->layout->size;
    vz_attribute_value *copy = malloc(sizeof *copy);
    if (!copy) {
        vz_fail_memory(err);
        return NULL;
    }
    *copy = *value;
    copy->arena = (vz_arena){0};
    copy->own_layout = NULL;
    copy->common = VZ_NOT_COMMON;
    copy->bytes = malloc(size ? size : 1);
    copy->type = H5Tcopy(value->type);
    if (copy->type < 0)
        vz_type_refused(err, "copy a datatype");
    else if (!copy->bytes)
        vz_fail_memory(err);
    else
        copy->layout = copy->own_layout = vz_type_tree_new(copy->type, err);
    if (!copy->own_layout) {
        vz_attribute_value_free(copy);
        return NULL;
    }
    memcpy(copy->bytes, elements, size);
    return copy;
}

bool vz_attribute_value_print_references(vz_attribute_value *value, vz_hierarchy *hierarchy, vz_error *err)
{
    const vz_reference_context references = {hierarchy, NULL, false, &value->arena};
    if (!value->has_tokens)
        return true;
    if (!vz_references_print(&references, value->layout, value->bytes, value->count, err))
        return false;
    value->has_tokens = false;
    return true;
}

void vz_attribute_value_free(vz_attribute_value *value)
{
    if (value)
        vz_attribute_value_clear(value);
    free(value);
}
