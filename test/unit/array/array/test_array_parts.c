/* test_array_parts.c - compressed chunks of which parts are read: what is decoded of them, and what is kept. */
#include "array_support.h"
#include "array/chunks/array_state.h"
#include "failing_store.h"

enum { ROWS = 3072, COLUMNS = 1024, EDGE = 1024 }; /* three chunks of 4 MiB */

static const char in_blocks[] = "'shape':[3072,1024],'chunks':[1024,1024],'dtype':'<i4','compressor':{'id':'blosc',"
                                "'cname':'lz4','clevel':5,'shuffle':1,'blocksize':0}";

static subject filled(int32_t **values)
{
    subject s = subject_of(in_blocks);
    *values = malloc((size_t)ROWS * COLUMNS * sizeof **values);
    assert_non_null(*values);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        (*values)[i] = (int32_t)(i * i / 1000 % 5000);
    write_block(&s, NULL, NULL, *values);
    subject_reopen(&s, false);
    return s;
}

static void read_row(subject *s, const int32_t *values, uint64_t at)
{
    int32_t row[COLUMNS];
    const uint64_t start[2] = {at, 0}, count[2] = {1, COLUMNS};
    read_block(s, start, count, row);
    assert_memory_equal(row, values + at * COLUMNS, sizeof row);
}

/* Rows of more chunks than the cache holds, by turns: keeping one of them would only drive out another. */
static void test_rows_at_random_keep_nothing(void **state)
{
    (void)state;
    int32_t *values;
    subject s = filled(&values);
    assert_int_equal(VZ_ARRAY_CACHE_DEFAULT / s.meta->chunk_size, 2);
    for (uint64_t i = 0; i < 12; i++) {
        read_row(&s, values, i * 997 % EDGE + i % 3 * EDGE);
        assert_int_equal(s.array->cache.count, 0);
    }
    read_row(&s, values, 2 * EDGE); /* two rows of one chunk in turn */
    assert_int_equal(s.array->cache.count, 1);
    free(values);
    subject_clear(&s);
}

/* Overwrites the last eighth of a stored chunk. */
static void damage_end(subject *s, const char *key)
{
    vz_buffer stored = {0};
    bool found;
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_store_get(s->store, key, VZ_WHOLE, &stored, &found, &err), &err);
    assert_true(found);
    memset(stored.data + stored.size / 8 * 7, 0xFF, stored.size - stored.size / 8 * 7);
    no_error(vz_store_put(s->store, key, (vz_bytes){stored.data, stored.size}, &err), &err);
    vz_buffer_clear(&stored);
}

/* Two rows of each chunk, far apart: what lies behind them is not decoded, so that damage there is not met. */
static void test_blocks_without_elements_are_left_out(void **state)
{
    (void)state;
    int32_t *values, *back = malloc((size_t)ROWS * COLUMNS * sizeof *back);
    subject s = filled(&values);
    vz_error err = VZ_ERROR_NONE;
    s.array->cache.budget = 1;
    damage_end(&s, "a/0.0");
    vz_region region = block_of(s.meta, NULL, NULL);
    region.count[0] = 6;
    region.stride[0] = EDGE / 2;
    region.block[0] = 1;
    const vz_transfer rows = plain_transfer(s.meta, &region, back);
    no_error(vz_array_read(s.array, &rows, &err), &err);
    for (size_t i = 0; i < 6; i++)
        assert_memory_equal(back + i * COLUMNS, values + i * EDGE / 2 * COLUMNS, COLUMNS * sizeof *back);
    const vz_region all = block_of(s.meta, NULL, NULL);
    const vz_transfer whole = plain_transfer(s.meta, &all, back);
    assert_false(vz_array_read(s.array, &whole, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    free(back);
    free(values);
    subject_clear(&s);
}

/* The chunk is another version between two looks at it, so says the store: what is there by then is read. Other
 * failures are told. */
static void test_version_that_goes_meanwhile(void **state)
{
    (void)state;
    int32_t *values;
    subject s = filled(&values);
    failing_store *failing = failing_store_over(s.store);
    s.store = &failing->layer.base;
    subject_reopen(&s, false);
    s.array->cache.budget = 1;
    failing->only = "a/0.0";
    failing->class = VZ_CHANGED;
    unsigned calls = 0;
    for (uint64_t i = 0; i < 3; i++) { /* rows of other chunks in between, so that none is kept */
        failing->made = 0;
        read_row(&s, values, i);
        calls = failing->made;
        read_row(&s, values, EDGE + i);
        read_row(&s, values, 2 * EDGE + i);
    }
    assert_true(calls >= 3);
    for (unsigned turn = 2; turn <= calls; turn++) {
        failing->made = 0;
        failing->turn = turn;
        read_row(&s, values, turn * 7);
        assert_true(failing->made > turn);
        failing->turn = 0;
        read_row(&s, values, EDGE + turn);
        read_row(&s, values, 2 * EDGE + turn);
    }
    failing->made = 0;
    failing->turn = 2;
    failing->class = VZ_IO;
    int32_t row[COLUMNS];
    const uint64_t start[2] = {100, 0}, count[2] = {1, COLUMNS};
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s.meta, start, count);
    const vz_transfer transfer = plain_transfer(s.meta, &region, row);
    assert_false(vz_array_read(s.array, &transfer, &err));
    assert_int_equal(err.class, VZ_IO);
    free(values);
    subject_clear(&s);
}

/* ---- blocks in any order ---- */

enum { PARTS = 1 << 18, BLOCK = 1 << 14 }; /* elements of 4 bytes; bytes of a block, or a quarter of it */

/* As several threads of the library leave them: the last block first, and so on. */
static void turn_round(vz_buffer *stored)
{
    const uint32_t size = vz_bytes_load_le32(stored->data + 12),
                   blocks = PARTS * 4 / vz_bytes_load_le32(stored->data + 8);
    const uint32_t data = 16 + 4 * blocks;
    uint8_t *turned = malloc(size);
    uint32_t end = size, at = data;
    memcpy(turned, stored->data, 16);
    for (uint32_t i = blocks; i-- > 0;) {
        const uint32_t begin = vz_bytes_load_le32(stored->data + 16 + 4 * i);
        memcpy(turned + at, stored->data + begin, end - begin);
        vz_bytes_store_le32(turned + 16 + 4 * i, at);
        at += end - begin;
        end = begin;
    }
    assert_int_equal(at, size);
    memcpy(stored->data, turned, size);
    free(turned);
}

static void check_parts(subject *s, const int32_t *values)
{
    static const uint64_t counts[] = {1, 3, 1000, BLOCK / 4, BLOCK / 4 + 1, 3 * BLOCK, PARTS / 4};
    s->array->cache.budget = 1;
    for (uint64_t i = 0; i < 200; i++) {
        const uint64_t count = counts[i % 7], start = i * 7919 * 31 % (PARTS - count),
                       first = i % 5 ? start : PARTS - count;
        int32_t *row = malloc(count * sizeof *row);
        if (s->array->recent)
            memset(s->array->recent, 0, VZ_RECENT_CHUNKS * sizeof *s->array->recent);
        read_block(s, &first, &count, row);
        assert_memory_equal(row, values + first, count * sizeof *row);
        free(row);
    }
}

static void test_blocks_in_any_order(void **state)
{
    (void)state;
    static const char *const forms[] = {"'shuffle':1,'blocksize':16384", "'shuffle':0,'blocksize':16384",
                                        "'shuffle':2,'blocksize':16384"};
    int32_t *values = malloc(PARTS * sizeof *values);
    for (size_t i = 0; i < PARTS; i++)
        values[i] = (int32_t)(i * i / 1000 % 5000);
    for (size_t f = 0; f < 3; f++) {
        char text[200];
        vz_error err = VZ_ERROR_NONE;
        vz_buffer stored = {0};
        bool found;
        snprintf(
            text, sizeof text,
            "'shape':[262144],'chunks':[262144],'dtype':'<i4','compressor':{'id':'blosc','cname':'lz4','clevel':5,%s}",
            forms[f]);
        subject s = subject_of(text);
        write_block(&s, NULL, NULL, values);
        subject_reopen(&s, false);
        check_parts(&s, values);
        no_error(vz_store_get(s.store, "a/0", VZ_WHOLE, &stored, &found, &err), &err);
        assert_true(vz_bytes_load_le32(stored.data + 8) <= 4 * BLOCK);
        turn_round(&stored);
        no_error(vz_store_put(s.store, "a/0", (vz_bytes){stored.data, stored.size}, &err), &err);
        subject_reopen(&s, false);
        check_parts(&s, values);
        vz_buffer_clear(&stored);
        subject_clear(&s);
    }
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_at_random_keep_nothing),
        cmocka_unit_test(test_blocks_without_elements_are_left_out),
        cmocka_unit_test(test_version_that_goes_meanwhile),
        cmocka_unit_test(test_blocks_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
