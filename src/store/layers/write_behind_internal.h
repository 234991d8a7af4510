/* write_behind_internal.h - the write-behind buffer: values that were put and are not in the
 * store yet. Shared by write_behind.c and the buffer_*.c files. */
#ifndef VZ_LAYERS_WRITE_BEHIND_INTERNAL_H
#define VZ_LAYERS_WRITE_BEHIND_INTERNAL_H

#include "base/util/hash.h"
#include "store/layers/layer.h"
#include "store/layers/layer_internal.h"
#include "base/os/thread.h"

/* The value that a key is to hold. */
typedef struct vz_write_buffer_value {
    uint8_t *data; /* NULL: the key is to be deleted */
    size_t size;
} vz_write_buffer_value;

/* A key of which the store does not have what was put. Reads are answered by the newest of the
 * two. */
typedef struct vz_write_buffer_entry {
    char *key;
    bool waits, under_way;
    bool failed;                         /* waits since it could not be put */
    bool unnamed;                        /* waits for a name (buffer_unnamed.c), and is not sent */
    vz_write_buffer_value waiting, sent; /* meaningful as the two flags above say */
    uint64_t serial;                     /* of the newest: a fresh number for each put */
} vz_write_buffer_entry;

#define VZ_WRITE_BUFFER_FLIGHTS 8

/* Entries that were sent together. */
typedef struct vz_write_buffer_flight {
    vz_batch *batch;      /* NULL: the place is free */
    uint64_t number;      /* later ones have higher ones */
    vz_request *requests; /* tag: place in `entries` */
    vz_write_buffer_entry **entries;
    bool pulling; /* a thread waits for its answers */
} vz_write_buffer_flight;

/* The table is bounded: values under way, and those that gather meanwhile, are twice `in_flight`
 * entries, or 64 MiB. Values without a name have a bound of their own. */
typedef struct vz_write_buffer {
    vz_layer layer;
    vz_os_mutex lock;
    vz_os_condition ended; /* a flight */
    long owner;            /* the process that sends */
    vz_strmap *by_key;     /* key -> vz_write_buffer_entry */
    uint64_t serial;
    size_t ready, ready_bytes; /* entries that wait, and have not failed */
    size_t failed;             /* entries that wait, and have */
    size_t unnamed, unnamed_bytes;
    vz_strmap *shown; /* partial names below which the store may have something */
    vz_write_buffer_flight flights[VZ_WRITE_BUFFER_FLIGHTS];
    uint64_t flight_count; /* of all times */
    size_t under_way_bytes;
    vz_error error; /* of the first entry that failed, since it was asked last */
} vz_write_buffer;

/* buffer_lock.c. Takes the lock; in a forked child what is under way is dropped first, and waits
 * again. */
void vz_write_buffer_lock(vz_write_buffer *b);
void vz_write_buffer_unlock(vz_write_buffer *b);
void vz_write_buffer_begin(vz_write_buffer *b); /* this process sends */

/* The following are called under the lock; those that send or wait leave it meanwhile. */
vz_write_buffer_entry *vz_write_buffer_find(const vz_write_buffer *b,
                                            const char *key); /* NULL: the store below tells */
const vz_write_buffer_value *vz_write_buffer_newest(const vz_write_buffer_entry *entry);
vz_stamp vz_write_buffer_stamp(const vz_write_buffer_entry *entry);
/* buffer_send.c. How many entries the store has under way. */
size_t vz_write_buffer_window(const vz_write_buffer *b);
/* buffer_put.c. The key is to hold that (copied), or nothing (NULL). Sends when there is enough;
 * fails where there is no room, as the store takes nothing. */
bool vz_write_buffer_add(vz_write_buffer *b, const char *key, const vz_bytes *value, vz_error *err);
/* Takes what waits out of the table, unsent. */
void vz_write_buffer_remove(vz_write_buffer *b, vz_write_buffer_entry *entry);
/* An entry for the key, perhaps one that holds nothing yet; NULL with err set. */
vz_write_buffer_entry *vz_write_buffer_make(vz_write_buffer *b, const char *key, vz_error *err);
/* The entry waits with that, which it takes over, instead of what it waited with. */
void vz_write_buffer_wait_with(vz_write_buffer *b, vz_write_buffer_entry *entry, vz_write_buffer_value buffered,
                               bool unnamed);
/* Takes the value that waits out of the entry. The entry leaves the table if nothing is under
 * way. */
vz_write_buffer_value vz_write_buffer_take(vz_write_buffer *b, vz_write_buffer_entry *entry);
void vz_write_buffer_stop_waiting(vz_write_buffer *b, vz_write_buffer_entry *entry);
/* The value under way waits again, unless a newer one does. */
void vz_write_buffer_take_back(vz_write_buffer *b, vz_write_buffer_entry *entry, bool failed);
/* An entry that neither waits nor is under way is the table's no more. */
void vz_write_buffer_forget(vz_write_buffer *b, vz_write_buffer_entry *entry);
/* buffer_send.c */
void vz_write_buffer_send_enough(vz_write_buffer *b); /* if there is enough */
/* Sends all that waits, what failed before too, and waits for the answers. */
bool vz_write_buffer_drain(vz_write_buffer *b, vz_error *err);
/* Before the store closes: waits for what is under way, if it is this process's. */
void vz_write_buffer_stop(vz_write_buffer *b);
void vz_write_buffer_drop_flights(vz_write_buffer *b); /* in a forked child: whose answers come to
                                                        * the parent */
/* Is there an entry at the key, or below, that is to be sent? */
bool vz_write_buffer_has(const vz_write_buffer *b, const char *prefix);

/* ---- buffer_unnamed.c, under the lock ---- */

#define VZ_WRITE_BUFFER_UNNAMED_BYTES ((size_t)256 << 20) /* of entries that wait for a name */
#define VZ_WRITE_BUFFER_UNNAMED_MAX   65536

/* Does the key begin with a partial name below which the store has nothing? Then the table knows
 * all there is. */
bool vz_write_buffer_keeps(const vz_write_buffer *b, const char *key);
/* From here on what is below the partial name with which the key begins is sent like anything
 * else. Other keys: true. */
bool vz_write_buffer_show(vz_write_buffer *b, const char *key, vz_error *err);
/* Gives what is kept below `from` its new name. VZ_NOT_FOUND: there is nothing; VZ_EXISTS: what
 * waits is in the way. */
bool vz_write_buffer_name(vz_write_buffer *b, const char *from, const char *to, vz_error *err);

/* buffer_batch.c */
extern const vz_batch_class vz_write_buffer_batches;

#endif
