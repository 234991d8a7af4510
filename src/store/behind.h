/* behind.h - what the files behind*.c share: the table of what was put and is not yet in the store. */
#ifndef VZ_STORE_BEHIND_H
#define VZ_STORE_BEHIND_H

#include "store/stacked.h"
#include "util/strmap.h"
#include <pthread.h>
#include <sys/types.h>

/* What a key is to hold. */
typedef struct vz_owed {
    uint8_t *data; /* NULL: the key is to be deleted */
    size_t size;
} vz_owed;

/* A key of which the store does not have what was put. Reads are answered by the newest of the two. */
typedef struct vz_behind_entry {
    char *key;
    bool waits, under_way;
    bool failed;           /* waits since it could not be put */
    vz_owed waiting, sent; /* meaningful as the two flags above say */
    uint64_t serial;       /* of the newest: a fresh number for each put */
} vz_behind_entry;

/* The table is bounded: `in_flight` entries, or BEHIND_BYTES of them, are sent while as many gather. */
typedef struct vz_behind {
    vz_stacked stacked;
    pthread_mutex_t lock;
    pthread_cond_t ended; /* the batch */
    pid_t owner;          /* the process that sends */
    vz_strmap *by_key;    /* key -> vz_behind_entry */
    uint64_t serial;
    size_t ready, ready_bytes; /* entries that wait, and have not failed */
    size_t failed;             /* entries that wait, and have */
    vz_batch *batch;           /* under way; NULL: nothing is */
    vz_request *requests;      /* of it; tag: place in `entries` */
    vz_behind_entry **entries;
    bool pulling;   /* a thread waits for its answers */
    vz_error error; /* of the first entry that failed, since it was asked last */
} vz_behind;

/* Takes the lock; in a forked child what is under way is dropped first, and waits again. */
void vz_behind_lock(vz_behind *b);
void vz_behind_unlock(vz_behind *b);

/* The following are called under the lock; those that send or wait leave it meanwhile. */
vz_behind_entry *vz_behind_find(const vz_behind *b, const char *key); /* NULL: the store below tells */
const vz_owed *vz_behind_newest(const vz_behind_entry *entry);
vz_stamp vz_behind_stamp(const vz_behind_entry *entry);
/* The key is to hold that (copied), or nothing (NULL). Sends when there is enough; fails where there is no room, as the
 * store takes nothing. */
bool vz_behind_add(vz_behind *b, const char *key, const vz_bytes *value, vz_error *err);
/* Takes what waits out of the table, unsent. */
void vz_behind_remove(vz_behind *b, vz_behind_entry *entry);
/* Sends all that waits, what failed before too, and waits for the answers. */
bool vz_behind_drain(vz_behind *b, vz_error *err);
/* Before the store closes: waits for what is under way, if it is this process's. */
void vz_behind_stop(vz_behind *b);
void vz_behind_begin(vz_behind *b); /* this process sends */
/* Is there an entry at the key, or below? */
bool vz_behind_owes(const vz_behind *b, const char *prefix);

/* behind_batch.c */
extern const vz_batch_class vz_behind_batches;

#endif
