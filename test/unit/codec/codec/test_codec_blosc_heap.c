/* test_codec_blosc_heap.c - what Blosc allocates for a chunk is found again by the next one: the heap does not grow by
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>

#include "codecs_json.h"
#include "base/os/thread.h"

enum { COUNT = 1 << 18, SIZE = COUNT * 4, ROUNDS = 20, PART = SIZE / 4 };

typedef struct work {
    vz_chain chain;
    vz_buffer stored;
    uint8_t *chunk, *back;
    bool by_parts;
    size_t grown;
} work;

static bool decode(const work *w)
{
    const vz_bytes stored = {w->stored.data, w->stored.size};
    if (!w->by_parts)
        return vz_chain_decode(&w->chain, stored, w->back, SIZE, 0, NULL);
    return vz_chain_decode_range(&w->chain, stored, PART, PART, w->back + PART, 0, NULL);
}

static size_t heap_size(void)
{
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().arena;
#else
    return 0; /* not told */
#endif
}

/* A thread has a heap of its own. */
static void *decode_often(void *context)
{
    work *w = context;
    const size_t part = w->by_parts ? PART : 0;
    if (!decode(w))
        return NULL;
    const size_t before = heap_size();
    for (int i = 0; i < ROUNDS; i++) {
        memset(w->back, 0, SIZE);
        if (!decode(w) || memcmp(w->back + part, w->chunk + part, part ? PART : SIZE) != 0)
            return NULL;
        const size_t now = heap_size();
        w->grown = now > before && now - before > w->grown ? now - before : w->grown;
    }
    return w;
}

static void open_work(work *w)
{
    vz_error err = VZ_ERROR_NONE;
    const char *text = "{\"id\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1}";
    vz_json *codec = vz_json_parse(text, strlen(text), &err);
    const vz_chain_chunk of = {.element_size = 4, .element_count = COUNT};
    *w = (work){.chunk = malloc(SIZE), .back = malloc(SIZE)};
    assert_true(codec && w->chunk && w->back && chain_open_json(&w->chain, NULL, codec, &of, &err));
    vz_json_free(codec);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t number = i * 2654435761u >> 20;
        memcpy(w->chunk + (size_t)i * 4, &number, 4);
    }
    assert_true(vz_chain_encode(&w->chain, w->chunk, SIZE, &w->stored, 0, &err));
}

static void test_heap_does_not_grow(void **state)
{
    (void)state;
    if (!mallopt(M_MMAP_THRESHOLD, 1 << 25)) /* as it is once a program has freed something large */
        skip();                              /* a sanitizer's heap */
    work w;
    open_work(&w);
    for (unsigned parts = 0; parts < 2; parts++) {
        pthread_t thread;
        void *done;
        w.by_parts = parts;
        w.grown = 0;
        assert_int_equal(pthread_create(&thread, NULL, decode_often, &w), 0);
        assert_int_equal(pthread_join(thread, &done), 0);
        assert_ptr_equal(done, &w);
        assert_true(w.grown < SIZE);
    }
    vz_buffer_clear(&w.stored);
    vz_chain_clear(&w.chain);
    free(w.chunk);
    free(w.back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heap_does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
