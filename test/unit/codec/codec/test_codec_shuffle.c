/* test_codec_shuffle.c - the shuffle loops against their definition, for all small sizes, counts and ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codec/codec/codec_internal.h"

enum { SIZE_MAX_TRIED = 18, COUNT_MAX_TRIED = 50 };

/* Nearly every byte tells which it is. */
static uint8_t byte_of(size_t element, size_t byte)
{
    return (uint8_t)((element * 37 + byte * 101) % 251);
}

static void try(size_t count, size_t size)
{
    const size_t total = count * size;
    uint8_t *plain = calloc(total + 1, 1), *shuffled = calloc(total + 1, 1);
    for (size_t i = 0; i < total; i++)
        plain[i] = byte_of(i / size, i % size);
    shuffled[total] = 0xee;
    vz_shuffle(plain, count, size, shuffled);
    assert_int_equal(shuffled[total], 0xee);
    for (size_t i = 0; i < total; i++)
        assert_int_equal(shuffled[i], byte_of(i % count, i / count));
    for (size_t offset = 0; offset <= total; offset += 1 + total / 23)
        for (size_t length = 0; length <= total - offset; length += 1 + total / 19) {
            uint8_t *part = malloc(length + 1);
            part[length] = 0xee;
            vz_unshuffle(shuffled, count, size, offset, length, part);
            assert_int_equal(part[length], 0xee);
            for (size_t i = 0; i < length; i++)
                assert_int_equal(part[i], plain[offset + i]);
            free(part);
        }
    free(plain);
    free(shuffled);
}

static void test_all(void **state)
{
    (void)state;
    for (size_t size = 1; size <= SIZE_MAX_TRIED; size++)
        for (size_t count = 0; count <= COUNT_MAX_TRIED; count++)
            try(count, size);
    try(1500, 2);
    try(1500, 4);
    try(1021, 8);
    try(1021, 16);
    try(1021, 7);
    try(3, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
