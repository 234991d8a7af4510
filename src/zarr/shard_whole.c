/* shard_whole.c - shards that codecs work on as a whole: no range of them can be read, so they are decoded, and the
 * last few kept. */
#include "zarr/shard_io.h"
#include <stdlib.h>

#define WHOLE_BYTES_MAX ((uint64_t)64 << 20) /* beyond it only what the way to one chunk needs is kept */

static void clear(vz_whole *whole)
{
    free(whole->name);
    free(whole->entries);
    vz_buffer_clear(&whole->bytes);
    *whole = (vz_whole){0};
}

void vz_wholes_forget(vz_shards *shards)
{
    for (unsigned i = 0; i < VZ_WHOLES_MAX; i++)
        clear(&shards->wholes[i]);
}

static vz_whole *find(vz_shards *shards, const char *name)
{
    for (unsigned i = 0; i < VZ_WHOLES_MAX; i++)
        if (shards->wholes[i].name && strcmp(shards->wholes[i].name, name) == 0)
            return &shards->wholes[i];
    return NULL;
}

static bool decode(vz_array *array, unsigned level, const vz_shard_holder *holder, vz_whole *whole, unsigned worker,
                   vz_error *err)
{
    const vz_shard_codecs *codecs = &array->shards->levels[level];
    const vz_range all = {VZ_RANGE_AT, 0, (size_t)holder->size};
    vz_buffer stored = {.limit = VZ_CHAIN_PAYLOAD_MAX};
    bool ok = vz_holder_read(array, holder, holder->size == UINT64_MAX ? VZ_WHOLE : all, &stored, err);
    if (ok) {
        const vz_bytes bytes = {stored.data, stored.size};
        whole->entries = malloc((size_t)codecs->count * sizeof *whole->entries);
        ok = whole->entries ? vz_chain_decode_bytes(&codecs->behind, bytes, &whole->bytes, worker, err)
                            : vz_fail_memory(err);
    }
    vz_buffer_clear(&stored);
    if (!ok)
        return false;
    const size_t size = codecs->index_size;
    if (whole->bytes.size < size)
        return vz_fail(err, VZ_CORRUPT, "a shard of %zu bytes has no room for its index", whole->bytes.size);
    const vz_bytes index = {whole->bytes.data + (codecs->index_first ? 0 : whole->bytes.size - size), size};
    return vz_shard_index_decode(codecs, index, whole->bytes.size, whole->entries, worker, err);
}

/* A free slot, after what was used longest ago went: for want of slots, or of memory, if there are more than one way to
 * a chunk needs. */
static vz_whole *make_room(vz_shards *shards, uint64_t size)
{
    for (;;) {
        vz_whole *free_slot = NULL, *oldest = NULL;
        unsigned count = 0;
        uint64_t bytes = size;
        for (unsigned i = 0; i < VZ_WHOLES_MAX; i++) {
            vz_whole *slot = &shards->wholes[i];
            if (!slot->name) {
                free_slot = slot;
                continue;
            }
            count++;
            bytes += slot->bytes.size;
            if (!oldest || slot->used < oldest->used)
                oldest = slot;
        }
        if (free_slot && (bytes <= WHOLE_BYTES_MAX || count < VZ_SHARD_LEVELS))
            return free_slot;
        clear(oldest);
    }
}

static vz_whole *load(vz_array *array, unsigned level, const char *name, const vz_shard_holder *holder, unsigned worker,
                      vz_error *err)
{
    vz_whole made = {.version = holder->held->version};
    bool ok = decode(array, level, holder, &made, worker, err);
    if (ok && !(made.name = strdup(name)))
        ok = vz_fail_memory(err);
    if (!ok) {
        clear(&made);
        return NULL;
    }
    vz_whole *slot = make_room(array->shards, made.bytes.size);
    *slot = made;
    return slot;
}

bool vz_whole_open(vz_array *array, unsigned level, const char *name, vz_shard_holder *holder, unsigned worker,
                   vz_error *err)
{
    vz_whole *whole = find(array->shards, name);
    if (whole && !vz_shard_version_is(&whole->version, &holder->held->version)) {
        clear(whole);
        whole = NULL;
    }
    if (!whole && !(whole = load(array, level, name, holder, worker, err)))
        return false;
    whole->used = ++array->shards->whole_clock;
    *holder = (vz_shard_holder){.held = holder->held, .whole = whole, .size = whole->bytes.size};
    return true;
}
