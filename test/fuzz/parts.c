/* parts.c - a document around a part of one. */
#include "metadata.h"

static bool append(vz_buffer *out, const void *bytes, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    return vz_buffer_append(out, bytes, size, &err);
}

void fuzz_part(int format, const char *before, const char *after, const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    vz_buffer document = {0};
    FUZZ_REQUIRE(append(&document, before, strlen(before)) && append(&document, data, length) &&
                 append(&document, after, strlen(after)) && append(&document, data + length, size - length));
    fuzz_metadata(format, document.data, document.size);
    vz_buffer_clear(&document);
}
