/* prefetch.h - prefetches small values and listings of a store in one batch. Each by itself
 * would be a round trip. Call these functions in one thread. */
#ifndef VZ_STORE_PREFETCH_H
#define VZ_STORE_PREFETCH_H

#include "store/store/request.h"

/* Reads these keys in one batch and keeps the answers, also that a key is missing. A value that
 * cannot be read, or is too large, is read later as usual. False with err set only if memory
 * runs out. */
bool vz_store_prefetch(vz_store *store, const char *const *keys, size_t count, vz_error *err);

/* As vz_store_prefetch, but keeps values of up to `most` bytes. */
bool vz_store_prefetch_up_to(vz_store *store, const char *const *keys, size_t count, size_t most, vz_error *err);

/* As vz_store_prefetch_up_to, but a key that cannot be read is an error. */
bool vz_store_read_first(vz_store *store, const char *const *keys, size_t count, size_t most, vz_error *err);

/* Was the key prefetched? Then fills *found, *version and `out`, which was empty, and forgets
 * the answer. */
bool vz_store_take_prefetched(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version);

/* From here on an answer may be taken any number of times, until
 * vz_store_forget_prefetched(store, NULL). A flush uses this: it looks at a value several times
 * and changes it under a condition. */
bool vz_store_pin_prefetched(vz_store *store, vz_error *err);

/* As vz_store_take_prefetched, if answers are pinned. False otherwise. */
bool vz_store_see_prefetched(vz_store *store, const char *key, vz_buffer *out, bool *found, vz_version *version);

/* Is an answer kept, taken or not? *bytes are borrowed until the next call. */
bool vz_store_has_prefetched(vz_store *store, const char *key, bool *found, vz_bytes *bytes);

/* Lists the prefix, or takes the prefetched listing. The caller frees it (vz_entries_free). */
bool vz_store_list_first(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);

/* Prefetches values and listings together, in one round trip. */
bool vz_store_prefetch_all(vz_store *store, const char *const *keys, size_t count, const char *const *prefixes,
                           size_t list_count, vz_error *err);
/* NULL: is not known */
const vz_entry *vz_store_prefetched_list(vz_store *store, const char *prefix, size_t *count);
void vz_store_forget_list(vz_store *store, const char *prefix);

/* -- In steps (prefetch_steps.c) --
 * A prefetch whose answers are waited for without the store: its user may be another thread
 * meanwhile. A value that cannot be read is asked for again by
 * who needs it. */
typedef struct vz_prefetch_wanted {
    const char *const *keys; /* borrowed until the end, as are the prefixes */
    size_t count;
    const char *const *prefixes; /* to be listed */
    size_t list_count;
    size_t chunk_count; /* the last so many keys are of chunks: vz_store_take_chunk */
    size_t most;        /* bytes of a value that is kept; 0: as vz_store_prefetch */
} vz_prefetch_wanted;

typedef struct vz_prefetch vz_prefetch;

/* Sends the requests. NULL: there is nothing to ask for, or no memory (then err is set). */
vz_prefetch *vz_prefetch_begin(vz_store *store, const vz_prefetch_wanted *wanted, vz_error *err);
void vz_prefetch_wait(vz_prefetch *prefetch); /* NULL is fine, here and below */
/* Keeps the answers. False with err set if memory runs out. */
bool vz_prefetch_end(vz_prefetch *prefetch, vz_error *err);

/* The value of a chunk that was prefetched. It is forgotten then: another request for it is sent.
 * `out` was empty. */
bool vz_store_take_chunk(vz_store *store, const char *key, vz_buffer *out, bool *found);

/* Reads the key, if it is not known, and keeps it for vz_store_take_prefetched. *bytes are
 * borrowed as vz_store_has_prefetched says. Bytes that are too large to be kept lie in *room,
 * which is the caller's in any case. */
bool vz_store_peek(vz_store *store, const char *key, vz_buffer *room, vz_bytes *bytes, bool *found, vz_error *err);

/* Keeps the value of a key that the caller has read into *room. */
bool vz_store_keep_read(vz_store *store, const char *key, vz_buffer *room, vz_bytes *bytes, bool found, vz_error *err);

/* Keeps a part of a value, which its reader took out of it. Every request for that part gets it,
 * and no other request. `whole`, not 0: a number that stands for all of the value. `bytes` is taken
 * over where it is kept, and the caller's to clear in any case. */
bool vz_store_keep_part(vz_store *store, const char *key, vz_buffer *bytes, uint64_t whole, vz_error *err);
/* borrowed */
bool vz_store_see_part(const vz_store *store, const char *key, vz_bytes *bytes, uint64_t *whole);

/* It is known that there is no such key, until it is forgotten. */
void vz_store_know_missing(vz_store *store, const char *key);

/* Visits the keys that are known and there; they are borrowed until the next call of another
 * function. */
bool vz_store_each_prefetched(vz_store *store, bool (*visit)(void *context, const char *key, vz_error *err),
                              void *context, vz_error *err);

/* Moves prefetched values from one store to another one of the same place, which has none. */
void vz_store_move_prefetched(vz_store *from, vz_store *to);
void vz_prefetch_table_free(struct vz_prefetch_table *prefetched); /* NULL is fine */

/* Missing values that the server only refused (request->is_refused) are not known any more: for
 * the end of a call, beyond which nobody remembers them. */
void vz_store_forget_refused(vz_store *store);

/* A key was changed, or (NULL) all may have been: it is read again. */
void vz_store_forget_prefetched(vz_store *store, const char *key);

/* For prefetch.c and prefetch_read.c. The table of a store, made if need be; NULL: no memory. */
struct vz_prefetch_table *vz_prefetch_table_of(vz_store *store);

/* Takes the bytes over where they are kept: not beyond 64 MiB, nor where the key is there
 * already. */
bool vz_prefetch_keep(struct vz_prefetch_table *table, const char *key, bool found, const vz_version *version,
                      vz_buffer *bytes, vz_error *err);

/* Keeps a listing, which is taken over in any case. */
bool vz_prefetch_keep_list(struct vz_prefetch_table *table, const char *prefix, vz_entry *entries, size_t count,
                           vz_error *err);

#endif
