/* group_note.c - the annotation of an array in that of its group, so that readers of plain Zarr
 * meet an array without one. An entry counts while the array is the one that it was made of. Its
 * dimensions have the names, its elements the dtype, and its document the fill value of then. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state_internal.h"

/* ---- what an entry was made of ---- */

const vz_json *vz_node_dimension_names(const vz_node *array)
{
    const char *member = array->zarr_format->dimension_names;
    return member ? vz_json_get(array->document, member) : vz_json_get(array->attributes, VZ_ARRAY_DIMENSIONS);
}

static bool equal(const vz_json *a, const vz_json *b)
{
    return a == b || (a && b && vz_json_equal(a, b));
}

static bool holds(const vz_node *array, const vz_json *entry)
{
    const char *member = array->zarr_format->fill_value;
    vz_json *dtype = vz_dtype_print_v2(array->meta->dtype, NULL);
    const bool same = equal(dtype, vz_json_get(entry, VZ_NOTE_DTYPE)) &&
                      equal(vz_node_dimension_names(array), vz_json_get(entry, VZ_NOTE_NAMES)) &&
                      (!member || equal(vz_json_get(array->document, member), vz_json_get(entry, VZ_NOTE_FILL)));
    vz_json_free(dtype);
    return same;
}

/* ---- reading ---- */

bool vz_group_note_read(vz_node *array, vz_error *err)
{
    const bool may = array->kind == VZ_NODE_ARRAY && array->parent && vz_node_understood(array);
    const vz_json *entries = may ? vz_json_get(array->parent->annotation, VZ_ANNOTATION_ARRAYS) : NULL;
    const vz_json *entry = entries ? vz_json_get(entries, array->link->segment) : NULL;
    const vz_json *note = vz_json_get(entry, VZ_NOTE_TEXT);
    array->note_in_group = false;
    if (array->annotation_value || vz_json_kind_of(note) != VZ_JSON_OBJECT || !holds(array, entry))
        return true;
    vz_json *annotation = vz_json_copy(note, err);
    if (!annotation || !vz_attributes_show(array->attributes, annotation, err)) {
        vz_json_free(annotation);
        return false;
    }
    vz_json_free(array->annotation);
    array->annotation = annotation;
    array->note_in_group = array->netcdf = true;
    vz_attributes_order_drop(array);
    return true;
}

/* ---- writing ---- */

void vz_group_note_drop(vz_node *group, const char *segment)
{
    vz_json *entries = segment ? vz_json_get(group->annotation, VZ_ANNOTATION_ARRAYS) : NULL;
    if (!entries)
        return;
    vz_json_remove(entries, segment);
    if (vz_json_length(entries) == 0)
        vz_json_remove(group->annotation, VZ_ANNOTATION_ARRAYS);
}
