/* shard_io.h - what the files shard*.c share. */
#ifndef VZ_ZARR_SHARD_IO_H
#define VZ_ZARR_SHARD_IO_H

#include "util/strmap.h"
#include "zarr/array_io.h"
#include "zarr/shard.h"

/* A chunk in its stored form, as it waits. */
typedef struct vz_waiting {
    bool touched;
    uint8_t *data; /* NULL: it is to be missing */
    size_t size;
} vz_waiting;

/* A shard some of whose chunks wait, all levels as one: chunks in C order over the shard. */
typedef struct vz_pending {
    uint64_t shard[VZ_MAX_RANK]; /* coordinates */
    uint64_t bytes;
    uint64_t inside; /* touched chunks that lie inside the array */
    uint64_t count;
    bool written;
    vz_waiting chunks[];
} vz_pending;

/* ---- one level (shard_index.c) ---- */

typedef struct vz_shard_entry {
    uint64_t offset, size; /* both UINT64_MAX: there is no such chunk */
} vz_shard_entry;
#define VZ_SHARD_MISSING ((vz_shard_entry){UINT64_MAX, UINT64_MAX})

/* Its codecs, ready to run. */
typedef struct vz_shard_codecs {
    uint64_t count;    /* entries of an index */
    size_t index_size; /* bytes of a stored one */
    bool index_first, index_big_endian;
    bool index_transposed;
    unsigned rank;
    uint64_t across[VZ_MAX_RANK];      /* entries along each axis of the index */
    uint64_t strides[VZ_MAX_RANK + 1]; /* transposed: between neighbours, in numbers of 8 bytes */
    vz_chain index;
    vz_chain behind; /* of the shard as a whole; count 0: none, so that chunks are found by range */
} vz_shard_codecs;

/* VZ_LIMIT beyond VZ_SHARD_CHUNKS_MAX. To be cleared on failure too. */
bool vz_shard_codecs_open(vz_shard_codecs *codecs, const vz_array_meta *meta, unsigned level, vz_error *err);
void vz_shard_codecs_clear(vz_shard_codecs *codecs);

/* Which entry of its shard of this level a chunk (of the whole array's grid) belongs to. */
uint64_t vz_shard_place(const vz_array_meta *meta, unsigned level, const uint64_t *chunk);
/* The first chunk of the entry at a place of a shard whose first chunk is `corner`. */
void vz_shard_corner(const vz_array_meta *meta, unsigned level, const uint64_t *corner, uint64_t place,
                     uint64_t *chunk);
/* `size`: bytes of the shard, UINT64_MAX if not known: an entry that lies beyond is VZ_CORRUPT. */
bool vz_shard_index_decode(const vz_shard_codecs *codecs, vz_bytes index, uint64_t size, vz_shard_entry *entries,
                           unsigned worker, vz_error *err);
/* Replaces what `out` holds. */
bool vz_shard_index_encode(const vz_shard_codecs *codecs, const vz_shard_entry *entries, vz_buffer *out,
                           unsigned worker, vz_error *err);

/* ---- all of an array ---- */

/* Which version of a shard (of the first level) something was read from. */
typedef struct vz_shard_version {
    uint64_t serial; /* of the opening */
    vz_stamp stamp;
    bool settled; /* the stamp tells it from versions that are opened later */
} vz_shard_version;

/* A version of a shard of the first level, open. */
struct vz_held {
    char *key;
    bool found; /* false: there is no such shard */
    vz_store_value value;
    vz_shard_version version;
    unsigned users;
    bool listed; /* in the table: not closed with its last user */
    uint64_t used;
};
#define VZ_HELD_MAX 16 /* descriptors that an array holds while it is read */

/* A shard with codecs behind it, decoded. */
typedef struct vz_whole {
    char *name; /* NULL: the slot is free */
    vz_shard_version version;
    uint64_t used;
    vz_buffer bytes;
    vz_shard_entry *entries;
} vz_whole;
#define VZ_WHOLES_MAX 16

struct vz_shards {
    unsigned level_count;
    vz_shard_codecs *levels;
    pthread_mutex_t lock;
    vz_strmap *pending; /* by the key without prefix */
    vz_strmap *indexes; /* by the key, for inner shards with their places */
    uint64_t pending_bytes, index_bytes;
    bool in_transfer;
    vz_held *held[VZ_HELD_MAX]; /* under `lock` */
    uint64_t held_serial, held_clock;
    bool has_wholes;            /* some level has codecs behind it */
    pthread_mutex_t whole_lock; /* held around the way to a chunk then; taken before `lock` */
    vz_whole wholes[VZ_WHOLES_MAX];
    uint64_t whole_clock;
};

enum { VZ_SHARD_NAME_MAX = 1024 }; /* a key without prefix, and places in inner shards */

/* What holds the shard that is looked into, on the way from the outermost one to a chunk. */
typedef struct vz_shard_holder {
    const vz_held *held;   /* the outermost shard */
    const vz_whole *whole; /* decoded bytes; NULL: those of `held` */
    uint64_t offset, size; /* of the shard in them; size UINT64_MAX: all */
} vz_shard_holder;

/* ---- versions (shard_held.c) ---- */

/* The shard at that key as it is open in this transfer, or as it is now, with one more user. NULL on failure. */
vz_held *vz_held_open(vz_array *array, const char *key, vz_error *err);
void vz_held_close(vz_array *array, vz_held *held); /* one user less */
/* Somebody changed it while it was read: the next look opens it anew. */
bool vz_held_changed(vz_array *array, vz_held *held);
/* All that nobody uses. */
void vz_held_close_all(vz_array *array);
/* May what was read from one version stand for what the other holds? */
bool vz_shard_version_is(const vz_shard_version *known, const vz_shard_version *held);

/* ---- finding (shard_locate.c) ---- */

/* Follows the indexes from the outermost shard to the chunk; part->held is set, also on failure. `name`: its shard's,
 * VZ_SHARD_NAME_MAX bytes, is added to. */
bool vz_shard_find(vz_array *array, const uint64_t *chunk, const uint64_t *shard, char *name, vz_shard_part *part,
                   unsigned worker, vz_error *err);
/* A range of the shard that the holder says, appended to `out`. */
bool vz_holder_read(vz_array *array, const vz_shard_holder *holder, vz_range range, vz_buffer *out, vz_error *err);
void vz_shard_forget_indexes(vz_shards *shards);

/* ---- shards decoded as a whole (shard_whole.c); under whole_lock ---- */

/* Makes *holder the decoded bytes of the shard that lies where it says. */
bool vz_whole_open(vz_array *array, unsigned level, const char *name, vz_shard_holder *holder, unsigned worker,
                   vz_error *err);
void vz_wholes_forget(vz_shards *shards);

/* ---- chunks that wait (shard.c) ---- */

/* Place of a chunk among all chunks of its shard of the first level. */
uint64_t vz_pending_place(const vz_array_meta *meta, const uint64_t *chunk);
/* Coordinates of the chunk at that place. */
void vz_pending_chunk(const vz_array_meta *meta, const uint64_t *shard, uint64_t place, uint64_t *chunk);
/* Chunks of a shard that lie inside the array. */
uint64_t vz_pending_inside(const vz_array_meta *meta, const uint64_t *shard);
void vz_pending_free(void *pending);

#endif
