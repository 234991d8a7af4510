/* store_class.h - the contract of a kind of store: its operations, and the state that they share.
 *
 * A store maps keys, relative paths with '/', to values, bytes that are written whole. A kind of
 * store is one file (directory_read.c, memory_store.c ...) with one row in
 * store/zip/local_kinds.c. Several worker threads may call get, get_ranges, put, put_new, del and
 * the operations of a vz_store_value at once. One thread calls everything else. */
#ifndef VZ_STORE_STORE_CLASS_H
#define VZ_STORE_STORE_CLASS_H

#include "base/os/file_system.h"
#include "store/store/store_values.h"
#include <stdatomic.h>

typedef struct vz_store vz_store;

enum {
    VZ_STORE_WRITE = 1,     /* put, del ... work */
    VZ_STORE_LIST = 2,      /* list works */
    VZ_STORE_RENAME = 4,    /* rename_tree is one cheap step */
    VZ_STORE_CHEAP = 8,     /* a get costs microseconds: read documents one by one */
    VZ_STORE_AT_HAND = 16,  /* documents do, whatever chunks cost */
    VZ_STORE_SCATTERS = 32, /* ranges that follow each other cost what one costs, wherever they go
                             * in memory */
    VZ_STORE_IN_ONE = 64,   /* all values lie in one file or in memory: none is opened before it is
                             * read */
    VZ_STORE_CUTS = 128     /* the last chunks along the first axis may end where the array does */
};

typedef struct vz_store_class {
    const char *kind;
    size_t key_max; /* bytes of the longest key; 0: there is no such limit */
    /* Appends the value (or range) to out; *found=false (and true returned) when the key does
     * not exist. A borrowed `out` receives the bytes in place; VZ_LIMIT if they do not fit. A
     * range beyond the value is VZ_CORRUPT. */
    bool (*get)(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err);
    /* Several ranges of one value, out[i] for ranges[i]. NULL: the generic one calls get. */
    bool (*get_ranges)(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err);
    /* Holds the version that is there now, until close_value. *found=false (and true returned):
     * there is none, and nothing to close. NULL, with the next three: the generic ones look at
     * the stamp before and after they read. */
    bool (*open_value)(vz_store *store, const char *key, vz_store_value_use use, vz_store_value *value, bool *found,
                       vz_error *err);
    /* Ranges of that version, as get_ranges. VZ_CHANGED if it is no longer to be had. */
    bool (*read_value)(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                       size_t count, vz_buffer *out, vz_error *err);
    /* After what was read made no sense: can that be because somebody changed the version while
     * it was read? */
    bool (*value_changed)(vz_store *store, const char *key, const vz_store_value *value);
    void (*close_value)(vz_store *store, vz_store_value *value);
    bool reads_in_pieces; /* a document that is read piece by piece through read_value costs what a
                           * get costs */
    /* missing: exists=false, true */
    bool (*stat)(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err);
    /* atomic: old or new, never half */
    bool (*put)(vz_store *store, const char *key, vz_bytes value, vz_error *err);
    /* Like put, of what nobody else can read yet: it may be there after the next drain only, or
     * before. *done=false (and true returned): not this key, or not now. */
    bool (*put_later)(vz_store *store, const char *key, vz_parts value, bool *done, vz_error *err);
    /* Like put, of a value that is written from the places where its parts lie; nothing reads
     * these after it returned. NULL: a value lies in one place. */
    bool (*put_parts)(vz_store *store, const char *key, vz_parts value, vz_error *err);
    /* Like put, and tells the stamp of what was put, which no other value of the key ever has.
     * NULL: it is not reported. */
    bool (*put_stamped)(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err);
    /* Like put, but fails with VZ_EXISTS when the key exists (one step: of two callers one
     * wins). */
    bool (*put_new)(vz_store *store, const char *key, vz_bytes value, vz_error *err);
    /* A value that is put in pieces (request.h); NULL with err set. NULL: values are put as a
     * whole. */
    struct vz_pieces *(*begin_pieces)(vz_store *store, const char *key, vz_error *err);
    bool (*del)(vz_store *store, const char *key, vz_error *err); /* missing is no error */
    bool (*del_tree)(vz_store *store, const char *prefix,
                     vz_error *err); /* the key, and all below it; missing is no error */
    bool del_tree_in_order;          /* what is a document goes before the rest */
    /* target must not exist */
    bool (*rename_tree)(vz_store *store, const char *from, const char *to, vz_error *err);
    /* Two trees that both exist change places in one step, for readers and after a crash.
     * *done=false (and true returned): the file system cannot. NULL: the store cannot. */
    bool (*exchange_trees)(vz_store *store, const char *a, const char *b, bool *done, vz_error *err);
    /* Direct members of a prefix ("" = the root), sorted bytewise; *entries from malloc, freed
     * by vz_entries_free. A prefix that does not exist has none. Partial names are never listed,
     * and what provably nobody goes on with is removed on the way when the store is writable. */
    bool (*list)(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
    /* May what lies below a prefix be changed? Not behind a symbolic link that leads out of the
     * store: VZ_PERMISSION, which every change there answers too. A prefix that does not exist
     * may. NULL: the store has no such links. */
    bool (*check_change)(vz_store *store, const char *prefix, vz_error *err);
    /* NULL: it cannot tell */
    bool (*look)(vz_store *store, const char *key, vz_store_key_kind *kind, vz_error *err);
    /* Which of many prefixes below one have a value of that name? *done=false (and true
     * returned): each is looked for by `stat`. NULL: the same. */
    bool (*look_below)(vz_store *store, const char *prefix, const char *name, vz_entry_probe *looks, size_t count,
                       bool *done, vz_error *err);
    /* All that lies directly below a prefix, whoever put it there, and hidden names too, by the
     * name alone. False with err set, or as the visit says. NULL: what is listed is all. */
    bool (*each_entry)(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err);
    /* Is there such a value? May tell what was seen when the store was looked at last, if
     * nothing came or went since. NULL: stat tells. */
    bool (*has)(vz_store *store, const char *key, bool *has, vz_error *err);
    /* The store around this one, opened to look into it, or `writable`; NULL without err set:
     * there is none. NULL: the kind has none. */
    vz_store *(*above)(vz_store *store, bool writable, vz_error *err);
    /* May there be such a value in the store above? False only where there is none, without opening
     * it. NULL: it may. */
    bool (*above_may_have)(vz_store *store, const char *key);
    /* May the store above hold documents that decide what this one's paths mean, as it is the
     * same owner's, and nobody else may write there? */
    bool (*may_be_inside)(const vz_store *store, const vz_store *above);
    bool (*is_own)(const vz_store *store);                  /* this user's, who may write to it */
    bool (*is_at)(const vz_store *store, const char *path); /* does that path lead to it? */
    /* A descriptor, of its own, for a lock on the whole store. It is that of the file of the value
     * `key`, or with "" of the store itself. -1: errno tells. NULL: it cannot be locked. */
    int (*open_lock)(const vz_store *store, const char *key);
    /* Locks that descriptor without waiting long, as vz_os_lock does: 0, or -1 and errno. NULL:
     * by that function. */
    int (*set_lock)(int file, vz_os_lock_kind kind);
    /* Documents are replaced one by one, so that who reads one before needs a lock on the store. */
    bool replaces_in_place;
    /* Bytes of all values whose keys `has` takes, when they are read, as the store claims them;
     * and the bytes of the store itself. NULL: values take what they are. */
    void (*claims)(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own);
    bool (*sync)(vz_store *store, vz_error *err); /* what was put is durable */
    /* Shows all puts to others in one step; without it close drops them. On failure nothing
     * changed, and it may be called again. NULL: each put is in place at once. */
    bool (*commit)(vz_store *store, vz_error *err);
    /* Like commit, but only this connector need see it; a commit follows before the store is
     * closed. NULL: commit. */
    bool (*flush)(vz_store *store, vz_error *err);
    /* All that is in the store is written anew, so that what is dead in its file goes; bytes of
     * it before and after. NULL: nothing is. */
    bool (*compact)(vz_store *store, uint64_t *before, uint64_t *after, vz_error *err);
    /* Sends buffered puts to where others see them. Puts that fail stay, and the next call tries
     * them again. NULL: nothing is ever buffered. */
    bool (*drain)(vz_store *store, vz_error *err);
    bool (*has_unwritten)(vz_store *store, const char *prefix); /* is anything of that kind at the
                                                                 * key, or below? */
    /* A caller that looks at the time of the store itself sees that something in it changed.
     * NULL: it changes by itself. */
    void (*touch)(vz_store *store);
    /* From here on what others wrote before is found, also where something was missing. On
     * failure the store is what it was. No other call runs meanwhile. NULL: it is found anyway. */
    bool (*renew)(vz_store *store, vz_error *err);
    /* How many requests at once are done (request.h). NULL: each in the thread that pulls it. */
    const struct vz_batch_class *batches;
    /* Puts a value, or deletes it (NULL), if that of the key is the version (of size 0: if there
     * is none); VZ_CHANGED if not. *now: the version afterwards, of size 0 where it is not
     * reported. NULL: open_value's lock, and a look, stand for it. */
    bool (*change)(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version, vz_version *now,
                   vz_error *err);
    /* Reads a value to its end and compares it with what the store itself has noted of it
     * (checksums): VZ_CORRUPT. A missing one is right. NULL: reading it tells all. */
    bool (*verify)(vz_store *store, const char *key, vz_error *err);
    /* Looks for what writers did not finish, and changes nothing. Partial names below prefixes,
     * which each_entry shows, are not among them. NULL: there never is anything. */
    bool (*each_leftover)(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err);
    /* Bytes of the store's file, and of them those that nothing in it refers to, about. NULL: it
     * has none. */
    bool (*unused)(vz_store *store, uint64_t *size, uint64_t *unused);
    /* The size of the store's file as the last commit left it, and all its bytes where `data` is
     * not NULL. VZ_LIMIT if these are more than `room`. NULL: the store is no file. */
    bool (*image)(vz_store *store, void *data, size_t room, uint64_t *size, vz_error *err);
    void (*close)(vz_store *store);
} vz_store_class;

/* A lock that the user of a store holds on its file. */
typedef struct vz_store_lock {
    int descriptor; /* -1: none */
    vz_os_lock_kind kind;
    int (*set)(int file, vz_os_lock_kind kind);
} vz_store_lock;

struct vz_store {
    const vz_store_class *class;
    char *path; /* as opened, absolute */
    /* Operations of the staging area (call.h); NULL: there is none. */
    const struct vz_store_staging_class *staging_operations;
    struct vz_staging *staging;           /* the staging area, owned by the store; NULL: there is
                                           * none */
    bool follow_links;                    /* changes go through symbolic links that lead out of the
                                           * store, too */
    bool stays_inside;                    /* no value is read through a symbolic link that leads out
                                           * of the store: VZ_PERMISSION */
    bool durable;                         /* a value is on the disk before it takes its place */
    bool is_fresh;                        /* its root was made when it was opened, and was empty */
    bool without_locks;                   /* nobody wants any: a zip file is written anew, since
                                           * nobody is kept out of it */
    bool in_place;                        /* see vz_store_share_names */
    bool repeats;                         /* what is changed was, or will be, changed by another
                                           * process: nothing happens */
    unsigned capabilities;                /* VZ_STORE_* */
    unsigned in_flight;                   /* requests that it likes to have under way at once; 0:
                                           * each costs microseconds */
    vz_identity identity;                 /* all zeros for a memory store */
    uint64_t user_block;                  /* bytes before a one-file store that are a program's own;
                                           * 0: none */
    struct vz_version_held_list *held;    /* versions that stay open (request.h); NULL: none did
                                           * yet */
    struct vz_prefetch_table *prefetched; /* read before it is asked for (prefetch.h); NULL: nothing
                                           * is */
    int *descriptor;                      /* of the directory or file, for who asks
                                           * (H5Fget_vfd_handle); NULL: none */
    void *handle;                         /* the same of a byte source's driver; NULL: it tells
                                           * none */
    vz_store_lock *lock;                  /* the user's: a commit carries it to the file that
                                           * replaces the one locked; or NULL */
    _Atomic(uint64_t) count[10];          /* see vz_store_counts, in its order */
    _Atomic(uint64_t) writes;             /* grows with each change that is tried */
    uint64_t touched, committed;          /* what it was at the last vz_store_touch,
                                           * vz_store_commit */
    /* The same number, and shared_base, where a forked child sees it grow (store_share.c); NULL:
     * nobody looks. */
    _Atomic(uint64_t) *shared_writes;
    uint64_t shared_base;
    struct vz_shared_writes *shared;
};

#endif
