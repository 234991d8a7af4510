/* file.h - bytes of an open file, for the store kinds. */
#ifndef VZ_OS_FILE_H
#define VZ_OS_FILE_H

#include "base/util/bytes.h"
#include <sys/stat.h>

/* Are they of one file, whatever it is called? */
static inline bool vz_file_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static inline bool vz_time_is_same(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Is it on a file system that one kernel has mounted at a time? False where that is not known. */
bool vz_file_is_of_one_kernel(int file);
bool vz_file_system_is_of_one_kernel(unsigned long type); /* the same of a file system, by its magic number */
/* Exactly `size` bytes from, or to, `offset` of a file. A file that ends before is VZ_CORRUPT. */
bool vz_file_read(int file, uint64_t offset, void *data, size_t size, vz_error *err);
/* Of ranges of a value of `all` bytes that lies in a file from `start` on, reads the first, and those after it that
 * follow it there, by one call of the system; each is appended to its buffer. How many those were, or 0 with err set.
 */
size_t vz_file_read_ranges(int file, uint64_t start, uint64_t all, const vz_range *ranges, size_t count, vz_buffer *out,
                           vz_error *err);
/* All of an open file, which is a regular one (else VZ_CORRUPT) of at most `most` bytes (VZ_LIMIT), into an empty
 * buffer. A NUL stands behind it that the buffer's size does not count. */
bool vz_file_read_text(int file, uint64_t most, vz_buffer *text, vz_error *err);
bool vz_file_write(int file, uint64_t offset, const void *data, size_t size, vz_error *err);
/* All parts, one behind the other, by as few calls of the system as that takes. */
bool vz_file_write_parts(int file, uint64_t offset, vz_parts parts, vz_error *err);
/* What was written is on the disk; `whole`: with the file's times and rights. */
bool vz_file_sync(int file, bool whole, vz_error *err);
/* Where a range of a value of `all` bytes lies in it; VZ_CORRUPT if it reaches beyond. */
bool vz_range_resolve(uint64_t all, vz_range range, uint64_t *offset, size_t *size, vz_error *err);
/* Room for `size` more bytes behind what `out` holds: their place (of no use if size is 0), or NULL with err set. */
uint8_t *vz_range_room(vz_buffer *out, size_t size, vz_error *err);

#endif
