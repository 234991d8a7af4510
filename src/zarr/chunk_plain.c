/* chunk_plain.c - chunks that have keys of their own. */
#include "zarr/array_io.h"

static bool plain_locate(vz_array *array, const uint64_t *const *chunks, size_t *count, bool confirmed,
                         vz_chunk_place *places, vz_arena *arena, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    (void)confirmed;
    for (size_t i = 0; i < *count; i++) {
        if (!vz_chunk_key_of(array, chunks[i], key, err))
            return false;
        places[i] = (vz_chunk_place){.kind = VZ_PLACE_VALUE, .key = vz_arena_copy(arena, key, strlen(key) + 1, err)};
        if (!places[i].key)
            return false;
    }
    return true;
}

static bool plain_store(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    if (bytes ? vz_store_put(array->store, key, *bytes, err) : vz_store_del(array->store, key, err))
        return true;
    vz_error_where(err, NULL, key);
    return false;
}

static bool plain_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    vz_stamp stamp = {0};
    if (!vz_chunk_key_of(array, chunk, key, err) || !vz_store_stat(array->store, key, &stamp, err))
        return false;
    *found = stamp.exists;
    *size = stamp.exists ? stamp.size : 0;
    return true;
}

const vz_chunk_source vz_chunks_plain = {.locate = plain_locate, .store = plain_store, .size = plain_size};
