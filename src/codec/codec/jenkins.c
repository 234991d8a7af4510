/* jenkins.c - numcodecs "jenkins_lookup3": the data, then Bob Jenkins' lookup3 hash of it (his
 * public-domain "hashlittle"), 4 bytes little-endian. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#define CHECKSUM_SIZE 4
#define BLOCK_SIZE    12

typedef struct hash {
    uint32_t a, b, c;
} hash;

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

/* Mixes three words reversibly. */
static void mix(hash *h)
{
    static const unsigned bits[6] = {4, 6, 8, 16, 19, 4};
    for (unsigned i = 0; i < 6; i++) {
        h->a -= h->c;
        h->a ^= rotate(h->c, bits[i]);
        h->c += h->b;
        *h = (hash){h->b, h->c, h->a};
    }
}

/* The last mix, in which every bit of the input reaches c. */
static void finish(hash *h)
{
    static const unsigned bits[7] = {14, 11, 25, 16, 4, 14, 24};
    for (unsigned i = 0; i < 7; i++) {
        h->c ^= h->b;
        h->c -= rotate(h->b, bits[i]);
        *h = (hash){h->b, h->c, h->a};
    }
    *h = (hash){h->c, h->a, h->b}; /* seven turns of three */
}

static void add(hash *h, const uint8_t *block)
{
    h->a += vz_bytes_load_le32(block);
    h->b += vz_bytes_load_le32(block + 4);
    h->c += vz_bytes_load_le32(block + 8);
}

static uint32_t checksum(vz_bytes in, uint32_t start)
{
    const uint32_t seed = 0xdeadbeefu + (uint32_t)in.size + start;
    hash h = {seed, seed, seed};
    if (in.size == 0)
        return h.c;
    while (in.size > BLOCK_SIZE) {
        add(&h, in.data);
        mix(&h);
        in.data += BLOCK_SIZE, in.size -= BLOCK_SIZE;
    }
    uint8_t last[BLOCK_SIZE] = {0};
    memcpy(last, in.data, in.size);
    add(&h, last);
    finish(&h);
    return h.c;
}

static bool jenkins_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    const vz_json *prefix = vz_json_get(config, "prefix");
    if (prefix && vz_json_kind_of(prefix) != VZ_JSON_NULL)
        return vz_fail(err, VZ_UNSUPPORTED, "codec jenkins_lookup3: a prefix");
    return vz_config_int(codec, config, "initval", 0, UINT32_MAX, codec->state, err);
}

static uint32_t start_of(const vz_codec *codec)
{
    return (uint32_t) * (const int64_t *)codec->state;
}

static bool jenkins_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    return !__builtin_add_overflow(decoded_size, (size_t)CHECKSUM_SIZE, size);
}

static bool jenkins_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    if (in.size < CHECKSUM_SIZE)
        return vz_fail(err, VZ_CORRUPT, "jenkins_lookup3: %zu bytes, need at least %d", in.size, CHECKSUM_SIZE);
    const vz_bytes data = {in.data, in.size - CHECKSUM_SIZE};
    const uint32_t stored = vz_bytes_load_le32(in.data + data.size), computed = checksum(data, start_of(codec));
    if (stored != computed)
        return vz_fail(err, VZ_CORRUPT, "jenkins_lookup3: the checksum is %08x, the data's is %08x", stored, computed);
    return vz_sink_claim(codec, out, data.size, err) && vz_buffer_append(out, data.data, data.size, err);
}

static bool jenkins_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    uint8_t sum[CHECKSUM_SIZE];
    vz_bytes_store_le32(sum, checksum(in, start_of(codec)));
    return vz_buffer_append(out, in.data, in.size, err) && vz_buffer_append(out, sum, sizeof sum, err);
}

const vz_codec_class vz_codec_jenkins = {
    .id = "jenkins_lookup3",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(int64_t),
    .configure = jenkins_configure,
    .encoded_size = jenkins_encoded_size,
    .decode = jenkins_decode,
    .encode = jenkins_encode,
};
