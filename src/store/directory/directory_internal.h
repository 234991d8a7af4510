/* directory_internal.h - the inside of a directory store, for the directory*.c files only. */
#ifndef VZ_DIRECTORY_DIRECTORY_INTERNAL_H
#define VZ_DIRECTORY_DIRECTORY_INTERNAL_H

#include "base/util/hash.h"
#include "base/os/file.h"
#include "store/store/store.h"
#include "base/os/thread.h"
#include <stdatomic.h>

#define VZ_STORE_DEPTH_MAX 4096 /* levels below a key that are walked: more than a path can name */

/* Facts about directories in which something was missing (directory_recheck.c). */
struct vz_directory_again {
    atomic_bool renewed; /* somebody asked for what others wrote meanwhile */
    atomic_int reach;    /* may the file system remember what other machines have changed? */
    vz_os_mutex lock;
    vz_strmap *opened; /* directories that were opened since, each with the number of its opening;
                        * NULL: none */
    atomic_uintptr_t openings;
};

struct vz_directory_seen; /* root_lookup_cache.c */

struct vz_directory {
    vz_store base;
    struct vz_directory_seen *seen; /* which documents the root has, where the store is only looked
                                     * at; or NULL */
    int root;                       /* descriptor of the root */
    bool is_real;                   /* base.path leads to it through no link: it is what the system
                                     * calls it */
    atomic_ulong numbered;          /* of a staging area: directories in it are called by numbers,
                                     * and those up to this one were made */
    unsigned long entered;          /* of a staging area: the number of the directory that something
                                     * was renamed into last; 0: none */
    int into;                       /* and its descriptor */
    atomic_bool unsynced;           /* something was written since the last sync, or before this
                                     * store was opened */
    _Atomic(uint64_t) named;        /* base.writes when something was renamed into the root last:
                                     * that gave it a time */
    struct vz_directory_again again;
};

static inline struct vz_directory *vz_directory_of(vz_store *store)
{
    return (struct vz_directory *)store;
}

static inline int vz_directory_root(const vz_store *store)
{
    return ((const struct vz_directory *)store)->root;
}

/* directory_read.c */
/* A store over an open directory, which it takes over, also on failure. It stages nothing, and
 * nobody else writes in it. Closed by vz_directory_close: nothing else is known of it. status:
 * of the directory; NULL: it is asked for. */
vz_store *vz_directory_over(int root, const char *path, const struct stat *status, bool writable, vz_error *err);
void vz_directory_close(vz_store *store); /* NULL is fine */
/* One with the operations of that class, to be read. Takes `root` and `path`, which it is called
 * by, also on failure. status: of the root; NULL: it is asked for. */
vz_store *vz_directory_with(const vz_store_class *class, int root, char *path, const struct stat *status,
                            vz_error *err);
bool vz_directory_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                             bool *found, vz_error *err);
bool vz_directory_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err);

/* directory_open.c */
/* A store that programs use. As above. */
vz_store *vz_directory_new(int root, char *path, const struct stat *status, vz_error *err);
/* A store that was opened to look into it, in earnest: taken over, also on failure. */
vz_store *vz_directory_ready(vz_store *store, bool writable, vz_error *err);

/* directory_class.c: as in directory_write.c and directory_list.c for a store that has a staging
 * area, or none. */
bool vz_directory_put_staged(vz_store *store, const char *key, vz_bytes value, vz_error *err);
bool vz_directory_put_parts_staged(vz_store *store, const char *key, vz_parts value, vz_error *err);
bool vz_directory_put_stamped_staged(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err);
bool vz_directory_put_new_staged(vz_store *store, const char *key, vz_bytes value, vz_error *err);
struct vz_pieces *vz_directory_begin_staged(vz_store *store, const char *key, vz_error *err);
/* Residue of dead writers in staging areas in the root is removed. */
bool vz_directory_list_staged(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);

/* The errno says that no such key can exist. (resolve_parent.c, as what follows.) */
bool vz_directory_is_missing(int sys_errno);
/* The errno says that the file system knows no such way to rename (RENAME_NOREPLACE,
 * RENAME_EXCHANGE). */
bool vz_directory_cannot_rename_so(int sys_errno);
/* Documents lie where readers of groups look. */
bool vz_directory_is_document(const char *key);
/* Descriptors of directories (O_PATH) and of new files, -1 and errno on failure. EXDEV: a symbolic
 * link on the way leads out of the root, and the store's links are not to be followed. */
int vz_directory_enter_parent(const struct vz_directory *store, const char *key);
/* As vz_directory_enter_parent, but gives the root itself for keys in it: to be given back by
 * vz_directory_leave. */
int vz_directory_borrow_parent(const struct vz_directory *store, const char *key);
void vz_directory_leave(const struct vz_directory *store, int parent); /* negative is fine */
/* The directory at the path: EXDEV where that is outside of the root. */
int vz_directory_enter(const struct vz_directory *store, const char *path);
/* Of vz_os_open_beneath: an error after which walking step by step may succeed. */
bool vz_directory_is_undecided(int sys_errno);
/* The absolute path of an open directory. */
bool vz_directory_path_of(int directory, char *path, size_t size);
/* Makes a file that was not there: no link that somebody laid in its place is written through. */
int vz_directory_open_new(const struct vz_directory *store, const char *key, int flags, mode_t mode);
/* A value, wherever the store's own links lead. EXDEV: to the outside, or a link is absolute. */
int vz_directory_open_to_read(const struct vz_directory *store, const char *key, int flags);
/* As before, but by option follow_links to anywhere. */
int vz_directory_open_inside(const struct vz_directory *store, const char *path, int flags);
const char *vz_directory_last_part(const char *key);
/* 0: such a file is there, or a link; else why it cannot be reported, ENOENT mostly. */
int vz_directory_look_at(int directory, const char *name);
/* Is what the key names listed under another name only, as where the file system does not tell
 * "A" from "a"? */
bool vz_directory_names_collide(const struct vz_directory *store, const char *key);
/* As vz_fail_errno, but an EXDEV from above names the link. */
bool vz_directory_fail(const struct vz_directory *store, const char *key, int sys_errno, const char *what,
                       vz_error *err);
bool vz_directory_check_change(vz_store *store, const char *prefix, vz_error *err);
bool vz_directory_look(vz_store *store, const char *key, vz_store_key_kind *kind, vz_error *err);
/* Do two keys lie in one directory? */
bool vz_directory_is_one_place(const char *a, const char *b);
/* The keys' directories are open. A relative link that moves to another directory is made anew
 * there, so that it leads where it did: 0, or an errno. *is_link=false: it is none, nothing was
 * done. */
int vz_directory_move_link(int from_directory, const char *from, int to_directory, const char *to, bool *is_link);

static inline vz_stamp vz_directory_stamp(const struct stat *status)
{
    return (vz_stamp){.exists = true,
                      .size = (uint64_t)status->st_size,
                      .device = (uint64_t)status->st_dev,
                      .inode = (uint64_t)status->st_ino,
                      .modified = status->st_mtim};
}

/* directory_recheck.c */
void vz_directory_again_init(struct vz_directory_again *again);
void vz_directory_again_clear(struct vz_directory_again *again);
/* Others may write in the store, too. */
void vz_directory_share(struct vz_directory *store);
bool vz_directory_renew(vz_store *store, vz_error *err);
/* The key seems to be missing; `before`: what again.openings was before the look. *again:
 * directories on the way were opened anew since, so it is worth another look. Takes nothing but a
 * look at the kind of file system, once, where only this machine changes it. Documents are looked
 * for again only after a renewal. May run in several threads. */
bool vz_directory_look_again(struct vz_directory *store, const char *key, uintptr_t before, bool *again, vz_error *err);

/* Is the file system one that no other machine changes? Looked at once. May run in several
 * threads. */
bool vz_directory_is_of_one_kernel(struct vz_directory *store);

/* root_lookup_cache.c: the documents that stand in the root of a directory. They are remembered
 * from one look to the next as long as nothing comes or goes in it. */
/* The store is only looked at from now on. status: of its root; settled: whatever comes or goes
 * from now on changes that. Without memory for it nothing is remembered. */
void vz_directory_see(struct vz_directory *store, const struct stat *status, bool settled);
bool vz_directory_has(vz_store *store, const char *key, bool *has, vz_error *err);
/* The directories that are known to be missing, one after the other: *cursor starts at 0, NULL
 * ends. Borrowed. */
const char *vz_directory_next_missing(const struct vz_directory *store, unsigned *cursor);
void vz_directory_leave_seen(struct vz_directory *store); /* the look ends: to the next one */

/* directory_access.c */
bool vz_directory_look_below(vz_store *store, const char *prefix, const char *name, vz_entry_probe *looks, size_t count,
                             bool *done, vz_error *err);
bool vz_directory_each_entry(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err);
bool vz_directory_above_may_have(vz_store *store, const char *key);
bool vz_directory_may_be_inside(const vz_store *store, const vz_store *above);
bool vz_directory_is_own(const vz_store *store);
bool vz_directory_is_at(const vz_store *store, const char *path);
int vz_directory_open_lock(const vz_store *store, const char *key);

/* directory_value.c */
bool vz_directory_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err);
/* A change at that time cannot be taken for a later one. */
bool vz_directory_is_settled(struct vz_directory *store, const struct timespec *modified);
bool vz_directory_open_value(vz_store *store, const char *key, vz_store_value_use use, vz_store_value *value,
                             bool *found, vz_error *err);
bool vz_directory_read_value(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                             size_t count, vz_buffer *out, vz_error *err);
bool vz_directory_value_changed(vz_store *store, const char *key, const vz_store_value *value);
void vz_directory_close_value(vz_store *store, vz_store_value *value);

/* value_lock.c: takes the lock on a value's file, waiting for who has it; VZ_BUSY if that lasts.
 * *locked=false (and true returned): the file system has no locks. *file may become another
 * descriptor, of what has that name now. */
bool vz_directory_lock_value(int root, const char *key, int *file, bool *locked, vz_error *err);

/* directory_write.c */
/* A value that is not in its place yet. */
typedef struct vz_directory_partial_file {
    const char *name; /* beside the key; NULL, or if it is taken: a fresh one */
    char *path;       /* gets the key of the file that was written */
    size_t size;      /* of `path` */
    vz_stamp *stamp;  /* gets what tells it from all others; NULL: it is not wanted */
} vz_directory_partial_file;
/* Writes the value into such a file, synced if the store is durable; on failure none is left. */
bool vz_directory_write_partial(const struct vz_directory *store, const char *key, vz_parts value,
                                const vz_directory_partial_file *partial, vz_error *err);
/* A new partial file beside the key, as vz_directory_partial_file names it: its path in `path`, and
 * a descriptor. On failure it is -1; `path` then has the name that was tried last, or none. */
int vz_directory_open_partial(const struct vz_directory *store, const char *key, const char *own, char *path,
                              size_t size, vz_error *err);
/* Synced, if the store is durable and all went well so far (`ok`, which is returned, unless that
 * fails); closed. */
bool vz_directory_close_partial(const struct vz_directory *store, int file, bool ok, vz_stamp *stamp, vz_error *err);
/* Removes a partial file that nothing will come of, and directories of chunks that were made for
 * it alone. Cuts `path`. */
void vz_directory_drop_partial(const struct vz_directory *store, char *path);
/* A partial file becomes the value, where nothing is: VZ_EXISTS. */
bool vz_directory_name_new(struct vz_directory *store, const char *partial, const char *key, vz_error *err);
/* Does nobody else read it, as the one of a staging area? */
bool vz_directory_is_hidden(const vz_store *store);
/* In such a store: what is not there yet is written in its place. */
bool vz_directory_put_hidden(vz_store *store, const char *key, vz_parts value, vz_stamp *stamp, vz_error *err);
/* The directory of the number that a key begins with; nothing where it is there, or cannot be
 * made. */
void vz_directory_begin_numbered(vz_store *store, const char *key);
/* As vz_directory_put_hidden, at a key that begins with a number; begins: the directory of that
 * name need not be missed first. */
bool vz_directory_put_numbered(vz_store *store, const char *key, vz_parts value, bool begins, vz_error *err);
/* Beside its place under that name (NULL: any), and then onto it. */
bool vz_directory_put_beside(vz_store *store, const char *key, vz_parts value, const char *name, vz_stamp *stamp,
                             vz_error *err);
/* Puts a value where nothing is, as vz_directory_check_absent found. */
bool vz_directory_put_new_beside(vz_store *store, const char *key, vz_bytes value, const char *name, vz_error *err);
bool vz_directory_check_absent(vz_store *store, const char *key, vz_error *err); /* EEXIST */

/* make_parents.c */
/* Makes the directories above `key` that are missing. */
bool vz_directory_make_parents(const struct vz_directory *store, const char *key, vz_error *err);

/* directory_stream.c */
/* As begin_pieces of a store; name: as of vz_directory_partial_file. */
struct vz_pieces *vz_directory_begin_pieces(vz_store *store, const char *key, const char *name, vz_error *err);

/* directory_sync.c */
bool vz_directory_sync(vz_store *store, vz_error *err);
void vz_directory_touch(vz_store *store);

/* directory_rename.c */
bool vz_directory_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err);
bool vz_directory_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err);
/* Of a staging area, with its lock held. A new entry in its root that is no link goes into a
 * directory with a number as its name. Nothing there has the entry's name. False: it did not, for
 * whatever reason. That directory stays open until another one is asked for, or
 * vz_directory_leave_numbered. */
bool vz_directory_rename_made(vz_store *store, const char *from, const char *to);
/* The same into the root of another store. */
bool vz_directory_rename_out(vz_store *staging, const char *from, vz_store *store, const char *to);
void vz_directory_leave_numbered(struct vz_directory *staging);
/* A tree, a file or a link goes as it is into the root of a staging area. Nothing has that name
 * there. False: it did not, for whatever reason. */
bool vz_directory_rename_away(vz_store *store, const char *key, vz_store *staging, const char *name);
/* Between two directory stores, or within one; what must be copied, as file systems differ, is
 * if it may. A target that exists: VZ_EXISTS. */
bool vz_directory_rename_between(vz_store *from_store, const char *from, vz_store *to_store, const char *to,
                                 bool may_copy, vz_error *err);
bool vz_directory_exchange_between(vz_store *a_store, const char *a, vz_store *b_store, const char *b, bool *done,
                                   vz_error *err);

/* directory_list.c */
/* stages: gets the names of what may be staging areas in the root, which are not touched; NULL:
 * they are leftovers as any. */
bool vz_directory_list_with(vz_store *store, const char *prefix, vz_strmap *stagings, vz_entry **entries, size_t *count,
                            vz_error *err);
bool vz_directory_del(vz_store *store, const char *key, vz_error *err);
bool vz_directory_del_tree(vz_store *store, const char *prefix, vz_error *err);

/* Rows that the class of a store that stages nothing (directory_read.c) and the one that programs
 * open (directory_open.c) have in common. */
#define VZ_DIRECTORY_ROWS                                                                                              \
    .kind = "directory", .key_max = PATH_MAX - 1, .get = vz_directory_get, .get_ranges = vz_directory_get_ranges,      \
    .open_value = vz_directory_open_value, .read_value = vz_directory_read_value,                                      \
    .value_changed = vz_directory_value_changed, .close_value = vz_directory_close_value, .reads_in_pieces = true,     \
    .stat = vz_directory_stat, .del = vz_directory_del, .del_tree = vz_directory_del_tree,                             \
    .rename_tree = vz_directory_rename_tree, .exchange_trees = vz_directory_exchange_trees,                            \
    .check_change = vz_directory_check_change, .look = vz_directory_look, .sync = vz_directory_sync,                   \
    .touch = vz_directory_touch, .renew = vz_directory_renew

#endif
