/* test_array_parts.c - compressed chunks of which parts are read: what is decoded of them, and what is kept. */
#include "array_support.h"
#include "array/array_io.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_at_random_keep_nothing),
        cmocka_unit_test(test_blocks_without_elements_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
