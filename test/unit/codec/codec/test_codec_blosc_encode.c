/* test_codec_blosc_encode.c - Blosc buffers that are made without the library, against the library: it decodes them,
 * and those that it makes have the same head, but for how large they became. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <blosc.h>

#include "codec/codec/blosc_internal.h"

typedef enum numbers { NOISE, STEPS, FLOATS, ZEROS, KINDS } numbers;

static uint32_t random_state = 1;

static uint8_t draw(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint8_t)(random_state >> 24);
}

static void fill(uint8_t *data, size_t size, size_t element, numbers kind)
{
    for (size_t i = 0; i < size; i++) {
        const size_t number = i / element, byte = i % element;
        const bool is_noise = kind == NOISE || (kind == FLOATS && byte + 1 < element);
        data[i] = is_noise         ? draw()
                  : kind == FLOATS ? (uint8_t)(60 + draw() % 3)
                  : kind == ZEROS  ? 0
                                   : (uint8_t)(number * 3 >> (8 * (byte % 4)));
    }
}

static size_t by_library(const vz_blosc_form *form, vz_bytes in, uint8_t *out)
{
    const int size = blosc_compress_ctx(form->level, form->shuffle, form->element, in.size, in.data, out,
                                        in.size + BLOSC_MAX_OVERHEAD, "lz4", 0, 1);
    assert_true(size > 0);
    return (size_t)size;
}

/* Of the head all but whether it is stored as it is, and the size: another LZ4 may find that otherwise. */
static void check_head(const uint8_t *head, const uint8_t *expected)
{
    assert_int_equal(head[2] & ~BLOSC_MEMCPYED, expected[2] & ~BLOSC_MEMCPYED);
    assert_memory_equal(head, expected, 2);
    assert_memory_equal(head + 3, expected + 3, 9);
}

static void check(const vz_blosc_form *form, vz_bytes in, uint8_t *other, uint8_t *back)
{
    vz_buffer out = {0};
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_blosc_encodes(form, in.size));
    assert_true(vz_blosc_encode(form, in, &out, &err));
    assert_true(out.size <= in.size + VZ_BLOSC_HEAD);
    const size_t size = by_library(form, in, other);
    check_head(out.data, other);
    assert_true(out.size <= size + size / 50 + 64);
    /* What is decoded lies in memory of its very size, for the sanitizers. */
    uint8_t *exact = malloc(out.size);
    assert_non_null(exact);
    memcpy(exact, out.data, out.size);
    size_t decoded;
    assert_int_equal(blosc_cbuffer_validate(exact, out.size, &decoded), 0);
    assert_int_equal(decoded, in.size);
    memset(back, 0x55, in.size);
    assert_int_equal(blosc_decompress_ctx(exact, back, in.size, 1), in.size);
    assert_memory_equal(back, in.data, in.size);
    free(exact);
    vz_buffer_clear(&out);
}

static void test_as_the_library(void **state)
{
    static const size_t elements[] = {1, 2, 3, 4, 8, 12, 16, 17, 24, 255};
    static const size_t counts[] = {1,    7,    100,   127,   128,   129,   700,   2725,
                                    4097, 8192, 16384, 20000, 33000, 70001, 262144};
    uint8_t *data = malloc(VZ_BLOSC_ENCODE_MOST), *back = malloc(VZ_BLOSC_ENCODE_MOST);
    uint8_t *other = malloc(VZ_BLOSC_ENCODE_MOST + BLOSC_MAX_OVERHEAD);
    (void)state;
    assert_true(data && back && other);
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int kind = 0; kind < KINDS && elements[e] * counts[c] <= VZ_BLOSC_ENCODE_MOST; kind++) {
                const vz_bytes in = {data, elements[e] * counts[c]};
                fill(data, in.size, elements[e], (numbers)kind);
                for (int level = 0; level <= 9; level += kind == NOISE ? 9 : 1)
                    for (int shuffle = 0; shuffle <= 1; shuffle++)
                        check(&(vz_blosc_form){level, shuffle, elements[e]}, in, other, back);
            }
    free(data);
    free(back);
    free(other);
}

/* What does not compress, and a last block so short that all before it takes as much as the whole does as it is. */
static void test_short_last_block(void **state)
{
    static const size_t elements[] = {1, 2, 4, 8, 17, 24};
    enum { TAIL = 96 };
    uint8_t *data = malloc(VZ_BLOSC_ENCODE_MOST), *back = malloc(VZ_BLOSC_ENCODE_MOST);
    uint8_t *other = malloc(VZ_BLOSC_ENCODE_MOST + BLOSC_MAX_OVERHEAD);
    (void)state;
    assert_true(data && back && other);
    fill(data, VZ_BLOSC_ENCODE_MOST, 1, NOISE);
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        for (int level = 1; level <= 9; level += 2) {
            const vz_blosc_form form = {level, BLOSC_SHUFFLE, elements[e]};
            by_library(&form, (vz_bytes){data, VZ_BLOSC_ENCODE_MOST}, other);
            const size_t block = vz_bytes_load_le32(other + 8);
            for (size_t size = block; size + TAIL <= VZ_BLOSC_ENCODE_MOST && size <= 2 * block; size += block)
                for (size_t tail = elements[e]; tail <= TAIL; tail += elements[e])
                    check(&form, (vz_bytes){data, size + tail}, other, back);
        }
    free(data);
    free(back);
    free(other);
}

/* A large one has the head that the library gives it; what is not made here is told before. */
static void test_plain_heads(void **state)
{
    enum { SIZE = 3000000 };
    uint8_t *data = calloc(1, SIZE), *other = malloc(SIZE + BLOSC_MAX_OVERHEAD), head[VZ_BLOSC_HEAD];
    (void)state;
    assert_true(data && other);
    for (size_t element = 1; element <= UINT8_MAX; element += element < 20 ? 1 : 50)
        for (int shuffle = 0; shuffle <= 2; shuffle++) {
            const vz_blosc_form form = {0, shuffle, element};
            by_library(&form, (vz_bytes){data, SIZE}, other);
            vz_blosc_plain_head(&form, SIZE, head);
            assert_memory_equal(head, other, VZ_BLOSC_HEAD);
        }
    const size_t size = by_library(&(vz_blosc_form){5, BLOSC_SHUFFLE, 412}, (vz_bytes){data, 41200}, other);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, other, size);
    assert_int_equal(by_library(&(vz_blosc_form){5, BLOSC_SHUFFLE, 1}, (vz_bytes){data, 41200}, other), size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    assert_false(vz_blosc_encodes(&(vz_blosc_form){5, BLOSC_SHUFFLE, 4}, VZ_BLOSC_ENCODE_MOST + 4));
    assert_false(vz_blosc_encodes(&(vz_blosc_form){5, BLOSC_SHUFFLE, 4}, 4002));
    assert_false(vz_blosc_encodes(&(vz_blosc_form){5, BLOSC_SHUFFLE, 256}, 4096));
    assert_false(vz_blosc_encodes(&(vz_blosc_form){5, BLOSC_BITSHUFFLE, 4}, 4096));
    assert_false(vz_blosc_encodes(&(vz_blosc_form){5, BLOSC_SHUFFLE, 4}, 0));
    free(data);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_library), cmocka_unit_test(test_short_last_block),
                                       cmocka_unit_test(test_plain_heads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
