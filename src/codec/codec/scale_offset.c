/* scale_offset.c - Zarr's "scale_offset": (x - offset) * scale, and x / scale + offset back, in the
 * type of the numbers. A result that the type does not have is an error, as is a remainder. */
#include "codec/codec/codec_internal.h"

#include <inttypes.h>

typedef struct scaling {
    vz_codec_number_filter mapping; /* both types are one */
    vz_codec_number_type native;    /* that type in this machine's byte order */
    vz_codec_number offset, scale;
} scaling;

/* ---- integers ---- */

typedef union integer {
    uint64_t u;
    int64_t i;
} integer;

static bool fits(vz_codec_number_type type, integer value)
{
    const unsigned unused = 64 - 8 * (unsigned)type.size;
    return type.kind == 'i' ? value.i >= INT64_MIN >> unused && value.i <= INT64_MAX >> unused
                            : value.u <= UINT64_MAX >> unused;
}

static bool encode_integer(const scaling *s, integer *value)
{
    const integer offset = {s->offset.integer}, scale = {s->scale.integer};
    const bool overflows = s->native.kind == 'i' ? __builtin_sub_overflow(value->i, offset.i, &value->i) ||
                                                       __builtin_mul_overflow(value->i, scale.i, &value->i)
                                                 : __builtin_sub_overflow(value->u, offset.u, &value->u) ||
                                                       __builtin_mul_overflow(value->u, scale.u, &value->u);
    return !overflows && fits(s->native, *value);
}

/* *rest: what the division leaves. */
static bool decode_integer(const scaling *s, integer *value, uint64_t *rest)
{
    const integer offset = {s->offset.integer}, scale = {s->scale.integer};
    bool overflows;
    *rest = 0;
    if (s->native.kind == 'u') {
        *rest = value->u % scale.u;
        overflows = __builtin_add_overflow(value->u / scale.u, offset.u, &value->u);
    } else if (scale.i == -1) { /* the most negative number has no opposite */
        overflows =
            __builtin_sub_overflow(0, value->i, &value->i) || __builtin_add_overflow(value->i, offset.i, &value->i);
    } else {
        *rest = (uint64_t)(value->i % scale.i);
        overflows = __builtin_add_overflow(value->i / scale.i, offset.i, &value->i);
    }
    return !overflows && fits(s->native, *value);
}

/* ---- values ---- */

static double rounded(vz_codec_number_type type, double value)
{
    return vz_codec_number_cast(type, (vz_codec_number){.kind = 'f', .real = value}).real;
}

static bool scale(const void *state, vz_codec_number *value, vz_error *err)
{
    const scaling *s = state;
    char text[VZ_NUMBER_TEXT_SIZE];
    if (value->kind == 'f') {
        const double shifted = rounded(s->native, value->real - s->offset.real);
        value->real = rounded(s->native, shifted * s->scale.real);
        return true;
    }
    integer result = {value->integer};
    if (!encode_integer(s, &result))
        return vz_fail(err, VZ_INVALID, "codec scale_offset: of %s it makes what is no %s%zu",
                       vz_codec_number_print(*value, text), s->native.kind == 'i' ? "int" : "uint", 8 * s->native.size);
    value->integer = result.u;
    return true;
}

static bool unscale(const void *state, vz_codec_number *value, vz_error *err)
{
    const scaling *s = state;
    char text[VZ_NUMBER_TEXT_SIZE];
    if (value->kind == 'f') {
        value->real = rounded(s->native, rounded(s->native, value->real / s->scale.real) + s->offset.real);
        return true;
    }
    integer result = {value->integer};
    uint64_t rest;
    if (!decode_integer(s, &result, &rest))
        return vz_fail(err, VZ_CORRUPT, "codec scale_offset: the stored %s stands for what is no %s%zu",
                       vz_codec_number_print(*value, text), s->native.kind == 'i' ? "int" : "uint", 8 * s->native.size);
    if (rest)
        return vz_fail(err, VZ_CORRUPT, "codec scale_offset: the stored %s is no multiple of \"scale\"",
                       vz_codec_number_print(*value, text));
    value->integer = result.u;
    return true;
}

/* ---- the codec ---- */

static bool read_constant(const vz_codec *codec, const vz_json *config, const char *key, vz_codec_number *value,
                          vz_error *err)
{
    const scaling *s = codec->state;
    const vz_json *json = vz_json_get(config, key);
    return !json || vz_codec_number_parse(s->native, json, value) ||
           vz_fail(err, VZ_CORRUPT, "codec scale_offset: \"%s\" is no number of the array's type", key);
}

static bool is_zero(vz_codec_number value)
{
    return value.kind == 'f' ? value.real == 0 : value.integer == 0;
}

static bool scaling_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    scaling *s = codec->state;
    if (!vz_codec_number_type_read(codec, config, "dtype", &s->mapping.decoded, err))
        return false;
    s->mapping.encoded = s->native = s->mapping.decoded;
    s->native.swapped = false;
    s->offset = vz_codec_number_cast(s->native, (vz_codec_number){.kind = 'i', .integer = 0});
    s->scale = vz_codec_number_cast(s->native, (vz_codec_number){.kind = 'i', .integer = 1});
    if (!vz_codec_mapping_check(codec, err) || !read_constant(codec, config, "offset", &s->offset, err) ||
        !read_constant(codec, config, "scale", &s->scale, err))
        return false;
    return !is_zero(s->scale) || vz_fail(err, VZ_CORRUPT, "codec scale_offset: \"scale\" is 0");
}

static bool scaling_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_decode(codec, in, unscale, out, err);
}

static bool scaling_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_encode(codec, in, scale, out, err);
}

const vz_codec_class vz_codec_scale_offset = {
    .id = "scale_offset",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(scaling),
    .configure = scaling_configure,
    .encoded_element_size = vz_codec_mapping_encoded_element_size,
    .encoded_size = vz_codec_mapping_encoded_size,
    .decode = scaling_decode,
    .encode = scaling_encode,
};
