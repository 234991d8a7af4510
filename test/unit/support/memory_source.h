/* memory_source.h - bytes in memory as a byte source, which can be made to fail, for tests of stores that are one file.
 */
#ifndef MEMORY_MEDIUM_H
#define MEMORY_MEDIUM_H

#include "store/store/kind.h"
#include <stdlib.h>

typedef struct memory_source {
    vz_byte_source base;
    vz_buffer bytes;
    int writes_left; /* before each write, or cut, fails; -1: none does */
    unsigned reads, writes, flushes, closes;
    uint64_t written, bytes_read;
} memory_source;

static bool memory_read(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    memory_source *m = (memory_source *)source;
    m->reads++;
    if (offset > m->bytes.size || size > m->bytes.size - offset)
        return vz_fail(err, VZ_CORRUPT, "ends early");
    memcpy(data, m->bytes.data + offset, size);
    m->bytes_read += size;
    return true;
}

static bool memory_size(vz_byte_source *source, uint64_t *size, vz_error *err)
{
    (void)err;
    *size = ((memory_source *)source)->bytes.size;
    return true;
}

static bool memory_write(vz_byte_source *source, uint64_t offset, const void *data, size_t size, vz_error *err)
{
    memory_source *m = (memory_source *)source;
    if (m->writes_left == 0)
        return vz_fail(err, VZ_IO, "no room");
    m->writes_left -= m->writes_left > 0;
    m->writes++;
    m->written += size;
    if (offset + size > m->bytes.size) {
        const size_t before = m->bytes.size;
        if (!vz_buffer_reserve(&m->bytes, (size_t)offset + size, err))
            return false;
        memset(m->bytes.data + before, 0, (size_t)offset + size - before);
        m->bytes.size = (size_t)offset + size;
    }
    memcpy(m->bytes.data + offset, data, size);
    return true;
}

static bool memory_truncate(vz_byte_source *source, uint64_t size, vz_error *err)
{
    memory_source *m = (memory_source *)source;
    if (m->writes_left == 0)
        return vz_fail(err, VZ_IO, "cannot be cut off");
    m->writes_left -= m->writes_left > 0;
    m->bytes.size = (size_t)size < m->bytes.size ? (size_t)size : m->bytes.size;
    return true;
}

static bool memory_flush(vz_byte_source *source, vz_error *err)
{
    (void)err;
    ((memory_source *)source)->flushes++;
    return true;
}

static bool memory_close(vz_byte_source *source, vz_error *err)
{
    (void)err;
    ((memory_source *)source)->closes++;
    return true;
}

static const vz_byte_source_class memory_source_class = {
    .read = memory_read,
    .size = memory_size,
    .write = memory_write,
    .truncate = memory_truncate,
    .flush = memory_flush,
    .close = memory_close,
};

#endif
