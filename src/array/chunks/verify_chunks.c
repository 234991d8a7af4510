/* verify_chunks.c - is what is stored of an array whole? Each value is read and decoded to its end,
 * by any worker; nothing is kept, and nothing of the array changes. */
#include "array/chunks/array_state_internal.h"
#include "array/chunks/array_state.h"
#include "array/chunks/shard_state_internal.h"
#include "array/selection/selection.h"
#include "base/os/thread.h"
#include <stdlib.h>

/* bytes of a chunk that is decoded in a worker's own memory */
#define SCRATCH_MAX ((size_t)64 << 20)

/* ---- keys ---- */

bool vz_chunk_parse_key(const vz_meta *meta, const char *key, uint64_t *at)
{
    char again[VZ_CHUNK_KEY_MAX];
    const char *p = key;
    for (unsigned d = 0; d < meta->rank; d++) {
        uint64_t value = 0;
        p += strcspn(p, "0123456789");
        if (!*p)
            return false;
        for (; *p >= '0' && *p <= '9'; p++)
            if (!vz_mul(value, 10, &value) || !vz_add(value, (uint64_t)(*p - '0'), &value))
                return false;
        at[d] = value;
    }
    return vz_meta_chunk_key(meta, "", at, again, sizeof again, NULL) && strcmp(key, again) == 0;
}

bool vz_chunk_has_key(const vz_meta *meta, const uint64_t *at)
{
    const uint64_t *size = meta->shard_levels ? meta->shards[0].shape : meta->chunks;
    if (meta->edges)
        return vz_grid_inside(meta, at);
    for (unsigned d = 0; meta->shard_edges && d < meta->rank; d++)
        if (vz_grid_shard_start(meta, d, at[d]) >= meta->shape[d])
            return false;
    if (meta->shard_edges)
        return true;
    for (unsigned d = 0; d < meta->rank; d++)
        if (meta->shape[d] == 0 || at[d] > (meta->shape[d] - 1) / size[d])
            return false;
    return true;
}

/* ---- one chunk ---- */

typedef struct check {
    vz_array *array;
    const vz_array_judge *judge;
    const vz_store_value *value;
    const char *key;
    unsigned worker;
    unsigned part, parts;
    uint64_t met;  /* chunks */
    uint64_t read; /* bytes of the value */
} check;

static void tell(const check *c, const uint64_t *chunk, const vz_error *why)
{
    c->judge->wrong(c->judge->context, chunk, why);
}

static bool decode_items(const check *c, const uint64_t *chunk, vz_bytes stored, vz_error *err)
{
    const size_t count = (size_t)c->array->meta->chunk_count;
    vz_arena arena = {0};
    vz_item *items = calloc(count ? count : 1, sizeof *items);
    const bool ok =
        items ? vz_chunk_decode(c->array, chunk, stored, items, &arena, c->worker, err) : vz_fail_memory(err);
    if (ok && c->judge->items)
        c->judge->items(c->judge->context, items, count);
    free(items);
    vz_arena_clear(&arena);
    return ok;
}

static void show_elements(const check *c, const uint8_t *elements)
{
    if (c->judge->elements)
        c->judge->elements(c->judge->context, elements, (size_t)c->array->meta->chunk_count);
}

static bool decode_bytes(const check *c, const uint64_t *chunk, vz_bytes stored, vz_error *err)
{
    const size_t size = c->array->meta->chunk_size;
    if (c->array->raw) {
        if (stored.size != size)
            return vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, must have %zu", stored.size, size);
        show_elements(c, stored.data);
        return true;
    }
    uint8_t *own = size > SCRATCH_MAX ? malloc(size) : NULL;
    uint8_t *into = size > SCRATCH_MAX ? own : vz_chunk_scratch(c->array, c->worker, err);
    const bool ok = into ? vz_chunk_decode(c->array, chunk, stored, into, NULL, c->worker, err) : vz_fail_memory(err);
    if (ok)
        show_elements(c, into);
    free(own);
    return ok;
}

/* False: for want of memory. */
static bool check_chunk(const check *c, const uint64_t *chunk, vz_bytes stored, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    if (c->array->objects ? decode_items(c, chunk, stored, &why) : decode_bytes(c, chunk, stored, &why))
        return true;
    if (why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    tell(c, chunk, &why);
    return true;
}

/* ---- shards ---- */

/* Bytes of the value; what they are read into is the caller's to clear. */
static bool read_range(check *c, uint64_t offset, uint64_t size, vz_buffer *bytes, vz_error *err)
{
    const vz_range range = {.kind = VZ_RANGE_AT, .offset = offset, .size = size};
    bytes->limit = size ? (size_t)size : 1;
    c->read += size;
    return vz_store_read_value(c->array->store, c->key, c->value, &range, 1, bytes, err);
}

/* A stretch of the value, or of bytes in memory (a shard that codecs work on as a whole). */
typedef struct stretch {
    const uint8_t *memory; /* NULL: of the value */
    uint64_t offset, size;
} stretch;

static bool check_shard(check *c, unsigned level, const uint64_t *corner, const stretch *at, vz_error *err);

static bool get_stretch(check *c, const stretch *at, uint64_t offset, uint64_t size, vz_buffer *bytes, vz_bytes *got,
                        vz_error *err)
{
    if (at->memory) {
        *got = (vz_bytes){at->memory + offset, (size_t)size};
        return true;
    }
    if (!read_range(c, at->offset + offset, size, bytes, err))
        return false;
    *got = (vz_bytes){bytes->data, bytes->size};
    return true;
}

static bool check_entry(check *c, unsigned level, const uint64_t *chunk, const stretch *at, const vz_shard_entry *entry,
                        vz_error *err)
{
    if (level + 1 < c->array->meta->shard_levels) {
        const stretch inner = {at->memory ? at->memory + entry->offset : NULL, at->offset + entry->offset, entry->size};
        return check_shard(c, level + 1, chunk, &inner, err);
    }
    if (c->met++ % c->parts != c->part)
        return true;
    vz_error why = VZ_ERROR_NONE;
    vz_buffer bytes = {0};
    vz_bytes stored;
    bool ok = get_stretch(c, at, entry->offset, entry->size, &bytes, &stored, &why);
    if (ok) {
        ok = check_chunk(c, chunk, stored, err);
    } else if (why.class != VZ_NO_MEMORY) {
        tell(c, chunk, &why);
        ok = true;
    } else {
        vz_fail_memory(err);
    }
    vz_buffer_clear(&bytes);
    return ok;
}

/* The source of the shard's index, or of the whole shard. */
static vz_shard_known *read_index(check *c, unsigned level, const uint64_t *corner, const stretch *at, vz_error *err)
{
    vz_shard_fitted fitted;
    const vz_shard_codecs *codecs = vz_shard_codecs_at(c->array, level, corner, &fitted, err);
    if (!codecs)
        return NULL;
    const bool whole = codecs->behind.count > 0;
    const uint64_t size = whole || at->size < codecs->index_size ? at->size : codecs->index_size;
    const uint64_t offset = whole || codecs->index_first ? 0 : at->size - size;
    vz_buffer bytes = {0};
    vz_bytes index;
    vz_shard_known *known = get_stretch(c, at, offset, size, &bytes, &index, err)
                                ? vz_shard_known_read(codecs, index, at->size, c->worker, err)
                                : NULL;
    vz_buffer_clear(&bytes);
    return known;
}

static bool is_missing(const vz_shard_entry *entry)
{
    return entry->offset == UINT64_MAX && entry->size == UINT64_MAX;
}

static bool check_shard(check *c, unsigned level, const uint64_t *corner, const stretch *at, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    uint64_t chunk[VZ_MAX_RANK];
    vz_shard_known *known = read_index(c, level, corner, at, &why);
    if (!known && why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    if (!known) {
        if (c->part == 0)
            tell(c, corner, &why);
        return true;
    }
    const stretch inner = {known->whole ? known->bytes.data : at->memory, at->offset,
                           known->whole ? known->bytes.size : at->size};
    bool ok = true;
    for (uint64_t i = 0; ok && i < known->count; i++) {
        if (is_missing(&known->entries[i]))
            continue;
        vz_shard_corner(c->array->meta, level, corner, i, chunk);
        ok = check_entry(c, level, chunk, &inner, &known->entries[i], err);
    }
    vz_shard_known_free(known);
    return ok;
}

/* The first chunk of a shard; false: its number is none that a chunk can have. */
static bool first_chunk(const vz_meta *meta, const uint64_t *shard, uint64_t *chunk)
{
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t start = vz_grid_shard_start(meta, d, shard[d]);
        if (start == UINT64_MAX || (meta->shard_edges && start >= meta->shape[d]))
            return false;
        chunk[d] = start / meta->chunks[d];
    }
    return true;
}

/* ---- one value ---- */

static bool check_open(check *c, const uint64_t *at, vz_error *err)
{
    const stretch all = {.size = c->value->stamp.size};
    const uint64_t most = vz_chunk_stored_max(c->array);
    vz_error why = VZ_ERROR_NONE;
    vz_buffer bytes = {0};
    uint64_t corner[VZ_MAX_RANK];
    if (c->array->shards)
        return !first_chunk(c->array->meta, at, corner) || check_shard(c, 0, corner, &all, err);
    if (c->part != 0)
        return true;
    if (most && all.size > most)
        vz_fail(&why, VZ_CORRUPT, "the chunk has %llu bytes", (unsigned long long)all.size);
    bool ok = true;
    if (why.class == VZ_OK && read_range(c, 0, all.size, &bytes, &why))
        ok = check_chunk(c, at, (vz_bytes){bytes.data, bytes.size}, err);
    else if (why.class == VZ_NO_MEMORY)
        ok = vz_fail_memory(err);
    else
        tell(c, at, &why);
    vz_buffer_clear(&bytes);
    return ok;
}

bool vz_chunk_check_value(vz_array *array, const uint64_t *at, unsigned part, unsigned parts, unsigned worker,
                          const vz_array_judge *judge, uint64_t *read, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    vz_store_value value;
    vz_error why = VZ_ERROR_NONE;
    bool found;
    *read = 0;
    if (!vz_chunk_key_of(array, at, key, &why) ||
        !vz_store_open_value(array->store, key, VZ_VALUE_READ, &value, &found, &why)) {
        if (why.class == VZ_NO_MEMORY)
            return vz_fail_memory(err);
        if (part == 0)
            judge->wrong(judge->context, at, &why);
        return true;
    }
    if (!found) /* it was deleted meanwhile */
        return true;
    check c = {.array = array,
               .judge = judge,
               .value = &value,
               .key = key,
               .worker = worker,
               .part = part,
               .parts = parts ? parts : 1};
    const bool ok = check_open(&c, at, err);
    *read = c.read;
    vz_store_close_value(array->store, &value);
    return ok;
}
