/* annotation.c - the one reserved attribute: JSON text of an object in the store, an object in memory. */
#include "zarr/hierarchy.h"

/* The object an annotation's value stands for; NULL without an error when it is none. */
static vz_json *read_value(const vz_json *value, vz_error *err)
{
    if (vz_json_kind_of(value) == VZ_JSON_OBJECT)
        return vz_json_copy(value, err);
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    vz_error ignored = VZ_ERROR_NONE;
    vz_json *parsed = text ? vz_json_parse(text, length, &ignored) : NULL;
    if (parsed && vz_json_kind_of(parsed) == VZ_JSON_OBJECT)
        return parsed;
    vz_json_free(parsed);
    return NULL;
}

/* An annotation that cannot be understood annotates nothing: the node is what plain Zarr says. It stays in the store as
 * it is until the annotation is changed. */
bool vz_annotation_detach(vz_json *attributes, vz_json **annotation, vz_json **value, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_json *raw = vz_json_detach(attributes, VZ_ANNOTATION);
    vz_json *object = raw ? read_value(raw, &failed) : NULL;
    if (!object && failed.class == VZ_OK)
        object = vz_json_object(&failed);
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

bool vz_annotation_print(const vz_json *annotation, const vz_json *current, vz_json **value, vz_error *err)
{
    *value = NULL;
    if (is_unchanged(annotation, current, err))
        return (*value = vz_json_copy(current, err)) != NULL;
    if (vz_json_length(annotation) == 0)
        return true;
    vz_buffer text = {0};
    if (vz_json_print(annotation, 0, &text, err))
        *value = vz_json_string((const char *)text.data, text.size, err);
    vz_buffer_clear(&text);
    return *value != NULL;
}
