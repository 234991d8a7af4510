/* store_values.h - facts about values and keys of a store: stamps, versions, entries, leftovers. */
#ifndef VZ_STORE_STORE_VALUES_H
#define VZ_STORE_STORE_VALUES_H

#include "base/util/bytes.h"
#include <time.h>

/* Distinguishes versions of a value. Members other than `exists` and `size` have a meaning to the
 * store alone. */
typedef struct vz_stamp {
    bool exists;
    uint64_t size;
    uint64_t device, inode;
    struct timespec modified;
} vz_stamp;

/* The kind of entry that a key names, by the name alone: a link is not followed. */
typedef enum vz_store_key_kind {
    VZ_STORE_NOTHING,
    VZ_STORE_VALUE,
    VZ_STORE_PREFIX,
    VZ_STORE_LINK,
    VZ_STORE_OTHER, /* a device, a pipe ... */
} vz_store_key_kind;

/* Which store it is, whatever path led to it. Opaque; all zeros: of no other. */
typedef struct vz_identity {
    uint64_t part[2]; /* of a directory or a file, device and inode */
} vz_identity;
bool vz_identity_equal(const vz_identity *a, const vz_identity *b);
bool vz_identity_is_known(const vz_identity *identity);
uint64_t vz_identity_number(const vz_identity *identity); /* a hash of it */

/* Called for what lies in a store; false: that is enough, with err set that it failed. */
typedef bool (*vz_entry_visit)(void *context, const char *name, vz_store_key_kind kind, vz_error *err);

/* Unfinished residue of a writer, in the store or beside it. */
#define VZ_LEFTOVER_ID_SIZE 33
typedef struct vz_leftover {
    const char *path;             /* of the file system */
    bool is_dead;                 /* false: its writer lives, or nothing proves that it does not */
    bool is_in_store;             /* the file of the store itself: what was flushed is there, and
                                   * others do not see it yet */
    bool has_journal;             /* what names were moved is reported there, and not in documents
                                   * yet */
    const char *doubt;            /* no writer's: what is not as it was written, although all could
                                   * be read; else NULL */
    bool is_damage;               /* of a doubt: nobody has changed it so on purpose */
    char id[VZ_LEFTOVER_ID_SIZE]; /* which partial names in the store begin with; "": none do */
} vz_leftover;
typedef bool (*vz_leftover_visit)(void *context, const vz_leftover *leftover, vz_error *err);

/* Which version of a value was met. Opaque: only the store that made it knows what the bytes
 * mean. */
#define VZ_VERSION_SIZE 56
typedef struct vz_version {
    uint8_t size; /* 0: there is no value, or it is not known which version */
    bool lasts;   /* no later version can be equal to it: what is remembered with it can be compared
                   * later */
    uint8_t bytes[VZ_VERSION_SIZE];
} vz_version;

/* One version of a value, held open: all that is read through it is of that version, or reading
 * fails. */
typedef struct vz_store_value {
    vz_stamp stamp; /* of the version */
    bool settled;   /* no later version can have this stamp: what is remembered with it can be
                     * compared later */
    int file;       /* the store's own: a descriptor, or -1 */
    bool locked;    /* the store's own */
} vz_store_value;

typedef enum vz_store_value_use {
    VZ_VALUE_READ,
    VZ_VALUE_REPLACE, /* to be replaced, or deleted, before it is closed: other processes that open
                       * it so wait meanwhile, where the store can make them */
} vz_store_value_use;

/* A prefix below another one, and whether something was found in it. */
typedef struct vz_entry_probe {
    const char *name;
    bool is_there;
} vz_entry_probe;

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

#endif
