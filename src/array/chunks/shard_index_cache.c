/* shard_index_cache.c - what was read of shards, and is remembered: their indexes, and the last few
 * that had to be decoded as a whole. */
#include "base/os/thread.h"
#include "array/chunks/shard_state_internal.h"
#include <stdlib.h>

/* of all indexes that are remembered, or looked up at a time */
#define INDEX_BYTES_MAX ((uint64_t)16 << 20)
#define WHOLE_BYTES_MAX ((uint64_t)64 << 20) /* of decoded shards */

static uint64_t index_bytes(const vz_shard_known *known)
{
    return sizeof *known + known->count * sizeof *known->entries;
}

void vz_shard_known_free(void *data)
{
    vz_shard_known *known = data;
    vz_buffer_clear(&known->bytes);
    free(known);
}

/* ---- reading ---- */

static vz_shard_known *new_known(uint64_t count, vz_error *err)
{
    vz_shard_known *known = calloc(1, sizeof *known + (size_t)count * sizeof *known->entries);
    if (!known)
        vz_fail_memory(err);
    else
        known->count = count;
    return known;
}

vz_shard_known *vz_shard_known_missing(vz_error *err)
{
    return new_known(0, err);
}

static bool read_whole(const vz_shard_codecs *codecs, vz_shard_known *known, vz_bytes bytes, unsigned worker,
                       vz_error *err)
{
    const size_t size = codecs->index_size;
    known->whole = true;
    if (!vz_chain_decode_bytes(&codecs->behind, bytes, &known->bytes, worker, err))
        return false;
    if (known->bytes.size < size)
        return vz_fail(err, VZ_CORRUPT, "a shard of %zu bytes has no room for its index", known->bytes.size);
    const vz_bytes index = {known->bytes.data + (codecs->index_first ? 0 : known->bytes.size - size), size};
    return vz_shard_index_decode(codecs, index, known->bytes.size, known->entries, worker, err);
}

vz_shard_known *vz_shard_known_read(const vz_shard_codecs *codecs, vz_bytes bytes, uint64_t size, unsigned worker,
                                    vz_error *err)
{
    vz_shard_known *known = new_known(codecs->count, err);
    if (!known)
        return NULL;
    known->found = true;
    if (codecs->behind.count > 0 ? read_whole(codecs, known, bytes, worker, err)
                                 : vz_shard_index_decode(codecs, bytes, size, known->entries, worker, err))
        return known;
    vz_shard_known_free(known);
    return NULL;
}

/* ---- the table ---- */

/* That a shard is missing is true for a transfer only, as nobody holds what is not there. */
static bool may_be_true(const vz_shards *shards, const vz_shard_known *known, bool confirmed)
{
    return known->transfer == shards->transfer || (!confirmed && known->found && known->version.lasts);
}

vz_shard_known *vz_shard_known_get(vz_shards *shards, const char *name, bool confirmed)
{
    vz_shard_known *known = vz_strmap_get(shards->known, name);
    if (!known || !may_be_true(shards, known, confirmed))
        return NULL;
    known->used = ++shards->clock;
    return known;
}

static void forget(vz_shards *shards, const char *name)
{
    vz_shard_known *known = vz_strmap_remove(shards->known, name);
    if (!known)
        return;
    shards->index_bytes -= index_bytes(known);
    shards->whole_bytes -= known->bytes.size;
    vz_shard_known_free(known);
}

bool vz_shard_known_put(vz_shards *shards, const char *name, vz_shard_known *known, vz_error *err)
{
    forget(shards, name);
    known->used = ++shards->clock;
    if (!vz_strmap_put(shards->known, name, known, err)) {
        vz_shard_known_free(known);
        return false;
    }
    shards->index_bytes += index_bytes(known);
    shards->whole_bytes += known->bytes.size;
    return true;
}

/* A new table: without one (no memory) each entry goes by itself. */
void vz_shard_known_forget(vz_shards *shards)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    vz_strmap *fresh = vz_strmap_new();
    if (fresh) {
        vz_strmap_free(shards->known, vz_shard_known_free);
        shards->known = fresh;
        shards->index_bytes = shards->whole_bytes = 0;
        return;
    }
    while (vz_strmap_next(shards->known, &cursor, &name, &value))
        forget(shards, name);
}

static const char *oldest_whole(const vz_shards *shards)
{
    size_t cursor = 0;
    const char *name, *oldest = NULL;
    void *value;
    uint64_t used = UINT64_MAX;
    while (vz_strmap_next(shards->known, &cursor, &name, &value)) {
        const vz_shard_known *known = value;
        if (!known->whole || known->used >= used)
            continue;
        oldest = name;
        used = known->used;
    }
    return oldest;
}

void vz_shard_known_trim(vz_shards *shards)
{
    if (shards->index_bytes > INDEX_BYTES_MAX)
        vz_shard_known_forget(shards);
    while (shards->whole_bytes > WHOLE_BYTES_MAX)
        forget(shards, oldest_whole(shards));
}

/* As many as a local store holds open, and as memory takes, counted in what they are if nothing is
 * compressed. */
size_t vz_shard_known_most(const vz_shards *shards, const vz_meta *meta)
{
    uint64_t index = 1, whole = meta->dtype->size;
    for (unsigned level = 0; level < shards->level_count; level++)
        index += shards->levels[level].count * sizeof(vz_shard_entry);
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(whole, meta->shards[0].shape[d], &whole))
            whole = WHOLE_BYTES_MAX;
    uint64_t most = INDEX_BYTES_MAX / index;
    if (shards->has_wholes && WHOLE_BYTES_MAX / (whole ? whole : 1) < most)
        most = WHOLE_BYTES_MAX / (whole ? whole : 1);
    return most ? (size_t)most : 1;
}

uint64_t vz_shards_memory(const vz_array *array, bool reading)
{
    uint64_t waiting = 0;
    if (!reading && !vz_mul(VZ_REGION_BATCH, array->meta->chunk_size, &waiting))
        waiting = UINT64_MAX / 2;
    return INDEX_BYTES_MAX + (array->shards->has_wholes ? 2 * WHOLE_BYTES_MAX : 0) + waiting;
}
