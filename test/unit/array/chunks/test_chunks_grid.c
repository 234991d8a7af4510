/* test_chunks_grid.c - chunks as such: direct access, listing, the missing ones, and what a resize touches. */
#include "array_support.h"
#include "array/chunks/array_state.h"

static void fill_rows(subject *s)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < s->meta->rank; d++)
        count *= s->meta->shape[d];
    int32_t *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int32_t)i + 1;
    write_block(s, NULL, NULL, values);
    free(values);
}

/* Decoded chunks come and go in C order, whatever the array's own. */
static void test_decoded_chunks(void **state)
{
    (void)state;
    const char *const documents[] = {
        "'shape':[5,4],'chunks':[2,3],'dtype':'<i4'",
        "'shape':[5,4],'chunks':[2,3],'dtype':'<i4','order':'F','compressor':{'id':'zlib','level':1}"};
    for (unsigned i = 0; i < 2; i++) {
        subject s = subject_of(documents[i]);
        vz_buffer out = {0};
        vz_error err = VZ_ERROR_NONE;
        bool found;
        const uint64_t chunk[2] = {1, 0}, edge[2] = {2, 1}, outside[2] = {3, 0};
        no_error(vz_array_get_chunk(s.array, chunk, VZ_CHUNK_DECODED, &out, &found, &err), &err);
        assert_false(found);
        fill_rows(&s); /* the edges are dirty now */
        no_error(vz_array_get_chunk(s.array, chunk, VZ_CHUNK_DECODED, &out, &found, &err), &err);
        const int32_t expected[6] = {9, 10, 11, 13, 14, 15}, last[6] = {20, 0, 0, 0, 0, 0};
        assert_true(found);
        assert_int_equal(out.size, sizeof expected);
        assert_memory_equal(out.data, expected, sizeof expected);
        no_error(vz_array_get_chunk(s.array, edge, VZ_CHUNK_DECODED, &out, &found, &err), &err);
        assert_memory_equal(out.data, last, sizeof last); /* padded with fill */
        const int32_t mine[6] = {1, 2, 3, 4, 5, 6};
        no_error(
            vz_array_put_chunk(s.array, chunk, VZ_CHUNK_DECODED, (vz_bytes){(const uint8_t *)mine, sizeof mine}, &err),
            &err);
        int32_t row[4];
        const uint64_t start[2] = {3, 0}, count[2] = {1, 4};
        read_block(&s, start, count, row);
        const int32_t fourth[4] = {4, 5, 6, 16};
        assert_memory_equal(row, fourth, sizeof row);
        assert_false(vz_array_put_chunk(s.array, chunk, VZ_CHUNK_DECODED, (vz_bytes){(const uint8_t *)mine, 20}, &err));
        assert_int_equal(err.class, VZ_INVALID);
        err = VZ_ERROR_NONE;
        assert_false(vz_array_get_chunk(s.array, outside, VZ_CHUNK_DECODED, &out, &found, &err));
        assert_int_equal(err.class, VZ_INVALID);
        vz_buffer_clear(&out);
        subject_clear(&s);
    }
}

/* Stored bytes go in and out as they are, also past what the cache holds. */
static void test_stored_chunks(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[4],'chunks':[4],'dtype':'<i4','compressor':{'id':'zlib','level':1}");
    vz_buffer out = {0};
    vz_error err = VZ_ERROR_NONE;
    bool found;
    uint64_t size;
    const uint64_t chunk[1] = {0}, start[1] = {1}, count[1] = {1};
    const int32_t value = 77;
    no_error(vz_array_chunk_size(s.array, chunk, &size, &found, &err), &err);
    assert_false(found);
    write_block(&s, start, count, &value);
    no_error(vz_array_get_chunk(s.array, chunk, VZ_CHUNK_STORED, &out, &found, &err), &err); /* flushed first */
    assert_true(found);
    assert_int_equal(vz_array_dirty_bytes(s.array), 0);
    no_error(vz_array_chunk_size(s.array, chunk, &size, &found, &err), &err);
    assert_int_equal(size, out.size);
    const int32_t other = 78;
    int32_t back[4];
    write_block(&s, start, count, &other);
    no_error(vz_array_put_chunk(s.array, chunk, VZ_CHUNK_STORED, (vz_bytes){out.data, out.size}, &err), &err);
    read_block(&s, NULL, NULL, back);
    assert_int_equal(back[1], 77);
    vz_buffer_clear(&out);
    subject_clear(&s);
}

typedef struct visited {
    uint64_t chunks[64][2];
    unsigned count, most;
} visited;

static bool note_chunk(void *context, const uint64_t *chunk, uint64_t size)
{
    visited *v = context;
    assert_true(size > 0);
    memcpy(v->chunks[v->count++], chunk, 2 * sizeof *chunk);
    return v->count < v->most;
}

/* In C order of numbers, not of text; strangers among the keys are passed over. */
static void test_each_chunk(void **state)
{
    (void)state;
    const char *const separators = "./";
    for (unsigned i = 0; i < 2; i++) {
        char document[200];
        snprintf(document, sizeof document, "'shape':[12,2],'chunks':[1,1],'dtype':'<i4','dimension_separator':'%c'",
                 separators[i]);
        subject s = subject_of(document);
        vz_error err = VZ_ERROR_NONE;
        fill_rows(&s);
        const char *const strangers[] = {
            "a/.zattrs", "a/1", "a/01.1", "a/3.1.1", "a/99.0", "a/x.1", "a/18446744073709551616.0", "a/5/x", "a/7/07"};
        for (unsigned k = 0; k < sizeof strangers / sizeof *strangers; k++)
            if (i == 0 || strcmp(strangers[k], "a/1") != 0)
                no_error(vz_store_put(s.store, strangers[k], (vz_bytes){(const uint8_t *)"x", 1}, &err), &err);
        visited v = {.most = 64};
        no_error(vz_array_each_chunk(s.array, true, note_chunk, &v, &err), &err);
        assert_int_equal(v.count, 24);
        for (unsigned k = 0; k < 24; k++) {
            assert_int_equal(v.chunks[k][0], k / 2);
            assert_int_equal(v.chunks[k][1], k % 2);
        }
        assert_int_equal(vz_store_counted(s.store).lists, i == 0 ? 1 : 13);
        v = (visited){.most = 5};
        no_error(vz_array_each_chunk(s.array, true, note_chunk, &v, &err), &err);
        assert_int_equal(v.count, 5);
        subject_clear(&s);
    }
}

static bool count_chunk(void *context, const uint64_t *chunk, uint64_t size)
{
    (void)chunk, (void)size;
    ++*(unsigned *)context;
    return true;
}

static void test_write_missing(void **state)
{
    (void)state;
    const char *const documents[] = {
        "'shape':[5,4],'chunks':[2,3],'dtype':'<i4','fill_value':null",
        "'shape':[],'chunks':[],'dtype':'<i4','fill_value':null",
        "'shape':[3000],'chunks':[1],'dtype':'<i4','fill_value':null,'dimension_separator':'/'",
        "'shape':[0,7],'chunks':[2,3],'dtype':'<i4','fill_value':null"};
    const unsigned chunks[] = {6, 1, 3000, 0};
    for (unsigned i = 0; i < 4; i++) {
        subject s = subject_of(documents[i]);
        vz_error err = VZ_ERROR_NONE;
        unsigned count = 0;
        const int32_t value = 9;
        const uint64_t start[2] = {1, 1}, one[2] = {1, 1};
        if (chunks[i])
            write_block(&s, start, one, &value); /* dirty: must survive */
        no_error(vz_array_write_missing(s.array, &err), &err);
        no_error(vz_array_each_chunk(s.array, true, count_chunk, &count, &err), &err);
        assert_int_equal(count, chunks[i]);
        assert_int_equal(vz_store_counted(s.store).puts, chunks[i]);
        no_error(vz_array_write_missing(s.array, &err), &err);
        assert_int_equal(vz_store_counted(s.store).puts, chunks[i]);
        int32_t back = 0;
        if (chunks[i])
            read_block(&s, start, one, &back);
        assert_int_equal(back, chunks[i] ? 9 : 0);
        subject_clear(&s);
    }
}

/* A shrink deletes what is outside and trims what is on the edge, and nothing else. */
static void test_shrink_touches_little(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[10,10],'chunks':[2,2],'dtype':'<i4','compressor':{'id':'zlib','level':1}");
    vz_error err = VZ_ERROR_NONE;
    fill_rows(&s);
    flush(&s);
    vz_array_drop_clean(s.array);
    const vz_store_counts before = vz_store_counted(s.store);
    const uint64_t old[2] = {10, 10};
    s.meta->shape[0] = 7;
    no_error(vz_array_resized(s.array, old, &err), &err);
    const vz_store_counts after = vz_store_counted(s.store);
    assert_int_equal(after.dels - before.dels, 5);
    assert_int_equal(after.gets - before.gets, 5);
    assert_int_equal(after.puts - before.puts, 5);
    assert_int_equal(after.lists, 0);
    const uint64_t small[2] = {7, 10};
    s.meta->shape[0] = 100;
    no_error(vz_array_resized(s.array, small, &err), &err);
    assert_int_equal(vz_store_counted(s.store).dels, after.dels); /* growing touches nothing */
    assert_int_equal(vz_store_counted(s.store).gets, after.gets);
    int32_t back[1000];
    read_block(&s, NULL, NULL, back);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(back[i], i < 70 ? i + 1 : 0);
    subject_clear(&s);
}

/* Millions of chunks that might be there, three that are: one listing. */
static void test_shrink_lists_large_grids(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[100000000,100000000],'chunks':[10,10],'dtype':'<i4'");
    vz_error err = VZ_ERROR_NONE;
    const uint64_t starts[3][2] = {{3, 3}, {55555555, 7}, {7, 99999999}}, one[2] = {1, 1},
                   old[2] = {100000000, 100000000};
    for (int i = 0; i < 3; i++) {
        const int32_t value = i + 1;
        write_block(&s, starts[i], one, &value);
    }
    flush(&s);
    const vz_store_counts before = vz_store_counted(s.store);
    s.meta->shape[0] = 5;
    no_error(vz_array_resized(s.array, old, &err), &err);
    const vz_store_counts after = vz_store_counted(s.store);
    assert_int_equal(after.lists - before.lists, 1);
    assert_int_equal(after.dels - before.dels, 1);
    s.meta->shape[0] = 100000000;
    const int32_t expected[3] = {1, 0, 0};
    flush(&s);
    vz_array_drop_all(s.array);
    for (int i = 0; i < 3; i++) {
        int32_t back;
        read_block(&s, starts[i], one, &back);
        assert_int_equal(back, expected[i]);
    }
    subject_clear(&s);
}

/* A renamed node: what is dirty goes to the new place. */
static void test_prefix_changes(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[4],'chunks':[2],'dtype':'<i4'");
    vz_error err = VZ_ERROR_NONE;
    vz_stamp stamp;
    fill_rows(&s);
    const uint64_t start[1] = {0}, one[1] = {1};
    const int32_t value = 5;
    write_block(&s, start, one, &value);
    no_error(vz_array_set_prefix(s.array, "b/c", &err), &err);
    flush(&s);
    no_error(vz_store_stat(s.store, "b/c/0", &stamp, &err), &err);
    assert_true(stamp.exists);
    no_error(vz_array_set_prefix(s.array, "", &err), &err);
    write_block(&s, start, one, &value);
    flush(&s);
    no_error(vz_store_stat(s.store, "0", &stamp, &err), &err);
    assert_true(stamp.exists);
    subject_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decoded_chunks),
        cmocka_unit_test(test_stored_chunks),
        cmocka_unit_test(test_each_chunk),
        cmocka_unit_test(test_write_missing),
        cmocka_unit_test(test_shrink_touches_little),
        cmocka_unit_test(test_shrink_lists_large_grids),
        cmocka_unit_test(test_prefix_changes),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vz_pool_stop();
    return failed;
}
