/* note_dimension.c - arrays that stand in the annotation of their group are written there
 * (nodes/dimension_note.c reads them). */
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

static vz_json *print_attributes(const vz_node *node, vz_error *err)
{
    vz_json *attributes = vz_json_share_members(node->attributes, err);
    if (!attributes || vz_json_length(node->annotation) == 0 ||
        vz_json_set(attributes, VZ_ANNOTATION, vz_json_copy(node->annotation, err), err))
        return attributes;
    vz_json_free(attributes);
    return NULL;
}

static vz_json *print_document(const vz_node *node, vz_error *err)
{
    vz_json *document = vz_json_object(err);
    if (document && node->zarr_format->write(node->meta, document, err))
        return document;
    vz_json_free(document);
    return NULL;
}

static vz_json *print_entry(const vz_node *node, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    if (entry && vz_json_set(entry, VZ_DIMENSION_DOCUMENT, print_document(node, err), err) &&
        vz_json_set(entry, VZ_DIMENSION_ATTRIBUTES, print_attributes(node, err), err) &&
        (!node->parent->track_order ||
         vz_json_set(entry, VZ_DIMENSION_PLACE, vz_json_uint64(node->link->order, err), err)))
        return entry;
    vz_json_free(entry);
    return NULL;
}

bool vz_edit_note_dimension(vz_node *array, vz_error *err)
{
    vz_node *group = array->parent;
    if (array->derived) /* names of dimensions say it */
        return true;
    vz_json *entry = print_entry(array, err),
            *entries = entry ? vz_node_annotation_entries(group, VZ_ANNOTATION_DIMENSIONS, err) : NULL;
    const vz_json *now = vz_json_get(entries, array->link->name);
    array->is_dimension = array->is_dimension || entries;
    if (!entries || (now && vz_json_equal(now, entry))) {
        vz_json_free(entry);
        return entries != NULL;
    }
    return vz_json_set(entries, array->link->name, entry, err) && vz_node_annotated(group, err);
}

static vz_node *dimension_called(const vz_node *group, const char *name)
{
    const vz_member *member = vz_strmap_get(group->members->by_name, name);
    vz_node *node = member ? member->link.node : NULL;
    return node && node->is_dimension ? node : NULL;
}

/* Members that were deleted, renamed, or are arrays of the store by now. */
static bool drop_others(vz_node *group, vz_error *err)
{
    vz_json *entries = vz_json_get(group->annotation, VZ_ANNOTATION_DIMENSIONS), *entry;
    const char *name;
    bool changed = false;
    for (size_t i = 0; vz_json_member(entries, i, &name, &entry);) {
        if (dimension_called(group, name)) {
            i++;
            continue;
        }
        char *copy = strdup(name);
        if (!copy)
            return vz_fail_memory(err);
        vz_json_remove(entries, copy);
        free(copy);
        changed = true;
    }
    if (entries && vz_json_length(entries) == 0)
        vz_json_remove(group->annotation, VZ_ANNOTATION_DIMENSIONS);
    return !changed || vz_node_annotated(group, err);
}

bool vz_edit_note_dimensions(vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    if (!group->members || !drop_others(group, err))
        return !group->members;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value)) {
        vz_node *node = dimension_called(group, name);
        if (node && !node->derived && !vz_json_get(vz_json_get(group->annotation, VZ_ANNOTATION_DIMENSIONS), name) &&
            !vz_edit_note_dimension(node, err))
            return false;
    }
    return true;
}
