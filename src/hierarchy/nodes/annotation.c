/* annotation.c - the one reserved attribute: JSON text of an object in the store, an object in
 * memory. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

/* A string that was printed here. */
static vz_json *read_printed(const char *text, size_t length, vz_error *err)
{
    vz_json *string = vz_json_parse(text, length, err);
    const char *inner = vz_json_get_string(string, &length);
    vz_json *object = inner ? vz_json_parse(inner, length, err) : NULL;
    vz_json_free(string);
    return object;
}

/* The object an annotation's value stands for; NULL without an error when it is none. */
static vz_json *read_value(const vz_json *value, vz_error *err)
{
    size_t length;
    const char *printed = vz_json_get_printed(value, &length);
    if (printed)
        return read_printed(printed, length, err);
    if (vz_json_kind_of(value) == VZ_JSON_OBJECT)
        return vz_json_copy(value, err);
    const char *text = vz_json_get_string(value, &length);
    vz_error ignored = VZ_ERROR_NONE;
    vz_json *parsed = text ? vz_json_parse(text, length, &ignored) : NULL;
    if (parsed && vz_json_kind_of(parsed) == VZ_JSON_OBJECT)
        return parsed;
    vz_json_free(parsed);
    return NULL;
}

/* Puts an attribute at its place; one that is there counts. */
static bool insert(vz_json *attributes, uint64_t place, const char *name, const vz_json *value, vz_error *err)
{
    const size_t count = vz_json_length(attributes);
    const char *next;
    vz_json *ignored;
    if (vz_json_get(attributes, name))
        return true;
    if (!vz_json_set(attributes, name, vz_json_copy(value, err), err))
        return false;
    /* those behind it go to the end, one by one */
    for (size_t i = (size_t)place; place < count && i < count; i++) {
        if (!vz_json_member(attributes, (size_t)place, &next, &ignored))
            break;
        char *key = strdup(next);
        vz_json *moved = key ? vz_json_detach(attributes, key) : NULL;
        const bool ok = moved ? vz_json_set(attributes, key, moved, err) : vz_fail_memory(err);
        free(key);
        if (!ok)
            return false;
    }
    return true;
}

static bool insert_unseen(vz_json *attributes, const vz_json *annotation, vz_error *err)
{
    const vz_json *unseen = vz_json_get(annotation, VZ_ANNOTATION_UNSEEN);
    for (size_t i = 0; i < vz_json_length(unseen); i++) {
        const vz_json *item = vz_json_at(unseen, i), *value = vz_json_at(item, 2);
        const char *name = vz_json_get_string(vz_json_at(item, 1), NULL);
        uint64_t place;
        if (name && value && vz_json_get_uint64(vz_json_at(item, 0), &place) &&
            !insert(attributes, place, name, value, err))
            return false;
    }
    return true;
}

vz_json *vz_attributes_seen(const vz_node *node, vz_error *err)
{
    const vz_json *unseen = vz_json_get(node->annotation, VZ_ANNOTATION_UNSEEN);
    vz_json *seen = vz_json_share_members(node->attributes, err);
    for (size_t i = 0; seen && i < vz_json_length(unseen); i++) {
        const char *name = vz_json_get_string(vz_json_at(vz_json_at(unseen, i), 1), NULL);
        if (name)
            vz_json_remove(seen, name);
    }
    if (seen && vz_derived_hide(node, seen, err) &&
        vz_attributes_forms_store(seen, vz_json_get(node->annotation, VZ_ANNOTATION_FORMS), err))
        return seen;
    vz_json_free(seen);
    return NULL;
}

bool vz_attributes_differ(const vz_node *node)
{
    return node->derived || vz_json_get(node->annotation, VZ_ANNOTATION_UNSEEN) ||
           vz_json_get(node->annotation, VZ_ANNOTATION_FORMS);
}

/* The annotation out of either place among attributes. */
static vz_json *detach_value(vz_json *attributes)
{
    vz_json *plain = vz_json_detach(attributes, VZ_ANNOTATION);
    vz_json *netcdf = vz_json_length(attributes) ? vz_json_detach(attributes, VZ_ANNOTATION_NETCDF) : NULL;
    if (!netcdf)
        return plain;
    vz_json_free(plain);
    return netcdf;
}

bool vz_attributes_show(vz_json *attributes, const vz_json *annotation, vz_error *err)
{
    return insert_unseen(attributes, annotation, err) &&
           vz_attributes_forms_read(attributes, vz_json_get(annotation, VZ_ANNOTATION_FORMS), err);
}

/* An annotation that cannot be understood annotates nothing: the node is what plain Zarr says.
 * It stays in the store as it is until the annotation is changed. */
bool vz_node_annotation_detach(vz_json *attributes, vz_json **annotation, vz_json **value, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_json *raw = detach_value(attributes);
    vz_json *object = raw ? read_value(raw, &failed) : NULL;
    if (!object && failed.class == VZ_OK)
        object = vz_json_object(&failed);
    if (raw && object && !vz_attributes_show(attributes, object, &failed)) {
        vz_json_free(object);
        object = NULL;
    }
    if (!object) {
        vz_json_free(raw);
        if (err && err->class == VZ_OK)
            *err = failed;
        return false;
    }
    *annotation = object;
    *value = raw;
    return true;
}

static bool is_unchanged(const vz_json *annotation, const vz_json *current, vz_error *err)
{
    vz_json *object = current ? read_value(current, err) : NULL;
    const bool same = current && (object ? vz_json_equal(object, annotation) : vz_json_length(annotation) == 0);
    vz_json_free(object);
    return same;
}

vz_json *vz_node_annotation_entries(vz_node *node, const char *key, vz_error *err)
{
    vz_json *entries = vz_json_get(node->annotation, key);
    if (vz_json_kind_of(entries) == VZ_JSON_OBJECT)
        return entries;
    return vz_json_set(node->annotation, key, vz_json_object(err), err) ? vz_json_get(node->annotation, key) : NULL;
}

bool vz_node_annotation_print(const vz_json *annotation, const vz_json *current, vz_json **value, vz_error *err)
{
    *value = NULL;
    /* what was printed here is printed again, which is cheaper than to compare it */
    if (vz_json_kind_of(current) != VZ_JSON_PRINTED && is_unchanged(annotation, current, err))
        return (*value = vz_json_copy(current, err)) != NULL;
    if (vz_json_length(annotation) == 0)
        return true;
    vz_buffer text = {0};
    if (vz_json_print_in_string(annotation, &text, err))
        *value = vz_json_printed((const char *)text.data, text.size, 1, err);
    vz_buffer_clear(&text);
    return *value != NULL;
}
