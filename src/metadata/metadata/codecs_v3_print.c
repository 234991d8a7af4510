/* codecs_v3_print.c - the model's order, codecs and shards as v3's list of codecs. */
#include "metadata/metadata/metadata_internal.h"
#include "codec/chain/chain.h"
#include "metadata/metadata/v3_internal.h"

/* The order of dimensions at a level of shards; beyond the last one, in a chunk. */
static const uint8_t *axes_at(const vz_meta *meta, unsigned level)
{
    return level < meta->shard_levels ? meta->shards[level].axes : meta->axes;
}

/* The transposition from the order of the level above to that order. */
static bool append_transpose(const vz_meta *meta, unsigned level, vz_json *list, vz_error *err)
{
    uint8_t plain[VZ_MAX_RANK];
    for (unsigned i = 0; i < meta->rank; i++)
        plain[i] = (uint8_t)i;
    return vz_v3_transpose_append(list, level > 0 ? axes_at(meta, level - 1) : plain, axes_at(meta, level), meta->rank,
                                  err);
}

static vz_json *print_bytes(const vz_dtype *dtype, vz_error *err)
{
    bool big, ordered;
    if (!vz_dtype_byte_order(dtype, &big, &ordered)) {
        vz_fail(err, VZ_UNSUPPORTED, "a structure of both byte orders, which Zarr v3 does not have");
        return NULL;
    }
    vz_json *endian = ordered ? vz_v3_object_of("endian", vz_json_text(big ? "big" : "little", err), err) : NULL;
    return ordered && !endian ? NULL : vz_v3_extension(VZ_V3_BYTES, endian, false, err);
}

static bool append_codecs(const vz_codecs *codecs, size_t first, const vz_dtype *dtype, vz_json *list, vz_error *err)
{
    for (size_t i = first; i < codecs->count; i++)
        if (!vz_json_append(list, vz_v3_codec_print(&codecs->specs[i], dtype, err), err))
            return false;
    return true;
}

/* Filters of numbers, and "bytes" behind them. *done: how many of the codecs. */
static bool append_filters(const vz_meta *meta, vz_json *list, size_t *done, vz_error *err)
{
    const vz_codecs *codecs = &meta->codecs;
    for (*done = 0; *done < codecs->count && vz_v3_find_filter(codecs->specs[*done].id); ++*done)
        if (!vz_json_append(list, vz_v3_codec_print(&codecs->specs[*done], meta->dtype, err), err))
            return false;
    /* these make bytes themselves */
    if (*done < codecs->count && (vz_codecs_spec_is(&codecs->specs[*done], VZ_V3_ZFPY) ||
                                  vz_codecs_spec_is(&codecs->specs[*done], VZ_V3_PACKED_BITS)))
        return true;
    if (*done == 0 || *done == codecs->count || !vz_codecs_spec_is(&codecs->specs[*done], VZ_V3_BYTES))
        return vz_json_append(list, print_bytes(meta->dtype, err), err);
    vz_json *configuration = vz_json_copy(codecs->specs[(*done)++].configuration, err);
    return configuration && vz_json_append(list, vz_v3_extension(VZ_V3_BYTES, configuration, false, err), err);
}

/* The codec that makes bytes of objects; its configuration is empty in v3. */
static bool append_object_codec(const vz_codecs *codecs, vz_json *list, vz_error *err)
{
    const char *id = codecs->count ? codecs->specs[0].id : NULL;
    const vz_codec_class *class = id ? vz_codec_find(id, true) : NULL;
    if (!id || (class && class->is_compressor))
        return vz_fail(err, VZ_INVALID, "an array of objects without an object codec");
    return vz_json_append(list, vz_v3_extension(id, vz_json_object(err), true, err), err);
}

static bool print_chain(const vz_meta *meta, vz_json *list, vz_error *err)
{
    size_t done = 1;
    if (!append_transpose(meta, meta->shard_levels, list, err))
        return false;
    if (meta->dtype->kind == VZ_DTYPE_OBJECT ? !append_object_codec(&meta->codecs, list, err)
                                             : !append_filters(meta, list, &done, err))
        return false;
    return append_codecs(&meta->codecs, done, meta->dtype, list, err);
}

/* The list of a level around the codecs of what lies in it, which are taken. */
static vz_json *wrap(const vz_meta *meta, unsigned level, vz_json *codecs, vz_error *err)
{
    vz_json *shards = vz_v3_shards_print(meta, level, codecs, err);
    vz_json *list = shards ? vz_json_array(err) : NULL;
    if (!list) {
        vz_json_free(shards);
        return NULL;
    }
    if (!append_transpose(meta, level, list, err))
        vz_json_free(shards);
    else if (vz_json_append(list, shards, err) && append_codecs(&meta->shards[level].behind, 0, meta->dtype, list, err))
        return list;
    vz_json_free(list);
    return NULL;
}

vz_json *vz_meta_codecs_print_v3(const vz_meta *meta, vz_error *err)
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
