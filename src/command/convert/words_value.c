/* words_value.c - an element in memory in words. */
#include "command/convert/compare_internal.h"
#include "hdf5/types/types.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vz_words_printf(vz_buffer *out, vz_error *err, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    bool ok = length >= 0 || vz_fail(err, VZ_INVALID, "text cannot be formatted");
    ok = ok && vz_buffer_reserve(out, out->size + (size_t)length + 1, err);
    if (ok) {
        vsnprintf((char *)out->data + out->size, (size_t)length + 1, format, again);
        out->size += (size_t)length;
    }
    va_end(again);
    return ok;
}

#define EXPONENT_FROM 1e7 /* whole numbers from there on may have an exponent */

/* One value under way. */
typedef struct words {
    hid_t file;
    vz_buffer *out;
    size_t end; /* what lies beyond is not said */
    vz_error *err;
} words;

static bool value_at(const words *w, hid_t type, const char *element, unsigned depth);

static bool is_full(const words *w)
{
    return w->out->size >= w->end;
}

/* ---- numbers ---- */

static bool convert(const words *w, hid_t type, hid_t native, const char *element, size_t size, void *number)
{
    union {
        char bytes[64];
        long double aligned;
    } room;
    const size_t from = H5Tget_size(type);
    if (from > sizeof room)
        return vz_fail(w->err, VZ_LIMIT, "a number of %zu bytes", from);
    memcpy(room.bytes, element, from);
    if (H5Tconvert(type, native, 1, room.bytes, NULL, H5P_DEFAULT) < 0)
        return vz_convert_h5_fail(w->err, "a number cannot be converted");
    memcpy(number, room.bytes, size);
    return true;
}

static bool hex(const words *w, const char *element, size_t size)
{
    bool ok = vz_words_printf(w->out, w->err, "0x");
    for (size_t i = 0; ok && i < size && !is_full(w); i++)
        ok = vz_words_printf(w->out, w->err, "%02x", (unsigned char)element[i]);
    return ok;
}

static bool integer(const words *w, hid_t type, const char *element)
{
    int64_t number;
    uint64_t large;
    if (H5Tget_size(type) > 8)
        return hex(w, element, H5Tget_size(type));
    if (H5Tget_sign(type) == H5T_SGN_NONE)
        return convert(w, type, H5T_NATIVE_UINT64, element, sizeof large, &large) &&
               vz_words_printf(w->out, w->err, "%llu", (unsigned long long)large);
    return convert(w, type, H5T_NATIVE_INT64, element, sizeof number, &number) &&
           vz_words_printf(w->out, w->err, "%lld", (long long)number);
}

void vz_words_real(double number, bool is_single, char text[VZ_WORDS_REAL])
{
    const int most = is_single ? 9 : 17;
    for (int digits = 1; digits <= most; digits++) {
        snprintf(text, VZ_WORDS_REAL, "%.*g", digits, number);
        const double again = strtod(text, NULL);
        if (isnan(number) || again == number || (is_single && (float)again == (float)number))
            break;
    }
    if (strchr(text, 'e') && number == trunc(number) && fabs(number) < EXPONENT_FROM)
        snprintf(text, VZ_WORDS_REAL, "%.0f", number);
}

static bool real(const words *w, hid_t type, const char *element)
{
    double number;
    char text[VZ_WORDS_REAL];
    if (!convert(w, type, H5T_NATIVE_DOUBLE, element, sizeof number, &number))
        return false;
    vz_words_real(number, H5Tget_size(type) <= 4, text);
    return vz_words_printf(w->out, w->err, "%s", text);
}

static bool enumeration(const words *w, hid_t type, const char *element)
{
    const int count = H5Tget_nmembers(type);
    const size_t size = H5Tget_size(type);
    char value[64];
    for (int i = 0; size <= sizeof value && i < count; i++) {
        if (H5Tget_member_value(type, (unsigned)i, value) < 0 || memcmp(value, element, size) != 0)
            continue;
        char *name = H5Tget_member_name(type, (unsigned)i);
        const bool ok = vz_words_printf(w->out, w->err, "%s", name ? name : "?");
        if (name)
            H5free_memory(name);
        return ok;
    }
    const hid_t base = H5Tget_super(type);
    const bool ok = base >= 0 && integer(w, base, element);
    vz_convert_id_close(base);
    return ok;
}

/* ---- text ---- */

/* Cut between characters. */
static bool quoted(const words *w, const char *text, size_t size)
{
    const size_t room = w->end > w->out->size ? w->end - w->out->size : 0;
    size_t length = size < room ? size : room;
    while (length > 0 && length < size && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return vz_words_printf(w->out, w->err, "\"%.*s\"%s", (int)length, text, length < size ? "..." : "");
}

static bool text(const words *w, hid_t type, const char *element)
{
    if (H5Tis_variable_str(type) > 0) {
        const char *at;
        memcpy(&at, element, sizeof at);
        return quoted(w, at ? at : "", at ? strlen(at) : 0);
    }
    size_t size = strnlen(element, H5Tget_size(type));
    while (H5Tget_strpad(type) == H5T_STR_SPACEPAD && size > 0 && element[size - 1] == ' ')
        size--;
    return quoted(w, element, size);
}

/* ---- references ---- */

static bool reference(const words *w, hid_t type, const char *element)
{
    char name[VZ_WORDS_MAX] = "";
    union {
        H5R_ref_t reference;
        hobj_ref_t object;
        hdset_reg_ref_t region;
    } any;
    const size_t size = H5Tget_size(type);
    if (size > sizeof any || memcmp(element, vz_zeros(size), size) == 0)
        return vz_words_printf(w->out, w->err, "null reference");
    memcpy(&any, element, size);
    ssize_t length;
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0)
        length = H5Rget_name(w->file, H5R_OBJECT, &any, name, sizeof name);
    else if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0)
        length = H5Rget_name(w->file, H5R_DATASET_REGION, &any, name, sizeof name);
    else
        length = H5Rget_obj_name(&any.reference, H5P_DEFAULT, name, sizeof name);
    H5Eclear2(H5E_DEFAULT);
    return length > 0 ? vz_words_printf(w->out, w->err, "reference to %s", name)
                      : vz_words_printf(w->out, w->err, "reference to nothing");
}

/* ---- what has parts ---- */

static bool list(const words *w, hid_t base, const char *elements, size_t count, unsigned depth)
{
    const size_t size = H5Tget_size(base);
    bool ok = vz_words_printf(w->out, w->err, "[");
    for (size_t i = 0; ok && i < count && !is_full(w); i++)
        ok = (i == 0 || vz_words_printf(w->out, w->err, ", ")) && value_at(w, base, elements + i * size, depth + 1);
    return ok && vz_words_printf(w->out, w->err, is_full(w) ? "...]" : "]");
}

static bool sequence(const words *w, hid_t type, const char *element, unsigned depth)
{
    hvl_t sequence;
    memcpy(&sequence, element, sizeof sequence);
    const hid_t base = H5Tget_super(type);
    const bool ok = base >= 0 && list(w, base, sequence.p, sequence.p ? sequence.len : 0, depth);
    vz_convert_id_close(base);
    return ok;
}

static bool array(const words *w, hid_t type, const char *element, unsigned depth)
{
    const hid_t base = H5Tget_super(type);
    const size_t size = base < 0 ? 0 : H5Tget_size(base);
    const bool ok = size > 0 && list(w, base, element, H5Tget_size(type) / size, depth);
    vz_convert_id_close(base);
    return ok;
}

static bool compound(const words *w, hid_t type, const char *element, unsigned depth)
{
    const int count = H5Tget_nmembers(type);
    bool ok = vz_words_printf(w->out, w->err, "{");
    for (int i = 0; ok && i < count && !is_full(w); i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        ok = name && member >= 0 && vz_words_printf(w->out, w->err, "%s%s: ", i ? ", " : "", name) &&
             value_at(w, member, element + H5Tget_member_offset(type, (unsigned)i), depth + 1);
        vz_convert_id_close(member);
        if (name)
            H5free_memory(name);
    }
    return ok && vz_words_printf(w->out, w->err, is_full(w) ? "...}" : "}");
}

static bool value_at(const words *w, hid_t type, const char *element, unsigned depth)
{
    if (depth >= VZ_TYPE_MAX_DEPTH)
        return vz_fail(w->err, VZ_LIMIT, "a type of more than %d levels", VZ_TYPE_MAX_DEPTH);
    switch ((int)H5Tget_class(type)) {
    case H5T_INTEGER:
        return integer(w, type, element);
    case H5T_FLOAT:
        return real(w, type, element);
    case H5T_STRING:
        return text(w, type, element);
    case H5T_REFERENCE:
        return reference(w, type, element);
    case H5T_ENUM:
        return enumeration(w, type, element);
    case H5T_VLEN:
        return sequence(w, type, element, depth);
    case H5T_ARRAY:
    case VZ_H5T_COMPLEX:
        return array(w, type, element, depth);
    case H5T_COMPOUND:
        return compound(w, type, element, depth);
    default:
        return hex(w, element, H5Tget_size(type));
    }
}

bool vz_words_value(hid_t file, hid_t type, const void *element, vz_buffer *out, vz_error *err)
{
    const words w = {.file = file, .out = out, .end = out->size + VZ_WORDS_MAX, .err = err};
    return value_at(&w, type, element, 0);
}
