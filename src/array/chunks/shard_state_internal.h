/* shard_state_internal.h - lookup, assembly and writing of shards, for the shard*.c files. */
#ifndef VZ_CHUNKS_SHARD_STATE_INTERNAL_H
#define VZ_CHUNKS_SHARD_STATE_INTERNAL_H

#include "array/chunks/chunks_internal.h"
#include "array/chunks/shard.h"
#include "array/chunks/shard_state.h"

/* in one shard: beyond it a document is taken for hostile */
#define VZ_SHARD_CHUNKS_MAX ((uint64_t)1 << 24)

/* VZ_LIMIT beyond VZ_SHARD_CHUNKS_MAX. To be cleared on failure too. */
bool vz_shard_codecs_open(vz_shard_codecs *codecs, const vz_meta *meta, unsigned level, vz_error *err);
void vz_shard_codecs_clear(vz_shard_codecs *codecs);

/* Those of the shard of this level that a chunk lies in. Of shards of different shapes they are
 * made in `fitted`, of which nothing is to be cleared. NULL with err set. */
typedef struct vz_shard_fitted {
    vz_shard_codecs codecs;
    vz_codec room[VZ_CHAIN_MAX];
} vz_shard_fitted;
const vz_shard_codecs *vz_shard_codecs_at(const vz_array *array, unsigned level, const uint64_t *chunk,
                                          vz_shard_fitted *fitted, vz_error *err);

/* The entry of a chunk (of the whole array's grid) in its shard of this level. */
uint64_t vz_shard_place(const vz_meta *meta, unsigned level, const uint64_t *chunk);

/* The first chunk of the entry at a place of a shard whose first chunk is `corner`. */
void vz_shard_corner(const vz_meta *meta, unsigned level, const uint64_t *corner, uint64_t place, uint64_t *chunk);

/* `size`: bytes of the shard, UINT64_MAX if not known: an entry that lies beyond is VZ_CORRUPT. */
bool vz_shard_index_decode(const vz_shard_codecs *codecs, vz_bytes index, uint64_t size, vz_shard_entry *entries,
                           unsigned worker, vz_error *err);

/* Replaces what `out` holds. */
bool vz_shard_index_encode(const vz_shard_codecs *codecs, const vz_shard_entry *entries, vz_buffer *out,
                           unsigned worker, vz_error *err);

/* Known facts of one shard of some level: where its chunks are. */
typedef struct vz_shard_known {
    vz_version version; /* of the value that it lies in */
    uint64_t transfer;  /* in which it was read, or seen to be so still */
    bool found;         /* false: there is no such shard */
    bool whole;         /* codecs work on it as a whole: `bytes` are the decoded ones */
    vz_buffer bytes;
    uint64_t used; /* when, in the table's own count */
    uint64_t count;
    vz_shard_entry entries[];
} vz_shard_known;

enum { VZ_SHARD_NAME_MAX = 1024 }; /* a key without prefix, and places in inner shards */

/* NULL: nothing that can still be true. With `confirmed` only what was read, or asked about, in
 * this transfer. */
vz_shard_known *vz_shard_known_get(vz_shards *shards, const char *name, bool confirmed);

/* Takes it over, also on failure. */
bool vz_shard_known_put(vz_shards *shards, const char *name, vz_shard_known *known, vz_error *err);

/* Makes it of the bytes of a shard with these codecs. Where codecs work on the shard as a whole,
 * these are all of its bytes, else its index. `size`: bytes of the shard, UINT64_MAX if not
 * known. NULL with err set. */
vz_shard_known *vz_shard_known_read(const vz_shard_codecs *codecs, vz_bytes bytes, uint64_t size, unsigned worker,
                                    vz_error *err);

/* Of a shard that is not there. */
vz_shard_known *vz_shard_known_missing(vz_error *err);
void vz_shard_known_free(void *known);
void vz_shard_known_forget(vz_shards *shards); /* all of it */

/* Makes room, before more is looked up. */
void vz_shard_known_trim(vz_shards *shards);

/* Shards that may be looked into at a time. */
size_t vz_shard_known_most(const vz_shards *shards, const vz_meta *meta);

/* As vz_chunk_source has them. */
bool vz_shards_look(vz_lookup *lookup);
bool vz_shards_ask(vz_lookup *lookup);
void vz_shards_answer(vz_lookup *lookup, const vz_request *request, unsigned worker);
bool vz_shards_looked(vz_lookup *lookup);
bool vz_shards_moved(vz_array *array, const vz_chunk_place *place);
bool vz_shards_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err);

/* The shard as it is to be stored, appended to the empty `out`: waiting chunks over those that
 * the store has. `met` is the answered request for the stored one; it has no bytes where all
 * chunks wait. *any=false: none of its chunks is there. Runs in workers. */
bool vz_shard_assemble(vz_array *array, vz_pending *pending, const vz_request *met, vz_buffer *out, bool *any,
                       unsigned worker, vz_error *err);

/* Does all of it wait that lies inside the array? Then nothing of what is there is read. */
bool vz_shard_is_complete(const vz_array *array, const vz_pending *pending);

/* Does no other process know the array? Then shards are put without a look at what is there. */
bool vz_shard_is_private(const vz_array *array);

/* A complete one, of an array that is private. */
bool vz_shard_put_private(vz_array *array, vz_pending *pending, const char *key, unsigned worker, vz_error *err);

/* Looks which version of a shard there is, as what a put over it demands. Until
 * vz_store_forget_held others who would replace it wait, where the store can have them wait. */
bool vz_shard_look_at_version(vz_array *array, const char *key, vz_request *met, vz_error *err);

/* Over what was met (an answered request, to replace it), on the condition that it is still there.
 * VZ_CHANGED: another process was faster. */
bool vz_shard_put_over(vz_array *array, vz_pending *pending, const vz_request *met, unsigned worker, vz_error *err);

/* All of the shard, as it was put in pieces: over what is there, or where nothing can be. */
bool vz_shard_put_pieces(vz_array *array, const char *key, vz_pieces *pieces, vz_error *err);

/* The last awaited chunk is stored: the shard is put now. Where that fails it goes on waiting, for
 * vz_shards_write. False, with err set: what was in the store of it is lost. Runs in a worker. */
bool vz_shard_write_early(vz_array *array, vz_pending *pending, unsigned worker, vz_error *err);

/* An awaited shard goes to the store as its chunks come, if it can. */
void vz_stream_begin(vz_array *array, vz_pending *pending);

/* In workers: the chunk at a place is written, if it is its turn; else it is to wait. */
bool vz_stream_take(vz_array *array, vz_pending *pending, uint64_t place, const vz_bytes *bytes);

/* After a chunk was taken, or waits: those whose turn it is now are written. */
void vz_stream_go_on(vz_array *array, vz_pending *pending);

/* The rest, and the index; then the shard takes its place. False: all of it is to wait, and err may
 * tell why. */
bool vz_stream_finish(vz_array *array, vz_pending *pending, const char *key, unsigned worker, vz_error *err);

/* Its written chunks are read back and wait in memory. False, with err set: some of it is lost. */
bool vz_stream_give_back(vz_array *array, vz_pending *pending, vz_error *err);

/* That of a shard; NULL: there is none. Or it is made then (NULL with err set). Under the lock
 * where workers run. */
vz_pending *vz_pending_find(const vz_array *array, const uint64_t *shard);
vz_pending *vz_pending_of(vz_array *array, const uint64_t *shard, vz_error *err);

/* The chunk as it waits; NULL: it does not. */
const vz_shard_waiting_chunk *vz_shard_waiting(const vz_array *array, const char *name, const uint64_t *chunk);

/* Place of a chunk among all chunks of its shard of the first level. */
uint64_t vz_pending_place(const vz_meta *meta, const uint64_t *chunk);

/* Chunks of a shard that lie inside the array. */
uint64_t vz_pending_inside(const vz_meta *meta, const uint64_t *shard);
void vz_pending_free(void *pending);
void vz_shard_waiting_chunk_clear(vz_shard_waiting_chunk *waiting);
bool vz_pending_is_empty(const vz_pending *pending); /* no chunk was touched */

/* Discards the chunks that were written and not published. */
void vz_pending_end_stream(vz_pending *pending);

/* ---- a lookup of chunks in shards while it runs (shard_locate.c, shard_lookup.c) ---- */

/* Bytes that shards take in memory at most: their indexes, and shards that codecs work on as a
 * whole. Of a write they include the chunks that wait for the others of their shard until the
 * batch ends. */
uint64_t vz_shards_memory(const vz_array *array, bool reading);

/* Is the chunk in a shard all of which the batch stores? Then it is stored also where it is
 * missing. In a worker. */
bool vz_shards_awaits(vz_array *array, const uint64_t *chunk);

/* On the way to one chunk: the shard that was reached. */
typedef struct vz_shard_search {
    const uint64_t *chunk;
    const char *name; /* of the shard: the key of the outermost one without prefix, and places in
                       * those within */
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
    const vz_shard_search *of; /* the search that met it first */
    vz_range range;
    vz_shard_known *asked_about; /* is known, if its version is still there: only that is asked;
                                  * NULL: it is read */
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
    vz_os_mutex lock; /* of what workers note: */
    vz_error error;
    bool changed;           /* somebody changed what was asked for */
    const char *failed_key; /* of what failed first */
    vz_version failed_version;
} vz_shard_round;

/* Notes the value that the first failure is about. */
void vz_shard_round_blame(vz_shard_round *r, const char *key, const vz_version *version);
/* Is what is known of its shard all that a search has to ask for? If not, *asked_about is what is
 * known if its version is still there; NULL: it has to be read. */
bool vz_shard_round_knows(const vz_shard_round *r, const vz_shard_search *s, vz_shard_known **asked_about);
/* Fills r->needs with the shards that must be read at this level. False with err set. */
bool vz_shard_round_look_up(vz_shard_round *r, vz_error *err);
/* The requests of r->needs. */
void vz_shard_round_ask(vz_shard_round *r);
/* Their answers go to what is known. failure: why some have none. False with err set. */
bool vz_shard_round_keep(vz_shard_round *r, const vz_error *failure, vz_error *err);

#endif
