/* codecs_v3_print.c - the model's order, filters, compressor and shards as a list of v3's codecs. */
#include "metadata/codecs_v3.h"
#include <stdio.h>
#include <stdlib.h>

/* {key: take} */
static vz_json *object_of(const char *key, vz_json *take, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    if (object && vz_json_set(object, key, take, err))
        return object;
    if (!object)
        vz_json_free(take);
    vz_json_free(object);
    return NULL;
}

/* The order of dimensions at a level of shards; beyond the last one, in a chunk. */
static void axes_at(const vz_array_meta *meta, unsigned level, uint8_t *axes)
{
    for (unsigned i = 0; i < meta->rank; i++)
        axes[i] = level < meta->shard_levels ? meta->shards[level].axes[i] : (uint8_t)vz_meta_axis(meta, i);
}

/* What leads from the level above to that order; nothing where it is the same. */
static bool append_transpose(const vz_array_meta *meta, unsigned level, vz_json *list, vz_error *err)
{
    uint8_t above[VZ_MAX_RANK], axes[VZ_MAX_RANK];
    uint64_t order[VZ_MAX_RANK];
    for (unsigned i = 0; i < meta->rank; i++)
        above[i] = (uint8_t)i;
    if (level > 0)
        axes_at(meta, level - 1, above);
    axes_at(meta, level, axes);
    if (memcmp(above, axes, meta->rank) == 0)
        return true;
    for (unsigned i = 0; i < meta->rank; i++)
        for (unsigned k = 0; k < meta->rank; k++)
            if (above[k] == axes[i])
                order[i] = k;
    vz_json *configuration = object_of("order", vz_meta_print_sizes(order, meta->rank, err), err);
    return vz_json_append(list, vz_v3_extension("transpose", configuration, true, err), err);
}

static vz_json *print_bytes(const vz_dtype *dtype, vz_error *err)
{
    bool big, ordered;
    if (!vz_dtype_byte_order(dtype, &big, &ordered)) {
        vz_fail(err, VZ_UNSUPPORTED, "a structure of both byte orders, which Zarr v3 does not have");
        return NULL;
    }
    vz_json *endian = ordered ? object_of("endian", vz_json_text(big ? "big" : "little", err), err) : NULL;
    return ordered && !endian ? NULL : vz_v3_extension("bytes", endian, false, err);
}

/* The codec without its "id". */
static vz_json *configuration_of(const vz_json *codec, vz_error *err)
{
    vz_json *configuration = vz_json_copy(codec, err);
    if (configuration)
        vz_json_remove(configuration, "id");
    return configuration;
}

static vz_json *print_blosc(const vz_json *codec, const vz_dtype *dtype, vz_error *err)
{
    static const char *const words[] = {"noshuffle", "shuffle", "bitshuffle"};
    const char *cname = vz_json_get_string(vz_json_get(codec, "cname"), NULL);
    int64_t level = 5, shuffle = 1, blocksize = 0;
    vz_json_get_int64(vz_json_get(codec, "clevel"), &level);
    vz_json_get_int64(vz_json_get(codec, "blocksize"), &blocksize);
    if (!vz_json_get_int64(vz_json_get(codec, "shuffle"), &shuffle) || shuffle < 0 || shuffle > 2)
        shuffle = dtype->size == 1 ? 2 : 1;
    const uint64_t size = dtype->kind == VZ_DTYPE_OBJECT || dtype->size > 255 ? 1 : dtype->size;
    vz_json *configuration = vz_json_object(err);
    if (configuration && vz_json_set(configuration, "typesize", vz_json_uint64(size ? size : 1, err), err) &&
        vz_json_set(configuration, "cname", vz_json_text(cname ? cname : "lz4", err), err) &&
        vz_json_set(configuration, "clevel", vz_json_int64(level, err), err) &&
        vz_json_set(configuration, "shuffle", vz_json_text(words[shuffle], err), err) &&
        vz_json_set(configuration, "blocksize", vz_json_int64(blocksize, err), err))
        return configuration;
    vz_json_free(configuration);
    return NULL;
}

static vz_json *print_zstd(const vz_json *codec, const vz_dtype *dtype, vz_error *err)
{
    (void)dtype;
    int64_t level = 0;
    bool checksum = false;
    vz_json_get_int64(vz_json_get(codec, "level"), &level);
    vz_json_get_bool(vz_json_get(codec, "checksum"), &checksum);
    vz_json *configuration = object_of("level", vz_json_int64(level, err), err);
    if (configuration && vz_json_set(configuration, "checksum", vz_json_bool(checksum, err), err))
        return configuration;
    vz_json_free(configuration);
    return NULL;
}

static vz_json *print_gzip(const vz_json *codec, const vz_dtype *dtype, vz_error *err)
{
    int64_t level = 5;
    (void)dtype;
    vz_json_get_int64(vz_json_get(codec, "level"), &level);
    return object_of("level", vz_json_int64(level, err), err);
}

/* Codecs that v3 has a name for; the others are numcodecs'. */
static const struct {
    const char *id;
    vz_json *(*configuration)(const vz_json *codec, const vz_dtype *dtype, vz_error *err); /* NULL: none */
} core[] = {
    {"blosc", print_blosc},
    {"zstd", print_zstd},
    {"gzip", print_gzip},
    {"crc32c", NULL},
};

static vz_json *print_codec(const vz_json *codec, const vz_dtype *dtype, vz_error *err)
{
    const char *id = vz_json_get_string(vz_json_get(codec, "id"), NULL);
    char name[80];
    for (size_t i = 0; id && i < sizeof core / sizeof *core; i++) {
        if (strcmp(core[i].id, id) != 0)
            continue;
        vz_json *configuration = core[i].configuration ? core[i].configuration(codec, dtype, err) : NULL;
        return core[i].configuration && !configuration ? NULL : vz_v3_extension(id, configuration, false, err);
    }
    snprintf(name, sizeof name, "numcodecs.%.60s", id ? id : "");
    return vz_v3_extension(name, configuration_of(codec, err), true, err);
}

static bool append_codecs(const vz_json *codecs, size_t first, const vz_dtype *dtype, vz_json *list, vz_error *err)
{
    for (size_t i = first; i < vz_json_length(codecs); i++)
        if (!vz_json_append(list, print_codec(vz_json_at(codecs, i), dtype, err), err))
            return false;
    return true;
}

/* Filters of numbers, and "bytes" behind them. *done: how many of the filters. */
static bool append_filters(const vz_array_meta *meta, vz_json *list, size_t *done, vz_error *err)
{
    const char *id = vz_json_get_string(vz_json_get(vz_json_at(meta->filters, 0), "id"), NULL);
    for (*done = 0; id && vz_v3_is_filter(id); ++*done) {
        if (!vz_json_append(list, print_codec(vz_json_at(meta->filters, *done), meta->dtype, err), err))
            return false;
        id = vz_json_get_string(vz_json_get(vz_json_at(meta->filters, *done + 1), "id"), NULL);
    }
    if (*done == 0 || !id || strcmp(id, VZ_V3_BYTES) != 0)
        return vz_json_append(list, print_bytes(meta->dtype, err), err);
    vz_json *configuration = configuration_of(vz_json_at(meta->filters, *done), err);
    ++*done;
    return configuration && vz_json_append(list, vz_v3_extension(VZ_V3_BYTES, configuration, false, err), err);
}

/* An object codec makes the bytes, otherwise "bytes" does. */
static bool print_chain(const vz_array_meta *meta, vz_json *list, vz_error *err)
{
    const bool objects = meta->dtype->kind == VZ_DTYPE_OBJECT;
    const char *object = vz_json_get_string(vz_json_get(vz_json_at(meta->filters, 0), "id"), NULL);
    size_t done = 1;
    if (!append_transpose(meta, meta->shard_levels, list, err))
        return false;
    if (objects && !object)
        return vz_fail(err, VZ_INVALID, "an array of objects without an object codec");
    if (objects ? !vz_json_append(list, vz_v3_extension(object, vz_json_object(err), true, err), err)
                : !append_filters(meta, list, &done, err))
        return false;
    return append_codecs(meta->filters, done, meta->dtype, list, err) &&
           (!meta->compressor || vz_json_append(list, print_codec(meta->compressor, meta->dtype, err), err));
}

static bool append_index_transpose(const vz_shard_level *level, unsigned rank, vz_json *list, vz_error *err)
{
    uint64_t order[VZ_MAX_RANK + 1];
    bool same = true;
    for (unsigned i = 0; i <= rank; i++) {
        order[i] = level->index_axes[i];
        same = same && order[i] == i;
    }
    return same || vz_json_append(list,
                                  vz_v3_extension("transpose",
                                                  object_of("order", vz_meta_print_sizes(order, rank + 1, err), err),
                                                  true, err),
                                  err);
}

static vz_json *print_index_codecs(const vz_shard_level *level, unsigned rank, const vz_dtype *dtype, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    if (list && !append_index_transpose(level, rank, list, err)) {
        vz_json_free(list);
        return NULL;
    }
    vz_json *endian = object_of("endian", vz_json_text(level->index_big_endian ? "big" : "little", err), err);
    bool ok = list && endian && vz_json_append(list, vz_v3_extension(VZ_V3_BYTES, endian, true, err), err);
    if (!list)
        vz_json_free(endian);
    if (ok && append_codecs(level->index_codecs, 0, dtype, list, err))
        return list;
    vz_json_free(list);
    return NULL;
}

/* In the order of dimensions of that level. */
static vz_json *print_inner_shape(const vz_array_meta *meta, unsigned level, vz_error *err)
{
    const uint64_t *inner = level + 1 < meta->shard_levels ? meta->shards[level + 1].shape : meta->chunks;
    uint64_t sizes[VZ_MAX_RANK];
    for (unsigned i = 0; i < meta->rank; i++)
        sizes[i] = inner[meta->shards[level].axes[i]];
    return vz_meta_print_sizes(sizes, meta->rank, err);
}

/* {"name": "sharding_indexed", ...} with the codecs of what lies in it, which are taken. */
static vz_json *print_level(const vz_array_meta *meta, unsigned level, vz_json *codecs, vz_error *err)
{
    const vz_shard_level *shard = &meta->shards[level];
    vz_json *configuration = object_of("chunk_shape", print_inner_shape(meta, level, err), err);
    if (!configuration) {
        vz_json_free(codecs);
        return NULL;
    }
    if (vz_json_set(configuration, "codecs", codecs, err) &&
        vz_json_set(configuration, "index_codecs", print_index_codecs(shard, meta->rank, meta->dtype, err), err) &&
        vz_json_set(configuration, "index_location", vz_json_text(shard->index_first ? "start" : "end", err), err))
        return vz_v3_extension("sharding_indexed", configuration, true, err);
    vz_json_free(configuration);
    return NULL;
}

/* The list of a level around the codecs of what lies in it, which are taken. */
static vz_json *wrap(const vz_array_meta *meta, unsigned level, vz_json *codecs, vz_error *err)
{
    vz_json *shards = print_level(meta, level, codecs, err);
    vz_json *list = shards ? vz_json_array(err) : NULL;
    if (!list) {
        vz_json_free(shards);
        return NULL;
    }
    if (!append_transpose(meta, level, list, err))
        vz_json_free(shards);
    else if (vz_json_append(list, shards, err) && append_codecs(meta->shards[level].behind, 0, meta->dtype, list, err))
        return list;
    vz_json_free(list);
    return NULL;
}

vz_json *vz_codecs_print_v3(const vz_array_meta *meta, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    if (list && !print_chain(meta, list, err)) {
        vz_json_free(list);
        return NULL;
    }
    for (unsigned i = meta->shard_levels; list && i-- > 0;)
        list = wrap(meta, i, list, err);
    return list;
}
