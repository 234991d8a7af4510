/* file.c - bytes of an open file: whole reads and writes, ranges. */
#include "base/os/file.h"
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRANSFER_MAX ((size_t)1 << 30) /* Linux transfers less than 2 GiB in one call */
#define VECTORS_MAX  256               /* places in memory for one call that reads */
#define PARTS_MAX    1024              /* and that writes: what the system takes (UIO_MAXIOV) */

bool vz_os_file_read(int file, uint64_t offset, void *data, size_t size, vz_error *err)
{
    uint8_t *place = data;
    while (size) {
        const ssize_t got = pread(file, place, size < TRANSFER_MAX ? size : TRANSFER_MAX, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return vz_fail_errno(err, errno, "cannot read");
        if (got == 0)
            return vz_fail(err, VZ_CORRUPT, "ends %zu bytes early", size);
        place += got, offset += (uint64_t)got, size -= (size_t)got;
    }
    return true;
}

/* The places that are left when so many bytes are done. */
static struct iovec *pass(struct iovec *vectors, size_t *count, size_t done)
{
    for (; *count && done >= vectors->iov_len; vectors++, --*count)
        done -= vectors->iov_len;
    if (*count)
        *vectors = (struct iovec){(uint8_t *)vectors->iov_base + done, vectors->iov_len - done};
    return vectors;
}

static bool read_vectors(int file, uint64_t offset, struct iovec *vectors, size_t count, vz_error *err)
{
    while (count) {
        const ssize_t got = preadv(file, vectors, (int)count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return vz_fail_errno(err, errno, "cannot read");
        if (got == 0)
            return vz_fail(err, VZ_CORRUPT, "ends early");
        offset += (uint64_t)got;
        vectors = pass(vectors, &count, (size_t)got);
    }
    return true;
}

/* The ranges, from the first one on, that follow each other without a gap; *offset: where the
 * first begins. */
static size_t join_ranges(uint64_t all, const vz_range *ranges, size_t count, uint64_t *offset, size_t *sizes,
                          vz_error *err)
{
    if (!vz_os_range_resolve(all, ranges[0], offset, &sizes[0], err))
        return 0;
    uint64_t end = *offset + sizes[0], begin;
    size_t joined = 1;
    for (; joined < count && joined < VECTORS_MAX; joined++, end += sizes[joined - 1]) {
        const vz_range *next = &ranges[joined];
        if (next->kind != VZ_RANGE_AT || next->offset != end || next->size == 0)
            break;
        if (!vz_os_range_resolve(all, *next, &begin, &sizes[joined], err))
            return 0;
    }
    return joined;
}

static size_t read_joined(int file, uint64_t start, uint64_t all, const vz_range *ranges, size_t count, vz_buffer *out,
                          vz_error *err)
{
    size_t sizes[VECTORS_MAX];
    struct iovec vectors[VECTORS_MAX];
    uint64_t offset;
    const size_t joined = join_ranges(all, ranges, count, &offset, sizes, err);
    for (size_t i = 0; i < joined; i++) {
        uint8_t *place = vz_os_range_room(&out[i], sizes[i], err);
        if (!place)
            return 0;
        vectors[i] = (struct iovec){place, sizes[i]};
    }
    if (joined == 0 || !read_vectors(file, start + offset, vectors, joined, err))
        return 0;
    for (size_t i = 0; i < joined; i++)
        out[i].size += sizes[i];
    return joined;
}

static bool read_range(int file, uint64_t start, uint64_t all, vz_range range, vz_buffer *out, vz_error *err)
{
    uint64_t offset;
    size_t size = 0;
    if (!vz_os_range_resolve(all, range, &offset, &size, err))
        return false;
    uint8_t *place = vz_os_range_room(out, size, err);
    if (!place || !vz_os_file_read(file, start + offset, place, size, err))
        return false;
    out->size += size;
    return true;
}

size_t vz_os_file_read_ranges(int file, uint64_t start, uint64_t all, const vz_range *ranges, size_t count,
                              vz_buffer *out, vz_error *err)
{
    const bool follows = count > 1 && ranges[0].kind == VZ_RANGE_AT && ranges[1].kind == VZ_RANGE_AT &&
                         ranges[0].size && ranges[1].offset - ranges[0].offset == ranges[0].size;
    return follows ? read_joined(file, start, all, ranges, count, out, err)
                   : read_range(file, start, all, *ranges, out, err);
}

bool vz_os_file_read_text(int file, uint64_t most, vz_buffer *text, vz_error *err)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat");
    if (!S_ISREG(status.st_mode))
        return vz_fail(err, VZ_CORRUPT, "is no regular file");
    if ((uint64_t)status.st_size > most)
        return vz_fail(err, VZ_LIMIT, "%lld bytes, more than the %llu that are read", (long long)status.st_size,
                       (unsigned long long)most);
    const size_t size = (size_t)status.st_size;
    uint8_t *place = vz_os_range_room(text, size + 1, err);
    if (!place || !vz_os_file_read(file, 0, place, size, err))
        return false;
    place[size] = '\0';
    text->size = size;
    return true;
}

bool vz_os_file_write(int file, uint64_t offset, const void *data, size_t size, vz_error *err)
{
    const uint8_t *place = data;
    while (size) {
        const ssize_t put = pwrite(file, place, size < TRANSFER_MAX ? size : TRANSFER_MAX, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return vz_fail_errno(err, errno, "cannot write");
        place += put, offset += (uint64_t)put, size -= (size_t)put;
    }
    return true;
}

static bool write_vectors(int file, uint64_t offset, struct iovec *vectors, size_t count, vz_error *err)
{
    while (count) {
        const ssize_t put = pwritev(file, vectors, (int)count, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return vz_fail_errno(err, errno, "cannot write");
        offset += (uint64_t)put;
        vectors = pass(vectors, &count, (size_t)put);
    }
    return true;
}

/* Of its own, as the places take 16 KiB of the stack. */
static __attribute__((noinline)) bool write_places(int file, uint64_t offset, vz_parts parts, vz_error *err)
{
    struct iovec vectors[PARTS_MAX];
    for (size_t first = 0, count; first < parts.count; first += count) {
        uint64_t size = 0;
        for (count = 0; count < PARTS_MAX && first + count < parts.count; count++) {
            const vz_bytes part = parts.list[first + count];
            vectors[count] = (struct iovec){(void *)(uintptr_t)part.data, part.size};
            size += part.size;
        }
        if (!write_vectors(file, offset, vectors, count, err))
            return false;
        offset += size;
    }
    return true;
}

bool vz_os_file_write_parts(int file, uint64_t offset, vz_parts parts, vz_error *err)
{
    return parts.count == 1 ? vz_os_file_write(file, offset, parts.list->data, parts.list->size, err)
                            : write_places(file, offset, parts, err);
}

bool vz_os_file_sync(int file, bool whole, vz_error *err)
{
    while ((whole ? vz_os_fsync(file) : vz_os_fdatasync(file)) != 0)
        if (errno != EINTR)
            return vz_fail_errno(err, errno, "cannot write to the disk");
    return true;
}

bool vz_os_range_resolve(uint64_t all, vz_range range, uint64_t *offset, size_t *size, vz_error *err)
{
    uint64_t end = all;
    *offset = 0;
    if (range.kind == VZ_RANGE_AT) {
        *offset = range.offset;
        if (!vz_add(range.offset, range.size, &end))
            end = UINT64_MAX;
    } else if (range.kind == VZ_RANGE_SUFFIX) {
        *offset = range.size <= all ? all - range.size : UINT64_MAX;
    }
    if (end > all || *offset > end)
        return vz_fail(err, VZ_CORRUPT, "%llu bytes are too few for the range asked for", (unsigned long long)all);
    if (end - *offset > SSIZE_MAX)
        return vz_fail(err, VZ_LIMIT, "%llu bytes", (unsigned long long)all);
    *size = (size_t)(end - *offset);
    return true;
}

uint8_t *vz_os_range_room(vz_buffer *out, size_t size, vz_error *err)
{
    static uint8_t nothing;
    size_t needed;
    if (__builtin_add_overflow(out->size, size, &needed)) {
        vz_fail(err, VZ_LIMIT, "%zu bytes", size);
        return NULL;
    }
    if (!vz_buffer_reserve(out, needed, err))
        return NULL;
    return out->data ? out->data + out->size : &nothing;
}
