/* defaults_v3.c - what a new array is in format 3 that was asked for as HDF5 has it. */
#include "metadata/metadata/format_internal.h"
#include <stdlib.h>

/* HDF5's deflate is numcodecs' zlib; of v3's codecs that all readers have, gzip is the one with the
 * same compression. */
const char *vz_meta_codec_id_v3(const char *id)
{
    return strcmp(id, "zlib") == 0 ? "gzip" : id;
}

/* One level, indexed in C order, with a checksum behind the index. */
static bool add_level(vz_meta *meta, vz_error *err)
{
    if (!(meta->shards = calloc(1, sizeof *meta->shards)))
        return vz_fail_memory(err);
    meta->shard_levels = 1;
    for (unsigned d = 0; d <= meta->rank; d++)
        meta->shards[0].index_axes[d] = (uint8_t)d;
    memcpy(meta->shards[0].axes, meta->shards[0].index_axes, meta->rank);
    return vz_codecs_append(&meta->shards[0].index_codecs, "crc32c", NULL, err);
}

/* Whole trailing dimensions first, as chunks of contiguous data are chosen. A dimension without
 * extent may grow. */
static bool set_shards(vz_meta *meta, uint64_t shard_size, vz_error *err)
{
    const uint64_t chunk_size = meta->chunk_count * (meta->dtype->kind == VZ_DTYPE_OBJECT ? 1 : meta->dtype->size);
    uint64_t room = shard_size / (chunk_size ? chunk_size : 1);
    if (room < 2 || meta->rank == 0)
        return true;
    if (!add_level(meta, err))
        return false;
    for (unsigned d = meta->rank; d-- > 0;) {
        const uint64_t all = meta->shape[d] / meta->chunks[d] + (meta->shape[d] % meta->chunks[d] != 0);
        const uint64_t count = all == 0 || all > room ? (room ? room : 1) : all;
        if (!vz_mul(count, meta->chunks[d], &meta->shards[0].shape[d]))
            return vz_fail(err, VZ_LIMIT, "a shard of more than 2^64 elements along dimension %u", d);
        room /= count;
    }
    return true;
}

bool vz_meta_adapt_v3(vz_meta *meta, uint64_t shard_size, vz_error *err)
{
    meta->key_c = true;
    meta->separator = '/';
    meta->fill_defined = true; /* there is no undefined one */
    for (size_t i = 0; i < meta->codecs.count; i++) {
        vz_codecs_spec *spec = &meta->codecs.specs[i];
        if (!vz_codecs_spec_rename(spec, vz_meta_codec_id_v3(spec->id), err))
            return false;
    }
    if (meta->dtype->kind == VZ_DTYPE_STRUCT) /* zarr-python 3.1 cannot read structs in shards */
        shard_size = 0;
    return set_shards(meta, shard_size, err);
}
