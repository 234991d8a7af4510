/* state_internal.h - an open zip store. For the files of this module only. */
#ifndef VZ_ZIP_STATE_INTERNAL_H
#define VZ_ZIP_STATE_INTERNAL_H

#include "store/store/kind.h"
#include "base/os/file.h"
#include "store/zip/central_internal.h"
#include "store/zip/pages_internal.h"
#include "store/keytree/key_tree.h"
#include "store/zip/write_internal.h"
#include "store/zip/zip.h"
#include "base/os/thread.h"

#define VZ_ZIP_VALUE_MAX ((uint64_t)16 << 30) /* bytes of a value that is inflated */
/* delta records between two directories: each costs a read at an open */
#define VZ_ZIP_DELTAS_MAX 4096
/* deflate cannot do better, so a larger claim is a lie */
#define VZ_ZIP_RATIO_MAX 1032

/* Doubts about a file that was read, although all values could be reported. */
typedef enum vz_zip_damage {
    VZ_ZIP_SURE,
    VZ_ZIP_DOUBTFUL,      /* the directory's checksum does not hold; each entry is where it says,
                           * under its name */
    VZ_ZIP_DAMAGED_END,   /* a slot reported where the directory is, and the end record did not */
    VZ_ZIP_DAMAGED_SLOT,  /* a slot's checksum does not hold */
    VZ_ZIP_DAMAGED_INDEX, /* the index of the directory is not that of its records */
} vz_zip_damage;

/* The state of a file that is changed in place (in_place_session.c). */
typedef struct vz_zip_session {
    bool is_locked;  /* no other process writes */
    bool is_guarded; /* the file ends with a copy of the directory, and is written before that */
    long owner;      /* the process that began it */
    uint64_t start;  /* where the frontier was then */
    uint64_t guard;  /* where the copy begins */
    uint64_t coming; /* about what the next directory takes, in bytes */
    uint64_t added;  /* bytes put since the last whole directory */
    unsigned forks;  /* of this process before what is new was put */
    vz_zip_room room;
    uint8_t tail[VZ_ZIP_END_MOST]; /* the copy's end record, by which it is known again */
    size_t tail_size;
    vz_buffer removed; /* of a one-file store: the keys that the next delta record takes away
                        * (delta_record.c) */
    bool is_long;      /* these are too many: the whole directory has to be written */
} vz_zip_session;

typedef struct vz_zip {
    vz_store base;
    vz_os_rwlock lock;      /* the tree, the session, and where the spool ends */
    vz_keytree *tree;       /* NULL: `pages` has the directory, and nothing was changed since */
    vz_zip_pages *pages;    /* NULL: `tree` has it */
    int file;               /* the zip file as it was opened, or replaced last; -1: `byte source`
                             * has it */
    vz_byte_source *source; /* has the zip file's bytes where there is no descriptor; else NULL */
    struct stat status;     /* of `file`, when nothing was being written */
    uint64_t size;          /* of `file` as this store left it */
    vz_signature header;    /* VZ_SIGNATURE_STORE: a one-file store; else a plain zip file */
    vz_zip_end directory;   /* the last whole one that was read or written */
    vz_zip_slot slot;       /* of a one-file store: the last one, and what deltas there are */
    uint64_t end;           /* no packed entry reaches beyond */
    uint64_t prefix;        /* bytes that somebody put before a plain zip */
    uint64_t live;          /* bytes of entries and directory, as far as known */
    vz_zip_session session;
    bool rewrites;        /* what is put goes to a spool, and a new file takes the place of this
                           * one */
    int spool;            /* what was put since, and what is hidden: a file without a name; -1
                           * before the first put */
    uint64_t spooled;     /* where it ends */
    unsigned spool_forks; /* forks of this process before it was made */
    uint64_t versions;
    int64_t made_ns; /* when this store made the file, where nothing was; 0: it was there */
    bool settled;    /* the file was old enough when its directory was read, so that its times tell
                      * whether it changes */
    bool changed;
    bool encrypted; /* some entry is */
    vz_zip_damage doubt;
    bool unsynced; /* replaced since the last sync, or before this store was opened */
} vz_zip;

/* A new zip file, and the spool that goes with it. */
typedef struct vz_zip_packed {
    int file;
    vz_zip_end end;
    vz_zip_slot slot; /* all zeros: none was written */
    int spool;        /* -1: nothing is hidden */
    uint64_t spooled;
} vz_zip_packed;

static inline vz_zip *vz_zip_of(vz_store *store)
{
    return (vz_zip *)store;
}

static inline bool vz_zip_is_one_file(const vz_zip *zip)
{
    return zip->header.kind == VZ_SIGNATURE_STORE;
}

/* Where the first entry may stand. */
static inline uint64_t vz_zip_first(const vz_zip *zip)
{
    return vz_zip_is_one_file(zip) ? vz_signature_end(zip->header.base) : 0;
}

/* zip_store.c: the store of an open file, which it takes over, also on failure; `path` is what
 * it is called by. `header`: what the file begins with; NULL: it is looked for. */
vz_store *vz_zip_over(int file, const char *path, const vz_signature *header, bool writable, vz_error *err);
/* Opens the zip store of an open file, with the path without links that leads to it. */
vz_store *vz_zip_of_file(int file, const char *path, const vz_signature *header, bool writable, vz_error *err);
vz_store *vz_zip_open(const char *path, const vz_signature *header, bool writable, vz_error *err);
/* zip_create.c: a new one, empty, that begins with that header. */
vz_store *vz_zip_make(const char *path, vz_store_make how, const vz_signature *header, vz_error *err);

/* The functions of its class. */
extern const vz_store_class vz_zip_class;

/* load_directory.c: what is in `zip->file`, from the directory that counts and the delta records
 * behind it. It has pages then if they can be searched, else a tree. */
bool vz_zip_load(vz_zip *zip, vz_error *err);
/* Its tree in any case. */
bool vz_zip_load_tree(vz_zip *zip, vz_error *err);
/* look_up.c: there is a tree from now on. The caller holds zip->lock for writing, or is alone.
 * VZ_BUSY: the file is another one by now. */
bool vz_zip_need_tree(vz_zip *zip, vz_error *err);
/* The value of a key; *found=false: there is none. The caller holds no lock. Where pages are
 * damaged the tree is made, as at an open. */
bool vz_zip_look_up(vz_zip *zip, const char *key, vz_keytree_value *value, bool *found, vz_error *err);
/* As vz_zip_look_up, for a caller that holds zip->lock for reading. VZ_CORRUPT: it has to make the
 * tree. */
bool vz_zip_look_up_locked(vz_zip *zip, const char *key, vz_keytree_value *value, bool *found, vz_error *err);
/* An entry has not the name that the pages said: the tree is made, and says what counts. */
bool vz_zip_distrust(vz_zip *zip, vz_error *err);
bool vz_zip_list_members(vz_zip *zip, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
bool vz_zip_look_below(vz_store *store, const char *prefix, const char *name, vz_entry_probe *looks, size_t count,
                       bool *done, vz_error *err); /* as a store's */
/* Reads all of a directory of which pages are searched. *is_sound=false: the index is not that of
 * its records. False with err set: it is damaged. */
bool vz_zip_check_pages(vz_zip *zip, bool *is_sound, vz_error *err);

/* central_directory.c: the entries of a central directory, of which `records` are the bytes, go
 * into zip->tree. Refuses what no honest program writes: entries that overlap, and what
 * vz_zip_record_check refuses. */
bool vz_zip_take_directory(vz_zip *zip, const vz_zip_end *end, const vz_buffer *records, uint64_t limit, vz_error *err);
/* Takes records in memory, from a delta record: values that they replace may be anywhere. */
bool vz_zip_take_records(vz_zip *zip, vz_bytes records, uint64_t count, uint64_t limit, vz_error *err);

/* check_unchanged.c: is the file as this store left it? VZ_BUSY if not. *gone: it has no name any
 * more. */
bool vz_zip_check(vz_zip *zip, struct stat *now, bool *gone, vz_error *err);
/* Do the bytes at its end stand there that this store wrote last? */
bool vz_zip_has_tail(const vz_zip *zip, bool *has, vz_error *err);

/* in_place_session.c. The caller holds zip->lock for writing, or is alone. `begin`: from here on
 * the file may be written: nobody else does, and it ends with a guard; or zip->rewrites says
 * that this cannot be. VZ_BUSY: another process writes, or has written. */
bool vz_zip_begin(vz_zip *zip, vz_error *err);
/* The guard is moved, unless what ends at `after`, and a directory behind it, have room before
 * it. */
bool vz_zip_move_guard(vz_zip *zip, uint64_t after, vz_error *err);
/* Writes; where the disk is full what is free gives its room back first. */
bool vz_zip_write_at(vz_zip *zip, uint64_t offset, const void *data, size_t size, vz_error *err);
/* Has what the file holds to be on the disk before something takes its place? */
bool vz_zip_is_worth_a_sync(const vz_zip *zip);
/* The guard goes: the file ends at `end->after` from now on, and that is its directory. */
bool vz_zip_drop_guard(vz_zip *zip, const vz_zip_end *end, vz_error *err);
/* For who has no such locks: as vz_zip_begin, but nobody is kept out, and `coming` bytes of
 * entries are about to follow. */
bool vz_zip_begin_alone(vz_zip *zip, uint64_t coming, vz_error *err);
/* Did a writer that was killed leave what only this connector sees through? Then the file ends
 * with its directory again after `tidy`, if nobody else writes. */
bool vz_zip_needs_end_repair(const vz_zip *zip);
void vz_zip_repair_end(vz_zip *zip);
/* Drops values that were not committed, and lets others write. */
void vz_zip_end_writing(vz_zip *zip);

/* reserve_space.c: an entry's place in the file. The caller of all but `write` holds zip->lock
 * for writing. `take`: sets offset, slack and lead; `padding` is what `write` has to be
 * reported. */
bool vz_zip_take_place(vz_zip *zip, const char *key, vz_keytree_value *value, size_t *padding, vz_error *err);
bool vz_zip_write_entry(vz_zip *zip, const char *key, const vz_keytree_value *value, size_t padding, const void *data,
                        vz_error *err);
/* The place of a value that was not published is free again; nothing for others. */
void vz_zip_drop(const vz_keytree_value *value, void *zip);
/* A value that moved, or lies in the spool, gets a local header with its name. It stands before the
 * value if that can be, else elsewhere in the zip file. */
bool vz_zip_rename_entry(vz_zip *zip, const char *key, vz_keytree_value *value, vz_error *err);

/* append_directory.c: the entries of all values that moved get their names, and those in the
 * spool their places. */
bool vz_zip_name_entries(vz_zip *zip, vz_error *err);
/* All that was put goes into the file itself, with a new directory behind it. */
bool vz_zip_append(vz_zip *zip, vz_error *err);
/* flush.c: as commit, but of a one-file store with a delta record instead of a directory. */
bool vz_zip_flush(vz_store *store, vz_error *err);
/* delta_record.c: notes that a key is removed (with_below: and all below it). */
void vz_zip_note_removed(vz_zip *zip, const char *key, bool with_below);
/* The delta record that tells of all changes, with `before` as the one before it, appended to
 * `out`. */
bool vz_zip_print_delta(vz_zip *zip, const vz_zip_slot_delta *before, vz_buffer *out, vz_error *err);
/* The chain of records that the slot names changes the tree, which has those up to the last one
 * of `known`. VZ_CORRUPT: a record is not there, as after a power cut; VZ_INVALID: it is, and
 * has a damaged byte. */
bool vz_zip_take_deltas(vz_zip *zip, const vz_zip_slot *slot, const vz_zip_slot *known, vz_error *err);
/* damage.c: can a text of that size have the one CRC-32 where it should have the other because
 * of one wrong byte? */
bool vz_zip_is_one_byte_off(uint32_t found, uint32_t expected, size_t size);
/* refresh.c: as renew of the class. */
bool vz_zip_renew(vz_store *store, vz_error *err);
/* replace_file.c: a new file with all values takes the place of this one. */
bool vz_zip_rewrite(vz_zip *zip, vz_error *err);

/* directory_cache.c: the tree of the file with that status, if it was closed last; false: there
 * is none. */
bool vz_zip_take_cached_tree(vz_zip *zip);
/* Takes facts that were found in a file beside the tree. */
void vz_zip_take_facts(vz_zip *zip, const vz_zip *known);
/* Leaves the tree of a store that is closed to the next one, or frees it. */
void vz_zip_cache_tree(vz_zip *zip);
bool vz_zip_is_settled(const struct stat *status);

/* spool.c: how often this process, or one before it, was forked. */
unsigned vz_zip_forks(void);
/* The caller holds zip->lock for writing, or is alone. `begin`: the zip's spool is `spool` from
 * now on, of which `used` bytes are taken (-1: there is none). */
void vz_zip_spool_begin(vz_zip *zip, int spool, uint64_t used);
/* An empty spool for this zip; -1 on failure. */
int vz_zip_spool_new(const vz_zip *zip, vz_error *err);
/* A place for the value, in a spool that is made if there is none: writers fill theirs at the
 * same time. */
bool vz_zip_spool_take(vz_zip *zip, vz_keytree_value *value, vz_error *err);
/* Nobody needs a value that lies in the spool any more; nothing for others. */
void vz_zip_spool_drop(const vz_keytree_value *value, void *zip);

/* zip_io.c: bytes of the zip file, whoever has them. `bring`: written bytes are where no later ones
 * can come before them: on the disk, or out of a byte source's buffers. Media are written in the
 * thread that has them. */
bool vz_zip_read(const vz_zip *zip, uint64_t offset, void *data, size_t size, vz_error *err);
bool vz_zip_write(vz_zip *zip, uint64_t offset, const void *data, size_t size, vz_error *err);
bool vz_zip_write_slot(vz_zip *zip, const vz_zip_slot *slot, vz_error *err);
bool vz_zip_cut(vz_zip *zip, uint64_t size, vz_error *err);
bool vz_zip_write_barrier(vz_zip *zip, vz_error *err);

/* read_value.c: the descriptor through which the bytes of a value are read (-1: none). The place
 * where they begin is known after a look at the local header of a packed value. */
int vz_zip_file_of(const vz_zip *zip, const vz_keytree_value *value);
/* Of a value's bytes, or of the zip file's. */
bool vz_zip_read_of(const vz_zip *zip, const vz_keytree_value *value, uint64_t offset, void *data, size_t size,
                    vz_error *err);
bool vz_zip_find_data(const vz_zip *zip, const vz_keytree_value *value, uint64_t *offset, vz_error *err);
bool vz_zip_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err);
bool vz_zip_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err);
bool vz_zip_verify(vz_store *store, const char *key, vz_error *err);

/* zip_status.c: as each_leftover, unused and image of the class. */
bool vz_zip_each_unfinished(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err);
bool vz_zip_unused(vz_store *store, uint64_t *size, uint64_t *unused);
bool vz_zip_image(vz_store *store, void *data, size_t room, uint64_t *size, vz_error *err);

/* put_value.c */
bool vz_zip_put(vz_store *store, const char *key, vz_bytes value, vz_error *err);
bool vz_zip_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err);

/* compact.c: writes all values into packed->file. Hidden ones go into a spool, which it opens if
 * there are any. The new place of each is its `next`. */
bool vz_zip_pack(vz_zip *zip, vz_zip_packed *packed, vz_error *err);

/* commit.c: what was put becomes what others see. On failure they see what they saw, and nothing
 * is left beside. */
bool vz_zip_commit(vz_store *store, vz_error *err);
bool vz_zip_compact(vz_store *store, uint64_t *before, uint64_t *after, vz_error *err);
/* Is more of it dead than anybody reads, and much? */
bool vz_zip_is_worth_packing(const vz_zip *zip);
/* Puts on the disk what commit made. */
bool vz_zip_sync(vz_store *store, vz_error *err);

#endif
