/* filter_codec.c - HDF5 filters whose payload is that of a codec: bzip2, zstd, blosc; and lz4. */
#include "hdf5/native/filters_internal.h"
#include "codec/codec/codec.h"
#include <stdio.h>
#include <stdlib.h>

#define CONFIG_SIZE 256

static bool configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    if (codec->class->state_size && !(codec->state = calloc(1, codec->class->state_size)))
        return vz_fail_memory(err);
    return !codec->class->configure || codec->class->configure(codec, config, err);
}

static bool run(vz_codec *codec, const char *text, bool decode, vz_bytes in, vz_buffer *out, vz_error *err)
{
    vz_json *config = vz_json_parse(text, strlen(text), err);
    const bool ok = config && configure(codec, config, err) &&
                    (decode ? codec->class->decode(codec, in, out, err) : codec->class->encode(codec, in, out, err));
    if (codec->state && codec->class->clear)
        codec->class->clear(codec);
    free(codec->state);
    vz_json_free(config);
    return ok;
}

/* One run of the codec `id` with this configuration (the members of a JSON object, without
 * braces). */
static bool run_codec(const char *id, const char *members, bool decode, vz_bytes in, vz_buffer *out, vz_error *err)
{
    vz_codec codec = {.class = vz_codec_find(id, false), .context = {.element_size = 1}};
    if (!codec.class)
        return vz_fail(err, VZ_UNSUPPORTED, "codec \"%s\" is not supported", id);
    char text[CONFIG_SIZE];
    const int length = snprintf(text, sizeof text, "{\"id\":\"%s\"%s%s}", id, *members ? "," : "", members);
    if (length < 0 || (size_t)length >= sizeof text)
        return vz_fail(err, VZ_INVALID, "codec \"%s\": configuration too long", id);
    return run(&codec, text, decode, in, out, err);
}

static int value_at(size_t value_count, const unsigned values[], size_t index, int otherwise)
{
    return index < value_count ? (int)values[index] : otherwise;
}

bool vz_filters_bzip2(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                      vz_error *err)
{
    char members[32];
    snprintf(members, sizeof members, "\"level\":%d", value_at(value_count, values, 0, 9));
    return run_codec("bz2", decode ? "" : members, decode, in, out, err);
}

bool vz_filters_zstd(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                     vz_error *err)
{
    char members[32];
    snprintf(members, sizeof members, "\"level\":%d", value_at(value_count, values, 0, 3));
    return run_codec("zstd", decode ? "" : members, decode, in, out, err);
}

/* {filter version, format version, type size, chunk bytes, level, shuffle, inner codec}; a
 * buffer describes itself. */
bool vz_filters_blosc(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                      vz_error *err)
{
    static const char *const inner[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
    if (decode)
        return run_codec("blosc", "", true, in, out, err);
    const unsigned code = (unsigned)value_at(value_count, values, 6, 0);
    if (code >= sizeof inner / sizeof *inner)
        return vz_fail(err, VZ_INVALID, "blosc: no inner codec has the number %u", code);
    const int typesize = value_at(value_count, values, 2, 1);
    char members[128];
    snprintf(members, sizeof members, "\"cname\":\"%s\",\"clevel\":%d,\"shuffle\":%d,\"typesize\":%d", inner[code],
             value_at(value_count, values, 4, 5), value_at(value_count, values, 5, 1), typesize > 0 ? typesize : 1);
    return run_codec("blosc", members, false, in, out, err);
}

bool vz_filters_lz4(bool decode, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                    vz_error *err)
{
    return decode ? vz_lz4_frame_decode(in, VZ_CHAIN_PAYLOAD_MAX, out, err)
                  : vz_lz4_frame_encode(value_count > 0 ? values[0] : 0, in, out, err);
}
