/* dtype.c - making, copying, comparing and freeing element types. No Zarr format is known here. */
#include "metadata/metadata/metadata_internal.h"
#include <stdlib.h>

static bool is_legal_size(vz_dtype_kind kind, size_t size)
{
    switch (kind) {
    case VZ_DTYPE_BOOL:
        return size == 1;
    case VZ_DTYPE_INT:
    case VZ_DTYPE_UINT:
        return size == 1 || size == 2 || size == 4 || size == 8;
    case VZ_DTYPE_FLOAT:
        return size == 2 || size == 4 || size == 8;
    case VZ_DTYPE_COMPLEX:
        return size == 8 || size == 16;
    case VZ_DTYPE_NARROW:
        return size == 1 || size == 2;
    case VZ_DTYPE_DATETIME:
    case VZ_DTYPE_TIMEDELTA:
        return size == 8;
    case VZ_DTYPE_UNICODE:
        return size % 4 == 0 && size <= VZ_DTYPE_MAX_SIZE;
    default:
        return size <= VZ_DTYPE_MAX_SIZE;
    }
}

/* Single bytes and plain byte strings have no order: they are always "little", so that equal types
 * compare equal. */
static bool has_byte_order(vz_dtype_kind kind, size_t size)
{
    switch (kind) {
    case VZ_DTYPE_INT:
    case VZ_DTYPE_UINT:
    case VZ_DTYPE_NARROW:
        return size > 1;
    case VZ_DTYPE_FLOAT:
    case VZ_DTYPE_COMPLEX:
    case VZ_DTYPE_UNICODE:
    case VZ_DTYPE_DATETIME:
    case VZ_DTYPE_TIMEDELTA:
        return true;
    default:
        return false;
    }
}

vz_dtype *vz_dtype_new(vz_dtype_kind kind, size_t size, bool big_endian, vz_error *err)
{
    if (kind == VZ_DTYPE_STRUCT)
        size = 0;
    if (kind == VZ_DTYPE_OBJECT)
        size = sizeof(vz_item);
    if (!is_legal_size(kind, size)) {
        vz_fail(err, VZ_INVALID, "dtype: no element of this kind has %zu bytes", size);
        return NULL;
    }
    vz_dtype *dtype = calloc(1, sizeof *dtype);
    if (!dtype) {
        vz_fail_memory(err);
        return NULL;
    }
    dtype->kind = kind;
    dtype->size = size;
    dtype->big_endian = big_endian && has_byte_order(kind, size);
    return dtype;
}

vz_dtype *vz_dtype_new_narrow(vz_narrow narrow, bool big_endian, vz_error *err)
{
    vz_dtype *dtype = vz_dtype_new(VZ_DTYPE_NARROW, vz_narrow_form_of(narrow)->size, big_endian, err);
    if (dtype)
        dtype->narrow = narrow;
    return dtype;
}

void vz_dtype_free(vz_dtype *dtype)
{
    if (!dtype)
        return;
    for (size_t i = 0; i < dtype->field_count; i++) {
        free(dtype->fields[i].name);
        vz_dtype_free(dtype->fields[i].dtype);
    }
    free(dtype->fields);
    vz_dtype_free(dtype->item);
    free(dtype->codec);
    free(dtype);
}

/* Bytes of a whole member, all its array elements included. */
static bool field_size(const vz_dtype_field *field, uint64_t *size)
{
    *size = field->dtype->size;
    for (unsigned d = 0; d < field->rank; d++)
        if (!vz_mul(*size, field->dims[d], size))
            return false;
    return true;
}

/* Room for one more field; capacities are powers of two, so none needs to be kept. */
static bool grow_fields(vz_dtype *record, vz_error *err)
{
    const size_t count = record->field_count;
    if (count >= VZ_DTYPE_MAX_FIELDS)
        return vz_fail(err, VZ_LIMIT, "dtype: more than %d fields", VZ_DTYPE_MAX_FIELDS);
    if (count != 0 && (count & (count - 1)) != 0)
        return true;
    vz_dtype_field *fields = realloc(record->fields, (count ? 2 * count : 1) * sizeof *fields);
    if (!fields)
        return vz_fail_memory(err);
    record->fields = fields;
    return true;
}

bool vz_dtype_add_field(vz_dtype *record, const char *name, vz_dtype *dtype, unsigned rank, const uint64_t *dims,
                        vz_error *err)
{
    if (!dtype)
        return false;
    vz_dtype_field field = {.offset = record->size, .dtype = dtype, .rank = rank};
    bool fits = rank <= VZ_MAX_RANK;
    for (unsigned d = 0; fits && d < rank; d++)
        field.dims[d] = dims[d];
    uint64_t size = 0;
    if (!fits || !field_size(&field, &size) || !vz_add(size, record->size, &size) || size > VZ_DTYPE_MAX_SIZE) {
        vz_dtype_free(dtype);
        return vz_fail(err, VZ_LIMIT, "dtype: field \"%.100s\" is too large", name);
    }
    field.name = strdup(name);
    if (!field.name || !grow_fields(record, err)) {
        free(field.name);
        vz_dtype_free(dtype);
        return vz_fail_memory(err);
    }
    record->fields[record->field_count++] = field;
    record->size = size;
    return true;
}

static bool copy_parts(vz_dtype *copy, const vz_dtype *dtype, vz_error *err)
{
    memcpy(copy->unit, dtype->unit, sizeof copy->unit);
    copy->object = dtype->object;
    copy->narrow = dtype->narrow;
    for (size_t i = 0; i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        vz_dtype *member = vz_dtype_copy(field->dtype, err);
        if (!vz_dtype_add_field(copy, field->name, member, field->rank, field->dims, err))
            return false;
    }
    if (dtype->item && !(copy->item = vz_dtype_copy(dtype->item, err)))
        return false;
    if (dtype->codec && !(copy->codec = strdup(dtype->codec)))
        return vz_fail_memory(err);
    return true;
}

vz_dtype *vz_dtype_copy(const vz_dtype *dtype, vz_error *err)
{
    vz_dtype *copy = vz_dtype_new(dtype->kind, dtype->size, dtype->big_endian, err);
    if (copy && !copy_parts(copy, dtype, err)) {
        vz_dtype_free(copy);
        return NULL;
    }
    return copy;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_field(const vz_dtype_field *a, const vz_dtype_field *b)
{
    return a->rank == b->rank && strcmp(a->name, b->name) == 0 &&
           memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0 && vz_dtype_equal(a->dtype, b->dtype);
}

bool vz_dtype_equal(const vz_dtype *a, const vz_dtype *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->size != b->size || a->big_endian != b->big_endian ||
        a->narrow != b->narrow || strcmp(a->unit, b->unit) != 0 || a->field_count != b->field_count ||
        a->object != b->object || !same_text(a->codec, b->codec) || !vz_dtype_equal(a->item, b->item))
        return false;
    for (size_t i = 0; i < a->field_count; i++)
        if (!same_field(&a->fields[i], &b->fields[i]))
            return false;
    return true;
}

bool vz_dtype_is_number(const vz_dtype *dtype)
{
    return dtype->kind == VZ_DTYPE_INT || dtype->kind == VZ_DTYPE_UINT || dtype->kind == VZ_DTYPE_FLOAT;
}

static bool has_order(const vz_dtype *dtype)
{
    switch (dtype->kind) {
    case VZ_DTYPE_BOOL:
    case VZ_DTYPE_BYTES:
    case VZ_DTYPE_RAW:
    case VZ_DTYPE_OBJECT:
    case VZ_DTYPE_STRUCT:
        return false;
    default:
        return dtype->size > 1;
    }
}

bool vz_dtype_byte_order(const vz_dtype *dtype, bool *big_endian, bool *ordered)
{
    *big_endian = dtype->big_endian;
    *ordered = has_order(dtype);
    for (size_t i = 0; i < dtype->field_count; i++) {
        bool big, counts;
        if (!vz_dtype_byte_order(dtype->fields[i].dtype, &big, &counts) || (counts && *ordered && big != *big_endian))
            return false;
        if (counts)
            *big_endian = big, *ordered = true;
    }
    return true;
}
