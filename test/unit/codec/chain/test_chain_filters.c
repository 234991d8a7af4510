/* test_chain_filters.c - chunks in the form of HDF5's filters and back, whole and damaged. Whether those forms are
 * HDF5's own is for test/python/test_direct_chunks.py to say. */
#include "codecs_json.h"
#include "base/os/thread.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { COUNT = 1500, SIZE = 4 * COUNT };

static const char *const chains[] = {
    "[{\"id\":\"gzip\",\"level\":5}]",
    "[{\"id\":\"lz4\"}]",
    "[{\"id\":\"shuffle\",\"elementsize\":4},{\"id\":\"gzip\",\"level\":1},{\"id\":\"fletcher32\"}]",
    "[{\"id\":\"shuffle\",\"elementsize\":4},{\"id\":\"lz4\"},{\"id\":\"fletcher32\"}]",
    "[{\"id\":\"lz4\"},{\"id\":\"gzip\",\"level\":9}]",
};
enum { CHAINS = sizeof chains / sizeof *chains };

static void open_chain(vz_chain *chain, const char *text)
{
    const vz_chain_chunk chunk = {.element_size = 4, .element_count = COUNT};
    vz_error err = VZ_ERROR_NONE;
    vz_json *filters = vz_json_parse(text, strlen(text), &err);
    if (!filters || !chain_open_json(chain, filters, NULL, &chunk, &err))
        fail_msg("%s: %s", text, err.text);
    vz_json_free(filters);
}

static void make_elements(uint8_t *elements, bool noise)
{
    uint32_t state = 7;
    for (size_t i = 0; i < SIZE; i++) {
        state = state * 1664525u + 1013904223u;
        elements[i] = noise ? (uint8_t)(state >> 24) : (uint8_t)(i % 4 ? 0 : i / 40);
    }
}

static vz_bytes view(const vz_buffer *buffer)
{
    return (vz_bytes){buffer->data, buffer->size};
}

static void there_and_back(const char *text, bool noise)
{
    vz_error err = VZ_ERROR_NONE;
    vz_chain chain;
    vz_buffer stored = {0}, filtered = {0}, again = {0};
    uint8_t elements[SIZE], decoded[SIZE];
    open_chain(&chain, text);
    make_elements(elements, noise);
    assert_true(vz_chain_is_reframed(&chain));
    if (!vz_chain_encode(&chain, elements, SIZE, &stored, 0, &err) ||
        !vz_chain_to_filters(&chain, view(&stored), &filtered, &err) ||
        !vz_chain_from_filters(&chain, view(&filtered), &again, &err) ||
        !vz_chain_decode(&chain, view(&again), decoded, SIZE, 0, &err))
        fail_msg("%s: %s", text, err.text);
    assert_memory_equal(decoded, elements, SIZE);
    vz_buffer_clear(&stored);
    vz_buffer_clear(&filtered);
    vz_buffer_clear(&again);
    vz_chain_clear(&chain);
}

static void test_there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHAINS; i++) {
        there_and_back(chains[i], false);
        there_and_back(chains[i], true);
    }
}

/* Each byte altered, and cut at each place: an error or other data, but nothing beyond the buffers. */
static void damage(const vz_chain *chain, bool (*way)(const vz_chain *, vz_bytes, vz_buffer *, vz_error *),
                   const vz_buffer *good)
{
    vz_buffer out = {0};
    for (size_t i = 0; i < good->size; i += i < 64 || i + 64 > good->size ? 1 : 13) {
        for (unsigned how = 0; how < 3; how++) {
            const size_t size = how == 2 ? i : good->size;
            uint8_t *copy = malloc(size ? size : 1); /* of that very size, for the sanitizers */
            memcpy(copy, good->data, size);
            if (how < 2)
                copy[i] ^= how ? 0x80 : 0xff;
            vz_error err = VZ_ERROR_NONE;
            const bool ok = way(chain, (vz_bytes){copy, size}, &out, &err);
            assert_true(ok || err.class != VZ_OK);
            free(copy);
        }
    }
    vz_buffer_clear(&out);
}

static void test_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHAINS; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_chain chain;
        vz_buffer stored = {0}, filtered = {0};
        uint8_t elements[SIZE];
        open_chain(&chain, chains[i]);
        make_elements(elements, false);
        assert_true(vz_chain_encode(&chain, elements, SIZE, &stored, 0, &err));
        assert_true(vz_chain_to_filters(&chain, view(&stored), &filtered, &err));
        damage(&chain, vz_chain_to_filters, &stored);
        damage(&chain, vz_chain_from_filters, &filtered);
        vz_buffer_clear(&stored);
        vz_buffer_clear(&filtered);
        vz_chain_clear(&chain);
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
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, stop);
}
