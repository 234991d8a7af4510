/* place_note.c - where the annotation of an array is written: into that of its group, or into the
 * array's own document. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback.h"

/* ---- an entry of the group's annotation ---- */

static bool set_copy(vz_json *object, const char *key, const vz_json *value, vz_error *err)
{
    return !value || vz_json_set(object, key, vz_json_copy(value, err), err);
}

/* As the document will have it. */
static bool set_fill(const vz_node *array, vz_json *entry, vz_error *err)
{
    const char *member = array->zarr_format->fill_value;
    if (!member)
        return true;
    vz_json *document = vz_json_object(err);
    const bool ok = document && array->zarr_format->write(array->meta, document, err) &&
                    vz_node_stored_fill_print(array, document, err) &&
                    set_copy(entry, VZ_NOTE_FILL, vz_json_get(document, member), err);
    vz_json_free(document);
    return ok;
}

/* Takes the note. */
static vz_json *make_entry(const vz_node *array, vz_json *note, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    if (!entry) {
        vz_json_free(note);
        return NULL;
    }
    if (vz_json_set(entry, VZ_NOTE_TEXT, note, err) &&
        set_copy(entry, VZ_NOTE_NAMES, vz_node_dimension_names(array), err) &&
        vz_json_set(entry, VZ_NOTE_DTYPE, vz_dtype_print_v2(array->meta->dtype, err), err) &&
        set_fill(array, entry, err))
        return entry;
    vz_json_free(entry);
    return NULL;
}

/* ---- its place ---- */

/* The note in the array's own document goes. */
static bool leave_array(vz_node *array, vz_error *err)
{
    const bool was = array->note_in_group;
    array->note_in_group = true;
    return was || !array->annotation_value || vz_node_annotated(array, err);
}

bool vz_flush_note_to_group(vz_node *array, vz_error *err)
{
    vz_json *note = vz_node_annotation_without_derived(array, err);
    if (note && vz_json_length(note) == 0) {
        vz_json_free(note);
        return vz_flush_note_to_array(array, err);
    }
    vz_json *entry = note ? make_entry(array, note, err) : NULL;
    vz_json *entries = entry ? vz_node_annotation_entries(array->parent, VZ_ANNOTATION_ARRAYS, err) : NULL;
    const vz_json *now = entries ? vz_json_get(entries, array->link->segment) : NULL;
    if (!entries || (now && vz_json_equal(now, entry))) {
        vz_json_free(entry);
        return entries && leave_array(array, err);
    }
    if (!array->parent->is_new) /* it will be printed again */
        vz_json_keep_text(entry, NULL);
    return vz_json_set(entries, array->link->segment, entry, err) && vz_node_annotated(array->parent, err) &&
           leave_array(array, err);
}

bool vz_flush_note_to_array(vz_node *array, vz_error *err)
{
    const bool was = array->note_in_group;
    array->note_in_group = false;
    if (array->parent &&
        vz_json_get(vz_json_get(array->parent->annotation, VZ_ANNOTATION_ARRAYS), array->link->segment)) {
        vz_group_note_drop(array->parent, array->link->segment);
        if (!vz_node_annotated(array->parent, err))
            return false;
    }
    return !was || vz_node_annotated(array, err);
}
