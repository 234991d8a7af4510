/* hdf5_bitshuffle.c - "hdf5_bitshuffle": HDF5's filter 32008. The bits of a block's elements are
 * sorted by their places, and the block may be compressed by LZ4 or zstd. Only decoded. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/hdf5_filters.h"
#include <limits.h>
#include <lz4.h>
#include <zstd.h>

#define HEADER_SIZE       12 /* bytes decoded, 8 of them; bytes of a block */
#define BLOCK_HEADER_SIZE 4
#define GROUP             8 /* elements whose bits are sorted together */
/* Bytes of a block where nobody says so, and the elements that it has at least. */
#define BLOCK_USUAL 8192
#define BLOCK_LEAST 128
#define BLOCK_MAX   ((size_t)1 << 30)
#define ELEMENT_MAX ((int64_t)1 << 20)

typedef enum packing { FORM_PLAIN, FORM_LZ4, FORM_ZSTD } packing;

typedef struct bitshuffle_state {
    int64_t element, block; /* bytes of an element; elements of a block, 0: as usual */
    packing form;
} bitshuffle_state;

static bool configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    bitshuffle_state *state = codec->state;
    const vz_json *name = vz_json_get(config, "compressor");
    state->element = 1;
    if (!vz_config_int(codec, config, "elementsize", 1, ELEMENT_MAX, &state->element, err) ||
        !vz_config_int(codec, config, "blocksize", 0, (int64_t)BLOCK_MAX, &state->block, err))
        return false;
    if (vz_json_is(name, "lz4"))
        state->form = FORM_LZ4;
    else if (vz_json_is(name, "zstd"))
        state->form = FORM_ZSTD;
    else if (name && !vz_json_is(name, "none"))
        return vz_fail(err, VZ_UNSUPPORTED, "hdf5_bitshuffle: a compressor other than lz4, zstd and none");
    return true;
}

static uint64_t load_be(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* ---- bits ---- */

/* Bit b of byte k and bit k of byte b change places. */
static uint64_t transpose(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAu;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCu;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0u;
    return x ^ t ^ (t << 28);
}

/* `count` elements, a multiple of GROUP: of each bit of an element the bits of all follow each
 * other. */
static void unsort(const uint8_t *from, uint8_t *to, size_t count, size_t element)
{
    const size_t groups = count / GROUP;
    for (size_t byte = 0; byte < element; byte++)
        for (size_t i = 0; i < groups; i++) {
            uint64_t x = 0;
            for (size_t bit = 0; bit < 8; bit++)
                x |= (uint64_t)from[(byte * 8 + bit) * groups + i] << (8 * bit);
            x = transpose(x);
            for (size_t n = 0; n < GROUP; n++)
                to[(i * GROUP + n) * element + byte] = (uint8_t)(x >> (8 * n));
        }
}

/* ---- blocks ---- */

static bool fail_early(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "hdf5_bitshuffle: the data end too early");
}

/* The sorted bytes of a block: in `in`, or decoded to `room`. */
static const uint8_t *take_block(packing form, vz_bytes *in, size_t size, uint8_t *room, vz_error *err)
{
    const uint8_t *at = in->data;
    const size_t head = form == FORM_PLAIN ? 0 : BLOCK_HEADER_SIZE;
    size_t stored = size;
    bool ok = in->size >= head;
    if (ok && head)
        stored = (size_t)load_be(at, BLOCK_HEADER_SIZE);
    if (!ok || stored > in->size - head || stored > INT_MAX) {
        fail_early(err);
        return NULL;
    }
    *in = (vz_bytes){at + head + stored, in->size - head - stored};
    if (form == FORM_PLAIN)
        return at;
    if (form == FORM_LZ4)
        ok = LZ4_decompress_safe((const char *)at + head, (char *)room, (int)stored, (int)size) == (int)size;
    else
        ok = ZSTD_decompress(room, size, at + head, stored) == size;
    if (ok)
        return room;
    vz_fail(err, VZ_CORRUPT, "hdf5_bitshuffle: a block does not decode to %zu bytes", size);
    return NULL;
}

static bool decode_blocks(const bitshuffle_state *state, vz_bytes in, size_t size, size_t block, uint8_t *to,
                          uint8_t *room, vz_error *err)
{
    const size_t element = (size_t)state->element;
    size_t left = size / element;
    while (left >= GROUP) {
        size_t count = left < block ? left : block;
        count -= count % GROUP;
        const uint8_t *sorted = take_block(state->form, &in, count * element, room, err);
        if (!sorted)
            return false;
        unsort(sorted, to, count, element);
        to += count * element;
        left -= count;
    }
    const size_t rest = left * element + size % element; /* as they are */
    if (in.size < rest)
        return fail_early(err);
    if (rest > 0)
        memcpy(to, in.data, rest);
    return true;
}

/* Elements of a block. */
static size_t usual_block(const bitshuffle_state *state)
{
    const size_t count = BLOCK_USUAL / (size_t)state->element;
    const size_t whole = state->block ? (size_t)state->block : count - count % GROUP;
    return state->block || whole > BLOCK_LEAST ? whole : BLOCK_LEAST;
}

static bool decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const bitshuffle_state *state = codec->state;
    const size_t element = (size_t)state->element;
    uint64_t size = in.size, block = usual_block(state);
    if (state->form != FORM_PLAIN) {
        if (in.size < HEADER_SIZE)
            return fail_early(err);
        size = load_be(in.data, 8);
        block = load_be(in.data + 8, 4) / element;
        in = (vz_bytes){in.data + HEADER_SIZE, in.size - HEADER_SIZE};
    }
    if (block == 0 || block % GROUP != 0 || block > BLOCK_MAX / element || size > vz_sink_room(codec, out))
        return vz_fail(err, VZ_CORRUPT, "hdf5_bitshuffle: %llu bytes in blocks of %llu elements",
                       (unsigned long long)size, (unsigned long long)block);
    const size_t most = (size_t)(size / element < block ? size / element : block) * element;
    vz_buffer room = {0};
    const bool ok = vz_sink_claim(codec, out, (size_t)size, err) &&
                    (state->form == FORM_PLAIN || vz_buffer_reserve(&room, most + 1, err)) &&
                    decode_blocks(state, in, (size_t)size, (size_t)block, out->data, room.data, err);
    if (ok)
        out->size = (size_t)size;
    vz_buffer_clear(&room);
    return ok;
}

/* ---- no way back ---- */

static bool refuse(const vz_codec *codec, vz_error *err)
{
    (void)codec;
    return vz_fail(err, VZ_UNSUPPORTED, "hdf5_bitshuffle: chunks in the form of that HDF5 filter are only read");
}

static bool encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    (void)in, (void)out;
    return refuse(codec, err);
}

const vz_codec_class vz_codec_hdf5_bitshuffle = {
    .id = "hdf5_bitshuffle",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(bitshuffle_state),
    .configure = configure,
    .decode = decode,
    .encode = encode,
    .prepare = refuse,
};
