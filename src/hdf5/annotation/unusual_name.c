/* unusual_name.c - names that are not UTF-8. */
#include "hdf5/annotation/annotation.h"
#include <stdlib.h>

#define BYTES "b"

bool vz_unusual_name_escape(vz_buffer *out, const char *name, vz_error *err)
{
    const bool is_valid = vz_utf8_valid(name, strlen(name));
    const size_t start = out->size;
    for (size_t left = strlen(name), length; left > 0; name += length, left -= length) {
        length = vz_utf8_sequence(name, left, false);
        const bool plain = length > 0 && !(is_valid && out->size == start);
        length = length ? length : 1;
        if (plain ? !vz_buffer_append(out, name, length, err)
                  : !vz_buffer_printf(out, err, "%%%02X", (unsigned char)*name))
            return false;
    }
    return true;
}

vz_json *vz_unusual_name_print(const char *name, vz_error *err)
{
    if (vz_utf8_valid(name, strlen(name)))
        return vz_json_text(name, err);
    char *base64 = vz_base64_encode(name, strlen(name), err);
    vz_json *form = base64 ? vz_json_object(err) : NULL;
    if (form && !vz_json_set_text(form, BYTES, base64, err)) {
        vz_json_free(form);
        form = NULL;
    }
    free(base64);
    return form;
}

static char *decode(const char *base64, size_t length, vz_error *err)
{
    vz_buffer name = {0};
    vz_error ignored = VZ_ERROR_NONE;
    if (!vz_base64_decode(base64, length, &name, &ignored) || name.size == 0 || memchr(name.data, 0, name.size) ||
        !vz_buffer_append(&name, "", 1, err)) {
        vz_buffer_clear(&name);
        return NULL;
    }
    return (char *)name.data;
}

char *vz_unusual_name_parse(const vz_json *form, vz_error *err)
{
    size_t length = 0;
    const char *text = vz_json_get_string(form, NULL);
    const char *base64 = text ? NULL : vz_json_get_string(vz_json_get(form, BYTES), &length);
    if (base64)
        return decode(base64, length, err);
    char *name = text ? strdup(text) : NULL;
    if (text && !name)
        vz_fail_memory(err);
    return name;
}
