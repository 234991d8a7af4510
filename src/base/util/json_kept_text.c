/* json_kept_text.c - long lists that grow by an item, and are printed into a string each time. The
 * text of the old items is kept until something in it changes (json_changes.c). */
#include "base/util/json_internal.h"
#include <stdlib.h>

/* Marks the containers, and tells how deep they go. */
static unsigned mark(vz_json *value)
{
    unsigned deepest = 0;
    if (value->kind != VZ_JSON_ARRAY && value->kind != VZ_JSON_OBJECT)
        return 0;
    value->is_kept = true;
    for (size_t i = 0; i < value->count; i++) {
        const unsigned depth = mark(value->kind == VZ_JSON_ARRAY ? value->items[i] : value->members[i].value);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* The text of an array that this one begins with. */
static const vz_json_kept_text *text_before(const vz_json *array, const vz_json *before)
{
    const vz_json_kept_text *kept =
        before && before->count > 0 && before->count <= array->count ? vz_json_kept(before) : NULL;
    return kept && memcmp(array->items, before->items, before->count * sizeof *before->items) == 0 ? kept : NULL;
}

static bool print_items(const vz_json *array, size_t first, unsigned *depth, vz_buffer *text, vz_error *err)
{
    for (size_t i = first; i < array->count; i++) {
        const unsigned its = mark(array->items[i]) + 1;
        *depth = its > *depth ? its : *depth;
        if ((i > 0 && !vz_buffer_append(text, ",", 1, err)) || !vz_json_print_inside(array->items[i], text, err))
            return false;
    }
    return vz_buffer_append(text, "]", 1, err);
}

static bool print_array(const vz_json *array, const vz_json *before, unsigned *depth, vz_json_items_size *size,
                        vz_buffer *text, vz_error *err)
{
    const vz_json_kept_text *start = text_before(array, before);
    *depth = start ? start->depth : 1;
    *size = start ? start->size : (vz_json_items_size){0};
    vz_json_measure_items(array, start ? before->count : 0, size);
    const bool ok = start ? vz_buffer_reserve(text, start->length + 1, err) &&
                                vz_buffer_append(text, start->text, start->length - 1, err)
                          : vz_buffer_append(text, "[", 1, err);
    return ok && print_items(array, start ? before->count : 0, depth, text, err);
}

static bool print_object(vz_json *object, unsigned *depth, vz_buffer *text, vz_error *err)
{
    const bool was = object->is_kept; /* in another one's text */
    *depth = mark(object);
    object->is_kept = was;
    return vz_json_print_inside(object, text, err);
}

static bool may_keep(const vz_json *value)
{
    const bool is_container = value && (value->kind == VZ_JSON_ARRAY || value->kind == VZ_JSON_OBJECT);
    return is_container && value->count > 0 && !value->has_text && !value->index;
}

void vz_json_keep_text(vz_json *value, const vz_json *before)
{
    vz_error ignored = VZ_ERROR_NONE;
    vz_buffer text = {0};
    unsigned depth = 0;
    vz_json_items_size size = {0};
    if (!may_keep(value))
        return;
    const bool ok = value->kind == VZ_JSON_ARRAY ? print_array(value, before, &depth, &size, &text, &ignored)
                                                 : print_object(value, &depth, &text, &ignored);
    vz_json_kept_text *kept = ok ? malloc(sizeof *kept + text.size) : NULL;
    if (kept) {
        *kept =
            (vz_json_kept_text){.changes = vz_json_changes_count(), .depth = depth, .size = size, .length = text.size};
        memcpy(kept->text, text.data, text.size);
        value->kept = kept;
        value->has_text = true;
    }
    vz_buffer_clear(&text);
}
