/* attribute_forms.c - attributes that stand in the store as xarray writes them, and in memory as
 * HDF5 has them. */
#include "base/util/bytes.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

#define FLOAT_SIZE 8

static bool is_one(const vz_json *value)
{
    return value && vz_json_kind_of(value) < VZ_JSON_ARRAY;
}

static bool holds_one(const vz_json *value)
{
    return vz_json_kind_of(value) == VZ_JSON_ARRAY && vz_json_length(value) == 1 && is_one(vz_json_at(value, 0));
}

static vz_json *print_float(const vz_json *value, vz_error *err)
{
    double number;
    uint64_t bits;
    uint8_t bytes[FLOAT_SIZE];
    if (!vz_json_get_double(value, &number))
        return vz_json_copy(value, err);
    memcpy(&bits, &number, sizeof bits);
    vz_scalar_store(bits, sizeof bytes, false, bytes);
    char *text = vz_base64_encode(bytes, sizeof bytes, err);
    vz_json *printed = text ? vz_json_text(text, err) : NULL;
    free(text);
    return printed;
}

bool vz_node_attribute_form_float(const vz_json *value, double *number)
{
    size_t length = 0;
    const char *text = vz_json_get_string(value, &length);
    vz_buffer bytes = {0};
    const bool is_float = text && vz_base64_decode(text, length, &bytes, NULL) && bytes.size == FLOAT_SIZE;
    if (is_float) {
        const uint64_t bits = vz_scalar_load(bytes.data, FLOAT_SIZE, false);
        memcpy(number, &bits, sizeof bits);
    }
    vz_buffer_clear(&bytes);
    return is_float;
}

/* NULL without an error: it is none. */
static vz_json *parse_float(const vz_json *value, vz_error *err)
{
    double number;
    return vz_node_attribute_form_float(value, &number) ? vz_json_double(number, err) : NULL;
}

static vz_json *in_list(vz_json *take, vz_error *err)
{
    vz_json *list = take ? vz_json_array(err) : NULL;
    if (!list) {
        vz_json_free(take);
        return NULL;
    }
    if (vz_json_append(list, take, err))
        return list;
    vz_json_free(list);
    return NULL;
}

bool vz_attributes_forms_store(vz_json *attributes, const vz_json *forms, vz_error *err)
{
    const char *name;
    vz_json *form;
    for (size_t i = 0; vz_json_member(forms, i, &name, &form); i++) {
        int64_t kind;
        const vz_json *value = vz_json_get(attributes, name);
        if (!vz_json_get_int64(form, &kind) || !(kind == VZ_FORM_FLOAT_SCALAR ? is_one(value) : holds_one(value)))
            continue;
        const vz_json *one = kind == VZ_FORM_FLOAT_SCALAR ? value : vz_json_at(value, 0);
        vz_json *made = kind == VZ_FORM_BARE ? vz_json_copy(one, err) : print_float(one, err);
        if (!made || !vz_json_set(attributes, name, made, err))
            return false;
    }
    return true;
}

bool vz_attributes_forms_read(vz_json *attributes, const vz_json *forms, vz_error *err)
{
    const char *name;
    vz_json *form;
    for (size_t i = 0; vz_json_member(forms, i, &name, &form); i++) {
        int64_t kind;
        vz_error failed = VZ_ERROR_NONE;
        const vz_json *value = vz_json_get(attributes, name);
        if (!is_one(value) || !vz_json_get_int64(form, &kind))
            continue;
        vz_json *made = kind == VZ_FORM_BARE ? vz_json_copy(value, &failed) : parse_float(value, &failed);
        if (!made && failed.class == VZ_OK)
            continue;
        if (kind != VZ_FORM_FLOAT_SCALAR)
            made = in_list(made, &failed);
        if (!made || !vz_json_set(attributes, name, made, &failed)) {
            if (err && err->class == VZ_OK)
                *err = failed;
            return false;
        }
    }
    return true;
}
