/* staging_internal.h - where a directory store keeps unfinished values. These are new nodes until
 * their documents are written, nodes without a name, arrays that are written anew, and documents
 * until they are whole. It is a directory of its own, beside the store's where that can be, so that
 * no reader of the store meets it. The lease in it shows whether its writer lives (lease.h).
 *
 * Keys stay as they are. A prefix that was begun here stands in the staging area until it is
 * published. Then it is in the store, in one step with all that is below it. */
#ifndef VZ_DIRECTORY_STAGING_INTERNAL_H
#define VZ_DIRECTORY_STAGING_INTERNAL_H

#include "base/util/hash.h"
#include "base/os/file.h"
#include "store/directory/staging_queue_internal.h"
#include "store/store/call.h"
typedef struct vz_staging vz_staging;
struct stat;
#include "store/store/lease.h"
#include "base/os/thread.h"
#include <stdatomic.h>
#include <time.h>

/* For a directory store that is written. Nothing is made on the disk until something is staged. */
vz_staging *vz_staging_new(vz_store *store, vz_error *err);

/* Removes what is staged, unless this is a forked child: then it is the parent's. NULL is fine. */
void vz_staging_free(vz_staging *staging);

/* The store in which staged keys lie, made if need be; NULL with err set. */
vz_store *vz_staging_store(vz_staging *staging, vz_error *err);

/* A name for a file that is not finished, in `directory` (a key of the store, "" for its root).
 * It carries the lease's id, and the lease notes the directory, so that the next writer finds it
 * if we die. */
bool vz_staging_name_partial(vz_staging *staging, const char *directory, char *name, size_t size, vz_error *err);

/* As vz_store_begin_shape_change, vz_store_end_shape_change. */
bool vz_staging_begin_shape_change(vz_staging *staging, const char *prefix, vz_error *err);
void vz_staging_end_shape_change(vz_staging *staging, const char *prefix);

/* Runs the calls that wait (staging_queue_internal.h), up to the first that fails, if the call of
 * that ticket is among them. */
bool vz_staging_drain(vz_staging *staging, uint64_t ticket, vz_error *err);

/* As put_later of a store. */
bool vz_staging_put(vz_staging *staging, const char *key, vz_parts value, bool *done, vz_error *err);

/* Does anything wait that is owned by the node at the key ("": anything at all)? */
bool vz_staging_has_unwritten(vz_staging *staging, const char *prefix);

/* Removes what dead writers left: stages beside the store, and what their leases note. Of
 * changes of shapes that did not end vz_staging_each_shape_change tells. */
void vz_staging_sweep(vz_staging *staging);

/* Of a store whose directory, `root`, was just made. There is nothing in it, and what lies above
 * is kept in mind until the first stage is made. Staging areas that are met then, of a store
 * that was there before, are swept. */
void vz_staging_begin_new(vz_staging *staging, const struct stat *root);

/* It is, and is no group. */
bool vz_staging_knows_above(const vz_staging *staging);

/* Removes residue in the staging area `name` in the store's root. */
void vz_staging_sweep_inside(vz_staging *staging, const char *name);

/* As vz_store_each_shape_change, vz_store_del_left. */
void vz_staging_each_shape_change(vz_staging *staging, vz_store_shape_change_visit visit, void *context);
bool vz_staging_del_left(vz_staging *staging, const vz_lease_dead_writer *writer, const char *key, vz_error *err);

/* As each_leftover of a directory store. */
bool vz_directory_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err);

/* False with err set only for want of memory or of a staging area. Prefixes without a name that
 * lie in the root (vz_partial_name) are always staged. */
bool vz_staging_place(vz_staging *staging, const char *key, vz_store_key_location *place, vz_error *err);

/* A value was put under the key: it must be there when it is moved. */
void vz_staging_wrote(vz_staging *staging, const char *key);
bool vz_staging_begin(vz_staging *staging, const char *prefix, vz_error *err);
bool vz_staging_publish(vz_staging *staging, const char *prefix, vz_error *err);
bool vz_staging_names_collide(vz_staging *staging, const char *key);
bool vz_staging_hides(vz_staging *staging, const char *key);
bool vz_staging_give_way(vz_staging *staging, const char *prefix, vz_error *err);
bool vz_staging_rename(vz_staging *staging, const char *from, const char *to, vz_error *err);
bool vz_staging_exchange(vz_staging *staging, const char *a, const char *b, bool *done, vz_error *err);
bool vz_staging_del_tree(vz_staging *staging, const char *prefix, vz_error *err);

/* names beside a store: so many writers at once have their staging areas there */
#define VZ_STAGING_SLOTS        16
#define VZ_STAGING_SLOTS_INSIDE 256       /* the same in the root */
#define VZ_JOURNAL_NAME         "journal" /* beside the lease: journal.c */
#define VZ_LEASE_SHAPE          '/'       /* begins the notes of arrays whose shapes are changing */

/* A prefix that is not published yet: it lies in the staging area under its number. */
struct staged {
    unsigned number;
    atomic_bool written; /* something was put there */
    bool made;           /* its directory, or that waits for it */
    uint64_t last;       /* ticket of the last call that waits for it, or for what lies in it; 0:
                          * there was none */
    bool came;           /* from elsewhere: it may be a symbolic link */
};

/* A writer that died while shapes were changing. Its lease is held until somebody removed what
 * that left. */
struct vz_lease_dead_writer {
    int parent, directory; /* of its staging area, and that itself */
    char name[NAME_MAX + 1];
    vz_lease lease;
    struct timespec found; /* by the clock of the file system: what is younger is somebody else's */
    struct vz_lease_dead_writer *next;
};

typedef struct vz_staging_table vz_staging_table;

struct vz_staging {
    vz_store *outer; /* the store that is written; borrowed */
    vz_store *inner; /* over the staging area's directory; NULL until it is made */
    pid_t owner;
    int parent;            /* the directory that the staging area's one lies in; -1 until it is
                            * made */
    int above;             /* of a new store, until the staging area is made: the directory that
                            * both lie in; else -1 */
    bool is_new;           /* the root was made a moment ago, by this process; until the staging
                            * area is made */
    struct stat root_made; /* what it was then */
    char name[NAME_MAX + 1];
    vz_lease lease;
    vz_os_rwlock lock; /* of `entries` and `numbers` */
    vz_staging_table *entries;
    unsigned numbers;        /* given out */
    vz_staging_queue *later; /* calls that wait; NULL: none can, or nothing was put yet */
    bool knows_later, knows_moves;
    bool may_move_later; /* the file system takes no name for another one, which would have to be
                          * reported at once */
    vz_os_mutex making;  /* of what follows, and of making the directory */
    vz_strmap *noted;    /* what the lease notes */
    vz_strmap *shapes;   /* prefixes of arrays whose shapes are changing */
    struct vz_lease_dead_writer *dead;
    int journal; /* the file, or -1 (journal.c) */
    uint64_t journal_size;
    bool keeps_journal;  /* when this store is closed, too */
    bool keeps_aside;    /* a tree of the store is in the staging area, and could not go back */
    vz_strmap *journals; /* ids of writers that were dead when the store was opened, and left
                          * some */
    bool opened;         /* no more are found: who looks at journals from now on may have looked too
                          * early */
    bool journals_done;  /* they are not needed any more */
    atomic_uint_fast64_t names;
};

/* ---- staging_name.c ---- */

/* Names beside the store. false: the store's name is too long, or it has none. */
bool vz_staging_name_slot(const vz_store *outer, unsigned slot, char name[NAME_MAX + 1]);
/* In the root. They are counted, too, so that nobody has to list the root to find them. */
void vz_staging_name_inside(unsigned slot, char name[NAME_MAX + 1]);
/* The directory above the root; -1: none (errno 0), or it cannot be opened. */
int vz_staging_enter_above(vz_store *outer);
/* Would no reader meet there what we make? */
bool vz_staging_may_lie_in(int directory);
/* The directory above the root, if a staging area may lie in it; -1 as above, with errno 0 also
 * where it may not. */
int vz_staging_open_above(vz_store *outer);
bool vz_staging_is_at(int directory, const char *name);
/* Down to a noted directory, through no link; -1 + errno. */
int vz_staging_open_noted(int root, const char *path);

/* ---- staging_table.c: prefix -> struct staged; with the lock held ---- */

vz_staging_table *vz_staging_table_new(void);        /* NULL: out of memory */
void vz_staging_table_free(vz_staging_table *table); /* with its entries; NULL is fine */
size_t vz_staging_table_count(const vz_staging_table *table);
/* NULL: it is not staged */
struct staged *vz_staging_table_get(const vz_staging_table *table, const char *prefix);
bool vz_staging_table_put(vz_staging_table *table, const char *prefix, struct staged *entry, vz_error *err);
/* what it had, or NULL */
struct staged *vz_staging_table_remove(vz_staging_table *table, const char *prefix);
/* The staged prefixes at `prefix` ("": all) and below it, deeper ones first; borrowed. NULL:
 * there are no more. The table changes in no way between the calls. */
const char *vz_staging_table_first(const vz_staging_table *table, const char *prefix);
const char *vz_staging_table_next(const vz_staging_table *table, const char *prefix, const char *at);

/* ---- staging.c; with the lock held ---- */

/* The nearest staged prefix of the key, itself included if `own`; *rest: what follows it in the
 * key. */
struct staged *vz_staging_find_above(const vz_staging *staging, const char *key, bool own, const char **rest);
/* Where that is in the staging area. */
void vz_staging_key_of(const struct staged *entry, const char *rest, char text[PATH_MAX]);

/* ---- staging_open.c ---- */

/* Is there a queue, and may what is moved wait in it, too? Once the directory is made. */
void vz_staging_know_later(vz_staging *staging);
bool vz_staging_may_move_later(vz_staging *staging);

/* Before they are renamed: the lease tells of shapes at `from` and below it under their names to
 * be, too. */
bool vz_staging_announce_shapes(vz_staging *staging, const char *from, const char *to, vz_error *err);
/* Shapes at `from` and below it are those of arrays at `to` from now on; NULL: the arrays are
 * gone. */
void vz_staging_move_shapes(vz_staging *staging, const char *from, const char *to);

/* ---- staging_rename.c ---- */

/* Staged prefixes within `from` are to be named after `to`. From vz_directory_rename_begin on they
 * have both names, until vz_directory_rename_done, which cannot fail, or vz_directory_rename_undo.
 * With the lock held. */
typedef struct vz_directory_renaming {
    vz_staging *staging;
    const char *from, *to;
    char **old; /* the prefixes, heap */
    size_t count, room, named;
} vz_directory_renaming;

/* own=false: only what is below `from`. False: nothing has changed, and there is nothing to
 * undo. */
bool vz_directory_rename_begin(vz_directory_renaming *renaming, bool own, vz_error *err);
void vz_directory_rename_undo(vz_directory_renaming *renaming);
void vz_directory_rename_done(vz_directory_renaming *renaming);
/* A prefix without a name gets one that was begun, and at which nothing is so far. It stays
 * where it lies in the staging area, whatever of it waits for the thread. *done=false (and true
 * returned): it has to be moved. With the lock held. */
bool vz_directory_rename_in_place(vz_staging *staging, const char *from, const char *to, bool *done, vz_error *err);

/* ---- staging_mkdir.c ---- */

/* Makes the directory, its lease and the store over it. */
bool vz_staging_make(vz_staging *staging, vz_error *err);

/* ---- staging_swap.c ---- */

/* The tree at the place and the one in the staging area's root change places, by steps. *done=false
 * (and true returned): they cannot. With err set the tree is where it was, or stays in the staging
 * area for the next writer. */
bool vz_staging_swap(vz_staging *staging, const vz_store_key_location *at, const char *fresh, bool *done,
                     vz_error *err);
/* Is it a line of a lease that tells of that? */
bool vz_staging_is_swap_note(const char *line);
/* Puts the tree back that a dead writer's note tells of, unless something is there. `directory`: of
 * its staging area. False: it stays there. */
bool vz_staging_put_back(int root, int directory, const char *line);

/* ---- staging_recover.c ---- */

/* Removes all in a staging area's directory but the journal and the lease, which goes last. As long
 * as the lease is there, somebody can go on. */
bool vz_staging_empty(int directory);
/* And the directory `name` in `parent`, too, but for one with a journal that is to be kept. */
bool vz_staging_remove(int parent, const char *name, int directory, bool keep_journal);
/* Our own, if all that is in it is the lease. False: that is not so, or it could not be removed.
 * The directory keeps its lease, so that the next writer removes it should we die now. */
bool vz_staging_remove_empty(vz_staging *staging, int directory);
/* Hands over each place where a staging area of the store may be; false: nothing is there. */
typedef bool (*vz_staging_visit)(void *context, int parent, const char *name);
/* False + errno: not all places could be looked at. */
bool vz_staging_each(vz_store *outer, vz_staging_visit visit, void *context);
/* the same of what was looked at */
bool vz_staging_is_owned(const struct stat *root, const struct stat *staging);
/* Sweeps what dead writers left in the directory above, where the name that a new store's stage
 * would have is taken. */
void vz_staging_sweep_beside(vz_staging *staging, int above);
void vz_staging_forget_dead(vz_staging *staging); /* their leases stay, for the next writer */

#endif
