/* packed_bits.c - Zarr's codec "packbits": the bits of numbers, or some of them, one number after
 * the other, the lowest bit first. Its id differs from the codec's name, which numcodecs' codec of
 * booleans has. The metadata tells what the numbers are ("bits", "components", "signed"). */
#include "codec/codec/codec_internal.h"

#define BITS_MAX       64
#define COMPONENTS_MAX 2

enum padding { PADDING_NONE, PADDING_FIRST, PADDING_LAST };

typedef struct packing {
    enum padding padding;
    int64_t bits, components; /* of a component; of an element */
    int64_t first, last;      /* bits that are stored */
    bool is_signed;
} packing;

/* ---- configuration ---- */

static bool read_padding(const vz_codec *codec, const vz_json *config, packing *p, vz_error *err)
{
    const char *text = "none";
    if (!vz_config_text(codec, config, "padding_encoding", &text, err))
        return false;
    p->padding = strcmp(text, "first_byte") == 0  ? PADDING_FIRST
                 : strcmp(text, "last_byte") == 0 ? PADDING_LAST
                                                  : PADDING_NONE;
    return p->padding != PADDING_NONE || strcmp(text, "none") == 0 ||
           vz_fail(err, VZ_CORRUPT, "codec packbits: \"padding_encoding\" is \"%.60s\"", text);
}

static bool packed_bits_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    packing *p = codec->state;
    p->bits = 0;
    p->components = 1;
    if (!vz_config_int(codec, config, "bits", 1, BITS_MAX, &p->bits, err) ||
        !vz_config_int(codec, config, "components", 1, COMPONENTS_MAX, &p->components, err) ||
        !vz_config_bool(codec, config, "signed", &p->is_signed, err) || !read_padding(codec, config, p, err))
        return false;
    const size_t size = p->bits > 8 ? (size_t)(p->bits / 8) : 1;
    if (p->bits == 0 || (p->bits > 8 && p->bits % 8 != 0) ||
        codec->context.element_size != size * (size_t)p->components || codec->context.decoded_size == 0)
        return vz_fail(err, VZ_UNSUPPORTED, "codec packbits: of elements of %zu bytes", codec->context.element_size);
    p->last = p->bits - 1;
    return vz_config_int(codec, config, "last_bit", 0, p->bits - 1, &p->last, err) &&
           vz_config_int(codec, config, "first_bit", 0, p->last, &p->first, err);
}

/* ---- sizes ---- */

typedef struct shape {
    uint64_t count; /* of components */
    unsigned width; /* bits of one that are stored */
    size_t size;    /* bytes of one in memory */
    uint64_t packed;
    uint8_t padding; /* bits at the end */
} shape;

static bool measure(const packing *p, uint64_t decoded_size, shape *s)
{
    uint64_t bits;
    s->size = p->bits > 8 ? (size_t)(p->bits / 8) : 1;
    s->count = decoded_size / s->size;
    s->width = (unsigned)(p->last - p->first + 1);
    if (!vz_mul(s->count, s->width, &bits) || bits > UINT64_MAX - 7)
        return false;
    s->packed = (bits + 7) / 8;
    s->padding = (uint8_t)(8 * s->packed - bits);
    return true;
}

/* Where whole bytes are stored zarrs leaves out the byte of padding, which the codec's text asks
 * for. Both are read, and neither is written. */
static bool is_ambiguous(const packing *p)
{
    return p->padding != PADDING_NONE && p->first == 0 && p->last == p->bits - 1 && p->bits % 8 == 0;
}

static bool packed_bits_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    const packing *p = codec->state;
    shape s;
    if (is_ambiguous(p) || !measure(p, decoded_size, &s) || s.packed >= SIZE_MAX)
        return false;
    *size = (size_t)s.packed + (p->padding != PADDING_NONE);
    return true;
}

/* ---- bits ---- */

static void put_bits(uint8_t *to, uint64_t at, uint64_t value, unsigned width)
{
    for (unsigned done = 0, part; done < width; done += part) {
        const unsigned shift = (unsigned)((at + done) % 8);
        part = width - done < 8 - shift ? width - done : 8 - shift;
        to[(at + done) / 8] |= (uint8_t)((value >> done & ((1u << part) - 1)) << shift);
    }
}

static uint64_t take_bits(const uint8_t *from, uint64_t at, unsigned width)
{
    uint64_t value = 0;
    for (unsigned done = 0, part; done < width; done += part) {
        const unsigned shift = (unsigned)((at + done) % 8);
        part = width - done < 8 - shift ? width - done : 8 - shift;
        value |= (uint64_t)(from[(at + done) / 8] >> shift & ((1u << part) - 1)) << done;
    }
    return value;
}

static uint64_t load(const uint8_t *from, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void store(uint8_t *to, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* ---- the codec ---- */

static bool packed_bits_prepare(const vz_codec *codec, vz_error *err)
{
    return !is_ambiguous(codec->state) ||
           vz_fail(err, VZ_UNSUPPORTED,
                   "codec packbits: writing with a \"padding_encoding\" beside whole bytes, which programs store "
                   "differently");
}

static bool packed_bits_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const packing *p = codec->state;
    shape s;
    size_t size;
    if (!packed_bits_prepare(codec, err))
        return false;
    if (!measure(p, in.size, &s) || !packed_bits_encoded_size(codec, in.size, &size))
        return vz_fail(err, VZ_LIMIT, "codec packbits: a chunk of %zu bytes", in.size);
    if (!vz_buffer_reserve(out, size, err))
        return false;
    memset(out->data, 0, size);
    uint8_t *packed = out->data + (p->padding == PADDING_FIRST);
    const uint64_t mask = UINT64_MAX >> (BITS_MAX - s.width);
    for (uint64_t i = 0; i < s.count; i++)
        put_bits(packed, i * s.width, load(in.data + i * s.size, s.size) >> p->first & mask, s.width);
    if (p->padding != PADDING_NONE)
        out->data[p->padding == PADDING_FIRST ? 0 : size - 1] = s.padding;
    out->size = size;
    return true;
}

static bool find_packed(const packing *p, const shape *s, vz_bytes in, const uint8_t **packed, vz_error *err)
{
    const bool has_byte = p->padding != PADDING_NONE && !(is_ambiguous(p) && in.size == s->packed);
    if (in.size != s->packed + has_byte)
        return vz_fail(err, VZ_CORRUPT, "packbits: the chunk has %zu bytes, must have %llu", in.size,
                       (unsigned long long)s->packed + has_byte);
    *packed = in.data + (has_byte && p->padding == PADDING_FIRST);
    return !has_byte || in.data[p->padding == PADDING_FIRST ? 0 : in.size - 1] == s->padding ||
           vz_fail(err, VZ_CORRUPT, "packbits: the chunk says another number of unused bits than the %d that it has",
                   s->padding);
}

/* The highest bit that was stored is the sign of an integer. */
static bool packed_bits_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const packing *p = codec->state;
    const uint8_t *packed;
    shape s;
    if (!measure(p, codec->context.decoded_size, &s))
        return vz_fail(err, VZ_LIMIT, "codec packbits: a chunk of %zu bytes", codec->context.decoded_size);
    if (!find_packed(p, &s, in, &packed, err) || !vz_sink_claim(codec, out, s.count * s.size, err))
        return false;
    const uint64_t above = p->last == BITS_MAX - 1 ? 0 : UINT64_MAX << (p->last + 1);
    for (uint64_t i = 0; i < s.count; i++) {
        uint64_t value = take_bits(packed, i * s.width, s.width) << p->first;
        if (p->is_signed && value >> p->last & 1)
            value |= above;
        store(out->data + i * s.size, s.size, value);
    }
    out->size = (size_t)(s.count * s.size);
    return true;
}

const vz_codec_class vz_codec_packed_bits = {
    .id = "zarr.packbits",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(packing),
    .configure = packed_bits_configure,
    .encoded_size = packed_bits_encoded_size,
    .prepare = packed_bits_prepare,
    .decode = packed_bits_decode,
    .encode = packed_bits_encode,
};
