/* dimension_note.c - arrays that stand in the annotation of their group, because readers of plain
 * Zarr must not see them: dimensions of netCDF without a variable. In memory they are arrays that
 * were never written, without data. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

#define DOCUMENT   "d"
#define ATTRIBUTES "a"
#define PLACE      "i" /* in the order of creation */

/* ---- writing ---- */

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
    if (entry && vz_json_set(entry, DOCUMENT, print_document(node, err), err) &&
        vz_json_set(entry, ATTRIBUTES, print_attributes(node, err), err) &&
        (!node->parent->track_order || vz_json_set(entry, PLACE, vz_json_uint64(node->link->order, err), err)))
        return entry;
    vz_json_free(entry);
    return NULL;
}

bool vz_node_note_dimension(vz_node *array, vz_error *err)
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

bool vz_group_note_dimensions(vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    if (!group->members || !drop_others(group, err))
        return !group->members;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value)) {
        vz_node *node = dimension_called(group, name);
        if (node && !node->derived && !vz_json_get(vz_json_get(group->annotation, VZ_ANNOTATION_DIMENSIONS), name) &&
            !vz_node_note_dimension(node, err))
            return false;
    }
    return true;
}

/* ---- reading ---- */

/* NULL without an error: it cannot be understood. */
static vz_node *read_node(vz_node *group, const vz_json *entry, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_json *said = vz_json_get(entry, ATTRIBUTES);
    vz_meta *meta = group->zarr_format->load(vz_json_get(entry, DOCUMENT), &failed);
    vz_node *node = meta ? vz_group_dimension_new(group, meta, err) : NULL;
    if (!node) {
        if (failed.class == VZ_NO_MEMORY)
            vz_fail_memory(err);
        return NULL;
    }
    node->netcdf = true;
    vz_json *attributes = vz_json_kind_of(said) == VZ_JSON_OBJECT ? vz_json_copy(said, err) : vz_json_object(err);
    if (attributes && vz_node_set_attributes(node, attributes, 0, err))
        return node;
    vz_node_free(node);
    return NULL;
}

/* Takes the node. */
static bool add_member(vz_node *group, const char *name, vz_node *node, const vz_json *entry, vz_error *err)
{
    uint64_t order;
    if (!vz_json_get_uint64(vz_json_get(entry, PLACE), &order))
        order = group->next_order;
    return vz_group_link_dimension(group, name, node, order, err);
}

bool vz_group_dimensions_read(vz_node *group, vz_error *err)
{
    const vz_json *entries = vz_json_get(group->annotation, VZ_ANNOTATION_DIMENSIONS);
    const char *name;
    vz_json *entry;
    for (size_t i = 0; vz_json_member(entries, i, &name, &entry); i++) {
        vz_error failed = VZ_ERROR_NONE;
        if (!*name || strchr(name, '/') || vz_strmap_get(group->members->by_name, name))
            continue; /* an array of the store counts */
        vz_node *node = read_node(group, entry, &failed);
        if (node ? !add_member(group, name, node, entry, err) : failed.class != VZ_OK) {
            if (!node && err && err->class == VZ_OK)
                *err = failed;
            return false;
        }
    }
    return true;
}
