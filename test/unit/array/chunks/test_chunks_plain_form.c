/* test_chunks_plain_form.c - chunks that gain little by the store's own compressor: stored in its plain form, and read
 * as chunks of an array without codecs are. */
#include "array/array/array.h"
#include "array_support.h"
#include "array/chunks/array_state.h"
#include "failing_store.h"
#include "own_directory.h"
#include "base/os/thread.h"
#include <blosc.h>

enum { ROWS = 2048, COLUMNS = 1024, EDGE = 1024, HEAD = 16 };
#define ROW_SIZE   (COLUMNS * sizeof(int32_t))
#define CHUNK_SIZE ((size_t)EDGE * ROW_SIZE)

static const char coded[] = "'shape':[2048,1024],'chunks':[1024,1024],'dtype':'<i4','compressor':{'id':'blosc',"
                            "'cname':'lz4','clevel':5,'shuffle':1,'blocksize':0}";

/* The first chunk is noise, the second a ramp. */
static int32_t *numbers(void)
{
    int32_t *values = malloc(ROWS * ROW_SIZE);
    uint64_t state = 88172645463325252ULL;
    assert_non_null(values);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        values[i] = i < (size_t)EDGE * COLUMNS ? (int32_t)state : (int32_t)i;
    }
    return values;
}

static subject filled(const int32_t *values, bool may_keep)
{
    subject s = subject_of(coded);
    vz_array_set_keep(s.array, may_keep);
    write_block(&s, NULL, NULL, values);
    subject_reopen(&s, false);
    return s;
}

static vz_buffer stored(const subject *s, const char *key)
{
    vz_buffer bytes = {0};
    bool found;
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_store_get(s->store, key, VZ_WHOLE, &bytes, &found, &err), &err);
    assert_true(found);
    return bytes;
}

static uint64_t bytes_read(const subject *s)
{
    return vz_store_counted(s->store).bytes_read;
}

static void test_what_is_kept(void **state)
{
    (void)state;
    int32_t *values = numbers();
    for (unsigned may_keep = 0; may_keep < 2; may_keep++) {
        subject s = filled(values, may_keep);
        vz_buffer noise = stored(&s, "a/0.0"), ramp = stored(&s, "a/1.0");
        assert_true(ramp.size < CHUNK_SIZE / 10);
        assert_int_equal(vz_chain_is_plain(&s.array->chain, noise.data), noise.size == CHUNK_SIZE + HEAD);
        assert_true(!may_keep || noise.size == CHUNK_SIZE + HEAD);
        if (may_keep)
            assert_memory_equal(noise.data + HEAD, values, CHUNK_SIZE);
        vz_buffer_clear(&noise);
        vz_buffer_clear(&ramp);
        subject_clear(&s);
    }
    free(values);
}

/* What gains a tenth is not kept in full where nobody may keep it, and is where somebody may. */
static void test_little_gain(void **state)
{
    (void)state;
    int32_t *values = numbers();
    uint64_t sizes[2];
    for (size_t i = 0; i < (size_t)EDGE * COLUMNS; i++)
        values[i] = i % 8192 < 1200 ? 0 : values[i];
    for (unsigned may_keep = 0; may_keep < 2; may_keep++) {
        subject s = filled(values, may_keep);
        vz_buffer some = stored(&s, "a/0.0");
        sizes[may_keep] = some.size;
        vz_buffer_clear(&some);
        subject_clear(&s);
    }
    assert_true(sizes[0] < CHUNK_SIZE / 100 * 92);
    assert_int_equal(sizes[1], CHUNK_SIZE + HEAD);
    free(values);
}

/* The head that the library makes for all of it. */
static void check_head(const uint8_t *head, const int32_t *values)
{
    uint8_t *whole = malloc(CHUNK_SIZE + BLOSC_MAX_OVERHEAD);
    assert_non_null(whole);
    assert_int_equal(blosc_compress_ctx(0, BLOSC_SHUFFLE, sizeof *values, CHUNK_SIZE, values, whole,
                                        CHUNK_SIZE + BLOSC_MAX_OVERHEAD, "lz4", 0, 1),
                     CHUNK_SIZE + HEAD);
    assert_memory_equal(head, whole, HEAD);
    free(whole);
}

/* Into a directory a chunk that is kept goes from where it lies: there is no memory for another one. */
static void test_kept_without_a_copy(void **state)
{
    char directory[64];
    vz_error err = VZ_ERROR_NONE;
    int32_t *values = numbers();
    (void)state;
    assert_true(own_directory(directory));
    subject s = subject_of(coded);
    vz_store_close(s.store);
    s.store = vz_store_open_directory(directory, true, &err);
    no_error(s.store != NULL, &err);
    vz_pool_stop();
    for (unsigned turn = 0; turn < 2; turn++) { /* also over what is there */
        subject_reopen(&s, false);
        vz_array_set_keep(s.array, true);
        write_block(&s, (uint64_t[2]){0, 0}, (uint64_t[2]){EDGE, COLUMNS}, values);
        vz_buffer noise = stored(&s, "a/0.0");
        assert_int_equal(noise.size, CHUNK_SIZE + HEAD);
        check_head(noise.data, values);
        assert_memory_equal(noise.data + HEAD, values, CHUNK_SIZE);
        vz_buffer_clear(&noise);
        values[turn] = -1;
    }
    assert_true(vz_pool_scratch(0, VZ_SCRATCH_STORED)->capacity < CHUNK_SIZE / 10);
    assert_int_equal(vz_store_counted(s.store).bytes_written, 2 * (CHUNK_SIZE + HEAD));
    subject_clear(&s);
    free(values);
    assert_int_equal(remove_tree(directory), 0);
}

/* ---- reading ---- */

static void check_block(subject *s, const int32_t *values, const uint64_t *start, const uint64_t *count)
{
    int32_t *back = malloc(count[0] * count[1] * sizeof *back);
    assert_non_null(back);
    read_block(s, start, count, back);
    for (uint64_t r = 0; r < count[0]; r++)
        assert_memory_equal(back + r * count[1], values + (start[0] + r) * COLUMNS + start[1], count[1] * sizeof *back);
    free(back);
}

static bool next_rows(void *context, vz_point_run *out, size_t max, size_t *count, vz_error *err)
{
    uint64_t *next = context;
    (void)err;
    for (*count = 0; *count < max && *next < 40; ++*next)
        out[(*count)++] = (vz_point_run){.array = *next * 25 * COLUMNS, .memory = *next * COLUMNS, .length = COLUMNS};
    return true;
}

static void test_no_more_is_read_than_wanted(void **state)
{
    (void)state;
    int32_t *values = numbers(), *back = malloc(40 * ROW_SIZE);
    subject s = filled(values, true);
    uint64_t before = bytes_read(&s);
    check_block(&s, values, (uint64_t[2]){500, 0}, (uint64_t[2]){1, COLUMNS});
    assert_int_equal(bytes_read(&s) - before, HEAD + ROW_SIZE);
    subject_reopen(&s, false);
    before = bytes_read(&s);
    uint64_t next = 0;
    const vz_transfer rows = {
        .next_runs = next_rows, .runs_context = &next, .buffer = back, .element_size = sizeof *back};
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_array_read(s.array, &rows, &err), &err);
    for (size_t i = 0; i < 40; i++)
        assert_memory_equal(back + i * COLUMNS, values + i * 25 * COLUMNS, ROW_SIZE);
    assert_int_equal(bytes_read(&s) - before, HEAD + 40 * ROW_SIZE);
    assert_int_equal(s.array->cache.count, 0);
    before = bytes_read(&s);
    check_block(&s, values, (uint64_t[2]){0, 0}, (uint64_t[2]){EDGE, COLUMNS});
    assert_int_equal(bytes_read(&s) - before, HEAD + CHUNK_SIZE);
    assert_int_equal(vz_array_counted(s.array).direct_chunks, 2);
    free(values);
    free(back);
    subject_clear(&s);
}

/* Boxes of every kind, of both chunks, with a cache and without. */
static void test_boxes(void **state)
{
    (void)state;
    int32_t *values = numbers();
    subject s = filled(values, true);
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t high[2] = {i % 3 ? 60 : 1500, i % 2 ? COLUMNS : 1 + i * 7 % COLUMNS};
        const uint64_t start[2] = {i * 7919 % (ROWS - high[0]), i * 31 % (COLUMNS - high[1] + 1)};
        if (i == 150) {
            subject_reopen(&s, false);
            s.array->cache.budget = 1;
        }
        check_block(&s, values, start, high);
    }
    free(values);
    subject_clear(&s);
}

/* Elements that are changed in a plain chunk that is cached, and read back after it was stored again. */
static void test_changed_in_part(void **state)
{
    (void)state;
    int32_t *values = numbers();
    subject s = filled(values, true);
    vz_array_set_keep(s.array, true);
    const uint64_t start[2] = {1000, 3}, count[2] = {50, 700};
    int32_t *part = calloc(count[0] * count[1], sizeof *part);
    assert_non_null(part);
    check_block(&s, values, start, count);
    write_block(&s, start, count, part);
    for (uint64_t r = 0; r < count[0]; r++)
        memset(values + (start[0] + r) * COLUMNS + start[1], 0, count[1] * sizeof *values);
    check_block(&s, values, (uint64_t[2]){900, 0}, (uint64_t[2]){300, COLUMNS});
    flush(&s);
    subject_reopen(&s, false);
    check_block(&s, values, (uint64_t[2]){0, 0}, (uint64_t[2]){ROWS, COLUMNS});
    free(part);
    free(values);
    subject_clear(&s);
}

/* ---- what is not as it should be ---- */

static vz_error_class read_class(subject *s, const uint64_t *start, const uint64_t *count)
{
    int32_t *back = malloc(count[0] * count[1] * sizeof *back);
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s->meta, start, count);
    const vz_transfer transfer = plain_transfer(s->meta, &region, back);
    assert_non_null(back);
    const bool ok = vz_array_read(s->array, &transfer, &err);
    assert_int_equal(ok, err.class == VZ_OK);
    free(back);
    return err.class;
}

/* A chunk of that very size whose head says something else is decoded, or refused; so is one that is too short. */
static void test_heads_that_lie(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
    } lies[] = {{0, 9}, {2, 0x21}, {3, 0}, {4, 1}, {7, 0x7F}, {8, 0xFF}, {12, 1}, {15, 0xFF}};
    int32_t *values = numbers();
    for (size_t i = 0; i <= sizeof lies / sizeof *lies; i++) {
        subject s = filled(values, true);
        vz_error err = VZ_ERROR_NONE;
        vz_buffer bytes = stored(&s, "a/0.0");
        if (i < sizeof lies / sizeof *lies)
            bytes.data[lies[i].at] = lies[i].value;
        else
            bytes.size -= 100;
        no_error(vz_store_put(s.store, "a/0.0", (vz_bytes){bytes.data, bytes.size}, &err), &err);
        subject_reopen(&s, false);
        const bool harmless = i < sizeof lies / sizeof *lies && (lies[i].at == 3 || lies[i].at == 8);
        const vz_error_class whole = read_class(&s, (uint64_t[2]){0, 0}, (uint64_t[2]){EDGE, COLUMNS});
        assert_true(whole == VZ_CORRUPT || (harmless && whole == VZ_OK));
        const vz_error_class row = read_class(&s, (uint64_t[2]){EDGE - 1, 0}, (uint64_t[2]){1, COLUMNS});
        assert_true(row == VZ_CORRUPT || (harmless && row == VZ_OK));
        check_block(&s, values, (uint64_t[2]){EDGE, 0}, (uint64_t[2]){EDGE, COLUMNS});
        vz_buffer_clear(&bytes);
        subject_clear(&s);
    }
    free(values);
}

/* Another version by the time of any of the requests: what is there then is read. */
static void test_version_that_goes_meanwhile(void **state)
{
    (void)state;
    static const uint64_t counts[][2] = {{1, COLUMNS}, {EDGE, COLUMNS}, {600, 900}, {20, 1}, {10, 500}};
    int32_t *values = numbers();
    subject s = filled(values, true);
    failing_store *failing = failing_store_over(s.store);
    s.store = &failing->layer.base;
    failing->only = "a/0.0";
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint64_t start[2] = {0, 0};
        unsigned calls = 2;
        for (unsigned turn = 0; turn <= calls; turn++) {
            subject_reopen(&s, false);
            failing->class = VZ_CHANGED;
            failing->made = 0;
            failing->turn = turn == 1 ? 0 : turn; /* the first one only opens it */
            check_block(&s, values, start, counts[i]);
            calls = turn == 0 ? failing->made : calls;
            assert_true(turn < 2 || failing->made > turn);
        }
        assert_true(calls >= 3);
        failing->class = VZ_IO;
        failing->made = 0;
        failing->turn = 2;
        subject_reopen(&s, false);
        assert_int_equal(read_class(&s, start, counts[i]), VZ_IO);
        failing->turn = 0;
    }
    free(values);
    subject_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_little_gain),
        cmocka_unit_test(test_kept_without_a_copy),
        cmocka_unit_test(test_no_more_is_read_than_wanted),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_changed_in_part),
        cmocka_unit_test(test_heads_that_lie),
        cmocka_unit_test(test_version_that_goes_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
