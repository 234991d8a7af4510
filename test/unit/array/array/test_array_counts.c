/* test_array_counts.c - what is not copied, not read, not decoded twice, and which requests the store sees. */
#include "array/array/array.h"
#include "array_support.h"
#include "array/chunks/array_state.h"
#include <stdatomic.h>

enum { SIDE = 256, EDGE = 64, CHUNKS = (SIDE / EDGE) * (SIDE / EDGE) };

static const char plain_2d[] = "'shape':[256,256],'chunks':[64,64],'dtype':'<i4'";
static const char coded_2d[] = "'shape':[256,256],'chunks':[64,64],'dtype':'<i4','compressor':{'id':'zlib','level':1}";
static const char coded_rows[] =
    "'shape':[256,256],'chunks':[64,256],'dtype':'<i4','compressor':{'id':'zlib','level':1}";

static int32_t *numbers(size_t count)
{
    int32_t *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = (int32_t)(i * 2654435761u);
    return values;
}

static void write_all(subject *s)
{
    int32_t *values = numbers((size_t)SIDE * SIDE);
    write_block(s, NULL, NULL, values);
    free(values);
}

static vz_store_counts counts_of(const subject *s)
{
    return vz_store_counted(s->store);
}

/* A whole overwrite reads nothing, whether chunks are gathered or lie ready. */
static void test_whole_write_reads_nothing(void **state)
{
    (void)state;
    const char *const documents[] = {plain_2d, coded_2d, coded_rows};
    const uint64_t direct[] = {0, 0, 4};
    for (unsigned i = 0; i < 3; i++) {
        subject s = subject_of(documents[i]);
        write_all(&s);
        write_all(&s);
        const vz_store_counts counts = counts_of(&s);
        const uint64_t chunks = s.meta->chunk_count == EDGE * EDGE ? CHUNKS : 4;
        assert_int_equal(counts.gets, 0);
        assert_int_equal(counts.stats + counts.lists + counts.dels, 0);
        assert_int_equal(counts.puts, 2 * chunks);
        assert_int_equal(vz_array_counted(s.array).direct_chunks, 2 * direct[i]);
        assert_int_equal(vz_array_counted(s.array).staged_chunks, 2 * (chunks - direct[i]));
        assert_int_equal(vz_array_dirty_bytes(s.array), 0);
        subject_clear(&s);
    }
}

/* Chunks that lie whole in the buffer are decoded there; one request each, nothing kept. */
static void test_straight_into_the_buffer(void **state)
{
    (void)state;
    const char *const documents[] = {coded_rows, "'shape':[256,256],'chunks':[64,256],'dtype':'<i4'"};
    for (unsigned i = 0; i < 2; i++) {
        subject s = subject_of(documents[i]);
        int32_t *back = malloc((size_t)SIDE * SIDE * sizeof *back), *values = numbers((size_t)SIDE * SIDE);
        assert_non_null(back);
        write_all(&s);
        const vz_store_counts before = counts_of(&s);
        const vz_array_counts written = vz_array_counted(s.array);
        read_block(&s, NULL, NULL, back);
        assert_memory_equal(back, values, (size_t)SIDE * SIDE * sizeof *back);
        assert_int_equal(counts_of(&s).gets - before.gets, 4);
        assert_int_equal(counts_of(&s).stats + counts_of(&s).lists, 0);
        assert_int_equal(vz_array_counted(s.array).direct_chunks - written.direct_chunks, 4);
        assert_int_equal(vz_array_counted(s.array).staged_chunks - written.staged_chunks, 0);
        assert_int_equal(s.array->cache.count, 0);
        free(back);
        free(values);
        subject_clear(&s);
    }
}

/* The edge chunk is stored full size; only its part inside the array may reach the buffer. */
static void test_edge_chunk_does_not_overrun(void **state)
{
    (void)state;
    const char *const documents[] = {"'shape':[100],'chunks':[64],'dtype':'<i4'",
                                     "'shape':[100],'chunks':[64],'dtype':'<i4','compressor':{'id':'zlib','level':1}"};
    for (unsigned i = 0; i < 2; i++) {
        subject s = subject_of(documents[i]);
        int32_t *values = numbers(100), *back = malloc(100 * sizeof *back); /* the sanitizer watches its end */
        write_block(&s, NULL, NULL, values);
        flush(&s);
        read_block(&s, NULL, NULL, back);
        assert_memory_equal(back, values, 100 * sizeof *back);
        free(values);
        free(back);
        subject_clear(&s);
    }
}

static void test_missing_chunks_cost_nothing(void **state)
{
    (void)state;
    subject s = subject_of(
        "'shape':[256,256],'chunks':[64,64],'dtype':'<i4','fill_value':-7,'compressor':{'id':'zlib','level':1}");
    int32_t *back = calloc((size_t)SIDE * SIDE, sizeof *back);
    read_block(&s, NULL, NULL, back);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        assert_int_equal(back[i], -7);
    const uint64_t start[2] = {3, 3}, count[2] = {100, 2};
    read_block(&s, start, count, back);
    assert_int_equal(vz_array_counted(s.array).fill_chunks, CHUNKS + 2);
    assert_int_equal(vz_array_counted(s.array).staged_chunks, 0);
    assert_int_equal(s.array->cache.count, 0);
    assert_int_equal(s.array->cache.bytes, 0);
    free(back);
    subject_clear(&s);
}

/* Row by row through compressed chunks: each is decoded once. */
static void test_rows_decode_once(void **state)
{
    (void)state;
    subject s = subject_of(coded_2d);
    int32_t row[SIDE], *values = numbers((size_t)SIDE * SIDE);
    write_all(&s);
    for (uint64_t i = 0; i < SIDE; i++) {
        const uint64_t start[2] = {i, 0}, count[2] = {1, SIDE};
        read_block(&s, start, count, row);
        assert_memory_equal(row, values + i * SIDE, sizeof row);
    }
    assert_int_equal(counts_of(&s).gets, CHUNKS);
    assert_int_equal(vz_array_counted(s.array).cache_misses, CHUNKS);
    assert_int_equal(vz_array_counted(s.array).cache_hits, (SIDE - SIDE / EDGE) * (SIDE / EDGE));
    free(values);
    subject_clear(&s);
}

/* Rows appended one by one: no chunk is read, and each is encoded once. */
static void test_appending_rows(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[0,256],'chunks':[64,256],'dtype':'<i4','compressor':{'id':'zlib','level':1}");
    int32_t *values = numbers((size_t)SIDE * SIDE), *back = malloc((size_t)SIDE * SIDE * sizeof *back);
    vz_error err = VZ_ERROR_NONE;
    for (uint64_t i = 0; i < SIDE; i++) {
        const uint64_t old[2] = {i, SIDE}, start[2] = {i, 0}, count[2] = {1, SIDE};
        s.meta->shape[0] = i + 1;
        no_error(vz_array_resized(s.array, old, &err), &err);
        write_block(&s, start, count, values + i * SIDE);
    }
    flush(&s);
    assert_int_equal(counts_of(&s).puts, 4);
    assert_int_equal(counts_of(&s).gets - counts_of(&s).misses, 0);
    assert_int_equal(counts_of(&s).lists + counts_of(&s).dels, 0);
    read_block(&s, NULL, NULL, back);
    assert_memory_equal(back, values, (size_t)SIDE * SIDE * sizeof *back);
    free(values);
    free(back);
    subject_clear(&s);
}

/* Dirty chunks are seen by every read, and a refresh leaves them. */
static void test_dirty_chunks_are_seen(void **state)
{
    (void)state;
    subject s = subject_of(coded_2d);
    int32_t *back = malloc((size_t)SIDE * SIDE * sizeof *back);
    const uint64_t start[2] = {10, 10}, count[2] = {1, 1};
    const int32_t value = 4711;
    write_block(&s, start, count, &value);
    assert_int_equal(counts_of(&s).puts, 0);
    assert_true(vz_array_dirty_bytes(s.array) >= s.meta->chunk_size);
    vz_array_drop_clean(s.array);
    read_block(&s, NULL, NULL, back);
    assert_int_equal(back[10 * SIDE + 10], 4711);
    vz_array_drop_all(s.array);
    assert_int_equal(vz_array_dirty_bytes(s.array), 0);
    read_block(&s, NULL, NULL, back);
    assert_int_equal(back[10 * SIDE + 10], 0);
    free(back);
    subject_clear(&s);
}

/* Column by column: one element of each of 4 chunks of a row at a time; memory stays within the budget, and one chunk
 * at least is kept however small it is. */
static void test_budget_is_kept(void **state)
{
    (void)state;
    const size_t chunks_kept[] = {0, 1, 3, 100};
    for (unsigned i = 0; i < 4; i++) {
        subject s = subject_of(coded_2d);
        vz_chunk_cache *cache = &s.array->cache;
        cache->budget = chunks_kept[i] * vz_cache_cost(cache);
        const size_t most = chunks_kept[i] ? chunks_kept[i] : 1;
        int32_t column[SIDE], *values = numbers((size_t)SIDE * SIDE),
                              *back = malloc((size_t)SIDE * SIDE * sizeof *back);
        for (uint64_t c = 0; c < SIDE; c += 32) {
            const uint64_t start[2] = {0, c}, count[2] = {SIDE, 1};
            for (size_t r = 0; r < SIDE; r++)
                column[r] = values[r * SIDE + c];
            write_block(&s, start, count, column);
            assert_true(cache->count <= most);
            assert_true(cache->count >= 1);
            assert_true(cache->bytes <= most * vz_cache_cost(cache));
        }
        flush(&s);
        read_block(&s, NULL, NULL, back);
        for (size_t k = 0; k < (size_t)SIDE * SIDE; k++)
            assert_int_equal(back[k], k % 32 ? 0 : values[k]);
        free(values);
        free(back);
        subject_clear(&s);
    }
}

static void test_the_largest_wish_counts(void **state)
{
    (void)state;
    subject s = subject_of(coded_2d);
    vz_array_set_cache(s.array, 1000);
    assert_int_equal(s.array->cache.budget, VZ_ARRAY_CACHE_DEFAULT);
    vz_array_set_cache(s.array, 2 * VZ_ARRAY_CACHE_DEFAULT);
    vz_array_set_cache(s.array, VZ_ARRAY_CACHE_DEFAULT);
    assert_int_equal(s.array->cache.budget, 2 * VZ_ARRAY_CACHE_DEFAULT);
    subject_clear(&s);
}

/* skip_fill: a chunk of fill is deleted rather than stored, unless fill is undefined. */
/* A column of more chunks than the cache holds: none is kept by the first look, as many as there is room for by the
 * second one; of wider columns they are kept at once. */
static void test_columns_are_kept_when_seen_again(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[1024,256],'chunks':[256,256],'dtype':'<i4','compressor':{'id':'blosc','cname':'"
                           "lz4','clevel':5,'shuffle':1,'blocksize':0}");
    enum { ROWS = 1024, COLUMNS = 256 };
    int32_t *values = malloc(ROWS * COLUMNS * sizeof *values), back[ROWS * 64];
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        values[i] = (int32_t)(i / 3); /* which shrinks */
    write_block(&s, NULL, NULL, values);
    flush(&s);
    for (uint64_t width = 1; width <= 64; width += 63) {
        subject_reopen(&s, false);
        s.array->cache.budget = 2 * vz_cache_cost(&s.array->cache);
        for (uint64_t c = 0; c < 5; c++) {
            const uint64_t start[2] = {0, 3 * c}, count[2] = {ROWS, width}, before = counts_of(&s).gets;
            read_block(&s, start, count, back);
            for (size_t r = 0; r < ROWS; r++)
                assert_memory_equal(back + r * width, values + r * COLUMNS + 3 * c, width * sizeof *back);
            assert_int_equal(s.array->cache.count, c == 0 && width == 1 ? 0 : 2);
            assert_true(c < 2 || counts_of(&s).gets - before <= 4); /* two requests for each that is not kept */
        }
    }
    free(values);
    subject_clear(&s);
}

static void test_skip_fill(void **state)
{
    (void)state;
    static int32_t zeros[SIDE * SIDE];
    subject s = subject_of(coded_2d);
    subject_reopen(&s, true);
    write_all(&s);
    write_block(&s, NULL, NULL, zeros);
    assert_int_equal(counts_of(&s).puts, CHUNKS);
    assert_int_equal(counts_of(&s).dels, CHUNKS);
    vz_entry *entries;
    size_t count;
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_store_list(s.store, "a", &entries, &count, &err), &err);
    assert_int_equal(count, 0);
    vz_entries_free(entries, count);
    subject_clear(&s);
    s = subject_of("'shape':[256,256],'chunks':[64,64],'dtype':'<i4','fill_value':null");
    subject_reopen(&s, true);
    write_block(&s, NULL, NULL, zeros);
    assert_int_equal(counts_of(&s).puts, CHUNKS);
    subject_clear(&s);
}

/* Chunks with long rows, of a store that reads stretches which follow each other at once, wherever they go: no copy of
 * the chunk is made. What is stored as it is by a codec goes the same way; the last row of chunks has an edge. */
static void test_whole_chunks_row_by_row(void **state)
{
    (void)state;
    const char *const codecs[] = {"null", "{'id':'blosc','cname':'lz4','clevel':0,'shuffle':0,'blocksize':0}"};
    for (unsigned i = 0; i < 2; i++) {
        char document[256];
        snprintf(document, sizeof document,
                 "'shape':[160,1024],'chunks':[64,512],'dtype':'<i4','fill_value':-7,'compressor':%s", codecs[i]);
        subject s = subject_of(document);
        s.store->capabilities |= VZ_STORE_SCATTERS;
        const uint64_t start[2] = {1, 0}, count[2] = {159, 1024};
        int32_t *values = numbers(160 * 1024), *back = malloc(160 * 1024 * sizeof *back);
        write_block(&s, NULL, NULL, values);
        flush(&s);
        subject_reopen(&s, false);
        assert_true(vz_store_del(s.store, "a/1.0", NULL));
        memset(back, 1, 160 * 1024 * sizeof *back);
        read_block(&s, NULL, NULL, back);
        assert_int_equal(vz_array_counted(s.array).fill_chunks, 1);
        assert_int_equal(vz_array_counted(s.array).direct_chunks, 3);
        for (size_t row = 0; row < 160; row++)
            for (size_t column = 0; column < 1024; column++)
                assert_int_equal(back[row * 1024 + column],
                                 row / 64 == 1 && column < 512 ? -7 : values[row * 1024 + column]);
        read_block(&s, start, count, back);
        assert_memory_equal(back, values + 1024, 63 * 4096);
        subject_clear(&s);
        free(values);
        free(back);
    }
}

/* Long stretches of a chunk whose codec can place them are decoded where they are wanted, and nothing beside them. */
static void test_decoded_where_it_is_wanted(void **state)
{
    (void)state;
    enum { ROWS = 512, COLUMNS = 1024, GUARD = -3 };
    subject s = subject_of("'shape':[512,1024],'chunks':[256,512],'dtype':'<i4','compressor':{'id':'blosc','cname':'"
                           "lz4','clevel':5,'shuffle':1,'blocksize':32768}");
    int32_t *values = malloc(ROWS * COLUMNS * sizeof *values), *back = malloc((ROWS * COLUMNS + 2) * sizeof *back);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        values[i] = (int32_t)(i / 3); /* which shrinks */
    write_block(&s, NULL, NULL, values);
    flush(&s);
    const uint64_t starts[][2] = {{0, 0}, {100, 300}, {255, 511}, {256, 512}},
                   counts[][2] = {{ROWS, COLUMNS}, {300, 500}, {2, 513}, {256, 512}};
    const uint64_t direct[] = {4, 4, 0, 1}; /* little of a chunk is read as a range */
    for (unsigned i = 0; i < 4; i++) {
        subject_reopen(&s, false);
        s.array->cache.budget = 0;
        const size_t size = counts[i][0] * counts[i][1];
        back[0] = back[size + 1] = GUARD;
        read_block(&s, starts[i], counts[i], back + 1);
        for (size_t r = 0; r < counts[i][0]; r++)
            assert_memory_equal(back + 1 + r * counts[i][1], values + (starts[i][0] + r) * COLUMNS + starts[i][1],
                                counts[i][1] * sizeof *back);
        assert_true(back[0] == GUARD && back[size + 1] == GUARD);
        assert_true(vz_array_counted(s.array).direct_chunks + 1 >= direct[i]); /* one may be kept */
    }
    vz_buffer stored = {0};
    bool found;
    assert_true(vz_store_get(s.store, "a/1.1", VZ_WHOLE, &stored, &found, NULL) && found);
    memset(stored.data + stored.size / 2, 0xff, stored.size / 2);
    assert_true(vz_store_put(s.store, "a/1.1", (vz_bytes){stored.data, stored.size}, NULL));
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(s.meta, NULL, NULL);
    const vz_transfer transfer = plain_transfer(s.meta, &region, back);
    assert_false(vz_array_read(s.array, &transfer, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_string_equal(err.object, "a/1.1");
    vz_buffer_clear(&stored);
    subject_clear(&s);
    free(values);
    free(back);
}

/* A chunk that is shorter, or longer, than its array's are has no rows. */
static void test_rows_of_wrong_chunks(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[128,1024],'chunks':[64,512],'dtype':'<i4'");
    s.store->capabilities |= VZ_STORE_SCATTERS;
    int32_t *values = numbers(128 * 1024), *back = malloc(128 * 1024 * sizeof *back);
    write_block(&s, NULL, NULL, values);
    for (size_t size = 64 * 2048 - 1; size <= 64 * 2048 + 1; size++) {
        vz_error err = VZ_ERROR_NONE;
        const vz_region region = block_of(s.meta, NULL, NULL);
        const vz_transfer transfer = plain_transfer(s.meta, &region, back);
        assert_true(vz_store_put(s.store, "a/1.1", (vz_bytes){(const uint8_t *)values, size}, NULL));
        assert_int_equal(vz_array_read(s.array, &transfer, &err), size == 64 * 2048);
        assert_int_equal(err.class, size == 64 * 2048 ? VZ_OK : VZ_CORRUPT);
        assert_true(err.class == VZ_OK || strcmp(err.object, "a/1.1") == 0);
    }
    subject_clear(&s);
    free(values);
    free(back);
}

/* Large raw chunks: a few rows are read as they lie, straight into the buffer; a small part alone is fetched alone. */
static void test_raw_chunks_in_part(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[1024,1024],'chunks':[1024,1024],'dtype':'<i4'");
    int32_t *values = numbers(1 << 20), *back = malloc(4 << 20);
    assert_non_null(back);
    write_block(&s, NULL, NULL, values);
    const vz_store_counts before = counts_of(&s);
    const uint64_t start[2] = {100, 0}, count[2] = {2, 1024};
    read_block(&s, start, count, back);
    assert_memory_equal(back, values + 100 * 1024, 8192);
    assert_int_equal(counts_of(&s).bytes_read - before.bytes_read, 8192);
    const uint64_t small[2] = {200, 7}, box[2] = {20, 3};
    read_block(&s, small, box, back);
    for (unsigned r = 0; r < 20; r++)
        assert_memory_equal(back + 3 * r, values + (200 + r) * 1024 + 7, 12);
    assert_int_equal(counts_of(&s).bytes_read - before.bytes_read, 8192 + 19 * 4096 + 12);
    assert_int_equal(s.array->cache.count, 0);
    free(values);
    free(back);
    subject_clear(&s);
}

/* Rows of a raw chunk, one by one: each is read alone, until all that was read comes to what the chunk costs. */
static void test_raw_chunk_is_kept_at_last(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[1024,1024],'chunks':[1024,1024],'dtype':'<i4'");
    int32_t *values = numbers(1 << 20), row[1024];
    write_block(&s, NULL, NULL, values);
    const vz_store_counts before = counts_of(&s);
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t start[2] = {i, 0}, count[2] = {1, 1024};
        read_block(&s, start, count, row);
        assert_memory_equal(row, values + i * 1024, sizeof row);
        assert_true(i > 50 || s.array->cache.count == 0);
    }
    assert_int_equal(s.array->cache.count, 1);
    assert_true(counts_of(&s).gets - before.gets < 200);
    assert_true(counts_of(&s).bytes_read - before.bytes_read < 2 * (4 << 20));
    free(values);
    subject_clear(&s);
}

/* A chunk that can be decoded in part: the first look decodes a part, the second keeps the chunk. */
static void test_part_then_whole(void **state)
{
    (void)state;
    subject s = subject_of("'shape':[1024,1024],'chunks':[1024,1024],'dtype':'<i4','compressor':{'id':'blosc','cname':'"
                           "lz4','clevel':5,'shuffle':1,'blocksize':0}");
    int32_t *values = numbers(1 << 20), row[1024];
    write_block(&s, NULL, NULL, values);
    const uint64_t stored = counts_of(&s).bytes_written, before = counts_of(&s).bytes_read;
    for (uint64_t i = 0; i < 50; i++) {
        const uint64_t start[2] = {i, 0}, count[2] = {1, 1024};
        read_block(&s, start, count, row);
        assert_memory_equal(row, values + i * 1024, sizeof row);
        assert_int_equal(s.array->cache.count, i > 0);
        if (i == 0) /* the table of blocks, and one of these */
            assert_true(counts_of(&s).bytes_read - before < stored / 3);
    }
    assert_int_equal(counts_of(&s).gets, 4); /* of the first look three */
    free(values);
    subject_clear(&s);
}

/* ---- two workers ---- */

/* A store in front of the memory store whose gets wait until two of them are under way at once. */
typedef struct meeting_store {
    vz_store base;
    vz_store *behind;
    atomic_uint inside, met;
} meeting_store;

static bool meeting_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    meeting_store *meeting = (meeting_store *)store;
    const struct timespec while_waiting = {.tv_nsec = 100000};
    atomic_fetch_add(&meeting->inside, 1);
    for (unsigned i = 0; i < 300000 && atomic_load(&meeting->met) == 0; i++) {
        if (atomic_load(&meeting->inside) > 1)
            atomic_store(&meeting->met, 1);
        nanosleep(&while_waiting, NULL);
    }
    atomic_fetch_sub(&meeting->inside, 1);
    return vz_store_get(meeting->behind, key, range, out, found, err);
}

static bool meeting_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    return vz_store_stat(((meeting_store *)store)->behind, key, stamp, err);
}

static const vz_store_class meeting_class = {.kind = "meeting", .get = meeting_get, .stat = meeting_stat};

static void test_two_workers(void **state)
{
    (void)state;
    subject s = subject_of(coded_rows);
    write_all(&s);
    meeting_store meeting = {.base = {.class = &meeting_class, .capabilities = s.store->capabilities},
                             .behind = s.store};
    int32_t *back = malloc((size_t)SIDE * SIDE * sizeof *back), *values = numbers((size_t)SIDE * SIDE);
    vz_error err = VZ_ERROR_NONE;
    vz_pool_set_threads(2);
    vz_array *array = vz_array_open(&meeting.base, s.meta, "a", false, &err);
    no_error(array != NULL, &err);
    const vz_region region = block_of(s.meta, NULL, NULL);
    const vz_transfer transfer = plain_transfer(s.meta, &region, back);
    no_error(vz_array_read(array, &transfer, &err), &err);
    assert_int_equal(atomic_load(&meeting.met), 1);
    assert_memory_equal(back, values, (size_t)SIDE * SIDE * sizeof *back);
    vz_array_close(array);
    free(back);
    free(values);
    subject_clear(&s);
    vz_pool_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_write_reads_nothing),
        cmocka_unit_test(test_straight_into_the_buffer),
        cmocka_unit_test(test_edge_chunk_does_not_overrun),
        cmocka_unit_test(test_missing_chunks_cost_nothing),
        cmocka_unit_test(test_rows_decode_once),
        cmocka_unit_test(test_appending_rows),
        cmocka_unit_test(test_dirty_chunks_are_seen),
        cmocka_unit_test(test_budget_is_kept),
        cmocka_unit_test(test_the_largest_wish_counts),
        cmocka_unit_test(test_columns_are_kept_when_seen_again),
        cmocka_unit_test(test_skip_fill),
        cmocka_unit_test(test_whole_chunks_row_by_row),
        cmocka_unit_test(test_rows_of_wrong_chunks),
        cmocka_unit_test(test_decoded_where_it_is_wanted),
        cmocka_unit_test(test_raw_chunks_in_part),
        cmocka_unit_test(test_raw_chunk_is_kept_at_last),
        cmocka_unit_test(test_part_then_whole),
        cmocka_unit_test(test_two_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
