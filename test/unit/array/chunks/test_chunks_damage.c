/* test_chunks_damage.c - chunks that are not what they should be, shapes that nothing can hold, selections that lie
 * outside, arrays whose data cannot be read: a clear error, never wrong data. */
#include "array_support.h"
#include "array/chunks/array_state.h"

static void put(subject *s, const char *key, const void *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_store_put(s->store, key, (vz_bytes){data, size}, &err), &err);
}

static void expect_corrupt(subject *s, const uint64_t *start, const uint64_t *count)
{
    int32_t back[64 * 64];
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s->meta, start, count);
    const vz_transfer transfer = plain_transfer(s->meta, &region, back);
    assert_false(vz_array_read(s->array, &transfer, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_string_equal(err.object, "a/1.0");
    assert_true(strlen(err.text) > 0);
}

static void expect_write_corrupt(subject *s)
{
    const uint64_t start[2] = {40, 1}, count[2] = {1, 1};
    const int32_t value = 1;
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s->meta, start, count);
    const vz_transfer transfer = plain_transfer(s->meta, &region, (void *)&value);
    assert_false(vz_array_write(s->array, &transfer, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_string_equal(err.object, "a/1.0");
    assert_int_equal(s->array->cache.count, 0);
}

static void test_wrong_chunks(void **state)
{
    (void)state;
    const char *const codecs[] = {"null",
                                  "{'id':'zlib','level':1}",
                                  "{'id':'gzip','level':1}",
                                  "{'id':'zstd','level':1}",
                                  "{'id':'lz4','acceleration':1}",
                                  "{'id':'bz2','level':1}",
                                  "{'id':'blosc','cname':'lz4','clevel':5,'shuffle':1,'blocksize':0}"};
    static uint8_t junk[1 << 20];
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (uint8_t)(i * 167 >> 3);
    for (unsigned c = 0; c < sizeof codecs / sizeof *codecs; c++) {
        char document[300];
        snprintf(document, sizeof document, "'shape':[64,64],'chunks':[32,64],'dtype':'<i4','compressor':%s",
                 codecs[c]);
        subject s = subject_of(document);
        int32_t values[64 * 64];
        const uint64_t chunk[2] = {1, 0}, part[2] = {33, 3}, one[2] = {2, 2};
        vz_error err = VZ_ERROR_NONE;
        vz_buffer good = {0};
        bool found;
        for (size_t i = 0; i < 64 * 64; i++)
            values[i] = (int32_t)(i * i);
        write_block(&s, NULL, NULL, values);
        no_error(vz_array_get_chunk(s.array, chunk, VZ_CHUNK_STORED, &good, &found, &err) && found, &err);
        const size_t sizes[] = {0, 1, good.size / 2, good.size - 1};
        for (unsigned i = 0; i < 4; i++) {
            put(&s, "a/1.0", good.data, sizes[i]);
            expect_corrupt(&s, NULL, NULL);
            expect_corrupt(&s, part, one);
            expect_write_corrupt(&s);
        }
        const size_t wrong[] = {100, sizeof junk};
        for (unsigned i = 0; i < 2; i++) {
            put(&s, "a/1.0", junk, wrong[i]);
            expect_corrupt(&s, NULL, NULL);
            expect_corrupt(&s, part, one);
            expect_write_corrupt(&s);
        }
        const uint64_t fine[2] = {0, 0}, rows[2] = {32, 64}; /* the other chunk is not hurt */
        int32_t back[32 * 64];
        read_block(&s, fine, rows, back);
        assert_memory_equal(back, values, sizeof back);
        vz_buffer_clear(&good);
        subject_clear(&s);
    }
}

/* A chunk of another array: right codec, wrong size. */
static void test_other_arrays_chunk(void **state)
{
    (void)state;
    const uint64_t chunk[2] = {0, 0};
    const int32_t sides[] = {31, 33};
    for (unsigned i = 0; i < 2; i++) {
        char document[200];
        snprintf(document, sizeof document,
                 "'shape':[64,64],'chunks':[%d,64],'dtype':'<i4','compressor':{'id':'zlib','level':1}", sides[i]);
        subject other = subject_of(document);
        subject s = subject_of("'shape':[64,64],'chunks':[32,64],'dtype':'<i4','compressor':{'id':'zlib','level':1}");
        static int32_t values[64 * 64];
        vz_buffer bytes = {0};
        vz_error err = VZ_ERROR_NONE;
        bool found;
        write_block(&other, NULL, NULL, values);
        no_error(vz_array_get_chunk(other.array, chunk, VZ_CHUNK_STORED, &bytes, &found, &err) && found, &err);
        put(&s, "a/1.0", bytes.data, bytes.size);
        expect_corrupt(&s, NULL, NULL);
        vz_buffer_clear(&bytes);
        subject_clear(&other);
        subject_clear(&s);
    }
}

/* ---- shapes ---- */

static void test_huge_shapes(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[1,1],'chunks':[3,1000],'dtype':'<i4','fill_value':5");
    s.meta->shape[0] = UINT64_MAX; /* more than any document may say */
    s.meta->shape[1] = (uint64_t)1 << 63;
    const uint64_t start[2] = {UINT64_MAX - 2, ((uint64_t)1 << 63) - 3}, count[2] = {2, 3};
    int32_t values[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0};
    read_block(&s, start, count, back);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(back[i], 5);
    write_block(&s, start, count, values);
    flush(&s);
    vz_array_drop_clean(s.array);
    read_block(&s, start, count, back);
    assert_memory_equal(back, values, sizeof back);
    vz_error err = VZ_ERROR_NONE;
    const uint64_t old[2] = {UINT64_MAX, (uint64_t)1 << 63};
    s.meta->shape[0] =
        UINT64_MAX - 2; /* one of two rows goes: its chunk is trimmed; found by listing, not by counting */
    no_error(vz_array_resized(s.array, old, &err), &err);
    assert_true(vz_store_counted(s.store).dels < 10);
    s.meta->shape[0] = UINT64_MAX;
    const int32_t expected[6] = {5, 5, 5, 5, 5, 5};
    read_block(&s, start, count, back);
    assert_memory_equal(back, expected, sizeof back);
    assert_false(vz_array_write_missing(s.array, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    subject_clear(&s);
}

static bool one_run(void *context, vz_point_run *runs, size_t max, size_t *count, vz_error *err)
{
    const vz_point_run **next = context;
    (void)max, (void)err;
    *count = *next != NULL;
    if (*next)
        runs[0] = **next;
    *next = NULL;
    return true;
}

static vz_error_class run_result(subject *s, vz_point_run run)
{
    int32_t buffer[16];
    const vz_point_run *next = &run;
    vz_error err = VZ_ERROR_NONE;
    const vz_transfer transfer = {.next_runs = one_run, .runs_context = &next, .buffer = buffer, .element_size = 4};
    return vz_array_read(s->array, &transfer, &err) ? VZ_OK : err.class;
}

static void test_runs_outside(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[5,3],'chunks':[2,2],'dtype':'<i4'");
    assert_int_equal(run_result(&s, (vz_point_run){0, 0, 15}), VZ_OK);
    assert_int_equal(run_result(&s, (vz_point_run){0, 0, 16}), VZ_INVALID);
    assert_int_equal(run_result(&s, (vz_point_run){15, 0, 1}), VZ_INVALID);
    assert_int_equal(run_result(&s, (vz_point_run){UINT64_MAX, 0, 2}), VZ_INVALID);
    assert_int_equal(run_result(&s, (vz_point_run){2, 0, UINT64_MAX}), VZ_INVALID);
    subject_clear(&s);
    s = subject_of("'shape':[5,3],'chunks':[2,2],'dtype':'<i4'");
    s.meta->shape[0] = UINT64_MAX;
    assert_int_equal(run_result(&s, (vz_point_run){0, 0, 1}), VZ_LIMIT);
    subject_clear(&s);
    s = subject_of("'shape':[0,3],'chunks':[2,2],'dtype':'<i4'");
    assert_int_equal(run_result(&s, (vz_point_run){0, 0, 1}), VZ_INVALID);
    subject_clear(&s);
}

static vz_error_class region_result(subject *s, vz_region region)
{
    int32_t buffer[64];
    vz_error err = VZ_ERROR_NONE;
    const vz_transfer transfer = plain_transfer(s->meta, &region, buffer);
    return vz_array_read(s->array, &transfer, &err) ? VZ_OK : err.class;
}

static void test_regions_outside(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[5],'chunks':[2],'dtype':'<i4'");
    const vz_region fine = {.rank = 1, .start = {0}, .stride = {2}, .count = {3}, .block = {1}, .memory_stride = {1}};
    assert_int_equal(region_result(&s, fine), VZ_OK);
    vz_region region = fine;
    region.count[0] = 4;
    assert_int_equal(region_result(&s, region), VZ_INVALID);
    region = fine;
    region.start[0] = UINT64_MAX;
    assert_int_equal(region_result(&s, region), VZ_INVALID);
    region = fine;
    region.count[0] = region.block[0] = (uint64_t)1 << 33;
    assert_int_equal(region_result(&s, region), VZ_INVALID);
    region = fine;
    region.stride[0] = 1, region.block[0] = 2;
    assert_int_equal(region_result(&s, region), VZ_INVALID);
    region = fine;
    region.rank = 0;
    assert_int_equal(region_result(&s, region), VZ_INVALID);
    region = fine;
    region.count[0] = 0;
    assert_int_equal(region_result(&s, region), VZ_OK);
    subject_clear(&s);
}

/* ---- arrays that cannot be read ---- */

static void expect_unsupported(const char *text, const char *named)
{
    char document[512];
    vz_error err = VZ_ERROR_NONE;
    snprintf(document, sizeof document, "{'zarr_format':2,'shape':[4],'chunks':[4],'order':'C','fill_value':null,%s}",
             text);
    set_quotes(document);
    vz_meta *meta = meta_of(document);
    vz_store *store = vz_store_new_memory(&err);
    assert_null(vz_array_open(store, meta, "a", false, &err));
    assert_int_equal(err.class, VZ_UNSUPPORTED);
    assert_non_null(strstr(err.text, named));
    vz_meta_free(meta);
    vz_store_close(store);
}

static void test_unsupported(void **state)
{
    (void)state;
    expect_unsupported("'dtype':'<i4','compressor':{'id':'nosuchcodec'},'filters':null", "nosuchcodec");
    expect_unsupported("'dtype':'|O','compressor':null,'filters':[{'id':'json'}]", "json");
    expect_unsupported("'dtype':[['number','<i4'],['name','|O']],'compressor':null,'filters':[{'id':'vlen-utf8'}]",
                       "name");
}

/* Wrong element sizes are the caller's mistake. */
static void test_wrong_element_size(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[4],'chunks':[4],'dtype':'<i4'");
    int64_t buffer[4];
    vz_number_conversion conversion;
    const vz_number_format from = {VZ_NUMBER_INT, 8, false}, to = {VZ_NUMBER_INT, 4, false};
    const vz_region region = block_of(s.meta, NULL, NULL);
    vz_transfer transfer = plain_transfer(s.meta, &region, buffer);
    vz_error err = VZ_ERROR_NONE;
    transfer.element_size = 8;
    assert_false(vz_array_read(s.array, &transfer, &err));
    assert_int_equal(err.class, VZ_INVALID);
    assert_true(vz_conversion_find(from, to, &conversion));
    transfer.conversion = &conversion;
    err = VZ_ERROR_NONE;
    assert_false(vz_array_read(s.array, &transfer, &err)); /* the wrong way round */
    err = VZ_ERROR_NONE;
    memset(buffer, 0, sizeof buffer);
    no_error(vz_array_write(s.array, &transfer, &err), &err);
    subject_clear(&s);
}

/* ---- a store that fails ---- */

static bool fail_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    (void)store, (void)key, (void)value;
    return vz_fail_errno(err, 28 /* ENOSPC */, "cannot write");
}

/* What could not be written stays dirty, and is written once there is room again. */
static void test_full_disk(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[64,64],'chunks':[16,64],'dtype':'<i4','compressor':{'id':'zlib','level':1}");
    const vz_store_class *good = s.store->class;
    vz_store_class full = *good;
    full.put = full.put_new = fail_put;
    static int32_t back[64 * 64];
    int32_t column[64];
    const uint64_t start[2] = {0, 5}, count[2] = {64, 1};
    for (int i = 0; i < 64; i++)
        column[i] = i + 1;
    write_block(&s, start, count, column);
    s.store->class = &full;
    vz_error err = VZ_ERROR_NONE;
    const uint64_t dirty = vz_array_dirty_bytes(s.array);
    assert_false(vz_array_flush(s.array, &err));
    assert_int_equal(err.class, VZ_IO);
    assert_int_equal(err.sys_errno, 28);
    assert_string_equal(err.object, "a/0.0");
    assert_int_equal(vz_array_dirty_bytes(s.array), dirty);
    const vz_region region = block_of(s.meta, NULL, NULL);
    const vz_transfer transfer = plain_transfer(s.meta, &region, back);
    vz_array_drop_clean(s.array);
    err = VZ_ERROR_NONE;
    no_error(vz_array_read(s.array, &transfer, &err), &err);
    s.store->class = good;
    flush(&s);
    assert_int_equal(vz_array_dirty_bytes(s.array), 0);
    vz_array_drop_all(s.array);
    read_block(&s, NULL, NULL, back);
    for (int i = 0; i < 64; i++)
        assert_int_equal(back[i * 64 + 5], i + 1);
    subject_clear(&s);
}

int main(void)
{
    vz_pool_set_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_chunks),       cmocka_unit_test(test_other_arrays_chunk),
        cmocka_unit_test(test_huge_shapes),        cmocka_unit_test(test_runs_outside),
        cmocka_unit_test(test_regions_outside),    cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_wrong_element_size), cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
