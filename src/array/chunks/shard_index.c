/* shard_index.c - the index of a shard: offset and size of each chunk, eight bytes each, through
 * codecs of its own. */
#include "array/selection/selection.h"
#include "array/chunks/shard_state_internal.h"
#include <stdlib.h>

#define ENTRY_SIZE 16
_Static_assert(sizeof(vz_shard_entry) == ENTRY_SIZE, "an index is decoded where its entries will be");

/* ---- places ---- */

static const uint64_t *shape_within(const vz_meta *meta, unsigned level)
{
    return level + 1 < meta->shard_levels ? meta->shards[level + 1].shape : meta->chunks;
}

static bool count_of(const vz_meta *meta, unsigned level, uint64_t *count, vz_error *err)
{
    const uint64_t *outer = meta->shards[level].shape, *inner = shape_within(meta, level);
    *count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(*count, outer[d] / inner[d], count) || *count > VZ_SHARD_CHUNKS_MAX)
            return vz_fail(err, VZ_LIMIT, "a shard of more than %llu chunks", (unsigned long long)VZ_SHARD_CHUNKS_MAX);
    return true;
}

/* Along dimension d the shard of that level in which a chunk lies: its first chunk, and its length
 * in chunks. */
typedef struct across {
    uint64_t first, count;
} across;

static across across_of(const vz_meta *meta, unsigned level, unsigned d, uint64_t chunk)
{
    if (level == 0 && meta->shard_edges) {
        const uint64_t shard = vz_grid_shard_at(meta, d, chunk * meta->chunks[d]);
        return (across){vz_grid_shard_start(meta, d, shard) / meta->chunks[d],
                        vz_grid_shard_edge(meta, d, shard) / meta->chunks[d]};
    }
    const uint64_t count = meta->shards[level].shape[d] / meta->chunks[d];
    return (across){chunk - chunk % count, count};
}

uint64_t vz_shard_place(const vz_meta *meta, unsigned level, const uint64_t *chunk)
{
    const uint64_t *inner = shape_within(meta, level);
    uint64_t place = 0;
    for (unsigned i = 0; i < meta->rank; i++) {
        const unsigned d = meta->shards[level].axes[i];
        const uint64_t within = inner[d] / meta->chunks[d]; /* chunks in an entry */
        const across a = across_of(meta, level, d, chunk[d]);
        place = place * (a.count / within) + (chunk[d] - a.first) / within;
    }
    return place;
}

void vz_shard_corner(const vz_meta *meta, unsigned level, const uint64_t *corner, uint64_t place, uint64_t *chunk)
{
    const uint64_t *inner = shape_within(meta, level);
    for (unsigned i = meta->rank; i-- > 0;) {
        const unsigned d = meta->shards[level].axes[i];
        const uint64_t within = inner[d] / meta->chunks[d];
        const uint64_t entries = across_of(meta, level, d, corner[d]).count / within;
        chunk[d] = corner[d] + place % entries * within;
        place /= entries;
    }
}

void vz_shard_of(const vz_meta *meta, const uint64_t *chunk, uint64_t *shard)
{
    for (unsigned d = 0; d < meta->rank; d++)
        shard[d] = meta->shard_edges ? vz_grid_shard_at(meta, d, chunk[d] * meta->chunks[d])
                                     : chunk[d] / (meta->shards[0].shape[d] / meta->chunks[d]);
}

/* ---- codecs ---- */

/* Bytes that all chunks of a shard may take in their stored form, with its indexes. */
static size_t most_bytes(const vz_meta *meta, unsigned level)
{
    enum { SLACK = 1 << 20, CHUNK_SLACK = 1 << 10 };
    uint64_t size = meta->dtype->size, chunks = 1;
    if (meta->dtype->kind == VZ_DTYPE_OBJECT)
        return VZ_CHAIN_PAYLOAD_MAX;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(size, meta->shards[level].shape[d], &size) ||
            !vz_mul(chunks, meta->shards[level].shape[d] / meta->chunks[d], &chunks))
            return VZ_CHAIN_PAYLOAD_MAX;
    if (size > VZ_CHAIN_PAYLOAD_MAX || chunks > VZ_CHAIN_PAYLOAD_MAX)
        return VZ_CHAIN_PAYLOAD_MAX;
    size = 2 * size + chunks * CHUNK_SLACK + SLACK;
    return size < VZ_CHAIN_PAYLOAD_MAX ? (size_t)size : VZ_CHAIN_PAYLOAD_MAX;
}

/* Where the numbers of a transposed index are, of a shard of `shape`. */
static void set_strides(vz_shard_codecs *codecs, const vz_meta *meta, unsigned level, const uint64_t *shape)
{
    const vz_meta_shard_level *shard = &meta->shards[level];
    const uint64_t *inner = shape_within(meta, level);
    uint64_t stride = 1;
    codecs->rank = meta->rank;
    for (unsigned i = 0; i < meta->rank; i++)
        codecs->across[i] = shape[shard->axes[i]] / inner[shard->axes[i]];
    for (unsigned i = meta->rank + 1; i-- > 0;) {
        const unsigned axis = shard->index_axes[i];
        codecs->strides[axis] = stride;
        stride *= axis < meta->rank ? codecs->across[axis] : 2;
        codecs->index_transposed = codecs->index_transposed || axis != i;
    }
}

bool vz_shard_codecs_open(vz_shard_codecs *codecs, const vz_meta *meta, unsigned level, vz_error *err)
{
    const vz_meta_shard_level *shard = &meta->shards[level];
    *codecs = (vz_shard_codecs){.index_first = shard->index_first, .index_big_endian = shard->index_big_endian};
    if (!count_of(meta, level, &codecs->count, err))
        return false;
    set_strides(codecs, meta, level, shard->shape);
    const vz_chain_chunk chunk = {.element_size = 1, .element_count = (size_t)codecs->count * ENTRY_SIZE};
    if (!vz_chain_open(&codecs->index, &shard->index_codecs, &chunk, err) ||
        !vz_chain_open_bytes(&codecs->behind, &shard->behind, most_bytes(meta, level), err))
        return false;
    return vz_chain_encoded_size(&codecs->index, &codecs->index_size) ||
           vz_fail(err, VZ_UNSUPPORTED, "\"index_codecs\" that leave the size of an index open");
}

void vz_shard_codecs_clear(vz_shard_codecs *codecs)
{
    vz_chain_clear(&codecs->index);
    vz_chain_clear(&codecs->behind);
}

/* ---- shards of different shapes ---- */

/* The codecs of the longest shard, for a shard of another length. */
static bool fit(vz_shard_fitted *fitted, const vz_meta *meta, const uint64_t *chunk, vz_error *err)
{
    vz_shard_codecs *codecs = &fitted->codecs;
    const uint64_t *inner = shape_within(meta, 0);
    const vz_chain index = codecs->index;
    uint64_t shape[VZ_MAX_RANK];
    codecs->count = 1;
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t shard = vz_grid_shard_at(meta, d, chunk[d] * meta->chunks[d]);
        shape[d] = vz_grid_shard_edge(meta, d, shard);
        if (!vz_mul(codecs->count, shape[d] / inner[d], &codecs->count) || codecs->count > VZ_SHARD_CHUNKS_MAX)
            return vz_fail(err, VZ_LIMIT, "a shard of more than %llu chunks", (unsigned long long)VZ_SHARD_CHUNKS_MAX);
    }
    set_strides(codecs, meta, 0, shape);
    const vz_chain_chunk table = {.element_size = 1, .element_count = (size_t)codecs->count * ENTRY_SIZE};
    return vz_chain_for(&index, &table, fitted->room, &codecs->index, err) &&
           (vz_chain_encoded_size(&codecs->index, &codecs->index_size) ||
            vz_fail(err, VZ_UNSUPPORTED, "\"index_codecs\" that leave the size of an index open"));
}

const vz_shard_codecs *vz_shard_codecs_at(const vz_array *array, unsigned level, const uint64_t *chunk,
                                          vz_shard_fitted *fitted, vz_error *err)
{
    const vz_shard_codecs *codecs = &array->shards->levels[level];
    if (level > 0 || !array->meta->shard_edges)
        return codecs;
    fitted->codecs = *codecs;
    return fit(fitted, array->meta, chunk, err) ? &fitted->codecs : NULL;
}

/* ---- the index ---- */

static bool is_missing(const vz_shard_entry *entry)
{
    return entry->offset == UINT64_MAX && entry->size == UINT64_MAX;
}

/* Offset (0) or size (1) of an entry in the table of numbers. */
static uint8_t *number_of(const vz_shard_codecs *codecs, uint8_t *table, uint64_t entry, unsigned which)
{
    if (!codecs->index_transposed)
        return table + entry * ENTRY_SIZE + which * sizeof(uint64_t);
    uint64_t place = which * codecs->strides[codecs->rank];
    for (unsigned i = codecs->rank; i-- > 0;) {
        place += entry % codecs->across[i] * codecs->strides[i];
        entry /= codecs->across[i];
    }
    return table + place * sizeof(uint64_t);
}

/* The table may be where the entries will be, unless it is transposed. */
static bool parse_entries(const vz_shard_codecs *codecs, uint8_t *table, uint64_t size, vz_shard_entry *entries,
                          vz_error *err)
{
    const bool big = codecs->index_big_endian;
    for (uint64_t i = 0; i < codecs->count; i++) {
        uint64_t end;
        entries[i] = (vz_shard_entry){vz_scalar_load(number_of(codecs, table, i, 0), 8, big),
                                      vz_scalar_load(number_of(codecs, table, i, 1), 8, big)};
        if (!is_missing(&entries[i]) && (!vz_add(entries[i].offset, entries[i].size, &end) || end > size))
            return vz_fail(err, VZ_CORRUPT, "chunk %llu of a shard lies beyond the shard's end", (unsigned long long)i);
    }
    return true;
}

bool vz_shard_index_decode(const vz_shard_codecs *codecs, vz_bytes index, uint64_t size, vz_shard_entry *entries,
                           unsigned worker, vz_error *err)
{
    const size_t table_size = codecs->index.chunk_size;
    if (index.size != codecs->index_size)
        return vz_fail(err, VZ_CORRUPT, "the index of a shard has %zu bytes", index.size);
    uint8_t *table = codecs->index_transposed ? malloc(table_size) : (uint8_t *)entries;
    const bool ok = table ? vz_chain_decode(&codecs->index, index, table, table_size, worker, err) &&
                                parse_entries(codecs, table, size, entries, err)
                          : vz_fail_memory(err);
    if (codecs->index_transposed)
        free(table);
    return ok;
}

bool vz_shard_index_encode(const vz_shard_codecs *codecs, const vz_shard_entry *entries, vz_buffer *out,
                           unsigned worker, vz_error *err)
{
    const size_t table_size = codecs->index.chunk_size;
    uint8_t *table = malloc(table_size);
    if (!table)
        return vz_fail_memory(err);
    for (uint64_t i = 0; i < codecs->count; i++) {
        vz_scalar_store(entries[i].offset, 8, codecs->index_big_endian, number_of(codecs, table, i, 0));
        vz_scalar_store(entries[i].size, 8, codecs->index_big_endian, number_of(codecs, table, i, 1));
    }
    const bool ok = vz_chain_encode(&codecs->index, table, table_size, out, worker, err);
    free(table);
    return ok && (out->size == codecs->index_size ||
                  vz_fail(err, VZ_CORRUPT, "the index of a shard has %zu bytes", out->size));
}
