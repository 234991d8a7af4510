/* lzma_options.c - Python's names for liblzma's filter options. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/codec.h"

#include <inttypes.h>

/* An option of the LZMA filters: absent = as the preset has it. */
static bool read_u32(const vz_codec *codec, const vz_json *dict, const char *key, uint32_t max, uint32_t *value,
                     vz_error *err)
{
    int64_t number = *value;
    if (!vz_config_int(codec, dict, key, 0, max, &number, err))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool read_lzma(const vz_codec *codec, const vz_json *dict, lzma_options_lzma *options, vz_error *err)
{
    int64_t preset = LZMA_PRESET_DEFAULT;
    if (!vz_config_int(codec, dict, "preset", 0, UINT32_MAX, &preset, err))
        return false;
    if (lzma_lzma_preset(options, (uint32_t)preset))
        return vz_fail(err, VZ_CORRUPT, "codec lzma: no such preset: %" PRId64, preset);
    uint32_t mode = options->mode, mf = options->mf;
    if (!read_u32(codec, dict, "dict_size", UINT32_MAX, &options->dict_size, err) ||
        !read_u32(codec, dict, "lc", LZMA_LCLP_MAX, &options->lc, err) ||
        !read_u32(codec, dict, "lp", LZMA_LCLP_MAX, &options->lp, err) ||
        !read_u32(codec, dict, "pb", LZMA_PB_MAX, &options->pb, err) ||
        !read_u32(codec, dict, "mode", LZMA_MODE_NORMAL, &mode, err) ||
        !read_u32(codec, dict, "nice_len", UINT32_MAX, &options->nice_len, err) ||
        !read_u32(codec, dict, "mf", LZMA_MF_BT4, &mf, err) ||
        !read_u32(codec, dict, "depth", UINT32_MAX, &options->depth, err))
        return false;
    options->mode = (lzma_mode)mode;
    options->mf = (lzma_match_finder)mf;
    return true;
}

static bool read_delta(const vz_codec *codec, const vz_json *dict, lzma_options_delta *options, vz_error *err)
{
    int64_t dist = LZMA_DELTA_DIST_MIN;
    if (!vz_config_int(codec, dict, "dist", LZMA_DELTA_DIST_MIN, LZMA_DELTA_DIST_MAX, &dist, err))
        return false;
    *options = (lzma_options_delta){.type = LZMA_DELTA_TYPE_BYTE, .dist = (uint32_t)dist};
    return true;
}

static bool read_filter(const vz_codec *codec, const vz_json *dict, vz_lzma_filters *filters, size_t i, vz_error *err)
{
    uint64_t id;
    if (!vz_json_get_uint64(vz_json_get(dict, "id"), &id))
        return vz_fail(err, VZ_CORRUPT, "codec lzma: a filter without \"id\"");
    filters->chain[i] = (lzma_filter){.id = id, .options = &filters->options[i]};
    switch (id) {
    case LZMA_FILTER_LZMA1:
    case LZMA_FILTER_LZMA2:
        return read_lzma(codec, dict, &filters->options[i].lzma, err);
    case LZMA_FILTER_DELTA:
        return read_delta(codec, dict, &filters->options[i].delta, err);
    case LZMA_FILTER_X86:
    case LZMA_FILTER_POWERPC:
    case LZMA_FILTER_IA64:
    case LZMA_FILTER_ARM:
    case LZMA_FILTER_ARMTHUMB:
    case LZMA_FILTER_SPARC:
        filters->options[i].bcj.start_offset = 0;
        return read_u32(codec, dict, "start_offset", UINT32_MAX, &filters->options[i].bcj.start_offset, err);
    default:
        return vz_fail(err, VZ_UNSUPPORTED, "codec lzma: filter %" PRIu64, id);
    }
}

bool vz_lzma_filters_read(const vz_codec *codec, const vz_json *list, vz_lzma_filters *filters, vz_error *err)
{
    const size_t count = vz_json_length(list);
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || count == 0 || count > LZMA_FILTERS_MAX)
        return vz_fail(err, VZ_CORRUPT, "codec lzma: \"filters\" must be a list of 1 to %d filters", LZMA_FILTERS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!read_filter(codec, vz_json_at(list, i), filters, i, err))
            return false;
    filters->chain[count] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
    return true;
}

bool vz_lzma_filters_preset(const vz_codec *codec, uint32_t preset, bool alone, vz_lzma_filters *filters, vz_error *err)
{
    if (lzma_lzma_preset(&filters->options[0].lzma, preset))
        return vz_fail(err, VZ_CORRUPT, "codec %s: no such preset: %" PRIu32, codec->class->id, preset);
    filters->chain[0] = (lzma_filter){.id = alone ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2};
    filters->chain[0].options = &filters->options[0];
    filters->chain[1] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
    return true;
}
