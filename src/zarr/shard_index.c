/* shard_index.c - the index of a shard: offset and size of each chunk, eight bytes each, and a checksum. */
#include "codec/checksum.h"
#include "zarr/scalar.h"
#include "zarr/shard.h"

#define ENTRY_SIZE 16

static const uint64_t *shape_within(const vz_array_meta *meta, unsigned level)
{
    return level + 1 < meta->shard_levels ? meta->shards[level + 1].shape : meta->chunks;
}

bool vz_shard_count(const vz_array_meta *meta, unsigned level, uint64_t *count, vz_error *err)
{
    const uint64_t *outer = meta->shards[level].shape, *inner = shape_within(meta, level);
    *count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(*count, outer[d] / inner[d], count) || *count > VZ_SHARD_CHUNKS_MAX)
            return vz_fail(err, VZ_LIMIT, "a shard of more than %llu chunks", (unsigned long long)VZ_SHARD_CHUNKS_MAX);
    return true;
}

uint64_t vz_shard_place(const vz_array_meta *meta, unsigned level, const uint64_t *chunk)
{
    const uint64_t *outer = meta->shards[level].shape, *inner = shape_within(meta, level);
    uint64_t place = 0;
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t within = chunk[d] % (outer[d] / meta->chunks[d]); /* in chunks, from the shard's start */
        place = place * (outer[d] / inner[d]) + within / (inner[d] / meta->chunks[d]);
    }
    return place;
}

void vz_shard_of(const vz_array_meta *meta, const uint64_t *chunk, uint64_t *shard)
{
    for (unsigned d = 0; d < meta->rank; d++)
        shard[d] = chunk[d] / (meta->shards[0].shape[d] / meta->chunks[d]);
}

size_t vz_shard_index_size(const vz_shard_level *level, uint64_t count)
{
    return (size_t)count * ENTRY_SIZE + (level->index_checksum ? VZ_CHECKSUM_SIZE : 0);
}

static bool is_missing(const vz_shard_entry *entry)
{
    return entry->offset == UINT64_MAX && entry->size == UINT64_MAX;
}

bool vz_shard_index_decode(const vz_shard_level *level, vz_bytes index, uint64_t size, vz_shard_entry *entries,
                           uint64_t count, vz_error *err)
{
    if (index.size != vz_shard_index_size(level, count))
        return vz_fail(err, VZ_CORRUPT, "the index of a shard has %zu bytes", index.size);
    const vz_bytes table = {index.data, (size_t)count * ENTRY_SIZE};
    if (level->index_checksum && vz_load_le32(index.data + table.size) != vz_crc32c(table))
        return vz_fail(err, VZ_CORRUPT, "the checksum of a shard's index is wrong");
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = index.data + i * ENTRY_SIZE;
        uint64_t end;
        entries[i] = (vz_shard_entry){vz_scalar_load(at, 8, level->index_big_endian),
                                      vz_scalar_load(at + 8, 8, level->index_big_endian)};
        if (!is_missing(&entries[i]) && (!vz_add(entries[i].offset, entries[i].size, &end) || end > size))
            return vz_fail(err, VZ_CORRUPT, "chunk %llu of a shard lies beyond the shard's end", (unsigned long long)i);
    }
    return true;
}

void vz_shard_index_encode(const vz_shard_level *level, const vz_shard_entry *entries, uint64_t count, uint8_t *index)
{
    for (uint64_t i = 0; i < count; i++) {
        vz_scalar_store(entries[i].offset, 8, level->index_big_endian, index + i * ENTRY_SIZE);
        vz_scalar_store(entries[i].size, 8, level->index_big_endian, index + i * ENTRY_SIZE + 8);
    }
    const vz_bytes table = {index, (size_t)count * ENTRY_SIZE};
    if (level->index_checksum)
        vz_store_le32(index + table.size, vz_crc32c(table));
}
