/* test_codec_blosc_decode.c - parts of Blosc buffers are what the library decodes there, whatever made them: element
 * sizes, shuffles, levels, blocks, inner codecs; damaged ones are an error, or the library's. Every buffer and every
 * output lies in memory of exactly its size, for the sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <blosc.h>
#include <stdio.h>

#include "codec/codec/blosc_internal.h"
#include "codec/chain/chain.h"
#include "codecs_json.h"
#include "base/os/thread.h"

enum { PARTS = 12, UNTOUCHED = 0xa5 };

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return below ? (uint32_t)(((uint64_t)(random_state >> 8) * below) >> 24) : 0;
}

typedef enum numbers { NOISE, STEPS, FLOATS, ZEROS, KINDS } numbers;

/* Some streams of the shuffled FLOATS compress and others do not. */
static void fill(uint8_t *data, size_t size, size_t element, numbers kind)
{
    for (size_t i = 0; i < size; i++) {
        const size_t number = i / element, byte = i % element;
        if (kind == NOISE || (kind == FLOATS && byte + 1 < element))
            data[i] = (uint8_t)draw(256);
        else if (kind == FLOATS)
            data[i] = (uint8_t)(60 + draw(3));
        else
            data[i] = kind == ZEROS ? 0 : (uint8_t)(number * 3 >> (8 * (byte % 4)));
    }
}

static uint8_t *exactly(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    return copy;
}

typedef struct sample {
    uint8_t *plain, *stored;
    size_t size, stored_size, element;
} sample;

static void make(sample *s, size_t count, size_t element, numbers kind, const char *cname, int level, int shuffle,
                 size_t block)
{
    s->element = element;
    s->size = count * element;
    s->plain = malloc(s->size);
    fill(s->plain, s->size, element, kind);
    uint8_t *out = malloc(s->size + BLOSC_MAX_OVERHEAD);
    const int got = blosc_compress_ctx(level, shuffle, element, s->size, s->plain, out, s->size + BLOSC_MAX_OVERHEAD,
                                       cname, block, 1);
    assert_true(got > 0);
    s->stored_size = (size_t)got;
    s->stored = exactly(out, s->stored_size);
    free(out);
}

static void drop(sample *s)
{
    free(s->plain);
    free(s->stored);
}

/* Elements in ascending order, some next to each other, some one element long. */
static size_t draw_parts(const sample *s, vz_codec_part *parts)
{
    const size_t count = s->size / s->element;
    size_t at = draw(3) ? draw((uint32_t)count) : 0, made = 0;
    const size_t most = 1 + draw(PARTS);
    while (made < most && at < count) {
        size_t length = 1 + (draw(2) ? draw(8) : draw((uint32_t)(count - at)));
        length = length < count - at ? length : count - at;
        parts[made++] = (vz_codec_part){at * s->element, length * s->element};
        at += length + (draw(4) ? draw((uint32_t)count / 8 + 1) : 0);
    }
    return made;
}

/* Each to memory of its own, which has no byte more; in another order than they have in the buffer. */
static bool take_apart(const sample *s, const vz_codec_part *parts, size_t count, uint8_t *work, bool check)
{
    vz_codec_part apart[PARTS + 1] = {{0}};
    for (size_t i = 0; i < count; i++)
        apart[i] = (vz_codec_part){parts[i].offset, parts[i].size, malloc(parts[i].size)};
    const bool ok = vz_blosc_take_parts((vz_bytes){s->stored, s->stored_size}, apart, count, work, NULL);
    for (size_t i = 0; i < count; i++) {
        if (ok && check)
            assert_memory_equal(apart[i].to, s->plain + parts[i].offset, parts[i].size);
        free(apart[i].to);
    }
    return ok;
}

/* Taken, or not of a form that is known. What lies between the parts is not written. */
static bool take(const sample *s, const vz_codec_part *parts, size_t count, bool check)
{
    const vz_bytes in = {s->stored, s->stored_size};
    const size_t memory = vz_blosc_parts_memory(in);
    if (memory == 0)
        return false;
    assert_true(memory <= s->size);
    const uint64_t origin = parts[0].offset, size = parts[count - 1].offset + parts[count - 1].size - origin;
    uint8_t *work = malloc(memory), *out = malloc(size);
    memset(out, UNTOUCHED, size);
    const bool ok = vz_blosc_take_parts(in, parts, count, work, out);
    uint64_t end = origin;
    for (size_t i = 0; ok && check && i < count; i++) {
        for (; end < parts[i].offset; end++)
            assert_int_equal(out[end - origin], UNTOUCHED);
        assert_memory_equal(out + (parts[i].offset - origin), s->plain + parts[i].offset, parts[i].size);
        end += parts[i].size;
    }
    assert_int_equal(take_apart(s, parts, count, work, check), ok);
    free(work);
    free(out);
    return ok;
}

static const size_t elements[] = {1, 2, 3, 4, 6, 8, 12, 16, 17, 32, 255};
static const size_t counts[] = {1, 20, 33, 127, 128, 129, 1000, 9766, 40003};

static void try_all(const char *cname, int level, int shuffle, size_t block, unsigned *taken, unsigned *tried)
{
    vz_codec_part parts[PARTS + 1];
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts && counts[c] * elements[e] < 1 << 20; c++) {
            sample s;
            make(&s, counts[c], elements[e], (numbers)((e + c + (size_t)level) % KINDS), cname, level, shuffle, block);
            for (int i = 0; i < 6; i++) {
                const size_t count = draw_parts(&s, parts);
                *taken += take(&s, parts, count, true);
                ++*tried;
            }
            const vz_codec_part all = {0, s.size};
            *taken += take(&s, &all, 1, true);
            ++*tried;
            drop(&s);
        }
}

static void test_all_forms(void **state)
{
    static const size_t blocks[] = {0, 4096, 10000, 100001, 1 << 20};
    (void)state;
    for (int shuffle = 0; shuffle <= 1; shuffle++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            for (int level = 1; level <= 9; level += 4) {
                unsigned taken = 0, tried = 0;
                try_all("lz4", level, shuffle, blocks[b], &taken, &tried);
                assert_true(taken > tried / 4); /* noise is stored as it is, and some blocks have no whole elements */
            }
    unsigned taken = 0, tried = 0;
    try_all("lz4hc", 5, 1, 0, &taken, &tried);
    assert_true(taken > tried / 4);
}

/* Left to the library. */
static void test_other_forms(void **state)
{
    (void)state;
    unsigned taken = 0, tried = 0;
    try_all("lz4", 5, BLOSC_BITSHUFFLE, 0, &taken, &tried);
    try_all("blosclz", 5, 1, 0, &taken, &tried);
    try_all("zlib", 5, 1, 0, &taken, &tried);
    try_all("lz4", 0, 1, 0, &taken, &tried);
    assert_int_equal(taken, 0);
}

/* Block by block one stream that all bytes of its elements are in: what newer libraries make. */
static void test_not_split(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 4, 8, 16};
    vz_codec_part parts[PARTS + 1];
    blosc_init();
    blosc_set_splitmode(BLOSC_NEVER_SPLIT);
    for (size_t e = 0; e < sizeof sizes / sizeof *sizes; e++)
        for (int shuffle = 0; shuffle <= 1; shuffle++) {
            sample s;
            make(&s, 30000, sizes[e], FLOATS, "lz4", 5, shuffle, 65536);
            for (int i = 0; i < 50; i++) {
                const size_t count = draw_parts(&s, parts);
                const bool kept = s.stored[2] & BLOSC_MEMCPYED;
                assert_true(take(&s, parts, count, true) || kept);
            }
            drop(&s);
        }
    blosc_set_splitmode(BLOSC_FORWARD_COMPAT_SPLIT);
    blosc_destroy();
}

static void test_what_are_no_parts(void **state)
{
    (void)state;
    sample s;
    make(&s, 10000, 4, FLOATS, "lz4", 5, 1, 0);
    static const vz_codec_part wrong[][2] = {{{0, 4}, {40000, 4}},
                                             {{8, 4}, {0, 4}},
                                             {{0, 8}, {4, 8}},
                                             {{2, 4}, {8, 4}},
                                             {{0, 3}, {8, 4}},
                                             {{0, 4}, {8, 0}},
                                             {{0, 4}, {UINT64_MAX - 3, 8}},
                                             {{0, 4}, {8, UINT64_MAX - 3}}};
    uint8_t *work = malloc(s.size), *out = malloc(s.size);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(vz_blosc_take_parts((vz_bytes){s.stored, s.stored_size}, wrong[i], 2, work, out));
    assert_false(vz_blosc_take_parts((vz_bytes){s.stored, s.stored_size}, wrong[0], 0, work, out));
    free(work);
    free(out);
    drop(&s);
}

/* ---- damage ---- */

/* Any bytes may come of it: LZ4 does not see each wrong reference. */
static void try_damaged(const sample *s, const vz_codec_part *parts, size_t count)
{
    const size_t memory = vz_blosc_parts_memory((vz_bytes){s->stored, s->stored_size});
    if (memory <= s->size) /* else the codec, which knows how large a chunk is, refuses it */
        take(s, parts, count, false);
}

static void damage(size_t count, size_t element, int shuffle, size_t block)
{
    vz_codec_part parts[PARTS + 1];
    sample s;
    make(&s, count, element, FLOATS, "lz4", 5, shuffle, block);
    static const uint32_t telling[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};
    for (size_t at = 0; at < s.stored_size; at += at < 200 ? 1 : 1 + draw(97))
        for (unsigned i = 0; i < 3 + sizeof telling / sizeof *telling; i++) {
            sample damaged = s;
            damaged.stored = exactly(s.stored, s.stored_size);
            if (i < 3)
                damaged.stored[at] ^= (uint8_t)(1 + draw(255));
            else if (at + 4 <= s.stored_size)
                vz_bytes_store_le32(damaged.stored + at, telling[i - 3]);
            try_damaged(&damaged, parts, draw_parts(&s, parts));
            free(damaged.stored);
        }
    for (size_t size = 0; size < s.stored_size; size += size < 200 ? 1 : 1 + draw(397)) {
        sample short_one = s;
        short_one.stored_size = size;
        short_one.stored = exactly(s.stored, size);
        if (size >= BLOSC_MIN_HEADER_LENGTH && draw(2)) /* a buffer that says it is as long as it is */
            vz_bytes_store_le32(short_one.stored + 12, (uint32_t)size);
        try_damaged(&short_one, parts, draw_parts(&s, parts));
        free(short_one.stored);
    }
    drop(&s);
}

static void test_damage(void **state)
{
    (void)state;
    damage(2000, 4, 1, 0);
    damage(5000, 4, 1, 4096);
    damage(700, 8, 1, 0);
    damage(3000, 2, 0, 2048);
    damage(300, 17, 1, 0);
}

/* ---- by the chain: with an error where the library has one ---- */

typedef struct chunk {
    vz_chain chain;
    sample s;
} chunk;

static void open_chunk(chunk *c, size_t count, size_t element, numbers kind, int shuffle, size_t block)
{
    vz_error err = VZ_ERROR_NONE;
    const char *text = "{\"id\":\"blosc\"}";
    vz_json *codec = vz_json_parse(text, strlen(text), &err);
    const vz_chain_chunk of = {.element_size = element, .element_count = count};
    assert_true(codec && chain_open_json(&c->chain, NULL, codec, &of, &err));
    vz_json_free(codec);
    make(&c->s, count, element, kind, "lz4", 5, shuffle, block);
}

static void close_chunk(chunk *c)
{
    vz_chain_clear(&c->chain);
    drop(&c->s);
}

static bool read_stored(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    const sample *s = context;
    if (offset > s->stored_size || size > s->stored_size - offset)
        return vz_fail(err, VZ_CORRUPT, "%zu bytes are too few", s->stored_size);
    return vz_buffer_append(out, s->stored + offset, size, err);
}

static void check_range(chunk *c, size_t offset, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer scratch = {0};
    uint8_t *out = malloc(size);
    const vz_stored of = {read_stored, &c->s};
    assert_true(
        vz_chain_decode_range(&c->chain, (vz_bytes){c->s.stored, c->s.stored_size}, offset, size, out, 0, &err));
    assert_memory_equal(out, c->s.plain + offset, size);
    memset(out, UNTOUCHED, size);
    assert_true(vz_chain_read_range(&c->chain, &of, offset, size, &scratch, out, &err));
    assert_memory_equal(out, c->s.plain + offset, size);
    vz_buffer_clear(&scratch);
    free(out);
}

/* Also of no whole elements, which the library decodes. */
static void test_ranges(void **state)
{
    (void)state;
    for (int shuffle = 0; shuffle <= 1; shuffle++)
        for (size_t block = 0; block <= 16384; block += 8192) {
            chunk c;
            open_chunk(&c, 50000, 4, FLOATS, shuffle, block);
            for (int i = 0; i < 200; i++) {
                const size_t unit = i % 4 ? 4 : 1, offset = draw((uint32_t)(c.s.size / unit)) * unit;
                check_range(&c, offset, (1 + draw((uint32_t)((c.s.size - offset) / unit))) * unit);
            }
            close_chunk(&c);
        }
}

/* Left to the library, which has an error for it. */
static void test_damage_is_told(void **state)
{
    (void)state;
    chunk c;
    uint8_t out[64];
    vz_error err = VZ_ERROR_NONE;
    open_chunk(&c, 50000, 4, STEPS, 1, 0);
    const vz_bytes stored = {c.s.stored, c.s.stored_size};
    const uint32_t block = vz_bytes_load_le32(c.s.stored + 16);
    const vz_codec_part part = {400, sizeof out};
    assert_true(vz_chain_has_parts(&c.chain));
    assert_true(vz_chain_decode_range(&c.chain, stored, 400, sizeof out, out, 0, &err));
    vz_bytes_store_le32(c.s.stored + block, 0x7fffffff); /* the size of its first stream */
    assert_false(vz_chain_decode_parts(&c.chain, stored, &part, 1, c.s.plain, 0));
    assert_false(vz_chain_decode_range(&c.chain, stored, 400, sizeof out, out, 0, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    close_chunk(&c);
}

/* The stored chunk says that it decodes to more than a chunk has. */
static void test_other_size(void **state)
{
    (void)state;
    chunk c;
    uint8_t *out = malloc(400);
    open_chunk(&c, 50000, 4, FLOATS, 1, 0);
    vz_bytes_store_le32(c.s.stored + 4, 200000 + 400);
    const vz_codec_part part = {0, 400};
    assert_false(vz_chain_decode_parts(&c.chain, (vz_bytes){c.s.stored, c.s.stored_size}, &part, 1, out, 0));
    free(out);
    close_chunk(&c);
}

static int stop(void **state)
{
    (void)state;
    vz_pool_stop();
    return 0;
}

/* ---- what is stored without the library ---- */

static void assert_encoded_as_by_library(size_t size, unsigned element, int level, int shuffle)
{
    char text[120];
    uint8_t data[200], by_library[200 + BLOSC_MAX_OVERHEAD], again[200];
    vz_error err = VZ_ERROR_NONE;
    vz_codecs codecs = {0};
    vz_chain chain;
    vz_buffer out = {0};
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i * 37 + size);
    snprintf(text, sizeof text, "{\"id\":\"blosc\",\"clevel\":%d,\"shuffle\":%d,\"typesize\":%u}", level, shuffle,
             element);
    vz_json *codec = vz_json_parse(text, strlen(text), &err);
    assert_true(vz_codecs_append_numcodecs(&codecs, codec, &err));
    assert_true(vz_chain_open(&chain, &codecs, &(vz_chain_chunk){.element_size = 1, .element_count = size}, &err));
    assert_true(vz_chain_encode(&chain, data, size, &out, 0, &err));
    const int stored =
        blosc_compress_ctx(level, shuffle, element, size, data, by_library, sizeof by_library, "lz4", 0, 1);
    if (stored < 0 || out.size != (size_t)stored || memcmp(out.data, by_library, out.size) != 0)
        fail_msg("%zu bytes of elements of %u, level %d, shuffle %d", size, element, level, shuffle);
    assert_true(vz_chain_decode(&chain, (vz_bytes){out.data, out.size}, again, size, 0, &err));
    assert_memory_equal(again, data, size);
    vz_chain_clear(&chain);
    vz_codecs_clear(&codecs);
    vz_json_free(codec);
    vz_buffer_clear(&out);
}

static void test_short(void **state)
{
    static const unsigned sizes[] = {1, 2, 3, 4, 8, 16, 100, 255, 256, 300};
    (void)state;
    for (size_t size = 1; size < 128; size++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int level = 0; level <= 9; level += 3)
                for (int shuffle = BLOSC_NOSHUFFLE; shuffle <= BLOSC_BITSHUFFLE; shuffle++)
                    assert_encoded_as_by_library(size, sizes[i], level, shuffle);
}

/* A chunk that is stored as it is, whose head the library refuses, fails as a whole, as a range and read in part. */
static void test_plain_head(void **state)
{
    static const struct {
        size_t at;
        uint8_t bytes[4];
        size_t count;
        bool is_right;
        int ways; /* the library's own range does not look at the flag */
    } cases[] = {
        {8, {48, 0, 0, 0}, 4, true, 3},         {8, {68, 0, 0, 0}, 4, false, 3}, {8, {0, 0, 0, 0}, 4, false, 3},
        {8, {255, 255, 255, 255}, 4, false, 3}, {3, {0}, 1, false, 3},           {3, {7}, 1, true, 3},
        {2, {VZ_BLOSC_FUTURE | 2}, 1, false, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        chunk c;
        vz_buffer scratch = {0};
        uint8_t out[48];
        open_chunk(&c, 48, 1, NOISE, 0, 0);
        assert_int_equal(c.s.stored_size, 64);
        memcpy(c.s.stored + cases[i].at, cases[i].bytes, cases[i].count);
        const vz_bytes stored = {c.s.stored, c.s.stored_size};
        const vz_stored of = {read_stored, &c.s};
        for (int how = 0; how < cases[i].ways; how++) {
            vz_error err = VZ_ERROR_NONE;
            const bool ok = how == 0   ? vz_chain_decode(&c.chain, stored, out, 48, 0, &err)
                            : how == 1 ? vz_chain_decode_range(&c.chain, stored, 16, 24, out, 0, &err)
                                       : vz_chain_read_range(&c.chain, &of, 16, 24, &scratch, out, &err);
            if (ok != cases[i].is_right)
                fail_msg("case %zu, way %d: %s", i, how, ok ? "decodes" : err.text);
            assert_true(!ok || memcmp(out, c.s.plain + (how ? 16 : 0), how ? 24 : 48) == 0);
        }
        vz_buffer_clear(&scratch);
        close_chunk(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_head),  cmocka_unit_test(test_short),     cmocka_unit_test(test_all_forms),
        cmocka_unit_test(test_other_forms), cmocka_unit_test(test_not_split), cmocka_unit_test(test_what_are_no_parts),
        cmocka_unit_test(test_damage),      cmocka_unit_test(test_ranges),    cmocka_unit_test(test_damage_is_told),
        cmocka_unit_test(test_other_size),
    };
    return cmocka_run_group_tests(tests, NULL, stop);
}
