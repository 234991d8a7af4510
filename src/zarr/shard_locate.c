/* shard_locate.c - finding chunks in shards by range, with the indexes remembered. */
#include "util/pool.h"
#include "zarr/shard_io.h"
#include <stdio.h>
#include <stdlib.h>

#define INDEX_BYTES_MAX ((uint64_t)16 << 20) /* of all remembered indexes */

typedef struct shard_index {
    vz_shard_version version; /* of the outermost shard that it lies in */
    uint64_t count;
    vz_shard_entry entries[];
} shard_index;

/* A new table: without one (no memory) the old stays, which is as right as it was. */
void vz_shard_forget_indexes(vz_shards *shards)
{
    vz_strmap *fresh = vz_strmap_new();
    if (!fresh)
        return;
    vz_strmap_free(shards->indexes, free);
    shards->indexes = fresh;
    shards->index_bytes = 0;
}

bool vz_holder_read(vz_array *array, const vz_shard_holder *holder, vz_range range, vz_buffer *out, vz_error *err)
{
    const bool all = holder->size == UINT64_MAX;
    if (!all && (range.size > holder->size || range.offset > holder->size - range.size))
        return vz_fail(err, VZ_CORRUPT, "a shard of %llu bytes is too short", (unsigned long long)holder->size);
    if (holder->whole)
        return vz_buffer_append(out, holder->whole->bytes.data + holder->offset + range.offset, range.size, err);
    if (!all)
        range.offset += holder->offset;
    const vz_shard_part part = {.held = (vz_held *)holder->held};
    return vz_shard_read(array, &part, &range, 1, out, err);
}

static bool read_index(vz_array *array, unsigned level, const vz_shard_holder *holder, vz_shard_entry *entries,
                       unsigned worker, vz_error *err)
{
    const vz_shard_codecs *codecs = &array->shards->levels[level];
    const size_t size = codecs->index_size;
    vz_range range = {VZ_RANGE_AT, 0, size};
    if (!codecs->index_first && holder->size == UINT64_MAX)
        range.kind = VZ_RANGE_SUFFIX;
    else if (!codecs->index_first && holder->size >= size)
        range.offset = holder->size - size;
    vz_buffer text = {.limit = size};
    const bool ok = vz_holder_read(array, holder, range, &text, err) &&
                    vz_shard_index_decode(codecs, (vz_bytes){text.data, text.size}, holder->size, entries, worker, err);
    vz_buffer_clear(&text);
    return ok;
}

static void forget_index(vz_shards *shards, const char *name, shard_index *known)
{
    vz_strmap_remove(shards->indexes, name);
    shards->index_bytes -= sizeof *known + known->count * sizeof *known->entries;
    free(known);
}

/* The index of that name as it was read before, if that was from this version. Under the lock. */
static const shard_index *known_index(vz_shards *shards, const char *name, const vz_shard_version *version)
{
    shard_index *known = vz_strmap_get(shards->indexes, name);
    if (!known || vz_shard_version_is(&known->version, version))
        return known;
    forget_index(shards, name, known);
    return NULL;
}

/* Under the lock. What does not fit is not remembered. */
static void remember_index(vz_shards *shards, const char *name, shard_index *read)
{
    const uint64_t bytes = sizeof *read + read->count * sizeof *read->entries;
    if (shards->index_bytes + bytes > INDEX_BYTES_MAX)
        vz_shard_forget_indexes(shards);
    if (vz_strmap_get(shards->indexes, name) || !vz_strmap_put(shards->indexes, name, read, NULL)) {
        free(read);
        return;
    }
    shards->index_bytes += bytes;
}

/* One entry of the index of one shard. */
static bool find_entry(vz_array *array, unsigned level, const char *name, const vz_shard_holder *holder, uint64_t place,
                       vz_shard_entry *entry, unsigned worker, vz_error *err)
{
    vz_shards *shards = array->shards;
    const uint64_t count = shards->levels[level].count;
    pthread_mutex_lock(&shards->lock);
    const shard_index *known = known_index(shards, name, &holder->held->version);
    if (known)
        *entry = known->entries[place];
    pthread_mutex_unlock(&shards->lock);
    if (known)
        return true;
    shard_index *read = malloc(sizeof *read + count * sizeof *read->entries);
    if (!read)
        return vz_fail_memory(err);
    *read = (shard_index){.version = holder->held->version, .count = count};
    if (!read_index(array, level, holder, read->entries, worker, err)) {
        free(read);
        return false;
    }
    *entry = read->entries[place];
    pthread_mutex_lock(&shards->lock);
    remember_index(shards, name, read);
    pthread_mutex_unlock(&shards->lock);
    return true;
}

/* One step inwards: *holder becomes the entry at that place. *found=false: it is missing. */
static bool step(vz_array *array, unsigned level, const char *name, uint64_t place, vz_shard_holder *holder,
                 bool *found, unsigned worker, vz_error *err)
{
    vz_shard_entry entry = VZ_SHARD_MISSING;
    if (array->shards->levels[level].behind.count > 0) {
        if (!vz_whole_open(array, level, name, holder, worker, err))
            return false;
        entry = holder->whole->entries[place];
    } else if (!find_entry(array, level, name, holder, place, &entry, worker, err)) {
        return false;
    }
    *found = entry.offset != UINT64_MAX;
    if (*found && !vz_add(holder->offset, entry.offset, &holder->offset))
        return vz_fail(err, VZ_CORRUPT, "a chunk beyond the end of its shard");
    holder->size = entry.size;
    return true;
}

/* What lies in a shard that was decoded is copied, as that may be forgotten. */
static bool copy_out(const vz_shard_holder *holder, vz_shard_part *part, unsigned worker, vz_error *err)
{
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_STORED);
    scratch->size = 0;
    if (!vz_buffer_append(scratch, holder->whole->bytes.data + holder->offset, (size_t)holder->size, err))
        return false;
    part->at_hand = true;
    part->bytes = (vz_bytes){scratch->data, scratch->size};
    return true;
}

bool vz_shard_find(vz_array *array, const uint64_t *chunk, const uint64_t *shard, char *name, vz_shard_part *part,
                   unsigned worker, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    vz_shard_holder holder = {.size = UINT64_MAX};
    if (!vz_chunk_key(array->meta, array->prefix, shard, key, sizeof key, err) ||
        !(part->held = vz_held_open(array, key, err)))
        return false;
    if (!part->held->found)
        return true;
    holder.held = part->held;
    for (unsigned level = 0; level < array->meta->shard_levels; level++) {
        const uint64_t place = vz_shard_place(array->meta, level, chunk);
        bool found = false;
        if (!step(array, level, name, place, &holder, &found, worker, err)) {
            vz_error_where(err, NULL, key);
            return false;
        }
        if (!found)
            return true;
        const size_t length = strlen(name);
        snprintf(name + length, VZ_SHARD_NAME_MAX - length, "|%llu", (unsigned long long)place);
    }
    part->found = true;
    part->offset = holder.offset;
    part->size = holder.size;
    return !holder.whole || copy_out(&holder, part, worker, err);
}
