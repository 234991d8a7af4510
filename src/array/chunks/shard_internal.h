/* shard_internal.h - inside of shard_locate.c and shard_lookup.c: a lookup of chunks in shards while it runs. */
#ifndef VZ_CHUNKS_SHARD_INTERNAL_H
#define VZ_CHUNKS_SHARD_INTERNAL_H

#include "array/chunks/chunks_internal.h"
#include "array/chunks/shard_state.h"
#include "array/chunks/shard_state_internal.h"
#include "array/chunks/shard.h"

#define VZ_SHARD_CHUNKS_MAX ((uint64_t)1 << 24) /* in one shard: beyond it a document is taken for hostile */

/* Bytes that shards take in memory at most: their indexes, those that codecs work on as a whole, and of a write the
 * chunks that wait for the others of their shard until the batch ends. */
uint64_t vz_shards_memory(const vz_array *array, bool reading);

/* Is the chunk in a shard all of which the batch stores? Then it is stored also where it is missing. In a worker. */
bool vz_shards_awaits(vz_array *array, const uint64_t *chunk);

/* On the way to one chunk: the shard that was reached. */
typedef struct vz_shard_search {
    const uint64_t *chunk;
    const char *name; /* of the shard: the key of the outermost one without prefix, and places in those within */
    const char *key;  /* of the value that it lies in */
    vz_version version;
    uint64_t offset, size; /* of the shard in the value; size UINT64_MAX: all of it */
    bool at_hand;          /* it lies in a shard that was decoded: */
    vz_bytes bytes;
    bool ended; /* it is found at hand, or missing */
} vz_shard_search;

/* A shard that has to be read. */
typedef struct vz_shard_need {
    const char *name;
    const vz_shard_search *of; /* who met it first */
    vz_range range;
    vz_shard_known *asked_about; /* is known, if its version is still there: only that is asked; NULL: it is read */
    vz_shard_known *known;       /* what was read, or asked_about again */
} vz_shard_need;

/* A lookup: at each level one round of requests for what is not known. */
typedef struct vz_shard_round {
    vz_array *array;
    unsigned level;
    bool asked;     /* the requests of this level were made */
    bool confirmed; /* what was read in earlier transfers has to be asked about */
    vz_shard_search *searches;
    size_t count;
    vz_arena *arena;
    vz_shard_need *needs;
    size_t need_count;
    vz_request *requests;
    pthread_mutex_t lock; /* of what workers note: */
    vz_error error;
    bool changed;           /* somebody changed what was asked for */
    const char *failed_key; /* of what failed first */
    vz_version failed_version;
} vz_shard_round;

/* Notes the value that the first failure is about. */
void vz_shard_round_blame(vz_shard_round *r, const char *key, const vz_version *version);
/* Is what is known of its shard all that a search has to ask for? If not, *asked_about is what is known if its version
 * is still there; NULL: it has to be read. */
bool vz_shard_round_knows(const vz_shard_round *r, const vz_shard_search *s, vz_shard_known **asked_about);
/* What has to be read at this level stands in r->needs then. False with err set. */
bool vz_shard_round_look_up(vz_shard_round *r, vz_error *err);
/* The requests of r->needs. */
void vz_shard_round_ask(vz_shard_round *r);
/* Their answers go to what is known. failure: why some have none. False with err set. */
bool vz_shard_round_keep(vz_shard_round *r, const vz_error *failure, vz_error *err);

#endif
