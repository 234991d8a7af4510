/* encode_path.c - paths as JSON holds them. A path is stored as it is, or, when it is not UTF-8,
 * as "base64:" and its bytes. Stored paths begin with "/" or a digit, so none looks like that by
 * itself. */
#include "hierarchy/documents/documents.h"
#include <stdlib.h>

#define PREFIX        "base64:"
#define PREFIX_LENGTH (sizeof PREFIX - 1)

static char *copy(const char *text, vz_error *err)
{
    char *same = strdup(text);
    if (!same)
        vz_fail_memory(err);
    return same;
}

char *vz_text_of_path(const char *path, vz_error *err)
{
    const size_t length = strlen(path);
    if (vz_utf8_valid(path, length))
        return copy(path, err);
    char *base64 = vz_base64_encode(path, length, err);
    char *text = base64 ? malloc(PREFIX_LENGTH + strlen(base64) + 1) : NULL;
    if (text)
        strcat(strcpy(text, PREFIX), base64);
    else if (base64)
        vz_fail_memory(err);
    free(base64);
    return text;
}

bool vz_text_is_coded_path(const char *text)
{
    return strncmp(text, PREFIX, PREFIX_LENGTH) == 0;
}

char *vz_text_to_path(const char *text, vz_error *err)
{
    vz_buffer path = {0};
    vz_error no_base64 = VZ_ERROR_NONE;
    if (!vz_text_is_coded_path(text))
        return copy(text, err);
    const char *base64 = text + PREFIX_LENGTH;
    const bool ok = vz_base64_decode(base64, strlen(base64), &path, &no_base64) && path.size > 0 &&
                    !memchr(path.data, 0, path.size) && vz_buffer_append(&path, "", 1, &no_base64);
    if (ok)
        return (char *)path.data;
    vz_buffer_clear(&path);
    /* leads nowhere */
    return no_base64.class == VZ_NO_MEMORY ? (vz_fail_memory(err), NULL) : copy(text, err);
}

vz_json *vz_text_json_of_path(const char *path, vz_error *err)
{
    char *text = vz_text_of_path(path, err);
    vz_json *value = text ? vz_json_text(text, err) : NULL;
    free(text);
    return value;
}
