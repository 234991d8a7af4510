/* delta.c - numcodecs "delta": the first element, then differences, computed in `dtype` and stored
 * as `astype`; summed up again in the type that numpy promotes both to. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

typedef struct plain_loops {
    size_t size; /* of an element */
    void (*sum)(const uint8_t *in, size_t count, uint8_t *out);
    void (*diff)(const uint8_t *in, size_t count, uint8_t *out);
} plain_loops;

typedef struct delta_state {
    vz_codec_number_type dtype, astype, sumtype;
    const plain_loops *plain; /* NULL: number by number */
} delta_state;

static size_t delta_encoded_element_size(const vz_codec *codec)
{
    return ((const delta_state *)codec->state)->astype.size;
}

static bool delta_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    const delta_state *state = codec->state;
    return !__builtin_mul_overflow(decoded_size / state->dtype.size, state->astype.size, size);
}

/* Running sums and differences; signed integers have the bits of unsigned ones. `neutral` changes
 * nothing that is added. */
#define RUNNING(name, type, neutral)                                                                                   \
    static void sum_##name(const uint8_t *in, size_t count, uint8_t *out)                                              \
    {                                                                                                                  \
        type total = neutral, value;                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                                           \
            memcpy(&value, in + i * sizeof value, sizeof value);                                                       \
            total = (type)(total + value);                                                                             \
            memcpy(out + i * sizeof total, &total, sizeof total);                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void diff_##name(const uint8_t *in, size_t count, uint8_t *out)                                             \
    {                                                                                                                  \
        type last = 0, value;                                                                                          \
        for (size_t i = 0; i < count; i++) {                                                                           \
            memcpy(&value, in + i * sizeof value, sizeof value);                                                       \
            const type step = (type)(value - last);                                                                    \
            memcpy(out + i * sizeof step, &step, sizeof step);                                                         \
            last = value;                                                                                              \
        }                                                                                                              \
    }
RUNNING(u8, uint8_t, 0)
RUNNING(u16, uint16_t, 0)
RUNNING(u32, uint32_t, 0)
RUNNING(u64, uint64_t, 0)
RUNNING(f32, float, -0.0f)
RUNNING(f64, double, -0.0)

static const plain_loops integer_loops[] = {
    {1, sum_u8, diff_u8}, {2, sum_u16, diff_u16}, {4, sum_u32, diff_u32}, {8, sum_u64, diff_u64}, {0}};
static const plain_loops real_loops[] = {{4, sum_f32, diff_f32}, {8, sum_f64, diff_f64}, {0}};

/* Where no number changes its type or its byte order; integers of both signs are one type here. */
static const plain_loops *find_plain(vz_codec_number_type a, vz_codec_number_type b)
{
    const bool real = a.kind == 'f';
    if (real != (b.kind == 'f') || a.size != b.size || (a.size > 1 && (a.swapped || b.swapped)))
        return NULL;
    for (const plain_loops *loops = real ? real_loops : integer_loops; loops->size; loops++)
        if (loops->size == a.size)
            return loops;
    return NULL;
}

/* a + b or a - b in the precision of `type`, of which both are. Half precision is added in single,
 * as numpy does. */
static vz_codec_number combine(vz_codec_number_type type, vz_codec_number a, vz_codec_number b, bool subtract)
{
    vz_codec_number result = a;
    if (type.kind != 'f')
        result.integer = subtract ? a.integer - b.integer : a.integer + b.integer;
    else if (type.size == 8)
        result.real = subtract ? a.real - b.real : a.real + b.real;
    else
        result.real = subtract ? (float)a.real - (float)b.real : (float)a.real + (float)b.real;
    return vz_codec_number_cast(type, result);
}

static void sum_any(const delta_state *state, const uint8_t *in, size_t count, uint8_t *out)
{
    vz_codec_number total = {0};
    for (size_t i = 0; i < count; i++) {
        const vz_codec_number stored = vz_codec_number_load(state->astype, in + i * state->astype.size);
        const vz_codec_number value = vz_codec_number_cast(state->sumtype, stored);
        total = i ? combine(state->sumtype, total, value, false) : value;
        vz_codec_number_store(state->dtype, total, out + i * state->dtype.size);
    }
}

static void diff_any(const delta_state *state, const uint8_t *in, size_t count, uint8_t *out)
{
    vz_codec_number last = {0};
    for (size_t i = 0; i < count; i++) {
        const vz_codec_number value = vz_codec_number_load(state->dtype, in + i * state->dtype.size);
        const vz_codec_number step = i ? combine(state->dtype, value, last, true) : value;
        vz_codec_number_store(state->astype, step, out + i * state->astype.size);
        last = value;
    }
}

static bool delta_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    delta_state *state = codec->state;
    if (!vz_codec_number_type_read(codec, config, "dtype", &state->dtype, err))
        return false;
    state->astype = state->dtype;
    if (!vz_codec_number_type_read(codec, config, "astype", &state->astype, err))
        return false;
    const vz_codec_number_type a = state->dtype, b = state->astype;
    if (!vz_codec_number_type_is_real(a) || !vz_codec_number_type_is_real(b))
        return vz_fail(err, VZ_UNSUPPORTED, "codec delta: from type %c%zu to %c%zu", a.kind, a.size, b.kind, b.size);
    state->sumtype = vz_codec_number_type_promote(a, b);
    state->plain = find_plain(a, b);
    return true;
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
    if (state->plain)
        state->plain->sum(in.data, count, out->data);
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
    if (state->plain)
        state->plain->diff(in.data, count, out->data);
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
