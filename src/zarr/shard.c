/* shard.c - finding chunks in shards by range, with the indexes remembered; chunks that wait for their shard. */
#include "util/pool.h"
#include "zarr/grid.h"
#include "zarr/shard_io.h"
#include <stdio.h>
#include <stdlib.h>

#define INDEX_BYTES_MAX ((uint64_t)16 << 20) /* of all remembered indexes */
#define NAME_MAX_SIZE   1024                 /* a key without prefix, and places in inner shards */

typedef struct shard_index {
    vz_stamp stamp; /* of the shard's key, for indexes of the first level */
    uint64_t round;
    uint64_t count;
    vz_shard_entry entries[];
} shard_index;

vz_shards *vz_shards_new(vz_error *err)
{
    vz_shards *shards = calloc(1, sizeof *shards);
    if (shards && (shards->pending = vz_strmap_new()) && (shards->indexes = vz_strmap_new())) {
        pthread_mutex_init(&shards->lock, NULL);
        return shards;
    }
    if (shards)
        vz_strmap_free(shards->pending, NULL);
    free(shards);
    vz_fail_memory(err);
    return NULL;
}

void vz_pending_free(void *data)
{
    vz_pending *pending = data;
    for (uint64_t i = 0; i < pending->count; i++)
        free(pending->chunks[i].data);
    free(pending);
}

void vz_shards_free(vz_shards *shards)
{
    if (!shards)
        return;
    vz_strmap_free(shards->pending, vz_pending_free);
    vz_strmap_free(shards->indexes, free);
    pthread_mutex_destroy(&shards->lock);
    free(shards);
}

void vz_shards_begin(vz_array *array)
{
    if (array->shards)
        array->shards->round++;
}

/* A new table: without one (no memory) the old stays, which is as right as it was. */
static void forget_indexes(vz_shards *shards)
{
    vz_strmap *fresh = vz_strmap_new();
    if (!fresh)
        return;
    vz_strmap_free(shards->indexes, free);
    shards->indexes = fresh;
    shards->index_bytes = 0;
}

void vz_shards_forget(vz_array *array)
{
    if (array->shards)
        forget_indexes(array->shards);
}

void vz_shards_drop(vz_array *array)
{
    vz_shards *shards = array->shards;
    size_t cursor = 0;
    const char *name;
    void *value;
    vz_shards_forget(array);
    while (shards && vz_strmap_next(shards->pending, &cursor, &name, &value)) {
        vz_strmap_remove(shards->pending, name);
        vz_pending_free(value);
    }
    if (shards)
        shards->pending_bytes = 0;
}

uint64_t vz_shards_dirty_bytes(const vz_array *array)
{
    return array->shards ? array->shards->pending_bytes : 0;
}

/* ---- indexes ---- */

/* Reads the index of a shard that lies at [offset, offset+size) of the value at `key`; size UINT64_MAX: it is the whole
 * value. *found=false: there is no such value. */
static bool read_index(vz_array *array, unsigned level, const char *key, const vz_shard_entry *where, uint64_t count,
                       vz_shard_entry *entries, bool *found, vz_error *err)
{
    const vz_shard_level *shard = &array->meta->shards[level];
    const size_t size = vz_shard_index_size(shard, count);
    const bool whole = where->size == UINT64_MAX;
    vz_range range = {VZ_RANGE_AT, whole ? 0 : where->offset, size};
    if (!whole && size > where->size)
        return vz_fail(err, VZ_CORRUPT, "a shard of %llu bytes has no room for its index",
                       (unsigned long long)where->size);
    if (!shard->index_first && whole)
        range.kind = VZ_RANGE_SUFFIX;
    else if (!shard->index_first)
        range.offset += where->size - size;
    vz_buffer text = {.limit = size};
    bool ok = vz_chunk_get(array, key, range, &text, found, err);
    if (ok && *found)
        ok = vz_shard_index_decode(shard, (vz_bytes){text.data, text.size}, where->size, entries, count, err);
    vz_buffer_clear(&text);
    return ok;
}

/* The index of that name as it was read before, if the store still has what it was read from. Under the lock. */
static shard_index *known_index(vz_array *array, unsigned level, const char *key, const char *name)
{
    vz_shards *shards = array->shards;
    shard_index *known = vz_strmap_get(shards->indexes, name);
    if (!known || level > 0 || known->round == shards->round)
        return known;
    vz_stamp now = {0};
    if (!vz_store_stat(array->store, key, &now, NULL) || !vz_stamp_equal(&now, &known->stamp)) {
        forget_indexes(shards); /* those of inner shards, too */
        return NULL;
    }
    known->round = shards->round;
    return known;
}

/* Under the lock. What does not fit is not remembered. */
static void remember_index(vz_array *array, const char *name, shard_index *read)
{
    vz_shards *shards = array->shards;
    const uint64_t bytes = sizeof *read + read->count * sizeof *read->entries;
    if (shards->index_bytes + bytes > INDEX_BYTES_MAX)
        forget_indexes(shards);
    if (vz_strmap_get(shards->indexes, name) || !vz_strmap_put(shards->indexes, name, read, NULL)) {
        free(read);
        return;
    }
    shards->index_bytes += bytes;
}

/* One entry of the index of one shard. *found=false: there is no such shard. */
static bool find_entry(vz_array *array, unsigned level, const char *key, const char *name, const vz_shard_entry *where,
                       uint64_t place, vz_shard_entry *entry, bool *found, vz_error *err)
{
    vz_shards *shards = array->shards;
    uint64_t count;
    *found = true;
    pthread_mutex_lock(&shards->lock);
    shard_index *known = known_index(array, level, key, name);
    if (known)
        *entry = known->entries[place];
    const uint64_t round = shards->round;
    pthread_mutex_unlock(&shards->lock);
    if (known)
        return true;
    if (!vz_shard_count(array->meta, level, &count, err))
        return false;
    shard_index *read = malloc(sizeof *read + count * sizeof *read->entries);
    if (!read)
        return vz_fail_memory(err);
    *read = (shard_index){.round = round, .count = count};
    /* The stamp first: if the shard is replaced in between, the next look takes the index for old. */
    pthread_mutex_lock(&shards->lock);
    bool ok = level > 0 || vz_store_stat(array->store, key, &read->stamp, err);
    pthread_mutex_unlock(&shards->lock);
    ok = ok && read_index(array, level, key, where, count, read->entries, found, err);
    if (!ok || !*found) {
        free(read);
        return ok;
    }
    *entry = read->entries[place];
    pthread_mutex_lock(&shards->lock);
    remember_index(array, name, read);
    pthread_mutex_unlock(&shards->lock);
    return true;
}

/* Follows the indexes from the outermost shard to the chunk. */
static bool locate_stored(vz_array *array, const uint64_t *chunk, const uint64_t *shard, char *name,
                          vz_shard_part *part, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    vz_shard_entry where = VZ_SHARD_MISSING; /* the whole value */
    uint64_t base = 0;
    if (!vz_chunk_key(array->meta, array->prefix, shard, key, sizeof key, err))
        return false;
    for (unsigned level = 0; level < array->meta->shard_levels; level++) {
        const uint64_t place = vz_shard_place(array->meta, level, chunk);
        vz_shard_entry entry;
        bool found;
        if (!find_entry(array, level, key, name, &where, place, &entry, &found, err)) {
            vz_error_where(err, NULL, key);
            return false;
        }
        if (!found || entry.offset == UINT64_MAX)
            return true;
        const size_t length = strlen(name);
        snprintf(name + length, NAME_MAX_SIZE - length, "|%llu", (unsigned long long)place);
        if (!vz_add(base, entry.offset, &base))
            return vz_fail(err, VZ_CORRUPT, "a chunk beyond the end of its shard");
        where = (vz_shard_entry){base, entry.size};
    }
    part->found = true;
    part->offset = where.offset;
    part->size = where.size;
    return true;
}

/* ---- chunks that wait ---- */

uint64_t vz_pending_place(const vz_array_meta *meta, const uint64_t *chunk)
{
    uint64_t place = 0;
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t across = meta->shards[0].shape[d] / meta->chunks[d];
        place = place * across + chunk[d] % across;
    }
    return place;
}

void vz_pending_chunk(const vz_array_meta *meta, const uint64_t *shard, uint64_t place, uint64_t *chunk)
{
    for (unsigned d = meta->rank; d-- > 0;) {
        const uint64_t across = meta->shards[0].shape[d] / meta->chunks[d];
        chunk[d] = shard[d] * across + place % across;
        place /= across;
    }
}

uint64_t vz_pending_inside(const vz_array_meta *meta, const uint64_t *shard)
{
    uint64_t dims[VZ_MAX_RANK], count = 1;
    vz_grid_dims(meta, meta->shape, dims);
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t across = meta->shards[0].shape[d] / meta->chunks[d], first = shard[d] * across;
        const uint64_t left = first < dims[d] ? dims[d] - first : 0;
        count *= left < across ? left : across;
    }
    return count;
}

static bool name_of(const vz_array *array, const uint64_t *shard, char *name, vz_error *err)
{
    return vz_chunk_key(array->meta, "", shard, name, NAME_MAX_SIZE, err);
}

/* A waiting chunk's bytes are copied, as the shard may be written by then. Under the lock. */
static bool copy_waiting(const vz_waiting *chunk, vz_shard_part *part, unsigned worker, vz_error *err)
{
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_STORED);
    part->waiting = true;
    part->found = chunk->data != NULL;
    if (!part->found)
        return true;
    scratch->size = 0;
    if (!vz_buffer_append(scratch, chunk->data, chunk->size, err))
        return false;
    part->bytes = (vz_bytes){scratch->data, scratch->size};
    part->size = chunk->size;
    return true;
}

bool vz_shard_locate(vz_array *array, const uint64_t *chunk, vz_shard_part *part, unsigned worker, vz_error *err)
{
    uint64_t shard[VZ_MAX_RANK];
    char name[NAME_MAX_SIZE];
    vz_shards *shards = array->shards;
    *part = (vz_shard_part){0};
    vz_shard_of(array->meta, chunk, shard);
    if (!name_of(array, shard, name, err))
        return false;
    pthread_mutex_lock(&shards->lock);
    const vz_pending *pending = vz_strmap_get(shards->pending, name);
    const vz_waiting *waiting = pending ? &pending->chunks[vz_pending_place(array->meta, chunk)] : NULL;
    const bool touched = waiting && waiting->touched;
    const bool ok = !touched || copy_waiting(waiting, part, worker, err);
    pthread_mutex_unlock(&shards->lock);
    return ok && (touched || locate_stored(array, chunk, shard, name, part, err));
}

static vz_pending *new_pending(vz_array *array, const uint64_t *shard, const char *name, vz_error *err)
{
    const vz_array_meta *meta = array->meta;
    uint64_t count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(count, meta->shards[0].shape[d] / meta->chunks[d], &count) || count > VZ_SHARD_CHUNKS_MAX) {
            vz_fail(err, VZ_LIMIT, "a shard of more than %llu chunks", (unsigned long long)VZ_SHARD_CHUNKS_MAX);
            return NULL;
        }
    vz_pending *pending = calloc(1, sizeof *pending + count * sizeof *pending->chunks);
    if (!pending) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(pending->shard, shard, meta->rank * sizeof *shard);
    pending->count = count;
    if (vz_strmap_put(array->shards->pending, name, pending, err))
        return pending;
    free(pending);
    return NULL;
}

/* Under the lock; takes `data`. */
static bool set_waiting(vz_array *array, const uint64_t *chunk, uint8_t *data, size_t size, vz_error *err)
{
    vz_shards *shards = array->shards;
    uint64_t shard[VZ_MAX_RANK];
    char name[NAME_MAX_SIZE];
    vz_shard_of(array->meta, chunk, shard);
    vz_pending *pending = name_of(array, shard, name, err) ? vz_strmap_get(shards->pending, name) : NULL;
    if (!pending && !(pending = new_pending(array, shard, name, err))) {
        free(data);
        return false;
    }
    vz_waiting *waiting = &pending->chunks[vz_pending_place(array->meta, chunk)];
    pending->inside += !waiting->touched && vz_grid_inside(array->meta, chunk);
    pending->bytes += size - waiting->size;
    shards->pending_bytes += size - waiting->size + (waiting->touched ? 0 : sizeof *waiting);
    free(waiting->data);
    *waiting = (vz_waiting){.touched = true, .data = data, .size = size};
    return true;
}

bool vz_shard_store(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_error *err)
{
    uint8_t *data = bytes ? malloc(bytes->size ? bytes->size : 1) : NULL;
    if (bytes && !data)
        return vz_fail_memory(err);
    if (bytes && bytes->size)
        memcpy(data, bytes->data, bytes->size);
    pthread_mutex_lock(&array->shards->lock);
    const bool ok = set_waiting(array, chunk, data, bytes ? bytes->size : 0, err);
    pthread_mutex_unlock(&array->shards->lock);
    return ok;
}
