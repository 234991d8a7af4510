/* delta.c - numcodecs "delta": the first element, then differences, computed in `dtype` and stored as `astype`; summed
 * up again in the type that numpy promotes both to. */
#include "codec/number.h"
#include "codec/registry.h"
#include "codec/sink.h"

typedef struct delta_state {
    vz_number_type dtype, astype, sumtype;
    bool wrapping; /* integers of one type and this machine's byte order: the plain loops do */
} delta_state;

static bool delta_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    delta_state *state = codec->state;
    if (!vz_number_type_read(codec, config, "dtype", &state->dtype, err))
        return false;
    state->astype = state->dtype;
    if (!vz_number_type_read(codec, config, "astype", &state->astype, err))
        return false;
    const vz_number_type a = state->dtype, b = state->astype;
    if (!vz_number_type_is_real(a) || !vz_number_type_is_real(b))
        return vz_fail(err, VZ_UNSUPPORTED, "codec delta: from type %c%zu to %c%zu", a.kind, a.size, b.kind, b.size);
    state->sumtype = vz_number_type_promote(a, b);
    state->wrapping = a.kind != 'f' && b.kind != 'f' && a.size == b.size && !a.swapped && !b.swapped;
    return true;
}

static size_t delta_encoded_element_size(const vz_codec *codec)
{
    return ((const delta_state *)codec->state)->astype.size;
}

static bool delta_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    const delta_state *state = codec->state;
    return !__builtin_mul_overflow(decoded_size / state->dtype.size, state->astype.size, size);
}

/* Running sums and differences of unsigned integers of one size; signed ones have the same bits. */
#define WRAPPING(bits)                                                                                                 \
    static void sum##bits(const uint8_t *in, size_t count, uint8_t *out)                                               \
    {                                                                                                                  \
        uint##bits##_t total = 0, value;                                                                               \
        for (size_t i = 0; i < count; i++) {                                                                           \
            memcpy(&value, in + i * sizeof value, sizeof value);                                                       \
            total = (uint##bits##_t)(total + value);                                                                   \
            memcpy(out + i * sizeof total, &total, sizeof total);                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void diff##bits(const uint8_t *in, size_t count, uint8_t *out)                                              \
    {                                                                                                                  \
        uint##bits##_t last = 0, value;                                                                                \
        for (size_t i = 0; i < count; i++) {                                                                           \
            memcpy(&value, in + i * sizeof value, sizeof value);                                                       \
            last = (uint##bits##_t)(value - last);                                                                     \
            memcpy(out + i * sizeof last, &last, sizeof last);                                                         \
            last = value;                                                                                              \
        }                                                                                                              \
    }
WRAPPING(8)
WRAPPING(16)
WRAPPING(32)
WRAPPING(64)

typedef void (*wrapping_loop)(const uint8_t *in, size_t count, uint8_t *out);

static wrapping_loop wrapping_sum(size_t size)
{
    return size == 1 ? sum8 : size == 2 ? sum16 : size == 4 ? sum32 : sum64;
}

static wrapping_loop wrapping_diff(size_t size)
{
    return size == 1 ? diff8 : size == 2 ? diff16 : size == 4 ? diff32 : diff64;
}

/* a + b or a - b in the precision of `type`, of which both are. Half precision is added in single, as numpy does. */
static vz_number combine(vz_number_type type, vz_number a, vz_number b, bool subtract)
{
    vz_number result = a;
    if (type.kind != 'f')
        result.integer = subtract ? a.integer - b.integer : a.integer + b.integer;
    else if (type.size == 8)
        result.real = subtract ? a.real - b.real : a.real + b.real;
    else
        result.real = subtract ? (float)a.real - (float)b.real : (float)a.real + (float)b.real;
    return vz_number_cast(type, result);
}

static void sum_any(const delta_state *state, const uint8_t *in, size_t count, uint8_t *out)
{
    vz_number total = {0};
    for (size_t i = 0; i < count; i++) {
        const vz_number stored = vz_number_load(state->astype, in + i * state->astype.size);
        const vz_number value = vz_number_cast(state->sumtype, stored);
        total = i ? combine(state->sumtype, total, value, false) : value;
        vz_number_store(state->dtype, total, out + i * state->dtype.size);
    }
}

static void diff_any(const delta_state *state, const uint8_t *in, size_t count, uint8_t *out)
{
    vz_number last = {0};
    for (size_t i = 0; i < count; i++) {
        const vz_number value = vz_number_load(state->dtype, in + i * state->dtype.size);
        const vz_number step = i ? combine(state->dtype, value, last, true) : value;
        vz_number_store(state->astype, step, out + i * state->astype.size);
        last = value;
    }
}

static bool delta_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const delta_state *state = codec->state;
    const size_t count = in.size / state->astype.size;
    uint64_t size;
    if (in.size % state->astype.size || !vz_mul(count, state->dtype.size, &size))
        return vz_fail(err, VZ_CORRUPT, "delta: %zu bytes are no whole elements of %zu", in.size, state->astype.size);
    if (!vz_sink_claim(codec, out, size, err))
        return false;
    if (state->wrapping)
        wrapping_sum(state->dtype.size)(in.data, count, out->data);
    else
        sum_any(state, in.data, count, out->data);
    out->size = (size_t)size;
    return true;
}

static bool delta_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const delta_state *state = codec->state;
    const size_t count = in.size / state->dtype.size;
    size_t size;
    if (in.size % state->dtype.size || !delta_encoded_size(codec, in.size, &size))
        return vz_fail(err, VZ_INVALID, "delta: %zu bytes are no whole elements of %zu", in.size, state->dtype.size);
    if (!vz_buffer_reserve(out, size, err))
        return false;
    if (state->wrapping)
        wrapping_diff(state->dtype.size)(in.data, count, out->data);
    else
        diff_any(state, in.data, count, out->data);
    out->size = size;
    return true;
}

const vz_codec_class vz_codec_delta = {
    .id = "delta",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(delta_state),
    .configure = delta_configure,
    .encoded_element_size = delta_encoded_element_size,
    .encoded_size = delta_encoded_size,
    .decode = delta_decode,
    .encode = delta_encode,
};
