/* store.h - store read, copy tree, store lock. */
#ifndef VZ_STORE_STORE_H
#define VZ_STORE_STORE_H

#include "base/util/bytes.h"
#include <stdatomic.h>
#include <time.h>

/* -- Store read --
 * a key/value store: keys are relative paths with '/', values are bytes written whole. Every kind of store is
 * one file (directory_read.c, memory_store.c ...) with one row in store/zip/local_kinds.c. get, get_ranges, put,
 * put_new, del and what is done with a vz_store_value may be called from several worker threads at once; everything
 * else from one thread. */
typedef struct vz_store vz_store;

enum {
    VZ_STORE_WRITE = 1,     /* put, del ... work */
    VZ_STORE_LIST = 2,      /* list works */
    VZ_STORE_RENAME = 4,    /* rename_tree is one cheap step */
    VZ_STORE_CHEAP = 8,     /* a get costs microseconds: read documents one by one */
    VZ_STORE_AT_HAND = 16,  /* documents do, whatever chunks cost */
    VZ_STORE_SCATTERS = 32, /* ranges that follow each other cost what one costs, wherever they go in memory */
    VZ_STORE_IN_ONE = 64    /* all values lie in one file or in memory: none is opened before it is read */
};

/* What tells one version of a value from another. Beside `exists` and `size` it is the store's
 * own business. */
typedef struct vz_stamp {
    bool exists;
    uint64_t size;
    uint64_t device, inode;
    struct timespec modified;
} vz_stamp;

/* What a key names, by the name alone: a link is not followed. */
typedef enum vz_store_thing {
    VZ_STORE_NOTHING,
    VZ_STORE_VALUE,
    VZ_STORE_PREFIX,
    VZ_STORE_LINK,
    VZ_STORE_OTHER, /* a device, a pipe ... */
} vz_store_thing;

/* Which store it is, whatever path led to it. Opaque; all zeros: of no other. */
typedef struct vz_identity {
    uint64_t part[2]; /* of a directory or a file, device and inode */
} vz_identity;
bool vz_identity_equal(const vz_identity *a, const vz_identity *b);
bool vz_identity_is_known(const vz_identity *identity);
uint64_t vz_identity_number(const vz_identity *identity); /* a hash of it */

/* Called for what lies in a store; false: that is enough, with err set that it failed. */
typedef bool (*vz_entry_visit)(void *context, const char *name, vz_store_thing thing, vz_error *err);

/* What a writer did not finish, in the store or beside it. */
#define VZ_LEFTOVER_ID_SIZE 33
typedef struct vz_leftover {
    const char *path;  /* of the file system */
    bool is_dead;      /* false: its writer lives, or nothing proves that it does not */
    bool is_in_store;  /* the file of the store itself: what was flushed is there, and others do not see it yet */
    bool has_journal;  /* what names were moved is reported there, and not in documents yet */
    const char *doubt; /* no writer's: what is not as it was written, although all could be read; else NULL */
    bool is_damage;    /* of a doubt: nobody has changed it so on purpose */
    char id[VZ_LEFTOVER_ID_SIZE]; /* which partial names in the store begin with; "": none do */
} vz_leftover;
typedef bool (*vz_leftover_visit)(void *context, const vz_leftover *leftover, vz_error *err);

/* Which version of a value was met. Opaque: only the store that made it knows what the bytes
 * mean. */
#define VZ_VERSION_SIZE 56
typedef struct vz_version {
    uint8_t size; /* 0: there is no value, or it is not known which version */
    bool lasts;   /* no later version can be equal to it: what is remembered with it can be compared later */
    uint8_t bytes[VZ_VERSION_SIZE];
} vz_version;

/* One version of a value, held open: all that is read through it is of that version, or reading
 * fails. */
typedef struct vz_store_value {
    vz_stamp stamp; /* of the version */
    bool settled;   /* no later version can have this stamp: what is remembered with it can be compared later */
    int file;       /* the store's own: a descriptor, or -1 */
    bool locked;    /* the store's own */
} vz_store_value;

typedef enum vz_value_use {
    VZ_VALUE_READ,
    VZ_VALUE_REPLACE, /* to be replaced, or deleted, before it is closed: other processes that open it so wait
                         meanwhile, where the store can make them */
} vz_value_use;

/* A prefix below another one, and whether something was found in it. */
typedef struct vz_look {
    const char *name;
    bool is_there;
} vz_look;

/* Memory that names of several entries lie in. */
typedef struct vz_entry_names {
    struct vz_entry_names *next;
    char text[];
} vz_entry_names;

typedef struct vz_entry {
    char *name; /* last part of the key */
    /* Of those whose names lie in such memory one has it; NULL: another one, or it is in none. */
    vz_entry_names *names;
    bool is_prefix; /* a directory: there are keys below it */
    bool in_names;  /* the name lies in such memory; false: it was allocated alone */
} vz_entry;

/* Counted by every store so that tests can demand "no stat, no listing". */
typedef struct vz_store_counts {
    uint64_t gets, misses, puts, dels, lists, stats, renames;
    uint64_t bytes_read, bytes_written;
} vz_store_counts;

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
    bool (*open_value)(vz_store *store, const char *key, vz_value_use use, vz_store_value *value, bool *found,
                       vz_error *err);
    /* Ranges of that version, as get_ranges. VZ_CHANGED if it is no longer to be had. */
    bool (*read_value)(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                       size_t count, vz_buffer *out, vz_error *err);
    /* After what was read made no sense: can that be because somebody changed the version while
     * it was read? */
    bool (*value_changed)(vz_store *store, const char *key, const vz_store_value *value);
    void (*close_value)(vz_store *store, vz_store_value *value);
    bool reads_in_pieces; /* a document that is read piece by piece through read_value costs what a get costs */
    bool (*stat)(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err); /* missing: exists=false, true */
    bool (*put)(vz_store *store, const char *key, vz_bytes value, vz_error *err);   /* atomic: old or new, never half */
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
    struct vz_put_stream *(*begin_pieces)(vz_store *store, const char *key, vz_error *err);
    bool (*del)(vz_store *store, const char *key, vz_error *err); /* missing is no error */
    bool (*del_tree)(vz_store *store, const char *prefix,
                     vz_error *err); /* the key, and all below it; missing is no error */
    bool del_tree_in_order;          /* what is a document goes before the rest */
    bool (*rename_tree)(vz_store *store, const char *from, const char *to, vz_error *err); /* target must not exist */
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
    bool (*look)(vz_store *store, const char *key, vz_store_thing *thing, vz_error *err); /* NULL: it cannot tell */
    /* Which of many prefixes below one have a value of that name? *done=false (and true
     * returned): each is looked for by `stat`. NULL: the same. */
    bool (*look_below)(vz_store *store, const char *prefix, const char *name, vz_look *looks, size_t count, bool *done,
                       vz_error *err);
    /* All that lies directly below a prefix, whoever put it there, and hidden names too, by the
     * name alone. False with err set, or as the visit says. NULL: what is listed is all. */
    bool (*each_entry)(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err);
    /* Is there such a value? May tell what was seen when the store was looked at last, if
     * nothing came or went since. NULL: stat tells. */
    bool (*has)(vz_store *store, const char *key, bool *has, vz_error *err);
    /* The store around this one, opened to look into it, or `writable`; NULL without err set:
     * there is none. NULL: the kind has no such thing. */
    vz_store *(*above)(vz_store *store, bool writable, vz_error *err);
    /* May there be such a value in the store above? False only where there is none, without opening it. NULL: it may.
     */
    bool (*above_may_have)(vz_store *store, const char *key);
    /* May the store above hold documents that decide what this one's paths mean, as it is the
     * same owner's, and nobody else may write there? */
    bool (*may_be_inside)(const vz_store *store, const vz_store *above);
    bool (*is_own)(const vz_store *store);                  /* this user's, who may write to it */
    bool (*is_at)(const vz_store *store, const char *path); /* does that path lead to it? */
    /* A descriptor, of its own, of what a lock on the whole store stands on: the file of the
     * value `key`, or with "" the store itself. -1: errno tells. NULL: it cannot be locked. */
    int (*open_lock)(const vz_store *store, const char *key);
    /* Locks that descriptor without waiting long, as flock does (LOCK_EX, LOCK_SH, LOCK_UN): 0,
     * or -1 and errno. NULL: flock. */
    int (*set_lock)(int file, int operation);
    /* Documents are replaced one by one, so that who reads one before needs a lock on the store. */
    bool replaces_in_place;
    /* Bytes of all values whose keys `has` takes, when they are read, as the store claims them;
     * and the bytes of the store itself. NULL: values take what they are. */
    void (*claims)(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own);
    bool (*sync)(vz_store *store, vz_error *err); /* what was put is durable */
    /* What was put becomes what others see, in one step; without it close drops it. On failure
     * nothing changed, and it may be called again. NULL: each put is in place at once. */
    bool (*commit)(vz_store *store, vz_error *err);
    /* Like commit, but only this connector need see it; a commit follows before the store is
     * closed. NULL: commit. */
    bool (*flush)(vz_store *store, vz_error *err);
    /* All that is in the store is written anew, so that what is dead in its file goes; bytes of
     * it before and after. NULL: nothing is. */
    bool (*compact)(vz_store *store, uint64_t *before, uint64_t *after, vz_error *err);
    /* What was put and is still here goes to where others see it; what does not stays, and is
     * tried again by the next call. NULL: there never is anything. */
    bool (*drain)(vz_store *store, vz_error *err);
    bool (*has_unwritten)(vz_store *store, const char *prefix); /* is anything of that kind at the key, or below? */
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
     * not NULL: VZ_LIMIT if these are more than `room`. NULL: the store is no file. */
    bool (*image)(vz_store *store, void *data, size_t room, uint64_t *size, vz_error *err);
    void (*close)(vz_store *store);
} vz_store_class;

/* A lock that the user of a store holds on its file. */
typedef struct vz_store_lock {
    int descriptor; /* -1: none */
    int operation;  /* LOCK_EX or LOCK_SH */
    int (*set)(int file, int operation);
} vz_store_lock;

struct vz_store {
    const vz_store_class *class;
    char *path; /* as opened, absolute */
    const struct vz_staging_class
        *staging_operations;     /* operations of the staging area (call.h); NULL: there is none */
    struct vz_staging *staging;  /* the staging area, owned by the store; NULL: there is none */
    bool follow_links;           /* changes go through symbolic links that lead out of the store, too */
    bool durable;                /* a value is on the disk before it takes its place */
    bool is_fresh;               /* its root was made when it was opened, and was empty */
    bool without_locks;          /* nobody wants any: a zip file is written anew, since nobody is kept out of it */
    bool in_place;               /* see vz_store_share_names */
    bool repeats;                /* what is changed was, or will be, changed by another process: nothing happens */
    unsigned capabilities;       /* VZ_STORE_* */
    unsigned in_flight;          /* requests that it likes to have under way at once; 0: each costs microseconds */
    vz_identity identity;        /* all zeros for a memory store */
    uint64_t user_block;         /* bytes before a one-file store that are a program's own; 0: none */
    struct vz_held_values *held; /* versions that stay open (request.h); NULL: none did yet */
    struct vz_prefetch_table *prefetched; /* read before it is asked for (prefetch.h); NULL: nothing is */
    int *descriptor;                      /* of the directory or file, for who asks (H5Fget_vfd_handle); NULL: none */
    void *handle;                         /* the same of a byte source's driver; NULL: it tells none */
    vz_store_lock *lock;         /* the user's: a commit carries it to the file that replaces the one locked; or NULL */
    _Atomic(uint64_t) count[10]; /* see vz_store_counts, in its order */
    _Atomic(uint64_t) writes;    /* grows with each change that is tried */
    uint64_t touched, committed; /* what it was at the last vz_store_touch, vz_store_commit */
    /* The same number, and shared_base, where a forked child sees it grow (store_share.c); NULL:
     * nobody looks. */
    _Atomic(uint64_t) *shared_writes;
    uint64_t shared_base;
    struct vz_shared_writes *shared;
};

/* Opens the directory `path` (must exist). writable=false never writes, on no account. */
vz_store *vz_store_open_directory(const char *path, bool writable, vz_error *err);
/* Makes the directory first (parents must exist); fails with VZ_EXISTS if it is there and
 * `exclusive`. */
vz_store *vz_store_create_directory(const char *path, bool exclusive, vz_error *err);
vz_store *vz_store_new_memory(vz_error *err);
void vz_store_close(vz_store *store); /* NULL is fine */
/* The store, called by that path from now on. Taken over: NULL where there is no memory for it,
 * and then it is closed. */
vz_store *vz_store_with_path(vz_store *store, const char *path, vz_error *err);

/* These call the class and count. Names as in the class. */
bool vz_store_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err);
bool vz_store_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                         bool *found, vz_error *err);
/* A read of a value counts as a get. Closing twice is fine. */
bool vz_store_open_value(vz_store *store, const char *key, vz_value_use use, vz_store_value *value, bool *found,
                         vz_error *err);
bool vz_store_read_value(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                         size_t count, vz_buffer *out, vz_error *err);
bool vz_store_value_changed(vz_store *store, const char *key, const vz_store_value *value);
void vz_store_close_value(vz_store *store, vz_store_value *value);
bool vz_store_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err);
bool vz_store_put(vz_store *store, const char *key, vz_bytes value, vz_error *err);
/* Only of stores that have the function. */
bool vz_store_put_parts(vz_store *store, const char *key, vz_parts value, vz_error *err);
/* stamp->exists=false: it was put, and is not reported. */
bool vz_store_put_stamped(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err);
bool vz_store_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err);
/* Only of stores that have the function. */
bool vz_store_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                     vz_version *now, vz_error *err);
bool vz_store_del(vz_store *store, const char *key, vz_error *err);
bool vz_store_del_tree(vz_store *store, const char *prefix, vz_error *err);
bool vz_store_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err);
bool vz_store_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err);
bool vz_store_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
/* What is put at a prefix, or below it, is not seen by other readers of the store until it is
 * published, then all of it in one step. It is read, listed, renamed and deleted under its
 * prefix as ever, and gone when the writer dies. A prefix inside of one that waits goes there
 * when it is published. Nothing to do for stores that show nothing before commit. */
bool vz_store_begin(vz_store *store, const char *prefix, vz_error *err);
bool vz_store_publish(vz_store *store, const char *prefix, vz_error *err);
/* Does the key lie at a prefix that waits so? Then nobody else has put anything there. */
bool vz_store_hides(vz_store *store, const char *key);
/* After VZ_EXISTS from one of these, or from rename_tree: is what is in the way called
 * otherwise, as where the file system does not tell "A" from "a"? Then another key has to be
 * taken. */
bool vz_store_names_collide(vz_store *store, const char *key);
/* Has somebody else made something at the prefix since it was begun? Then ours goes to it at
 * once, value by value. */
bool vz_store_give_way(vz_store *store, const char *prefix, vz_error *err);
/* The shape that the array at the prefix has in the store is not, or will not be, the one of its
 * chunks, until the change ends. If the writer dies before that, or closes the store, the next
 * one hears of it. */
bool vz_store_begin_shape_change(vz_store *store, const char *prefix, vz_error *err);
void vz_store_end_shape_change(vz_store *store, const char *prefix);
/* Visits arrays that writers left so. What returns true is done with, the rest is left to the
 * next writer, and all of it if somebody else writes in the store. */
typedef struct vz_dead_writer vz_dead_writer;
typedef bool (*vz_shape_change_visit)(void *context, const vz_dead_writer *writer, const char *prefix);
void vz_store_each_shape_change(vz_store *store, vz_shape_change_visit visit, void *context);
/* Removes a value below the prefix, if nobody wrote it since the writer was found dead. */
bool vz_store_del_left(vz_store *store, const vz_dead_writer *writer, const char *key, vz_error *err);
/* Is a tree that is deleted gone in one step for other readers, and after a crash, or its
 * documents before all else? Else they are to be deleted first. */
bool vz_store_deletes_at_once(vz_store *store);
/* journal.c: lines that tell what is about to change, which whoever opens the store finds until
 * it is closed, however this process ends. */
/* Adds a line, without its end; true without one where a store shows nothing before commit, or
 * may not be written. */
bool vz_store_journal_add(vz_store *store, const char *line, vz_error *err);
/* Hands over each line of all journals that are there, those of living writers too; ends at the
 * first false. Without a journal that cannot be read nobody knows where names went: that is an
 * error. */
typedef bool (*vz_journal_visit)(void *context, const char *line, bool is_last, vz_error *err);
bool vz_store_journals(vz_store *store, vz_journal_visit visit, void *context, vz_error *err);
bool vz_store_has_journals(vz_store *store);  /* of dead writers, as found when it was opened for writing */
void vz_store_journals_done(vz_store *store); /* what those tell is in the store now: they go */
/* Documents have all that ours tells: it begins anew, if it is long. */
void vz_store_journal_renew(vz_store *store);
void vz_store_journal_keep(vz_store *store); /* ours is to stay when the store is closed */
/* Several processes write the store together, under the same keys: what is begun, or has no
 * name, lies at its place in the store, and not in the staging area of one of them. One of them,
 * `leads`, changes names; the others have no staging area. Right after opening. */
void vz_store_share_names(vz_store *store, bool leads);
/* From now on forked children see how often the store was written, where the system can show
 * them; until vz_store_unshare. */
void vz_store_share(vz_store *store);
void vz_store_unshare(vz_store *store);
/* In a forked child: nobody wrote to the store since the fork, and none of the other children
 * was reported so before. */
bool vz_store_take_over(vz_store *store);
bool vz_store_check_change(vz_store *store, const char *prefix, vz_error *err);
/* VZ_STORE_NOTHING where the store cannot tell. */
bool vz_store_look(vz_store *store, const char *key, vz_store_thing *thing, vz_error *err);
/* Looks for the value `name` in each of those prefixes below one that lie in the store; what
 * cannot be reported counts as not there. */
bool vz_store_look_below(vz_store *store, const char *prefix, const char *name, vz_look *looks, size_t count,
                         vz_error *err);
bool vz_store_each_entry(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err);
bool vz_store_has(vz_store *store, const char *key, bool *has, vz_error *err);
bool vz_store_verify(vz_store *store, const char *key, vz_error *err);
bool vz_store_unused(vz_store *store, uint64_t *size, uint64_t *unused); /* false: it is none with a file */
bool vz_store_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err);
/* NULL also where the kind has none. */
vz_store *vz_store_above(vz_store *store, bool writable, vz_error *err);
bool vz_store_has_above(const vz_store *store); /* stores of this kind may lie in one another */
bool vz_store_above_may_have(vz_store *store, const char *key);
bool vz_store_may_be_inside(const vz_store *store, const vz_store *above);
bool vz_store_is_own(const vz_store *store);
bool vz_store_is_at(const vz_store *store, const char *path);
/* false: values take what they are, and nothing was reported. */
bool vz_store_claims(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own);
bool vz_store_sync(vz_store *store, vz_error *err);
bool vz_store_commit(vz_store *store, vz_error *err);
bool vz_store_flush(vz_store *store, vz_error *err);
/* Of a zip file or a one-file store that is open for writing: another file takes its place, with
 * its mode and owner. VZ_UNSUPPORTED: nothing in such a store is dead. VZ_BUSY: somebody else
 * writes it. */
bool vz_store_compact(vz_store *store, uint64_t *before, uint64_t *after, vz_error *err);
bool vz_store_keeps_back(const vz_store *store); /* what is put is nowhere before a commit */
bool vz_store_drain(vz_store *store, vz_error *err);
bool vz_store_has_unwritten(vz_store *store, const char *prefix); /* "": anything at all */
bool vz_store_is_uncommitted(const vz_store *store);
/* The time of the store itself, of a directory's root, follows if anything was written since the
 * last call. */
void vz_store_touch(vz_store *store);
/* See renew above. */
bool vz_store_renew(vz_store *store, vz_error *err);
void vz_entries_sort(vz_entry *entries, size_t count); /* bytewise */
void vz_entries_free(vz_entry *entries, size_t count);
/* The memory of their names, which the caller frees; entries whose names do not lie there keep
 * theirs. */
vz_entry_names *vz_entries_take_names(vz_entry *entries, size_t count);
void vz_entry_names_free(vz_entry_names *names);
vz_store_counts vz_store_counted(const vz_store *store);

/* "<32 hexadecimal digits>-<n>.partial", a fresh name per call: temporary files, and the
 * prefixes of unlinked objects. */
#define VZ_PARTIAL_SIZE 160
bool vz_partial_name(char *name, size_t size, vz_error *err);
bool vz_is_partial_name(const char *name); /* of that form, or of one that means the same (docs/format.md) */

bool vz_stamp_equal(const vz_stamp *a, const vz_stamp *b);
/* Of a value in a store that tells versions by stamps. */
vz_version vz_version_of(const vz_stamp *stamp, bool lasts);
bool vz_version_equal(const vz_version *a, const vz_version *b);

/* -- Copy tree --
 * moving a tree where the store cannot rename: copy, then delete. */
/* Keeps the contract of rename_tree, in more than one step. Needs the class's get, put, stat,
 * list and del_tree. */
bool vz_store_move_by_copy(vz_store *store, const char *from, const char *to, vz_error *err);

/* Copies a value and all that lies below it, over what is there, perhaps into another store. */
bool vz_store_copy_tree(vz_store *from_store, const char *from, vz_store *to_store, const char *to, vz_error *err);

/* -- Store lock --
 * locks on whole stores: many readers or one writer, between processes that ask for it; and who changes
 * documents now. */
typedef enum vz_lock_wish { VZ_LOCK_NO, VZ_LOCK_YES, VZ_LOCK_IF_POSSIBLE } vz_lock_wish;

/* Locks the store on the value `key`, or with "" on itself, for one writer (`exclusive`) or many
 * readers, until vz_store_lock_leave. VZ_BUSY (EWOULDBLOCK) when somebody holds it; true without
 * a lock where there are none, or it is not wanted, or only if possible. */
bool vz_store_lock_acquire(vz_store *store, vz_store_lock *lock, const char *key, bool exclusive, vz_lock_wish wish,
                           vz_error *err);
/* Others may come in now: as readers (`shared`), or at all. */
bool vz_store_lock_relax(vz_store_lock *lock, bool shared, vz_error *err);
void vz_store_lock_leave(vz_store_lock *lock);
/* Could it be had? */
bool vz_store_lock_check(vz_store *store, const char *key, vz_lock_wish wish, vz_error *err);

/* Tries the lock on the value `key` for a moment, to find out whether locks keep processes on
 * all machines apart. *descriptor: what holds it, the caller's to close; -1 unless it is
 * VZ_TRIED_GOT. */
typedef enum vz_tried { VZ_TRIED_NO_LOCKS, VZ_TRIED_GOT, VZ_TRIED_HELD } vz_tried;
vz_tried vz_store_try_lock(const vz_store *store, const char *key, int *descriptor);
void vz_store_end_try(int descriptor); /* -1 is fine */

/* Between looking at a document and replacing it no other process of ours does so: waits up to
 * 10 s for who has the lock, then VZ_BUSY. True without a lock where the file system has none.
 * Only for stores that replace in place. */
bool vz_store_keep_out(vz_store *store, vz_error *err);
void vz_store_let_in(vz_store *store);
bool vz_store_replaces_in_place(const vz_store *store);

/* Not a lock that shuts anybody out: a mark on the store that a look finds, and that goes with
 * the process. */
void vz_store_mark_swmr(vz_store *store);
bool vz_store_has_swmr_mark(const vz_store *store); /* another process's; false where the system cannot tell */

#endif
