/* dtype_v2_print.c - writes element types of format 2. */
#include "metadata/metadata/v2_internal.h"
#include <stdio.h>

const vz_dtype_letter vz_dtype_letters[VZ_DTYPE_LETTERS] = {
    {'b', VZ_DTYPE_BOOL, 1, 1},
    {'i', VZ_DTYPE_INT, 1 | 2 | 4 | 8, 1},
    {'u', VZ_DTYPE_UINT, 1 | 2 | 4 | 8, 1},
    {'f', VZ_DTYPE_FLOAT, 2 | 4 | 8, 1},
    {'c', VZ_DTYPE_COMPLEX, 8 | 16, 1},
    {'S', VZ_DTYPE_BYTES, 0, 1},
    {'U', VZ_DTYPE_UNICODE, 0, 4},
    {'V', VZ_DTYPE_RAW, 0, 1},
};

static vz_json *print_dims(const vz_dtype_field *field, vz_error *err)
{
    vz_json *dims = vz_json_array(err);
    for (unsigned d = 0; dims && d < field->rank; d++)
        if (!vz_json_append(dims, vz_json_uint64(field->dims[d], err), err)) {
            vz_json_free(dims);
            return NULL;
        }
    return dims;
}

static vz_json *print_field(const vz_dtype_field *field, vz_error *err)
{
    vz_json *entry = vz_json_array(err);
    if (!entry)
        return NULL;
    bool ok = vz_json_append(entry, vz_json_text(field->name, err), err) &&
              vz_json_append(entry, vz_dtype_print_v2(field->dtype, err), err) &&
              (field->rank == 0 || vz_json_append(entry, print_dims(field, err), err));
    if (ok)
        return entry;
    vz_json_free(entry);
    return NULL;
}

static vz_json *print_fields(const vz_dtype *record, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < record->field_count; i++)
        if (!vz_json_append(list, print_field(&record->fields[i], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

static vz_json *print_counted(const vz_dtype *dtype, char letter, size_t count, vz_error *err)
{
    const bool ordered = dtype->kind != VZ_DTYPE_BYTES && dtype->kind != VZ_DTYPE_RAW && dtype->kind != VZ_DTYPE_BOOL &&
                         dtype->size != 1;
    char text[64];
    snprintf(text, sizeof text, "%c%c%zu", ordered ? (dtype->big_endian ? '>' : '<') : '|', letter, count);
    return vz_json_text(text, err);
}

static vz_json *print_time(const vz_dtype *dtype, char letter, vz_error *err)
{
    char text[64];
    const char *unit = dtype->unit;
    snprintf(text, sizeof text, "%c%c8%s%s%s", dtype->big_endian ? '>' : '<', letter, *unit ? "[" : "", unit,
             *unit ? "]" : "");
    return vz_json_text(text, err);
}

vz_json *vz_dtype_print_v2(const vz_dtype *dtype, vz_error *err)
{
    switch (dtype->kind) {
    case VZ_DTYPE_DATETIME:
        return print_time(dtype, 'M', err);
    case VZ_DTYPE_TIMEDELTA:
        return print_time(dtype, 'm', err);
    case VZ_DTYPE_STRUCT:
        return print_fields(dtype, err);
    case VZ_DTYPE_NARROW:
        return vz_json_text(vz_narrow_form_of(dtype->narrow)->name, err);
    case VZ_DTYPE_OBJECT:
        return dtype->object == VZ_OBJECT_JSON && dtype->item ? print_fields(dtype->item, err)
                                                              : vz_json_text("|O", err);
    default:
        break;
    }
    for (size_t i = 0; i < VZ_DTYPE_LETTERS; i++)
        if (vz_dtype_letters[i].kind == dtype->kind)
            return print_counted(dtype, vz_dtype_letters[i].letter, dtype->size / vz_dtype_letters[i].unit, err);
    vz_fail(err, VZ_INVALID, "dtype: unknown kind %d", (int)dtype->kind);
    return NULL;
}
