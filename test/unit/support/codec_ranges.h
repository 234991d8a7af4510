/* codec_ranges.h - a chunk that is read as a whole, by ranges, by parts and by excerpts is one chunk. The parameters of
 * the chunk are free, and its encoder is the codec's library wherever it is one:
 *
 *   input   0      codec: Blosc with each of its inner codecs, shuffle, one of the chains of which a part is cut out
 *           1      level (0..9), shuffle (0..2), split mode (1..4)
 *           2, 3   bytes of an element as the encoder was given it (1..300)
 *           4, 5   block size that the encoder is asked for (0: its own choice)
 *           6, 7   number of elements
 *           8      bytes of an element of the array (1..16); 0, and with shuffle: the encoder's
 *           9      the header's element size is replaced by this (Blosc that is not shuffled; 0: it stays)
 *           10..   the chunk's bytes, repeated; and, backwards from the end, the ranges
 *
 * A chunk that the library decodes is the truth; one that it refuses is left out. */
#ifndef VZ_TEST_CODEC_RANGES_H
#define VZ_TEST_CODEC_RANGES_H

#include <blosc.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/chain/chain.h"
#include "codecs_json.h"

#define RANGES_REQUIRE(condition)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum {
    RANGES_HEAD = 10,
    RANGES_EACH = 12,        /* ranges read of a chunk */
    RANGES_CUT = 2,          /* where each range decodes all of it */
    RANGES_CHUNK = 64 << 10, /* bytes of the largest chunk */
    RANGES_SPACE = 64,       /* bytes of an encoder's own that a chunk may take beside its data */
};

typedef struct ranges_input {
    const uint8_t *data;
    size_t size, taken; /* bytes taken from the end */
} ranges_input;

/* A number below `below`, which is not 0. */
static inline size_t ranges_draw(ranges_input *in, size_t below)
{
    size_t value = in->taken;
    for (int i = 0; i < 2; i++) {
        value = value << 8 | in->data[in->size - 1 - in->taken % in->size];
        in->taken++;
    }
    return value % below;
}

typedef struct ranges_chunk {
    uint8_t *plain, *stored;
    size_t size, stored_size, element;
    vz_chain chain;
} ranges_chunk;

/* False: the library refuses to make this chunk. */
static inline bool ranges_encode(ranges_chunk *c, const uint8_t *in, size_t typesize, size_t block)
{
    static const char *const inner[] = {"blosclz", "lz4", "lz4hc", "zlib", "zstd"};
    const size_t room = c->size + BLOSC_MAX_OVERHEAD + RANGES_SPACE;
    c->stored = malloc(room);
    RANGES_REQUIRE(c->stored);
    blosc_set_splitmode(BLOSC_ALWAYS_SPLIT + in[1] / 30 % 4);
    const int got = blosc_compress_ctx(in[1] % 10, in[1] / 10 % 3, typesize, c->size, c->plain, c->stored, room,
                                       inner[in[0] / 2 % 5], block, 1);
    c->stored_size = got > 0 ? (size_t)got : 0;
    if (got > 0 && in[9] && !(c->stored[2] & (BLOSC_DOSHUFFLE | BLOSC_DOBITSHUFFLE)))
        c->stored[3] = in[9];
    return got > 0 && blosc_decompress_ctx(c->stored, c->plain, c->size, 1) == (int)c->size;
}

/* The filters of a chunk that is not Blosc's alone. The truth is what went in. */
static inline const char *ranges_filters(const uint8_t *in)
{
    static const char *const others[] = {
        "[]",
        "[{\"id\":\"zstd\"}]",
        "[{\"id\":\"zlib\"}]",
        "[{\"id\":\"gzip\"}]",
        "[{\"id\":\"lz4\"}]",
        "[{\"id\":\"bz2\"}]",
        "[{\"id\":\"lzma\",\"preset\":0}]",
        "[{\"id\":\"crc32c\"}]",
        "[{\"id\":\"fletcher32\"}]",
        "[{\"id\":\"base64\"}]",
        "[{\"id\":\"blosc\"},{\"id\":\"crc32c\"}]",
        "[{\"id\":\"shuffle\",\"elementsize\":4},{\"id\":\"zlib\"}]",
        "[{\"id\":\"shuffle\",\"elementsize\":8},{\"id\":\"lz4\"},{\"id\":\"fletcher32\"}]",
    };
    return in[0] % 16 ? others[in[0] / 16 % (sizeof others / sizeof *others)] : NULL;
}

/* False: a filter refuses this chunk. */
static inline bool ranges_open(ranges_chunk *c, const uint8_t *in, size_t typesize)
{
    char text[80];
    vz_error err = VZ_ERROR_NONE;
    const bool is_blosc = in[0] % 8;
    const char *filters = ranges_filters(in);
    snprintf(text, sizeof text, "[{\"id\":\"%s\",\"elementsize\":%zu}]", is_blosc ? "blosc" : "shuffle", typesize);
    if (is_blosc || !filters)
        filters = text;
    vz_json *list = vz_json_parse(filters, strlen(filters), &err);
    const vz_chain_chunk of = {.element_size = c->element, .element_count = c->size / c->element};
    RANGES_REQUIRE(list && chain_open_json(&c->chain, list, NULL, &of, &err));
    vz_json_free(list);
    if (is_blosc)
        return true;
    vz_buffer stored = {0};
    if (!vz_chain_encode(&c->chain, c->plain, c->size, &stored, 0, &err)) {
        RANGES_REQUIRE(strstr(filters, "shuffle")); /* which refuses what is no whole elements of it */
        vz_error_clear(&err);
        vz_chain_clear(&c->chain);
        return false;
    }
    free(c->stored);
    c->stored = stored.data;
    c->stored_size = stored.size;
    return true;
}

/* Exactly as large as it is, for the sanitizers. */
static inline void ranges_trim(ranges_chunk *c)
{
    uint8_t *exact = malloc(c->stored_size);
    RANGES_REQUIRE(exact);
    memcpy(exact, c->stored, c->stored_size);
    free(c->stored);
    c->stored = exact;
}

static inline bool ranges_read_stored(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    const ranges_chunk *c = context;
    RANGES_REQUIRE(offset <= c->stored_size && size <= c->stored_size - offset);
    return vz_buffer_append(out, c->stored + offset, size, err);
}

static inline void ranges_check_one(ranges_chunk *c, size_t offset, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_bytes stored = {c->stored, c->stored_size};
    const vz_stored of = {ranges_read_stored, c};
    vz_buffer scratch = {0};
    uint8_t *out = calloc(1, size);
    RANGES_REQUIRE(out && vz_chain_decode_range(&c->chain, stored, offset, size, out, 0, &err));
    RANGES_REQUIRE(memcmp(out, c->plain + offset, size) == 0);
    if (vz_chain_reads_range(&c->chain)) {
        memset(out, 0xa5, size);
        RANGES_REQUIRE(vz_chain_read_range(&c->chain, &of, offset, size, &scratch, out, &err));
        RANGES_REQUIRE(memcmp(out, c->plain + offset, size) == 0);
    }
    vz_buffer_clear(&scratch);
    free(out);
}

/* Ascending parts of whole elements, all in one call. */
static inline void ranges_check_parts(ranges_chunk *c, ranges_input *in)
{
    vz_codec_part parts[RANGES_EACH];
    size_t count = 0, at = 0;
    const size_t elements = c->size / c->element;
    while (count < RANGES_EACH && (at += ranges_draw(in, elements / 4 + 1)) < elements) {
        const size_t length = 1 + ranges_draw(in, elements - at);
        parts[count++] = (vz_codec_part){at * c->element, length * c->element, NULL};
        at += length;
    }
    uint8_t *out = calloc(1, c->size);
    RANGES_REQUIRE(out);
    if (count && vz_chain_has_parts(&c->chain) &&
        vz_chain_decode_parts(&c->chain, (vz_bytes){c->stored, c->stored_size}, parts, count, out, 0))
        for (size_t i = 0; i < count; i++)
            RANGES_REQUIRE(memcmp(out + parts[i].offset, c->plain + parts[i].offset, parts[i].size) == 0);
    free(out);
}

static inline void ranges_check_chunk(ranges_chunk *c, ranges_input *in)
{
    vz_error err = VZ_ERROR_NONE;
    uint8_t *whole = calloc(1, c->size);
    RANGES_REQUIRE(whole);
    RANGES_REQUIRE(vz_chain_decode(&c->chain, (vz_bytes){c->stored, c->stored_size}, whole, c->size, 0, &err));
    RANGES_REQUIRE(memcmp(whole, c->plain, c->size) == 0);
    free(whole);
    const size_t ranges = vz_chain_has_range(&c->chain) ? RANGES_EACH : RANGES_CUT;
    for (size_t i = 0; i < ranges; i++) {
        const size_t unit = i % 3 ? c->element : 1, units = c->size / unit;
        const size_t first = ranges_draw(in, units);
        const size_t most = i % 2 ? units - first : (units - first < 8 ? units - first : 8);
        ranges_check_one(c, first * unit, (1 + ranges_draw(in, most)) * unit);
    }
    ranges_check_parts(c, in);
}

/* True: a chunk was made of the input, and every way to read it agreed. */
static inline bool ranges_check(const uint8_t *data, size_t size)
{
    if (size <= RANGES_HEAD)
        return false;
    ranges_input in = {data + RANGES_HEAD, size - RANGES_HEAD, 0};
    const size_t typesize = 1 + (data[2] | (size_t)data[3] << 8) % 300, block = data[4] | (size_t)data[5] << 8;
    ranges_chunk c = {.element = data[8] && data[0] % 8 ? (size_t)1 + data[8] % 16 : typesize};
    const size_t least = typesize * (1 + (data[6] | (size_t)data[7] << 8) % (RANGES_CHUNK / typesize));
    c.size = (least + c.element - 1) / c.element * c.element;
    c.plain = malloc(c.size);
    RANGES_REQUIRE(c.plain);
    for (size_t i = 0; i < c.size; i++)
        c.plain[i] = (uint8_t)(in.data[i % in.size] + i / 256 * (data[1] & 1));
    const bool made = ranges_encode(&c, data, typesize, block) && ranges_open(&c, data, typesize);
    if (made) {
        ranges_trim(&c);
        ranges_check_chunk(&c, &in);
        vz_chain_clear(&c.chain);
    }
    free(c.stored);
    free(c.plain);
    return made;
}

#endif
