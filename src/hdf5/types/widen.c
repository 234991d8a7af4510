/* widen.c - dtypes that grow with the data: <U fields of structs, and text that turns out not to
 * be UTF-8. */
#include "hdf5/types/types.h"
#include "hdf5/types/elements_internal.h"
#include "base/os/thread.h"

#define WIDTH_MAX (VZ_DTYPE_MAX_SIZE / 4) /* characters of a field */

bool vz_type_can_grow(const vz_dtype *dtype)
{
    switch (dtype->kind) {
    case VZ_DTYPE_OBJECT:
        return dtype->object == VZ_OBJECT_TEXT;
    case VZ_DTYPE_UNICODE:
        return true;
    default:
        for (size_t i = 0; i < dtype->field_count; i++)
            if (dtype->fields[i].dtype->kind != VZ_DTYPE_OBJECT && vz_type_can_grow(dtype->fields[i].dtype))
                return true;
        return false;
    }
}

/* The same part of `count` elements in memory. */
typedef struct column {
    const uint8_t *data;
    size_t stride, count;
} column;

static const char *text_at(const column *c, size_t i)
{
    const char *text;
    memcpy(&text, c->data + i * c->stride, sizeof text);
    return text ? text : "";
}

static vz_dtype *fit(const vz_dtype *dtype, const vz_type_tree *layout, column c, bool empty, vz_error *err);

static vz_dtype *fit_width(const vz_dtype *dtype, column c, bool empty, vz_error *err)
{
    size_t width = dtype->size / 4, most = width;
    for (size_t i = 0; i < c.count; i++) {
        size_t count;
        if (!vz_type_utf8_count(text_at(&c, i), &count, err))
            return NULL;
        most = count > most ? count : most;
    }
    if (most > width && !empty && most < width + width / 2)
        most = width + width / 2;
    if (most > WIDTH_MAX) {
        vz_fail(err, VZ_LIMIT, "a text member of %zu characters", most);
        return NULL;
    }
    return vz_dtype_new(VZ_DTYPE_UNICODE, 4 * most, dtype->big_endian, err);
}

/* A field that is an array (fields with dimensions): the widest of its elements. */
static vz_dtype *fit_repeated(const vz_dtype_field *field, const vz_type_tree *layout, column c, bool empty,
                              vz_error *err)
{
    vz_dtype *dtype = vz_dtype_copy(field->dtype, err);
    for (size_t i = 0; dtype && i < layout->count; i++) {
        const column element = {c.data + i * layout->base->size, c.stride, c.count};
        vz_dtype *wider = fit(dtype, layout->base, element, empty, err);
        vz_dtype_free(dtype);
        dtype = wider;
    }
    return dtype;
}

static vz_dtype *fit_struct(const vz_dtype *dtype, const vz_type_tree *layout, column c, bool empty, vz_error *err)
{
    const bool members = layout->class == H5T_COMPOUND;
    if ((!members && layout->class != H5T_ARRAY) || layout->count != dtype->field_count) {
        vz_fail(err, VZ_INVALID, "the dtype does not belong to the datatype");
        return NULL;
    }
    vz_dtype *record = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, err);
    for (size_t i = 0; record && i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        const vz_type_tree *part = members ? layout->members[i].layout : layout->base;
        const size_t offset = members ? layout->members[i].offset : i * part->size;
        const column inner = {c.data + offset, c.stride, c.count};
        vz_dtype *wide = field->rank && part->class == H5T_ARRAY ? fit_repeated(field, part, inner, empty, err)
                                                                 : fit(field->dtype, part, inner, empty, err);
        if (!wide || !vz_dtype_add_field(record, field->name, wide, field->rank, field->dims, err)) {
            vz_dtype_free(record);
            return NULL;
        }
    }
    return record;
}

/* A dtype that holds the column: `dtype`'s copy, or a wider one. */
static vz_dtype *fit(const vz_dtype *dtype, const vz_type_tree *layout, column c, bool empty, vz_error *err)
{
    if (dtype->kind == VZ_DTYPE_STRUCT && vz_type_can_grow(dtype))
        return fit_struct(dtype, layout, c, empty, err);
    if (dtype->kind == VZ_DTYPE_UNICODE && layout->is_variable)
        return fit_width(dtype, c, empty, err);
    return vz_dtype_copy(dtype, err);
}

enum { TEXTS_OF_TASK = 16384 }; /* texts that one worker looks at, before it takes the next ones */

typedef struct texts {
    const vz_type_tree *layout;
    column column;
} texts;

/* A vz_pool_job, which fails at the first text that is not UTF-8. */
static bool are_utf8(void *context, size_t index, unsigned worker, vz_error *err)
{
    const texts *t = context;
    const column *c = &t->column;
    const size_t first = index * TEXTS_OF_TASK, left = c->count - first;
    (void)worker;
    for (size_t i = first; i < first + (left < TEXTS_OF_TASK ? left : TEXTS_OF_TASK); i++) {
        const char *text = t->layout->is_variable ? text_at(c, i) : (const char *)c->data + i * c->stride;
        const size_t length =
            t->layout->is_variable ? strlen(text) : vz_type_fixed_length(t->layout, (const uint8_t *)text);
        if (!vz_utf8_valid(text, length))
            return vz_fail(err, VZ_INVALID, "text that is not UTF-8");
    }
    return true;
}

static bool all_utf8(const vz_type_tree *layout, const column *c)
{
    texts t = {layout, *c};
    vz_error ignored = VZ_ERROR_NONE;
    const size_t tasks = c->count / TEXTS_OF_TASK + (c->count % TEXTS_OF_TASK != 0);
    return tasks <= 1 ? tasks == 0 || are_utf8(&t, 0, 0, &ignored) : vz_pool_run(are_utf8, &t, tasks, &ignored);
}

static vz_dtype *fit_element(const vz_dtype *dtype, const vz_type_tree *layout, column c, bool empty, vz_error *err)
{
    if (dtype->kind != VZ_DTYPE_OBJECT)
        return fit(dtype, layout, c, empty, err);
    vz_dtype *copy = vz_dtype_copy(dtype, err);
    if (copy && dtype->object == VZ_OBJECT_TEXT && layout->class == H5T_STRING && !all_utf8(layout, &c))
        copy->object = VZ_OBJECT_BYTES;
    return copy;
}

bool vz_type_widen(const vz_dtype *dtype, const vz_type_tree *shown, const void *in, size_t count, bool empty,
                   vz_dtype **grown, vz_error *err)
{
    *grown = NULL;
    const vz_type_tree *element = shown;
    for (; element->class == H5T_ARRAY && !vz_steps_hold_whole_array(dtype, element); element = element->base)
        count *= element->count;
    const column c = {in, element->size, count};
    vz_dtype *wide = fit_element(dtype, element, c, empty, err);
    if (!wide)
        return false;
    if (vz_dtype_equal(dtype, wide))
        vz_dtype_free(wide);
    else
        *grown = wide;
    return true;
}

static size_t times_of(const vz_dtype_field *field)
{
    size_t times = 1;
    for (unsigned d = 0; d < field->rank; d++)
        times *= field->dims[d];
    return times;
}

static void regrow(const vz_dtype *from, const vz_dtype *to, const uint8_t *in, uint8_t *out)
{
    if (from->kind != VZ_DTYPE_STRUCT) {
        memcpy(out, in, from->size);
        memset(out + from->size, 0, to->size - from->size);
        return;
    }
    for (size_t i = 0; i < from->field_count; i++) {
        const vz_dtype_field *a = &from->fields[i], *b = &to->fields[i];
        const size_t times = times_of(a);
        for (size_t k = 0; k < times; k++)
            regrow(a->dtype, b->dtype, in + a->offset + k * a->dtype->size, out + b->offset + k * b->dtype->size);
    }
}

void vz_type_widen_elements(const vz_dtype *from, const vz_dtype *to, const void *elements, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++)
        regrow(from, to, (const uint8_t *)elements + i * from->size, (uint8_t *)out + i * to->size);
}
