/* sharding_v3.c - one level of shards as v3 has it: the chunks in it, and the codecs and place of
 * its index. */
#include "metadata/metadata/v3_internal.h"
#include <stdlib.h>

bool vz_v3_is_bytes(const char *name)
{
    return strcmp(name, VZ_V3_BYTES) == 0 || strcmp(name, "endian") == 0;
}

/* ---- reading ---- */

/* The index is an array of integers, with an axis more for offset and size; transposes come before
 * what makes bytes of it. */
static bool add_index_codec(vz_meta_shard_level *level, unsigned rank, const vz_json *codec, bool *has_bytes,
                            vz_error *err)
{
    const char *name = vz_v3_name(codec);
    const vz_json *configuration = vz_v3_configuration(codec);
    if (!name)
        return vz_fail(err, VZ_CORRUPT, "codecs: a codec without a name");
    if (!*has_bytes && strcmp(name, VZ_V3_TRANSPOSE) == 0)
        return vz_v3_transpose_parse(configuration, level->index_axes, rank + 1, err);
    if (vz_v3_is_bytes(name) != !*has_bytes)
        return vz_fail(err, VZ_UNSUPPORTED, "codecs: \"%.100s\" at that place of \"index_codecs\"", name);
    if (!*has_bytes) {
        *has_bytes = true;
        level->index_big_endian = vz_json_is(vz_json_get(configuration, "endian"), "big");
        return true;
    }
    return vz_v3_codec_parse(&level->index_codecs, name, configuration, err);
}

static bool parse_index_codecs(vz_meta_shard_level *level, unsigned rank, const vz_json *list, vz_error *err)
{
    bool has_bytes = false;
    for (unsigned i = 0; i <= rank; i++)
        level->index_axes[i] = (uint8_t)i;
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!add_index_codec(level, rank, vz_json_at(list, i), &has_bytes, err))
            return false;
    return has_bytes || vz_fail(err, VZ_CORRUPT, "codecs: \"index_codecs\" without \"bytes\"");
}

/* The shape of the chunks is said in the order of dimensions that transposes before the shards have
 * made. */
static bool parse_inner_shape(vz_meta *meta, vz_meta_shard_level *level, const vz_json *list, vz_error *err)
{
    uint64_t sizes[VZ_MAX_RANK];
    if (!vz_v3_sizes(list, "chunk_shape", meta->rank, 1, sizes, err))
        return false;
    memcpy(level->shape, meta->chunks, sizeof level->shape);
    for (unsigned i = 0; i < meta->rank; i++) {
        const unsigned d = level->axes[i] = meta->axes[i];
        meta->chunks[d] = sizes[i];
        if (level->shape[d] % sizes[i] != 0)
            return vz_fail(err, VZ_CORRUPT, "codecs: a shard is no whole number of chunks along dimension %u", d);
    }
    return true;
}

/* Shards of different shapes: each is a whole number of chunks, so that the chunks have one
 * shape. */
static bool take_edges(vz_meta *meta, vz_error *err)
{
    meta->shard_edges = meta->edges;
    meta->edges = NULL;
    for (unsigned d = 0; d < meta->rank; d++)
        for (size_t i = 0; i < meta->shard_edges[d].count; i++)
            if (meta->shard_edges[d].runs[i].edge % meta->chunks[d] != 0)
                return vz_fail(err, VZ_CORRUPT, "codecs: a shard is no whole number of chunks along dimension %u", d);
    return true;
}

bool vz_v3_shards_parse(vz_meta *meta, const vz_json *configuration, vz_error *err)
{
    const vz_json *location = vz_json_get(configuration, "index_location");
    vz_meta_shard_level *shards = realloc(meta->shards, (meta->shard_levels + 1) * sizeof *shards);
    if (!shards)
        return vz_fail_memory(err);
    meta->shards = shards;
    vz_meta_shard_level *level = &shards[meta->shard_levels++];
    *level = (vz_meta_shard_level){.index_first = vz_json_is(location, "start")};
    if (location && !level->index_first && !vz_json_is(location, "end"))
        return vz_fail(err, VZ_CORRUPT, "codecs: \"index_location\" is neither \"start\" nor \"end\"");
    return parse_index_codecs(level, meta->rank, vz_json_get(configuration, "index_codecs"), err) &&
           parse_inner_shape(meta, level, vz_json_get(configuration, "chunk_shape"), err) &&
           (!meta->edges || take_edges(meta, err));
}

/* ---- printing ---- */

static bool append_index_codecs(const vz_meta_shard_level *level, unsigned rank, const vz_dtype *dtype, vz_json *list,
                                vz_error *err)
{
    uint8_t plain[VZ_MAX_RANK + 1];
    for (unsigned i = 0; i <= rank; i++)
        plain[i] = (uint8_t)i;
    if (!vz_v3_transpose_append(list, plain, level->index_axes, rank + 1, err))
        return false;
    vz_json *endian = vz_v3_object_of("endian", vz_json_text(level->index_big_endian ? "big" : "little", err), err);
    bool ok = endian && vz_json_append(list, vz_v3_extension(VZ_V3_BYTES, endian, true, err), err);
    for (size_t i = 0; ok && i < level->index_codecs.count; i++)
        ok = vz_json_append(list, vz_v3_codec_print(&level->index_codecs.specs[i], dtype, err), err);
    return ok;
}

static vz_json *print_index_codecs(const vz_meta_shard_level *level, unsigned rank, const vz_dtype *dtype,
                                   vz_error *err)
{
    vz_json *list = vz_json_array(err);
    if (list && append_index_codecs(level, rank, dtype, list, err))
        return list;
    vz_json_free(list);
    return NULL;
}

/* In the order of dimensions of that level. */
static vz_json *print_inner_shape(const vz_meta *meta, unsigned level, vz_error *err)
{
    const uint64_t *inner = level + 1 < meta->shard_levels ? meta->shards[level + 1].shape : meta->chunks;
    uint64_t sizes[VZ_MAX_RANK];
    for (unsigned i = 0; i < meta->rank; i++)
        sizes[i] = inner[meta->shards[level].axes[i]];
    return vz_meta_print_sizes(sizes, meta->rank, err);
}

vz_json *vz_v3_shards_print(const vz_meta *meta, unsigned level, vz_json *codecs, vz_error *err)
{
    const vz_meta_shard_level *shard = &meta->shards[level];
    vz_json *configuration = vz_v3_object_of("chunk_shape", print_inner_shape(meta, level, err), err);
    if (!configuration) {
        vz_json_free(codecs);
        return NULL;
    }
    if (vz_json_set(configuration, "codecs", codecs, err) &&
        vz_json_set(configuration, "index_codecs", print_index_codecs(shard, meta->rank, meta->dtype, err), err) &&
        vz_json_set_text(configuration, "index_location", shard->index_first ? "start" : "end", err))
        return vz_v3_extension(VZ_V3_SHARDS, configuration, true, err);
    vz_json_free(configuration);
    return NULL;
}
