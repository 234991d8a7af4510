/* test_chunks_large.c - one large chunk, of which parts are read side by side. */
#include "array/array/array.h"
#include "array_support.h"
#include "array/chunks/array_state.h"
#include "failing_store.h"

enum { ROWS = 8192, COLUMNS = 1024, THREADS = 3 }; /* 32 MiB: eight parts */
#define SIZE ((size_t)ROWS * COLUMNS * sizeof(int32_t))

typedef struct form {
    const char *codec;
    bool keeps, is_divided;
} form;

static const form forms[] = {
    {"null", false, true},
    {"{'id':'blosc','cname':'lz4','clevel':5,'shuffle':1,'blocksize':0}", false, true},
    {"{'id':'blosc','cname':'zstd','clevel':1,'shuffle':2,'blocksize':0}", false, true},
    {"{'id':'blosc','cname':'lz4','clevel':5,'shuffle':1,'blocksize':0}", true, true}, /* a copy */
    {"{'id':'blosc','cname':'lz4','clevel':5,'shuffle':1,'blocksize':100000}", false, false},
    {"{'id':'blosc','cname':'zstd','clevel':1,'shuffle':0,'blocksize':33554432}", false, false},
    {"{'id':'blosc','cname':'zstd','clevel':1,'shuffle':0,'blocksize':4096}", false,
     false}, /* too many to look through */
    {"{'id':'zstd','level':1}", false, false},
};
#define FORMS (sizeof forms / sizeof *forms)

static int32_t *numbers(bool noise)
{
    int32_t *values = malloc(SIZE);
    uint64_t state = 88172645463325252ULL;
    assert_non_null(values);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        values[i] = noise ? (int32_t)state : (int32_t)(i / 3 + state % 7);
    }
    return values;
}

static subject filled(const form *of, const int32_t *values)
{
    char text[300];
    snprintf(text, sizeof text, "'shape':[8192,1024],'chunks':[8192,1024],'dtype':'<i4','compressor':%s", of->codec);
    subject s = subject_of(text);
    vz_array_set_keep(s.array, of->keeps);
    write_block(&s, NULL, NULL, values);
    subject_reopen(&s, false);
    return s;
}

static vz_error_class read_class(subject *s, void *back)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s->meta, NULL, NULL);
    const vz_transfer transfer = plain_transfer(s->meta, &region, back);
    memset(back, 0x55, SIZE);
    const bool ok = vz_array_read(s->array, &transfer, &err);
    assert_int_equal(ok, err.class == VZ_OK);
    assert_true(ok || strstr(err.object, "a/0.0"));
    return err.class;
}

static void test_whole_and_rows(void **state)
{
    (void)state;
    int32_t *back = malloc(SIZE);
    for (size_t i = 0; i < FORMS; i++) {
        int32_t *values = numbers(forms[i].keeps);
        subject s = filled(&forms[i], values);
        const vz_store_counts before = vz_store_counted(s.store);
        assert_int_equal(read_class(&s, back), VZ_OK);
        assert_memory_equal(back, values, SIZE);
        if ((vz_store_counted(s.store).gets - before.gets >= 8) != forms[i].is_divided)
            fail_msg("%s: %d gets", forms[i].codec, (int)(vz_store_counted(s.store).gets - before.gets));
        assert_int_equal(vz_array_counted(s.array).direct_chunks, 1);
        const uint64_t start[2] = {77, 0}, count[2] = {ROWS - 100, COLUMNS};
        read_block(&s, start, count, back);
        assert_memory_equal(back, values + 77 * COLUMNS, count[0] * COLUMNS * sizeof *back);
        free(values);
        subject_clear(&s);
    }
    free(back);
}

/* A request that finds another version, or fails once, is made up for; what fails for good is told. */
static void test_requests_that_fail(void **state)
{
    (void)state;
    int32_t *back = malloc(SIZE);
    for (size_t i = 0; i < FORMS; i++) {
        int32_t *values = numbers(forms[i].keeps);
        subject s = filled(&forms[i], values);
        failing_store *failing = failing_store_over(s.store);
        s.store = &failing->layer.base;
        failing->class = VZ_CHANGED;
        for (unsigned turn = 2; forms[i].is_divided && turn < 14; turn += 3) {
            subject_reopen(&s, false);
            failing->made = 0;
            failing->turn = turn;
            assert_int_equal(read_class(&s, back), VZ_OK);
            assert_memory_equal(back, values, SIZE);
        }
        subject_reopen(&s, false);
        failing->class = VZ_IO;
        failing->for_good = true;
        failing->made = 0;
        failing->turn = 2;
        assert_int_equal(read_class(&s, back), VZ_IO);
        free(values);
        subject_clear(&s);
    }
    free(back);
}

/* Bytes that are missing, or wrong in one part. */
static void test_damage(void **state)
{
    (void)state;
    int32_t *back = malloc(SIZE);
    for (size_t i = 0; i < FORMS; i++) {
        int32_t *values = numbers(forms[i].keeps);
        subject s = filled(&forms[i], values);
        vz_buffer stored = {0};
        bool found;
        vz_error err = VZ_ERROR_NONE;
        no_error(vz_store_get(s.store, "a/0.0", VZ_WHOLE, &stored, &found, &err), &err);
        no_error(vz_store_put(s.store, "a/0.0", (vz_bytes){stored.data, stored.size - 1000}, &err), &err);
        assert_int_equal(read_class(&s, back), VZ_CORRUPT);
        memset(stored.data + stored.size / 2, 0xFF, 2000);
        no_error(vz_store_put(s.store, "a/0.0", (vz_bytes){stored.data, stored.size}, &err), &err);
        subject_reopen(&s, false);
        const bool is_copy = i == 0 || forms[i].keeps;
        assert_true(read_class(&s, back) != VZ_OK || is_copy || memcmp(back, values, SIZE) != 0);
        vz_buffer_clear(&stored);
        free(values);
        subject_clear(&s);
    }
    free(back);
}

int main(void)
{
    vz_pool_set_threads(THREADS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_and_rows),
        cmocka_unit_test(test_requests_that_fail),
        cmocka_unit_test(test_damage),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vz_pool_stop();
    return failed;
}
