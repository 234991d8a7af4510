/* file.h - files, directories and paths: the calls of POSIX, what the system has beyond it, and
 * whole reads and writes. */
#ifndef VZ_OS_FILE_H
#define VZ_OS_FILE_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Are they of one file, whatever it is called? */
static inline bool vz_os_file_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static inline bool vz_time_is_same(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* -- Calls of POSIX --
 * One to one, in file_calls.c, name_calls.c and tree_calls.c. They answer as the system does: 0, a
 * descriptor or a size; -1 and errno, with Linux's number where systems differ. Flags, modes and
 * struct stat are those of POSIX, with AT_FDCWD for the current directory. Exec closes all
 * descriptors. */

/* A flag for open: a directory is opened as a place only, to reach by name what lies below it. It
 * need not be readable. Some systems ask for the right to list it nevertheless. */
extern const int vz_os_place;

int vz_os_open(const char *path, int flags);
int vz_os_open_at(int directory, const char *name, int flags);
int vz_os_create(const char *path, int flags, mode_t mode); /* O_CREAT, and O_EXCL if it is among
                                                             * the flags */
int vz_os_create_at(int directory, const char *name, int flags, mode_t mode);
int vz_os_close(int file);
int vz_os_dup(int file);
int vz_os_dup_to(int file, int number);
ssize_t vz_os_read(int file, void *data, size_t size);
ssize_t vz_os_write(int file, const void *data, size_t size);
ssize_t vz_os_pread(int file, void *data, size_t size, uint64_t offset);
ssize_t vz_os_pwrite(int file, const void *data, size_t size, uint64_t offset);
off_t vz_os_end(int file); /* where it ends; its position is there then */
int vz_os_ftruncate(int file, uint64_t size);
int vz_os_fdatasync(int file);
int vz_os_fsync(int file);
int vz_os_fstat(int file, struct stat *status);
int vz_os_stat(const char *path, struct stat *status);
int vz_os_stat_at(int directory, const char *name, struct stat *status);
int vz_os_lstat(const char *path, struct stat *status); /* of a link itself */
int vz_os_lstat_at(int directory, const char *name, struct stat *status);
bool vz_os_is_own(const struct stat *status); /* is the user of this process its owner? */
int vz_os_fchmod(int file, mode_t mode);
int vz_os_fchown(int file, uid_t owner, gid_t group);
int vz_os_futimens(int file, const struct timespec times[2]); /* NULL: now */
int vz_os_access(const char *path, int mode);
int vz_os_access_at(int directory, const char *name, int mode);
int vz_os_may_write_at(int directory, const char *name); /* with the rights of the effective user */
int vz_os_mkdir(const char *path, mode_t mode);
int vz_os_mkdir_at(int directory, const char *name, mode_t mode);
int vz_os_rmdir(const char *path);
int vz_os_rmdir_at(int directory, const char *name);
int vz_os_unlink(const char *path);
int vz_os_unlink_at(int directory, const char *name);
int vz_os_rename(const char *from, const char *to);
int vz_os_rename_at(int from_directory, const char *from, int to_directory, const char *to);
int vz_os_link_at(int from_directory, const char *from, int to_directory, const char *to);
int vz_os_symlink_at(const char *target, int directory, const char *name);
ssize_t vz_os_readlink_at(int directory, const char *name, char *target, size_t size);
char *vz_os_realpath(const char *path, char *room); /* room: PATH_MAX bytes, or NULL: the caller
                                                     * frees it */
int vz_os_mkstemp(char *name);                      /* which ends in XXXXXX */
int vz_os_mkdtemp(char *name);

/* Paths that match a pattern of the shell, sorted. */
typedef struct vz_os_matches {
    char **paths;
    size_t count;
    void *result; /* of the system */
} vz_os_matches;
int vz_os_glob(const char *pattern, vz_os_matches *matches); /* 0, also if there are none, or an
                                                              * errno */
void vz_os_glob_free(vz_os_matches *matches);

bool vz_os_remove_tree(const char *path); /* follows no link */

/* -- Beyond POSIX --
 * In file_linux.c. ENOSYS: the system has no such call; EINVAL, EOPNOTSUPP or EPERM: the file
 * system refuses it. Each caller has another way then, or says what it cannot promise. */

/* Follows no link that leaves `root` or is absolute: EXDEV then. `mode`: with O_CREAT. */
int vz_os_open_beneath(int root, const char *path, int flags, mode_t mode);
/* Is there a name of that kind in the directory, wherever it leads? */
int vz_os_has_name(int directory, const char *name);
/* EEXIST: there is something at `to`. */
int vz_os_rename_new(int from_directory, const char *from, int to_directory, const char *to);
/* Does the system know the next call, if the file system does, too? */
bool vz_os_can_exchange(void);
/* Two names change places in one step. */
int vz_os_exchange(int a_directory, const char *a, int b_directory, const char *b);
/* A file without a name in that directory, for reading and writing by its owner. It goes when it
 * is closed, and may get a name where vz_os_can_link_temp. */
int vz_os_temp_file(const char *directory);
bool vz_os_can_link_temp(void);
int vz_os_link_temp(int file, const char *path);
int vz_os_memory_file(void); /* of which nobody else has the name */
/* Copies, or shares blocks, as far as the kernel does it at once: how many bytes; 0 or -1: none. */
ssize_t vz_os_clone_range(int from, uint64_t from_offset, int to, uint64_t to_offset, uint64_t size);
/* gives blocks back, where the file system can */
void vz_os_punch_hole(int file, uint64_t offset, uint64_t size);
/* The first byte from `offset` on that is in no hole. ENXIO: there is none. */
off_t vz_os_next_data(int file, uint64_t offset);
ssize_t vz_os_program(char *path, size_t size); /* the path of the program that runs; as below */
/* By which path is that open? The length, without a NUL; -1: the system does not tell. */
ssize_t vz_os_path_of(int file, char *path, size_t size);

/* -- Whole reads and writes -- */
/* Exactly `size` bytes from, or to, `offset` of a file. A file that ends before is VZ_CORRUPT. */
bool vz_os_file_read(int file, uint64_t offset, void *data, size_t size, vz_error *err);
/* Reads ranges of a value of `all` bytes that lies in a file from `start` on, by one call of the
 * system. These are the first range, and those after it that follow it there; each is appended
 * to its buffer. How many those were, or 0 with err set. */
size_t vz_os_file_read_ranges(int file, uint64_t start, uint64_t all, const vz_range *ranges, size_t count,
                              vz_buffer *out, vz_error *err);
/* All of an open file, which is a regular one (else VZ_CORRUPT) of at most `most` bytes
 * (VZ_LIMIT), into an empty buffer. A NUL stands behind it that the buffer's size does not
 * count. */
bool vz_os_file_read_text(int file, uint64_t most, vz_buffer *text, vz_error *err);
bool vz_os_file_write(int file, uint64_t offset, const void *data, size_t size, vz_error *err);
/* All parts, one behind the other, by as few calls of the system as that takes. */
bool vz_os_file_write_parts(int file, uint64_t offset, vz_parts parts, vz_error *err);
/* Puts written data on the disk; `whole`: with the file's times and rights. */
bool vz_os_file_sync(int file, bool whole, vz_error *err);
/* Where a range of a value of `all` bytes lies in it; VZ_CORRUPT if it reaches beyond. */
bool vz_os_range_resolve(uint64_t all, vz_range range, uint64_t *offset, size_t *size, vz_error *err);
/* Room for `size` more bytes behind what `out` holds: their place (of no use if size is 0), or
 * NULL with err set. */
uint8_t *vz_os_range_room(vz_buffer *out, size_t size, vz_error *err);

/* -- Listings --
 * the names in a directory, batch by batch, in the order of the system. */

/* As far as the listing tells without a look at the name. */
typedef enum vz_os_kind {
    VZ_OS_KIND_UNKNOWN,
    VZ_OS_KIND_FILE,
    VZ_OS_KIND_DIRECTORY,
    VZ_OS_KIND_LINK,
    VZ_OS_KIND_OTHER
} vz_os_kind;

typedef struct vz_os_entry {
    const char *name; /* lives until the next batch */
    vz_os_kind kind;
} vz_os_entry;

/* `batch` and `room` are the caller's: memory for one batch, aligned as VZ_OS_BATCH makes it.
 * `directory` is the caller's, too, and stays open; its position moves. */
typedef struct vz_os_listing {
    int directory;
    void *batch;
    size_t room;
    size_t size, at; /* of the batch: its names and their ends take less than `size` bytes */
    void *stream;    /* for systems that give one name at a time */
} vz_os_listing;

#define VZ_OS_BATCH_SIZE        16384 /* bytes, where the stack has room */
#define VZ_OS_BATCH(name, size) _Alignas(max_align_t) char name[size]

/* Before the first batch, and back to the first name. -1 and errno on failure. */
int vz_os_list_rewind(vz_os_listing *listing);
/* Reads a batch: 1; 0: there are no more; -1 and errno on failure. */
int vz_os_list_more(vz_os_listing *listing);
/* The next name of the batch, "." and ".." left out; false: the batch ends. */
bool vz_os_list_within(vz_os_listing *listing, vz_os_entry *entry);
/* The next name, whatever batch it is in; false: there is none, or errno is not 0. A directory
 * that was removed meanwhile has none. */
bool vz_os_list_next(vz_os_listing *listing, vz_os_entry *entry);
/* Frees what the system needed for it. */
void vz_os_list_end(vz_os_listing *listing);

/* -- Memory --
 * zeros, which a process and those that it forks see change; NULL and errno on failure. */
void *vz_os_map_shared(size_t size);
void vz_os_unmap(void *pages, size_t size); /* NULL is fine */

/* -- Path --
 * paths of the file system. Strings are the caller's to free; NULL with err set. */
bool vz_os_path_is_there(const char *path); /* behind links, too */
bool vz_os_path_is_taken(
    const char *path); /* a link is there, wherever it leads, or does not: as open(2) with O_EXCL */
bool vz_os_path_is_directory(const char *path);
/* Absolute, and without links. */
char *vz_os_path_resolve(const char *path, vz_error *err);
/* Absolute and without links as far as there is something; behind that nothing may lead up
 * again. */
char *vz_os_path_resolve_what_is_there(const char *path, vz_error *err);
/* Is a resolved path below that resolved directory? */
bool vz_os_path_is_below(const char *path, const char *directory);
bool vz_os_path_has_parent_step(const char *path); /* ".." among its parts */
size_t vz_os_directory_length(const char *path);   /* of its directory part, the last slash
                                                    * included, slashes at its end not */
/* As vz_os_path_resolve, of what is open already: one look, however deep it lies. `path`: by which
 * it was opened. */
char *vz_os_path_of_descriptor(int descriptor, const char *path, vz_error *err);
/* A descriptor of the file at the path, if the path is the one that the system would print for
 * it. The path has no links and is spelled out, but for the current directory before it. -1: it
 * is not, or cannot be opened, or this cannot be reported. */
int vz_os_path_open_real(const char *path, int flags);
/* From the root of the file system, without slashes at its end; links in it stay what they are. */
char *vz_os_path_absolute(const char *path, vz_error *err);
char *vz_os_path_absolute_if_known(const char *path);        /* else the path itself; NULL: no
                                                              * memory */
char *vz_os_path_directory(const char *path, vz_error *err); /* that it is in; "." where it has
                                                              * none */
/* Where a path that leads nowhere leads to: links, the last of which dangles, are followed as
 * open(2) does. */
char *vz_os_path_end_of_links(const char *path, vz_error *err);
/* Removes what is there unless it is a directory; whether it could is not reported. */
void vz_os_path_unlink(const char *path);
/* HDF5 opens a file to truncate it, and locks it (`locks`): a file that may not be written, or
 * that somebody has locked, must stay. */
bool vz_os_path_check_replaceable(const char *path, bool locks, vz_error *err);
bool vz_os_path_remove_file(const char *path, vz_error *err);
/* Do both lead to one file? */
bool vz_os_path_same_file(const char *a, const char *b);

/* -- Process --
 * which process opened a store, and whether it still runs: what a forked child inherits is the
 * parent's to write. */
typedef struct vz_process vz_process; /* shared by all that one process opened for writing */

long vz_process_id(void);                             /* of the one that asks */
void vz_process_unlike(uint64_t number[2]);           /* one that no other call and no other process
                                                       * is given */
vz_process *vz_process_take(vz_error *err);           /* of the one that asks, watched; NULL with
                                                       * err set: no memory */
void vz_process_leave(vz_process *process);           /* NULL is fine */
bool vz_process_has_ended(const vz_process *process); /* where nothing tells, it is taken to run */
bool vz_process_is_there(long id);                    /* where nothing tells, it is taken to be
                                                       * there */

#endif
