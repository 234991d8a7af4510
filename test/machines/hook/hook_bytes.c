/* hook_bytes.c - the replacements of calls that read and write, see hook_calls.c. */
#include "hook_inside.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

static size_t half_of(size_t size)
{
    return size > 1 ? size / 2 : size;
}

static ssize_t hook_pread(int file, void *data, size_t size, off_t offset)
{
    const enum hook_verdict verdict = hook_decide(HOOK_READ);
    if (verdict == HOOK_REFUSE)
        return -1;
    return pread(file, data, verdict == HOOK_DO_HALF ? half_of(size) : size, offset);
}

/* Half of it: half of the first place, or of the places. */
static ssize_t hook_preadv(int file, const struct iovec *places, int count, off_t offset)
{
    const enum hook_verdict verdict = hook_decide(HOOK_READ);
    if (verdict == HOOK_REFUSE)
        return -1;
    if (verdict == HOOK_DO_HALF && count <= 1)
        return pread(file, places->iov_base, half_of(places->iov_len), offset);
    return preadv(file, places, verdict == HOOK_DO_HALF ? count / 2 : count, offset);
}

static ssize_t hook_read(int file, void *data, size_t size)
{
    const enum hook_verdict verdict = hook_decide(HOOK_READ);
    if (verdict == HOOK_REFUSE)
        return -1;
    return read(file, data, verdict == HOOK_DO_HALF ? half_of(size) : size);
}

static ssize_t hook_pwrite(int file, const void *data, size_t size, off_t offset)
{
    const enum hook_verdict verdict = hook_decide(HOOK_WRITE);
    if (verdict == HOOK_REFUSE)
        return -1;
    const ssize_t done = pwrite(file, data, verdict == HOOK_GO_ON ? size : half_of(size), offset);
    if (verdict == HOOK_DIE_HALFWAY)
        hook_die();
    if (done > 0)
        hook_record_write(file, offset, data, (size_t)done);
    return done;
}

/* Half of it: half of the places, and half of the next one. */
static ssize_t write_half(int file, const struct iovec *places, int count, off_t offset)
{
    const ssize_t whole = count > 1 ? pwritev(file, places, count / 2, offset) : 0;
    const struct iovec *next = &places[count / 2];
    const ssize_t more = whole < 0 ? whole : pwrite(file, next->iov_base, half_of(next->iov_len), offset + whole);
    return more < 0 ? more : whole + more;
}

/* As one change. */
static void record_places(int file, const struct iovec *places, off_t offset, size_t size)
{
    const int sys_errno = errno;
    char *bytes = hook_is_recording() ? malloc(size) : NULL;
    for (size_t done = 0, part; bytes && done < size; done += part, places++) {
        part = places->iov_len < size - done ? places->iov_len : size - done;
        memcpy(bytes + done, places->iov_base, part);
    }
    if (bytes)
        hook_record_write(file, offset, bytes, size);
    free(bytes);
    errno = sys_errno;
}

static ssize_t hook_pwritev(int file, const struct iovec *places, int count, off_t offset)
{
    const enum hook_verdict verdict = hook_decide(HOOK_WRITE);
    if (verdict == HOOK_REFUSE)
        return -1;
    const ssize_t done =
        verdict == HOOK_GO_ON ? pwritev(file, places, count, offset) : write_half(file, places, count, offset);
    if (verdict == HOOK_DIE_HALFWAY)
        hook_die();
    if (done > 0)
        record_places(file, places, offset, (size_t)done);
    return done;
}

static ssize_t hook_write(int file, const void *data, size_t size)
{
    const enum hook_verdict verdict = hook_decide(HOOK_WRITE);
    if (verdict == HOOK_REFUSE)
        return -1;
    const off_t offset = lseek(file, 0, SEEK_CUR);
    const ssize_t done = write(file, data, verdict == HOOK_GO_ON ? size : half_of(size));
    if (verdict == HOOK_DIE_HALFWAY)
        hook_die();
    if (done > 0)
        hook_record_write(file, offset, data, (size_t)done);
    return done;
}

/* A recorder could not tell the bytes: the caller then copies by hand. */
static ssize_t hook_copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t size, unsigned flags)
{
    const enum hook_verdict verdict = hook_decide(HOOK_COPY);
    if (verdict == HOOK_REFUSE)
        return -1;
    if (hook_is_recording()) {
        errno = EXDEV;
        return -1;
    }
    return copy_file_range(from, from_offset, to, to_offset, verdict == HOOK_DO_HALF ? half_of(size) : size, flags);
}

static int hook_ftruncate(int file, off_t size)
{
    const int result = REFUSED(HOOK_SIZE) ? -1 : ftruncate(file, size);
    if (result == 0)
        hook_record_file("size", file, size);
    return result;
}

/* Holes only, of which a recorder knows the zeros. */
static int hook_fallocate(int file, int mode, off_t offset, off_t size)
{
    const int result = REFUSED(HOOK_SIZE) ? -1 : fallocate(file, mode, offset, size);
    const int sys_errno = errno;
    void *zeros = result == 0 && hook_is_recording() ? calloc(1, (size_t)size) : NULL;
    if (zeros)
        hook_record_write(file, offset, zeros, (size_t)size);
    free(zeros);
    errno = sys_errno;
    return result;
}

/* As the system does, a number that is taken is given up first; what fails leaves it alone. */
static int hook_dup3(int file, int number, int flags)
{
    return REFUSED(HOOK_DUP) ? -1 : dup3(file, number, flags);
}

static int hook_dup2(int file, int number)
{
    return REFUSED(HOOK_DUP) ? -1 : dup2(file, number);
}

static ssize_t hook_getrandom(void *bytes, size_t size, unsigned flags)
{
    if (REFUSED(HOOK_RANDOM))
        return -1;
    if (!hook_is_counting())
        return getrandom(bytes, size, flags);
    hook_draw(bytes, size);
    return (ssize_t)size;
}

static ssize_t hook_getdelim(char **line, size_t *capacity, int end, FILE *file)
{
    return REFUSED(HOOK_READ) ? -1 : getdelim(line, capacity, end, file);
}

static ssize_t hook_getline(char **line, size_t *capacity, FILE *file)
{
    return hook_getdelim(line, capacity, '\n', file);
}

static char *hook_fgets(char *line, int size, FILE *file)
{
    return REFUSED(HOOK_READ) ? NULL : fgets(line, size, file);
}

const struct hook_replacement hook_byte_calls[] = {
    {"pread", hook_pread},
    {"pread64", hook_pread},
    {"preadv", hook_preadv},
    {"preadv64", hook_preadv},
    {"read", hook_read},
    {"pwrite", hook_pwrite},
    {"pwrite64", hook_pwrite},
    {"pwritev", hook_pwritev},
    {"pwritev64", hook_pwritev},
    {"write", hook_write},
    {"dup3", hook_dup3},
    {"dup2", hook_dup2},
    {"getrandom", hook_getrandom},
    {"getdelim", hook_getdelim},
    {"__getdelim", hook_getdelim},
    {"getline", hook_getline},
    {"fgets", hook_fgets},
    {"copy_file_range", hook_copy_file_range},
    {"ftruncate", hook_ftruncate},
    {"ftruncate64", hook_ftruncate},
    {"fallocate", hook_fallocate},
    {"fallocate64", hook_fallocate},
    {NULL, NULL},
};
