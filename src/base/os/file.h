/* file.h - bytes of an open file, for the store kinds. */
#ifndef VZ_OS_FILE_H
#define VZ_OS_FILE_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include <stdint.h>
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
/* Of ranges of a value of `all` bytes that lies in a file from `start` on, reads the first, and
 * those after it that follow it there, by one call of the system; each is appended to its
 * buffer. How many those were, or 0 with err set. */
size_t vz_file_read_ranges(int file, uint64_t start, uint64_t all, const vz_range *ranges, size_t count, vz_buffer *out,
                           vz_error *err);
/* All of an open file, which is a regular one (else VZ_CORRUPT) of at most `most` bytes
 * (VZ_LIMIT), into an empty buffer. A NUL stands behind it that the buffer's size does not
 * count. */
bool vz_file_read_text(int file, uint64_t most, vz_buffer *text, vz_error *err);
bool vz_file_write(int file, uint64_t offset, const void *data, size_t size, vz_error *err);
/* All parts, one behind the other, by as few calls of the system as that takes. */
bool vz_file_write_parts(int file, uint64_t offset, vz_parts parts, vz_error *err);
/* Puts written data on the disk; `whole`: with the file's times and rights. */
bool vz_file_sync(int file, bool whole, vz_error *err);
/* Where a range of a value of `all` bytes lies in it; VZ_CORRUPT if it reaches beyond. */
bool vz_range_resolve(uint64_t all, vz_range range, uint64_t *offset, size_t *size, vz_error *err);
/* Room for `size` more bytes behind what `out` holds: their place (of no use if size is 0), or
 * NULL with err set. */
uint8_t *vz_range_room(vz_buffer *out, size_t size, vz_error *err);

/* -- Path --
 * paths of the file system. Strings are the caller's to free; NULL with err set. */
bool vz_path_is_there(const char *path); /* behind links, too */
bool vz_path_is_taken(const char *path); /* a link is there, wherever it leads, or does not: as open(2) with O_EXCL */
bool vz_path_is_directory(const char *path);
/* Absolute, and without links. */
char *vz_path_resolve(const char *path, vz_error *err);
/* Absolute and without links as far as there is something; behind that nothing may lead up
 * again. */
char *vz_path_resolve_what_is_there(const char *path, vz_error *err);
/* Is a resolved path below that resolved directory? */
bool vz_path_is_below(const char *path, const char *directory);
bool vz_path_has_parent_step(const char *path); /* ".." among its parts */
size_t
vz_directory_length(const char *path); /* of its directory part, the last slash included, slashes at its end not */
/* As vz_path_resolve, of what is open already: one look, however deep it lies. `path`: by which
 * it was opened. */
char *vz_path_of_descriptor(int descriptor, const char *path, vz_error *err);
/* A descriptor of what is at the path, if that is what the system calls it, but for the current
 * directory before it: no links, and spelled out. -1: it is not, or cannot be opened, or this
 * cannot be reported. */
int vz_path_open_real(const char *path, int flags);
/* From the root of the file system, without slashes at its end; links in it stay what they are. */
char *vz_path_absolute(const char *path, vz_error *err);
char *vz_path_absolute_if_known(const char *path);        /* else the path itself; NULL: no memory */
char *vz_path_directory(const char *path, vz_error *err); /* that it is in; "." where it has none */
/* Where a path that leads nowhere leads to: links, the last of which dangles, are followed as
 * open(2) does. */
char *vz_path_end_of_links(const char *path, vz_error *err);
/* Removes what is there unless it is a directory; whether it could is not reported. */
void vz_path_unlink(const char *path);
/* HDF5 opens a file to truncate it, and locks it (`locks`): a file that may not be written, or
 * that somebody has locked, must stay. */
bool vz_path_check_replaceable(const char *path, bool locks, vz_error *err);
bool vz_path_remove_file(const char *path, vz_error *err);
/* Do both lead to one file? */
bool vz_path_same_file(const char *a, const char *b);

/* -- Process --
 * which process opened a store, and whether it still runs: what a forked child inherits is the
 * parent's to write. */
typedef struct vz_process vz_process; /* shared by all that one process opened for writing */

long vz_process_id(void);                             /* of the one that asks */
void vz_process_unlike(uint64_t number[2]);           /* one that no other call and no other process is given */
vz_process *vz_process_take(vz_error *err);           /* of the one that asks, watched; NULL with err set: no memory */
void vz_process_leave(vz_process *process);           /* NULL is fine */
bool vz_process_has_ended(const vz_process *process); /* where nothing tells, it is taken to run */

#endif
