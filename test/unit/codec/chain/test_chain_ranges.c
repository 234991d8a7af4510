/* test_chain_ranges.c - chunks of random parameters, with a fixed seed; `make fuzz` looks for more of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "codec_ranges.h"
#include "base/os/thread.h"

enum { CHUNKS = 1000, INPUT = 600 };

static uint32_t random_state = 20261127;

static uint8_t draw(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint8_t)(random_state >> 24);
}

/* Runs of bytes repeat, so that some streams of a chunk compress and others do not. */
static void fill(uint8_t *input, size_t size)
{
    for (size_t i = 0; i < size; i++)
        input[i] = i > RANGES_HEAD + 8 && draw() < 200 ? input[i - 8] : draw();
    if (draw() < 128)
        input[9] = 0; /* a header as it was made */
    if (draw() < 128)
        input[3] = input[5] = 0; /* small elements, small blocks */
}

static void test_random_chunks(void **state)
{
    (void)state;
    unsigned made = 0;
    uint8_t input[INPUT];
    for (unsigned i = 0; i < CHUNKS; i++) {
        fill(input, sizeof input);
        made += ranges_check(input, RANGES_HEAD + 1 + draw() * 2u);
    }
    assert_true(made > CHUNKS / 2);
}

/* A block of 128 bytes and an element of 140: numcodecs writes it when its block size is below the element's. */
static void test_block_below_the_element(void **state)
{
    (void)state;
    uint8_t input[INPUT];
    for (uint8_t shuffle = 0; shuffle < 3; shuffle++)
        for (uint8_t inner = 0; inner < 5; inner++) {
            fill(input, sizeof input);
            const uint8_t head[RANGES_HEAD] = {
                (uint8_t)(2 * inner + 1), (uint8_t)(5 + 10 * shuffle + 90), 139, 0, 128, 0, 200, 0, 0, 0};
            memcpy(input, head, sizeof head);
            assert_true(ranges_check(input, sizeof input));
        }
}

static int stop(void **state)
{
    (void)state;
    vz_pool_stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_chunks),
        cmocka_unit_test(test_block_below_the_element),
    };
    blosc_init();
    const int failed = cmocka_run_group_tests(tests, NULL, stop);
    blosc_destroy();
    return failed;
}
