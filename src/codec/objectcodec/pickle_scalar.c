/* pickle_scalar.c - numbers, texts and bytes of a pickle as JSON text. */
#include "codec/objectcodec/objects_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool vz_pickled_print_integer(uint64_t magnitude, bool negative, vz_buffer *out, vz_error *err)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%s%" PRIu64, negative ? "-" : "", magnitude);
    return vz_buffer_append(out, text, (size_t)length, err);
}

static bool print_json(vz_json *take, vz_buffer *out, vz_error *err)
{
    const bool ok = take && vz_json_print(take, 0, out, err);
    vz_json_free(take);
    return ok;
}

bool vz_pickled_print_real(double real, vz_buffer *out, vz_error *err)
{
    return print_json(vz_json_double(real, err), out, err);
}

/* Does the text stand for itself between quotes? */
static bool is_plain(vz_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] > 0x7e || text.data[i] == '"' || text.data[i] == '\\')
            return false;
    return true;
}

bool vz_pickled_print_text(vz_bytes text, vz_buffer *out, vz_error *err)
{
    if (is_plain(text))
        return vz_buffer_append(out, "\"", 1, err) && vz_buffer_append(out, text.data, text.size, err) &&
               vz_buffer_append(out, "\"", 1, err);
    vz_error why = VZ_ERROR_NONE;
    vz_json *string = vz_json_string((const char *)text.data, text.size, &why);
    if (!string)
        return vz_fail(err, why.class == VZ_INVALID ? VZ_CORRUPT : why.class, "pickle: %.100s", why.text);
    return print_json(string, out, err);
}

/* Text where it is UTF-8, {"__bytes__": base64} where not. */
bool vz_pickled_print_bytes(vz_bytes bytes, vz_buffer *out, vz_error *err)
{
    if (vz_utf8_valid(bytes.data, bytes.size))
        return vz_pickled_print_text(bytes, out, err);
    char *base64 = vz_base64_encode(bytes.data, bytes.size, err);
    const bool ok = base64 && vz_buffer_append(out, "{\"__bytes__\":\"", 14, err) &&
                    vz_buffer_append(out, base64, strlen(base64), err) && vz_buffer_append(out, "\"}", 2, err);
    free(base64);
    return ok;
}
