/* element_walk.c - walks over elements in memory. */
#include "command/convert/copy_internal.h"
#include "command/convert/convert_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Members of a compound lie at any address. */
static const char *text_at(const char *at)
{
    const char *text;
    memcpy(&text, at, sizeof text);
    return text ? text : "";
}

static hvl_t sequence_at(const char *at)
{
    hvl_t sequence;
    memcpy(&sequence, at, sizeof sequence);
    return sequence;
}

uint64_t vz_convert_element_variable_size(const vz_convert_element *element, const void *elements, size_t count)
{
    uint64_t size = 0;
    if (!element->has_variable)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)elements + i * element->size;
        if (element->kind == VZ_ELEMENT_TEXT) {
            size += strlen(text_at(at)) + 1;
        } else if (element->kind == VZ_ELEMENT_SEQUENCE) {
            const hvl_t sequence = sequence_at(at);
            const vz_convert_element *base = element->members[0].element;
            size +=
                (uint64_t)sequence.len * base->size + vz_convert_element_variable_size(base, sequence.p, sequence.len);
        } else if (element->kind == VZ_ELEMENT_ARRAY)
            size += vz_convert_element_variable_size(element->members[0].element, at, element->count);
        else if (element->kind == VZ_ELEMENT_COMPOUND)
            for (size_t m = 0; m < element->count; m++)
                size +=
                    vz_convert_element_variable_size(element->members[m].element, at + element->members[m].offset, 1);
    }
    return size;
}

bool vz_convert_element_each_reference(const vz_convert_element *element, void *elements, size_t count,
                                       vz_convert_element_visit visit, void *context, vz_error *err)
{
    if (!element->has_reference)
        return true;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        char *at = (char *)elements + i * element->size;
        if (element->kind == VZ_ELEMENT_SEQUENCE) {
            hvl_t *sequence = (hvl_t *)at;
            ok = vz_convert_element_each_reference(element->members[0].element, sequence->p, sequence->len, visit,
                                                   context, err);
        } else if (element->kind == VZ_ELEMENT_ARRAY)
            ok =
                vz_convert_element_each_reference(element->members[0].element, at, element->count, visit, context, err);
        else if (element->kind == VZ_ELEMENT_COMPOUND)
            for (size_t m = 0; ok && m < element->count; m++)
                ok = vz_convert_element_each_reference(element->members[m].element, at + element->members[m].offset, 1,
                                                       visit, context, err);
        else
            ok = visit(context, element, at, err);
    }
    return ok;
}

/* ---- comparison ---- */

typedef struct comparison {
    vz_convert_element_same same_reference;
    void *context;
    vz_error *err;
} comparison;

static bool same_elements(const comparison *c, const vz_convert_element *element, const char *a, const char *b,
                          size_t count, bool *same, size_t *differs);

static bool is_nan(const comparison *c, const vz_convert_element *element, const char *at, bool *nan)
{
    union {
        double number;
        char bytes[64];
    } room = {.number = 0};
    if (element->size > sizeof room.bytes)
        return vz_fail(c->err, VZ_LIMIT, "a floating-point number of %zu bytes", element->size);
    memcpy(room.bytes, at, element->size);
    if (H5Tconvert(element->type, H5T_NATIVE_DOUBLE, 1, room.bytes, NULL, H5P_DEFAULT) < 0)
        return vz_convert_h5_fail(c->err, "a floating-point number cannot be converted");
    *nan = isnan(room.number);
    return true;
}

static bool same_float(const comparison *c, const vz_convert_element *element, const char *a, const char *b, bool *same)
{
    bool a_is_nan = false, b_is_nan = false;
    *same = memcmp(a, b, element->size) == 0;
    if (*same)
        return true;
    if (!is_nan(c, element, a, &a_is_nan) || !is_nan(c, element, b, &b_is_nan))
        return false;
    *same = a_is_nan && b_is_nan;
    return true;
}

static void same_text(const char *a, const char *b, bool *same)
{
    *same = strcmp(text_at(a), text_at(b)) == 0;
}

static bool same_sequence(const comparison *c, const vz_convert_element *element, const char *a, const char *b,
                          bool *same)
{
    const hvl_t one = sequence_at(a), other = sequence_at(b);
    size_t differs;
    *same = one.len == other.len;
    return !*same || one.len == 0 ||
           same_elements(c, element->members[0].element, one.p, other.p, one.len, same, &differs);
}

static bool same_compound(const comparison *c, const vz_convert_element *element, const char *a, const char *b,
                          bool *same)
{
    size_t differs;
    *same = true;
    for (size_t m = 0; *same && m < element->count; m++) {
        const size_t offset = element->members[m].offset;
        if (!same_elements(c, element->members[m].element, a + offset, b + offset, 1, same, &differs))
            return false;
    }
    return true;
}

static bool same_one(const comparison *c, const vz_convert_element *element, const char *a, const char *b, bool *same)
{
    size_t differs;
    switch (element->kind) {
    case VZ_ELEMENT_BYTES:
        *same = memcmp(a, b, element->size) == 0;
        return true;
    case VZ_ELEMENT_FLOAT:
        return same_float(c, element, a, b, same);
    case VZ_ELEMENT_TEXT:
        same_text(a, b, same);
        return true;
    case VZ_ELEMENT_SEQUENCE:
        return same_sequence(c, element, a, b, same);
    case VZ_ELEMENT_ARRAY:
        return same_elements(c, element->members[0].element, a, b, element->count, same, &differs);
    case VZ_ELEMENT_COMPOUND:
        return same_compound(c, element, a, b, same);
    default:
        return c->same_reference(c->context, element, a, b, same, c->err);
    }
}

static bool same_elements(const comparison *c, const vz_convert_element *element, const char *a, const char *b,
                          size_t count, bool *same, size_t *differs)
{
    *same = true;
    const bool plain = !element->has_variable && !element->has_reference;
    if (plain && memcmp(a, b, count * element->size) == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (!same_one(c, element, a + i * element->size, b + i * element->size, same))
            return false;
        if (!*same) {
            *differs = i;
            return true;
        }
    }
    return true;
}

bool vz_convert_element_compare(const vz_convert_element *element, const void *a, const void *b, size_t count,
                                vz_convert_element_same same_reference, void *context, bool *same, size_t *differs,
                                vz_error *err)
{
    const comparison c = {same_reference, context, err};
    return same_elements(&c, element, a, b, count, same, differs);
}
