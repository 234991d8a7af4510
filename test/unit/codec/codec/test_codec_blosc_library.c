/* test_codec_blosc_library.c - a shared Blosc library is loaded when a chunk is encoded, not when a chain is opened,
 * nor for decoding what the usual inner codec made; what is said where it cannot be loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codec_vectors.h"
#include <dlfcn.h>

#ifdef VZ_BLOSC_SONAME

static bool missing; /* from now on */

void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return real(missing && strcmp(name, VZ_BLOSC_SONAME) == 0 ? "libnot-there.so.1" : name, flags);
}

static bool is_loaded(void)
{
    void *library = dlopen(VZ_BLOSC_SONAME, RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library;
}

static void open_blosc(vz_chain *chain, const char *inner, size_t count)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *codec = vz_json_object(&err);
    const vz_chain_chunk chunk = {.element_size = 4, .element_count = count};
    assert_true(codec && vz_json_set_text(codec, "id", "blosc", &err) && vz_json_set_text(codec, "cname", inner, &err));
    if (!chain_open_json(chain, NULL, codec, &chunk, &err))
        fail_msg("%s", err.text);
    vz_json_free(codec);
}

static void test_loaded_when_used(void **state)
{
    enum { SMALL = 100, LARGE = 200000 };
    static uint32_t chunk[LARGE] = {1}, again[LARGE];
    vz_error err = VZ_ERROR_NONE;
    vz_buffer out = {0};
    vz_chain chain;
    (void)state;
    assert_false(is_loaded());
    open_blosc(&chain, "lz4", 10);
    assert_true(vz_chain_encode(&chain, chunk, 40, &out, 0, &err)); /* short: stored as it is */
    assert_true(vz_chain_decode(&chain, (vz_bytes){out.data, out.size}, again, 40, 0, &err));
    assert_memory_equal(chunk, again, 40);
    vz_chain_clear(&chain);
    open_blosc(&chain, "lz4", SMALL);
    assert_true(vz_chain_prepare(&chain, &err));
    assert_true(vz_chain_encode(&chain, chunk, SMALL * sizeof *chunk, &out, 0, &err)); /* small: encoded without it */
    assert_true(out.size < SMALL * sizeof *chunk);
    assert_true(vz_chain_decode(&chain, (vz_bytes){out.data, out.size}, again, SMALL * sizeof *chunk, 0, &err));
    assert_memory_equal(chunk, again, SMALL * sizeof *chunk);
    vz_chain_clear(&chain);
    open_blosc(&chain, "lz4", LARGE);
    assert_false(is_loaded());

    missing = true;
    assert_false(vz_chain_prepare(&chain, &err));
    assert_non_null(strstr(err.text, "libnot-there.so.1"));
    err = VZ_ERROR_NONE;
    assert_false(vz_chain_encode(&chain, chunk, sizeof chunk, &out, 0, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    assert_non_null(strstr(err.text, "libnot-there.so.1"));
    err = VZ_ERROR_NONE;
    chain.may_keep = true; /* then it is stored as it is */
    assert_true(vz_chain_prepare(&chain, &err));
    assert_true(vz_chain_encode(&chain, chunk, sizeof chunk, &out, 0, &err));
    assert_true(vz_chain_decode(&chain, (vz_bytes){out.data, out.size}, again, sizeof again, 0, &err));
    assert_memory_equal(chunk, again, sizeof chunk);
    chain.may_keep = false;
    assert_false(vz_chain_decode(&chain, (vz_bytes){(uint8_t *)chunk, 40}, again, sizeof again, 0, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    missing = false;

    err = VZ_ERROR_NONE;
    assert_true(vz_chain_prepare(&chain, &err));
    assert_true(is_loaded());
    assert_true(vz_chain_encode(&chain, chunk, sizeof chunk, &out, 0, &err));
    assert_true(vz_chain_decode(&chain, (vz_bytes){out.data, out.size}, again, sizeof again, 0, &err));
    assert_memory_equal(chunk, again, sizeof chunk);
    vz_buffer_clear(&out);
    vz_chain_clear(&chain);
}

static void check_decoded(const vz_json *document, size_t index)
{
    vz_error err = VZ_ERROR_NONE;
    vector v;
    vz_chain chain;
    vector_read(document, index, &v);
    vector_chain(&v, &chain);
    const vz_bytes stored = {v.stored.data, v.stored.size};
    if (v.items) {
        vz_item items[100];
        vz_arena arena = {0};
        assert_true(v.count <= 100 && vz_chain_decode_items(&chain, stored, items, v.count, &arena, 0, &err));
        for (size_t i = 0; i < v.count; i++) {
            assert_int_equal(items[i].size, v.items[i].size);
            assert_memory_equal(items[i].data, v.items[i].data, items[i].size);
        }
        vz_arena_clear(&arena);
    } else {
        uint8_t *chunk = malloc(v.raw.size);
        assert_true(chunk && vz_chain_decode(&chain, stored, chunk, v.raw.size, 0, &err));
        assert_memory_equal(chunk, v.raw.data, v.raw.size);
        free(chunk);
    }
    vz_chain_clear(&chain);
    vector_clear(&v);
}

/* What numcodecs stored; bits that are shuffled are the library's. */
static void test_not_loaded_to_decode(void **state)
{
    static const char *const names[] = {"blosc lz4 shuffle 0", "blosc lz4 shuffle 1", "blosc lz4 blocks",
                                        "blosc auto <f8",      "blosc defaults",      "blosc level 0",
                                        "blosc wide element",  "vlen-utf8 blosc",     "msgpack2 blosc"};
    enum { NAMES = sizeof names / sizeof *names };
    vz_json *document = vectors_load();
    const vz_json *vectors = vz_json_get(document, "vectors");
    unsigned checked = 0;
    (void)state;
    for (size_t i = 0; i < vz_json_length(vectors); i++) {
        const char *name = vz_json_get_string(vz_json_get(vz_json_at(vectors, i), "name"), NULL);
        for (size_t n = 0; n < NAMES; n++)
            if (strcmp(name, names[n]) == 0) {
                check_decoded(document, i);
                assert_false(is_loaded());
                checked++;
            }
    }
    assert_int_equal(checked, NAMES);
    vz_json_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_loaded_to_decode),
                                       cmocka_unit_test(test_loaded_when_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0; /* it is linked */
}

#endif
