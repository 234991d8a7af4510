/* filter_table.c - the table of filters: the numcodecs configuration of each, and back. */
#include "hdf5/datasets/pipeline_internal.h"
#include "codec/codec/blosc_format.h"

#include <string.h>

static vz_json *number(const char *key, int64_t value, vz_error *err)
{
    vz_json *configuration = vz_json_object(err);
    if (configuration && vz_json_set(configuration, key, vz_json_int64(value, err), err))
        return configuration;
    vz_json_free(configuration);
    return NULL;
}

static int64_t member(const vz_json *codec, const char *key, int64_t otherwise)
{
    int64_t value;
    return vz_json_get_int64(vz_json_get(codec, key), &value) ? value : otherwise;
}

static int64_t value_at(const vz_pipeline_filter *filter, size_t index, int64_t otherwise)
{
    return index < filter->value_count ? (int64_t)filter->values[index] : otherwise;
}

static void set_values(vz_pipeline_filter *filter, size_t count, const unsigned *values)
{
    filter->value_count = count;
    memcpy(filter->values, values, count * sizeof *values);
}

/* deflate(level) = zlib */
static vz_json *deflate_to_codec(const vz_pipeline_filter *filter, size_t element_size, vz_error *err)
{
    (void)element_size;
    return number("level", value_at(filter, 0, 6), err);
}
static bool deflate_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    (void)meta;
    int64_t level = member(codec, "level", 1);
    set_values(filter, 1, (unsigned[]){level < 0 || level > 9 ? 6 : (unsigned)level});
    return true;
}

/* shuffle(element size) */
static vz_json *shuffle_to_codec(const vz_pipeline_filter *filter, size_t element_size, vz_error *err)
{
    (void)filter;
    return number("elementsize", (int64_t)element_size, err);
}
static bool shuffle_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    const int64_t size = member(codec, "elementsize", 4);
    /* an array type's is a multiple */
    if (size <= 0 || size > UINT32_MAX || size % (int64_t)meta->dtype->size != 0)
        return false;
    set_values(filter, 1, (unsigned[]){(unsigned)size});
    return true;
}

static vz_json *fletcher32_to_codec(const vz_pipeline_filter *filter, size_t element_size, vz_error *err)
{
    (void)filter, (void)element_size;
    return vz_json_object(err);
}
static bool fletcher32_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    (void)codec, (void)meta;
    filter->value_count = 0;
    return true;
}

static vz_json *bzip2_to_codec(const vz_pipeline_filter *filter, size_t element_size, vz_error *err)
{
    (void)element_size;
    return number("level", value_at(filter, 0, 9), err);
}
static bool bzip2_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    (void)meta;
    set_values(filter, 1, (unsigned[]){(unsigned)member(codec, "level", 1)});
    return true;
}

static vz_json *zstd_to_codec(const vz_pipeline_filter *filter, size_t element_size, vz_error *err)
{
    (void)element_size;
    return number("level", (int32_t)value_at(filter, 0, 3), err);
}
static bool zstd_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    (void)meta;
    set_values(filter, 1, (unsigned[]){(unsigned)(int32_t)member(codec, "level", 0)});
    return true;
}

/* Filter 32001: {filter version, format version, type size, chunk bytes, level, shuffle,
 * compressor code} */
static const char *const blosc_names[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
#define BLOSC_NAMES (sizeof blosc_names / sizeof *blosc_names)

static vz_json *blosc_to_codec(const vz_pipeline_filter *filter, size_t element_size, vz_error *err)
{
    (void)element_size;
    int64_t code = value_at(filter, 6, 0);
    if (code < 0 || code >= (int64_t)BLOSC_NAMES) {
        vz_fail(err, VZ_UNSUPPORTED, "blosc filter: no compressor has the code %lld", (long long)code);
        return NULL;
    }
    vz_json *codec = vz_json_object(err);
    if (codec && vz_json_set_text(codec, "cname", blosc_names[code], err) &&
        vz_json_set(codec, "clevel", vz_json_int64(value_at(filter, 4, 5), err), err) &&
        vz_json_set(codec, "shuffle", vz_json_int64(value_at(filter, 5, 1), err), err) &&
        vz_json_set(codec, "blocksize", vz_json_int64(0, err), err))
        return codec;
    vz_json_free(codec);
    return NULL;
}
static bool blosc_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    unsigned code = 0;
    while (code < BLOSC_NAMES && !vz_json_is(vz_json_get(codec, "cname"), blosc_names[code]))
        code++;
    int64_t shuffle = member(codec, "shuffle", 1), level = member(codec, "clevel", 5);
    if (code == BLOSC_NAMES || level < 0 || level > 9 || meta->chunk_size > UINT32_MAX)
        return false;
    if (shuffle < 0) /* numcodecs: by bits for single bytes, else by bytes */
        shuffle = meta->dtype->size == 1 ? 2 : 1;
    const unsigned element = meta->dtype->size > VZ_BLOSC_MOST_ELEMENT ? 1 : (unsigned)meta->dtype->size;
    set_values(filter, 7,
               (unsigned[]){2, 2, element, (unsigned)meta->chunk_size, (unsigned)level, (unsigned)shuffle, code});
    return true;
}

/* A block size other than the whole chunk is not the codec's to say: the record keeps it. */
static vz_json *lz4_to_codec(const vz_pipeline_filter *filter, size_t element_size, vz_error *err)
{
    (void)filter, (void)element_size;
    return number("acceleration", 1, err);
}
static bool lz4_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    (void)codec, (void)meta;
    set_values(filter, 1, (unsigned[]){0});
    return true;
}

/* {major, minor, bytes of an element, elements of a block, compressor} */
static bool bitshuffle_to_filter(const vz_json *codec, const vz_meta *meta, vz_pipeline_filter *filter)
{
    const vz_json *name = vz_json_get(codec, "compressor");
    const unsigned compressor = vz_json_is(name, "lz4") ? 2 : vz_json_is(name, "zstd") ? 3 : 0;
    set_values(filter, 5,
               (unsigned[]){0, 4, (unsigned)member(codec, "elementsize", (int64_t)meta->dtype->size),
                            (unsigned)member(codec, "blocksize", 0), compressor});
    return true;
}

/* The first row of a filter tells how it is written. */
const vz_pipeline_filter_rule vz_pipeline_filter_rules[] = {
    {H5Z_FILTER_DEFLATE, "zlib", deflate_to_codec, deflate_to_filter},
    {H5Z_FILTER_DEFLATE, "gzip", NULL, deflate_to_filter},
    {H5Z_FILTER_SHUFFLE, "shuffle", shuffle_to_codec, shuffle_to_filter},
    {H5Z_FILTER_FLETCHER32, "fletcher32", fletcher32_to_codec, fletcher32_to_filter},
    {VZ_FILTER_BZIP2, "bz2", bzip2_to_codec, bzip2_to_filter},
    {VZ_FILTER_BLOSC, "blosc", blosc_to_codec, blosc_to_filter},
    {VZ_FILTER_ZSTD, "zstd", zstd_to_codec, zstd_to_filter},
    {VZ_FILTER_LZ4, "lz4", lz4_to_codec, lz4_to_filter},
    {VZ_FILTER_LZ4, "hdf5_lz4", NULL, lz4_to_filter},
    {VZ_FILTER_BITSHUFFLE, "hdf5_bitshuffle", NULL, bitshuffle_to_filter},
};
const size_t vz_pipeline_filter_rule_count = sizeof vz_pipeline_filter_rules / sizeof *vz_pipeline_filter_rules;

const vz_pipeline_filter_rule *vz_pipeline_filter_rule_by_id(H5Z_filter_t id)
{
    for (size_t i = 0; i < vz_pipeline_filter_rule_count; i++)
        if (vz_pipeline_filter_rules[i].id == id && vz_pipeline_filter_rules[i].to_codec)
            return &vz_pipeline_filter_rules[i];
    return NULL;
}
