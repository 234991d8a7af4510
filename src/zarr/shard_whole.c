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

void vz_wholes_forget_in(vz_shards *shards, const char *name)
{
    const size_t length = strlen(name);
    for (unsigned i = 0; shards->has_wholes && i < VZ_WHOLES_MAX; i++) {
        const char *own = shards->wholes[i].name;
        if (own && strncmp(own, name, length) == 0 && own[length] == '|')
            clear(&shards->wholes[i]);
    }
}

static vz_whole *find(vz_shards *shards, const char *name)
{
    for (unsigned i = 0; i < VZ_WHOLES_MAX; i++)
        if (shards->wholes[i].name && strcmp(shards->wholes[i].name, name) == 0)
            return &shards->wholes[i];
    return NULL;
}

/* As it was decoded before, if the store still has what it was made of. */
static bool is_current(vz_array *array, unsigned level, const char *key, vz_whole *whole)
{
    vz_shards *shards = array->shards;
    vz_stamp now = {0};
    if (level > 0 || whole->round == shards->round)
        return true;
    pthread_mutex_lock(&shards->lock);
    const bool same = vz_store_stat(array->store, key, &now, NULL) && vz_stamp_equal(&now, &whole->stamp);
    if (!same)
        vz_shard_forget_indexes(shards);
    pthread_mutex_unlock(&shards->lock);
    if (same)
        whole->round = shards->round;
    else
        vz_wholes_forget(shards);
    return same;
}

static bool decode(vz_array *array, unsigned level, const char *key, const vz_shard_holder *holder, vz_whole *whole,
                   bool *found, unsigned worker, vz_error *err)
{
    const vz_shard_codecs *codecs = &array->shards->levels[level];
    const vz_range all = {VZ_RANGE_AT, 0, (size_t)holder->size};
    vz_buffer stored = {.limit = VZ_CHAIN_PAYLOAD_MAX};
    bool ok = vz_shard_read(array, key, holder, holder->size == UINT64_MAX ? VZ_WHOLE : all, &stored, found, err);
    if (ok && *found) {
        const vz_bytes bytes = {stored.data, stored.size};
        whole->entries = malloc((size_t)codecs->count * sizeof *whole->entries);
        ok = whole->entries ? vz_chain_decode_bytes(&codecs->behind, bytes, &whole->bytes, worker, err)
                            : vz_fail_memory(err);
    }
    vz_buffer_clear(&stored);
    if (!ok || !*found)
        return ok;
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

static vz_whole *load(vz_array *array, unsigned level, const char *key, const char *name, const vz_shard_holder *holder,
                      bool *found, unsigned worker, vz_error *err)
{
    vz_shards *shards = array->shards;
    vz_whole made = {.round = shards->round};
    pthread_mutex_lock(&shards->lock);
    bool ok = level > 0 || vz_store_stat(array->store, key, &made.stamp, err);
    pthread_mutex_unlock(&shards->lock);
    ok = ok && decode(array, level, key, holder, &made, found, worker, err);
    if (ok && *found && !(made.name = strdup(name)))
        ok = vz_fail_memory(err);
    if (!ok || !*found) {
        clear(&made);
        return NULL;
    }
    if (level == 0) { /* what was found inside of an older one */
        vz_wholes_forget_in(shards, name);
        pthread_mutex_lock(&shards->lock);
        vz_shard_forget_indexes(shards);
        pthread_mutex_unlock(&shards->lock);
    }
    vz_whole *slot = make_room(shards, made.bytes.size);
    *slot = made;
    return slot;
}

bool vz_whole_open(vz_array *array, unsigned level, const char *key, const char *name, vz_shard_holder *holder,
                   bool *found, unsigned worker, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_whole *whole = find(array->shards, name);
    *found = true;
    if (whole && !is_current(array, level, key, whole))
        whole = NULL;
    if (!whole && !(whole = load(array, level, key, name, holder, found, worker, &failed))) {
        if (failed.class != VZ_OK && err)
            *err = failed;
        return failed.class == VZ_OK;
    }
    whole->used = ++array->shards->whole_clock;
    *holder = (vz_shard_holder){.whole = whole, .size = whole->bytes.size};
    return true;
}
