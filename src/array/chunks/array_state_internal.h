/* array_state_internal.h - keys of chunks and parts of values, for this module. */
#ifndef VZ_CHUNKS_ARRAY_STATE_INTERNAL_H
#define VZ_CHUNKS_ARRAY_STATE_INTERNAL_H

#include "array/chunks/array_state.h"

/* May a part of a value be stored over what else is in it? */
static inline bool vz_chunks_may_store_part(const vz_array *array, vz_error *err)
{
    return !array->refuses_parts || array->sharing ||
           vz_fail(err, VZ_UNSUPPORTED,
                   "a part of a chunk or shard, written by one of several ranks where the file system has no locks "
                   "between them: collective writes store it");
}

#define VZ_PLAIN_HEAD_MAX 16

/* The key of a chunk with the array's prefix; `key` has VZ_CHUNK_KEY_MAX bytes. A longer key is
 * VZ_LIMIT. */
bool vz_chunk_key_of(const vz_array *array, const uint64_t *chunk, char *key, vz_error *err);

/* encode_chunk.c: the stored form of a chunk that is all fill, which replaces what `out` held; on
 * the caller's thread. */
bool vz_chunk_encode_fill(vz_array *array, const uint64_t *chunk, vz_buffer *out, vz_error *err);

/* -- Uneven chunks --
 * Of a grid of chunks of different shapes: between the stored form of a chunk and its form in
 * memory. There a chunk lies in the room of the largest one, with fill around. */
bool vz_chunk_decode_uneven(vz_array *array, const uint64_t *chunk, vz_bytes stored, void *into, vz_arena *arena,
                            unsigned worker, vz_error *err);
bool vz_chunk_encode_uneven(vz_array *array, const uint64_t *chunk, const void *decoded, vz_buffer *out,
                            unsigned worker, vz_error *err);

/* Bytes of the last chunk along the first axis, where that may end with the array
 * (VZ_STORE_CUTS); 0: it may not. */
size_t vz_chunk_last_size(const vz_array *array);

/* Of a chunk that was fetched: one that may end with the array (VZ_STORE_CUTS) is filled up with
 * zeros where there is room. VZ_CORRUPT: it is another chunk, that must not. */
bool vz_chunk_complete(const vz_array *array, vz_fetch *fetch, vz_error *err);

#endif
