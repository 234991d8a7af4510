/* lindi_types.c - forms of elements in LINDI's files, and the types that it has no form for. The
 * copy is in the plain dialect: types beyond Zarr's stand in its annotation. */
#include "command/view/view_internal.h"
#include <stdlib.h>

#define TYPE      "t"
#define REFERENCE "ref"

static const vz_json *type_of(const vz_node *array)
{
    return vz_json_get(array->annotation, TYPE);
}

static bool is_object_reference(const vz_json *type)
{
    return vz_json_is(vz_json_get(type, REFERENCE), "obj");
}

/* Is the value of such a type what the dtype says? Numbers, text and enumerations are. NULL: the
 * dtype says all. */
static bool is_plain(const vz_json *type)
{
    return !type || vz_json_get_string(type, NULL) || vz_json_get(type, "str") || vz_json_get(type, "enum");
}

/* ---- compounds ---- */

static const vz_json *type_of_member(const vz_node *array, const char *member)
{
    const vz_json *members = vz_json_get(type_of(array), "m");
    for (size_t i = 0; i < vz_json_length(members); i++)
        if (vz_json_is(vz_json_at(vz_json_at(members, i), 0), member))
            return vz_json_at(vz_json_at(members, i), 2);
    return NULL;
}

bool vz_view_lindi_is_reference(const vz_node *array, const char *member)
{
    return is_object_reference(type_of_member(array, member));
}

static bool has_member_form(const vz_node *array, const vz_dtype_field *field)
{
    const vz_json *type = type_of_member(array, field->name);
    if (field->rank > 0)
        return false;
    switch (field->dtype->kind) {
    case VZ_DTYPE_UNICODE:
        return is_plain(type) || is_object_reference(type);
    case VZ_DTYPE_BOOL:
    case VZ_DTYPE_INT:
    case VZ_DTYPE_UINT:
    case VZ_DTYPE_FLOAT:
    case VZ_DTYPE_BYTES:
        return is_plain(type);
    default:
        return false;
    }
}

static bool has_record_form(const vz_node *array)
{
    const vz_dtype *dtype = array->meta->dtype;
    bool has = !type_of(array) || vz_json_get(type_of(array), "cmpd");
    for (size_t i = 0; has && i < dtype->field_count; i++)
        has = has_member_form(array, &dtype->fields[i]);
    return has;
}

/* ---- elements ---- */

static bool find_form(const vz_node *array, vz_view_lindi_form *form)
{
    const vz_dtype *dtype = array->meta->dtype;
    const vz_json *type = type_of(array);
    *form = VZ_LINDI_NUMBERS;
    if (dtype->kind == VZ_DTYPE_STRUCT) {
        *form = VZ_LINDI_RECORDS;
        return has_record_form(array);
    }
    if (dtype->kind == VZ_DTYPE_OBJECT && dtype->object == VZ_OBJECT_TEXT) {
        *form = is_object_reference(type) ? VZ_LINDI_REFERENCES : VZ_LINDI_TEXTS;
        return is_plain(type) || is_object_reference(type);
    }
    return dtype->kind != VZ_DTYPE_OBJECT && is_plain(type);
}

bool vz_view_lindi_find_form(const vz_node *array, const char *path, vz_view_lindi_form *form, vz_error *err)
{
    if (!vz_node_understood(array))
        return vz_node_fail_meta(array, err);
    if (vz_json_is(vz_json_get(array->annotation, "s"), "null"))
        return vz_fail(
            err, VZ_UNSUPPORTED,
            "LINDI has no form for %.300s, which has no elements at all (H5S_NULL): another name in .json than "
            "one in .lindi.json makes a reference file that has",
            path);
    return find_form(array, form) ||
           vz_fail(err, VZ_UNSUPPORTED,
                   "LINDI has no form for the datatype of %.300s: another name in .json than one in .lindi.json makes "
                   "a reference file that has",
                   path);
}

/* ---- _COMPOUND_DTYPE ---- */

/* numpy's name of a member's type. */
static vz_json *name_of(const vz_node *array, const vz_dtype_field *field, vz_error *err)
{
    const vz_dtype *dtype = field->dtype;
    char name[VZ_DECIMAL_SIZE + 8];
    if (dtype->kind == VZ_DTYPE_UNICODE)
        return vz_json_text(vz_view_lindi_is_reference(array, field->name) ? "<REFERENCE>" : "object", err);
    if (dtype->kind == VZ_DTYPE_BOOL)
        return vz_json_text("bool", err);
    if (dtype->kind == VZ_DTYPE_BYTES || (dtype->big_endian && dtype->size > 1))
        return vz_dtype_print_v2(dtype, err);
    const char *kind = dtype->kind == VZ_DTYPE_INT ? "int" : dtype->kind == VZ_DTYPE_UINT ? "uint" : "float";
    const size_t length = strlen(kind);
    memcpy(name, kind, length);
    vz_decimal(8 * (uint64_t)dtype->size, name + length);
    return vz_json_text(name, err);
}

static vz_json *pair_of(const vz_node *array, const vz_dtype_field *field, vz_error *err)
{
    vz_json *pair = vz_json_array(err);
    if (pair && vz_json_append(pair, vz_json_text(field->name, err), err) &&
        vz_json_append(pair, name_of(array, field, err), err))
        return pair;
    vz_json_free(pair);
    return NULL;
}

vz_json *vz_view_lindi_members(const vz_node *array, vz_error *err)
{
    const vz_dtype *dtype = array->meta->dtype;
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < dtype->field_count; i++)
        if (!vz_json_append(list, pair_of(array, &dtype->fields[i], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}
