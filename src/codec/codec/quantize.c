/* quantize.c - numcodecs "quantize": reals rounded to so many decimal digits, by a power of two
 * that is fine enough. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"
#include <math.h>

#define DIGITS_MAX 300 /* beyond it the scale is no double */

typedef struct quantizer {
    vz_codec_number_filter mapping;
    double scale; /* a power of two */
} quantizer;

static bool same(const void *state, vz_codec_number *value, vz_error *err)
{
    (void)state, (void)value, (void)err;
    return true;
}

static bool quantize(const void *state, vz_codec_number *value, vz_error *err)
{
    (void)err;
    const quantizer *q = state;
    vz_codec_number_type type = q->mapping.decoded;
    type.swapped = false;
    const vz_codec_number scaled =
        vz_codec_number_cast(type, (vz_codec_number){.kind = 'f', .real = value->real * q->scale});
    *value = vz_codec_number_cast(type, (vz_codec_number){.kind = 'f', .real = rint(scaled.real) / q->scale});
    return true;
}

static bool quantize_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    quantizer *q = codec->state;
    int64_t digits = DIGITS_MAX + 1;
    if (!vz_config_int(codec, config, "digits", -DIGITS_MAX, DIGITS_MAX, &digits, err) ||
        !vz_codec_number_type_read(codec, config, "dtype", &q->mapping.decoded, err))
        return false;
    if (digits > DIGITS_MAX)
        return vz_fail(err, VZ_CORRUPT, "codec quantize: \"digits\" is missing");
    q->mapping.encoded = q->mapping.decoded;
    if (!vz_codec_number_type_read(codec, config, "astype", &q->mapping.encoded, err) ||
        !vz_codec_mapping_check(codec, err))
        return false;
    if (q->mapping.decoded.kind != 'f' || q->mapping.encoded.kind != 'f')
        return vz_fail(err, VZ_UNSUPPORTED, "codec quantize: of integers");
    q->scale = exp2(ceil(log2(pow(10, (double)digits))));
    return true;
}

static bool quantize_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_decode(codec, in, same, out, err);
}

static bool quantize_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_encode(codec, in, quantize, out, err);
}

const vz_codec_class vz_codec_quantize = {
    .id = "quantize",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(quantizer),
    .configure = quantize_configure,
    .encoded_element_size = vz_codec_mapping_encoded_element_size,
    .encoded_size = vz_codec_mapping_encoded_size,
    .decode = quantize_decode,
    .encode = quantize_encode,
};
