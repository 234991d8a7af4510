/* buffer.c - a buffer that grows up to a limit, or stands for memory of the caller. */
#include "base/util/bytes.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

vz_buffer vz_buffer_borrow(void *data, size_t size)
{
    return (vz_buffer){.data = data, .capacity = size, .borrowed = true};
}

/* Scratch that was used before is asked for a bit more again and again, as compressed chunks
 * differ a little in size. Each time it would get fresh pages, which cost more than what is put
 * there. */
static size_t with_slack(const vz_buffer *buffer, size_t size)
{
    enum { LARGE = 1 << 16, SLACK_MAX = 1 << 22 };
    if (size < LARGE || size > SIZE_MAX / 2)
        return size;
    const size_t slack = size / 8 < SLACK_MAX ? size / 8 : SLACK_MAX;
    return buffer->limit && buffer->limit - size < slack ? size : size + slack;
}

bool vz_buffer_reserve(vz_buffer *buffer, size_t size, vz_error *err)
{
    if (buffer->limit && size > buffer->limit)
        return vz_fail(err, VZ_LIMIT, "%zu bytes, the limit is %zu", size, buffer->limit);
    if (size <= buffer->capacity)
        return true;
    if (buffer->borrowed)
        return vz_fail(err, VZ_LIMIT, "%zu bytes do not fit into %zu", size, buffer->capacity);
    if (buffer->size == 0) { /* nothing to keep: spare realloc the copy */
        free(buffer->data);
        buffer->data = NULL;
        buffer->capacity = 0;
    }
    const size_t roomy = with_slack(buffer, size);
    uint8_t *data = realloc(buffer->data, roomy);
    if (!data)
        return vz_fail_memory(err);
    buffer->data = data;
    buffer->capacity = roomy;
    return true;
}

/* Room for `more` bytes behind the contents, at least doubling, so that many small appends stay
 * linear. */
static bool reserve_more(vz_buffer *buffer, size_t more, vz_error *err)
{
    size_t needed;
    if (__builtin_add_overflow(buffer->size, more, &needed))
        return vz_fail(err, VZ_LIMIT, "buffer size overflows");
    if (needed <= buffer->capacity || buffer->borrowed)
        return vz_buffer_reserve(buffer, needed, err);
    size_t roomy;
    if (__builtin_mul_overflow(buffer->capacity, (size_t)2, &roomy) || roomy < needed)
        roomy = needed;
    if (roomy < 64)
        roomy = 64;
    if (buffer->limit && roomy > buffer->limit && needed <= buffer->limit)
        roomy = buffer->limit;
    return vz_buffer_reserve(buffer, roomy, err);
}

/* Most of what is appended is short, and fits. */
static inline bool fits(const vz_buffer *buffer, size_t size)
{
    const size_t room = buffer->capacity - buffer->size; /* what was reserved keeps to the limit of
                                                          * then */
    return size > 0 && size <= room && (!buffer->limit || buffer->size + size <= buffer->limit);
}

bool vz_buffer_append(vz_buffer *buffer, const void *data, size_t size, vz_error *err)
{
    if (!fits(buffer, size) && !reserve_more(buffer, size, err))
        return false;
    if (size)
        memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return true;
}

bool vz_buffer_printf(vz_buffer *buffer, vz_error *err, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0)
        return vz_fail(err, VZ_INVALID, "text cannot be formatted");
    if ((size_t)length < sizeof text)
        return vz_buffer_append(buffer, text, (size_t)length, err);

    char *longer = malloc((size_t)length + 1);
    if (!longer)
        return vz_fail_memory(err);
    va_start(args, format);
    vsnprintf(longer, (size_t)length + 1, format, args);
    va_end(args);
    const bool ok = vz_buffer_append(buffer, longer, (size_t)length, err);
    free(longer);
    return ok;
}

void vz_buffer_clear(vz_buffer *buffer)
{
    if (!buffer->borrowed)
        free(buffer->data);
    *buffer = (vz_buffer){.limit = buffer->limit};
}
