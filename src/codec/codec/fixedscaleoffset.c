/* fixedscaleoffset.c - numcodecs "fixedscaleoffset": (x - offset) * scale, rounded to the nearest
 * whole number, ties to even. Computed as numpy 2 does: in the type of the data, where Python's
 * numbers bend to it, else in double. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"
#include <math.h>

typedef struct scaling {
    vz_codec_number_filter mapping;
    vz_codec_number offset, scale; /* as the configuration has them: an integer or a real */
    vz_codec_number_type shifted;  /* type of x - offset */
    vz_codec_number_type scaled;   /* type of (x - offset) * scale */
    vz_codec_number_type unscaled; /* type of the stored number divided by scale, and with offset
                                    * added again */
} scaling;

static const vz_codec_number_type real64 = {.kind = 'f', .size = 8};

/* The type that numpy computes in when a number of Python's meets an array's. */
static vz_codec_number_type meet(vz_codec_number_type type, vz_codec_number constant)
{
    type.swapped = false;
    return type.kind != 'f' && constant.kind == 'f' ? real64 : type;
}

static vz_codec_number compute(vz_codec_number_type type, char operation, vz_codec_number a, vz_codec_number b)
{
    a = vz_codec_number_cast(type, a);
    b = vz_codec_number_cast(type, b);
    vz_codec_number result = {.kind = type.kind};
    if (type.kind != 'f') {
        result.integer = operation == '-' ? a.integer - b.integer : a.integer * b.integer;
        return vz_codec_number_cast(type, result);
    }
    switch (operation) {
    case '-':
        result.real = a.real - b.real;
        break;
    case '+':
        result.real = a.real + b.real;
        break;
    case '*':
        result.real = a.real * b.real;
        break;
    default:
        result.real = a.real / b.real;
    }
    return vz_codec_number_cast(type, result); /* rounded to the type's precision */
}

static bool scale(const void *state, vz_codec_number *value, vz_error *err)
{
    const scaling *s = state;
    (void)err;
    *value = compute(s->scaled, '*', compute(s->shifted, '-', *value, s->offset), s->scale);
    if (value->kind == 'f')
        value->real = rint(value->real);
    return true;
}

static bool unscale(const void *state, vz_codec_number *value, vz_error *err)
{
    const scaling *s = state;
    (void)err;
    *value = compute(s->unscaled, '+', compute(s->unscaled, '/', *value, s->scale), s->offset);
    return true;
}

static bool read_constant(const vz_codec *codec, const vz_json *config, const char *key, vz_codec_number *number,
                          vz_error *err)
{
    const vz_json *value = vz_json_get(config, key);
    int64_t integer;
    if (vz_json_get_int64(value, &integer)) {
        *number = (vz_codec_number){.kind = 'i', .integer = (uint64_t)integer};
        return true;
    }
    number->kind = 'f';
    return vz_json_get_double(value, &number->real) ||
           vz_fail(err, VZ_CORRUPT, "codec %s: \"%s\" must be a number", codec->class->id, key);
}

static bool scaling_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    scaling *s = codec->state;
    if (!vz_codec_number_type_read(codec, config, "dtype", &s->mapping.decoded, err))
        return false;
    s->mapping.encoded = s->mapping.decoded;
    if (!vz_codec_number_type_read(codec, config, "astype", &s->mapping.encoded, err) ||
        !vz_codec_mapping_check(codec, err) || !read_constant(codec, config, "offset", &s->offset, err) ||
        !read_constant(codec, config, "scale", &s->scale, err))
        return false;
    s->shifted = meet(s->mapping.decoded, s->offset);
    s->scaled = meet(s->shifted, s->scale);
    s->unscaled = s->mapping.encoded.kind == 'f' ? s->mapping.encoded : real64;
    s->unscaled.swapped = false;
    return true;
}

static bool scaling_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_decode(codec, in, unscale, out, err);
}

static bool scaling_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_encode(codec, in, scale, out, err);
}

const vz_codec_class vz_codec_fixedscaleoffset = {
    .id = "fixedscaleoffset",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(scaling),
    .configure = scaling_configure,
    .encoded_element_size = vz_codec_mapping_encoded_element_size,
    .encoded_size = vz_codec_mapping_encoded_size,
    .decode = scaling_decode,
    .encode = scaling_encode,
};
