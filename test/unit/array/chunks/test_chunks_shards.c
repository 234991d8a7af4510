/* test_chunks_shards.c - a write over several shards: in which order it walks, and how few of them wait at a time. */
#include "array/array/array.h"
#include "array_support.h"
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"
#include "array/chunks/shard_state.h"

enum { WIDTH = 3 }; /* threads */

/* Of shape, shards of 8 x 16, chunks of 4 x 4, with ' for ". */
static vz_meta *meta_v3(const char *shape, const char *behind)
{
    char text[1024];
    assert_true(
        snprintf(text, sizeof text,
                 "{'shape':%s,'data_type':'int32','chunk_grid':{'name':'regular','configuration':{'chunk_shape':"
                 "[8,16]}},'chunk_key_encoding':{'name':'default'},'fill_value':0,'codecs':[{'name':"
                 "'sharding_indexed','configuration':{'chunk_shape':[4,4],'codecs':[{'name':'bytes',"
                 "'configuration':{'endian':'little'}}],'index_codecs':[{'name':'bytes','configuration':"
                 "{'endian':'little'}},{'name':'crc32c'}]}}%s],'attributes':{},'zarr_format':3,'node_type':"
                 "'array'}",
                 shape, behind) < (int)sizeof text);
    return meta_of_v3(text);
}

static subject subject_v3(const char *shape, const char *behind, const bool *is_new)
{
    vz_error err = VZ_ERROR_NONE;
    subject s = {.store = vz_store_new_memory(&err), .meta = meta_v3(shape, behind)};
    s.array = vz_array_open(s.store, s.meta, "a", true, &err); /* fill is left out */
    no_error(s.array != NULL, &err);
    if (is_new)
        vz_array_set_new(s.array, is_new);
    return s;
}

static int32_t *numbers(const subject *s, int32_t first)
{
    const size_t count = (size_t)(s->meta->shape[0] * s->meta->shape[1]);
    int32_t *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = first + (int32_t)i;
    return values;
}

/* What stands in the store, seen by an array that has just been opened. */
static void assert_stored(const subject *s, const int32_t *values)
{
    vz_error err = VZ_ERROR_NONE;
    int32_t *back = numbers(s, -1);
    subject again = {s->store, s->meta, vz_array_open(s->store, s->meta, "a", false, &err)};
    no_error(again.array != NULL, &err);
    read_block(&again, NULL, NULL, back);
    assert_memory_equal(back, values, (size_t)(s->meta->shape[0] * s->meta->shape[1]) * sizeof *back);
    vz_array_close(again.array);
    free(back);
}

/* Shard by shard, of a region that begins and ends within shards. */
static void test_walk_goes_by_shards(void **state)
{
    (void)state;
    static const uint64_t expected[][2] = {{1, 3}, {1, 4}, {1, 5}, {2, 3}, {3, 3}, {2, 4}, {2, 5}, {3, 4}, {3, 5}};
    vz_meta *meta = meta_v3("[30,40]", "");
    const vz_region region = block_of(meta, (uint64_t[]){5, 13}, (uint64_t[]){10, 10});
    vz_region_walk walk;
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_region_start(&walk, meta, &region, &err), &err);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(vz_region_next(&walk));
        assert_int_equal(walk.chunk[0], expected[i][0]);
        assert_int_equal(walk.chunk[1], expected[i][1]);
        assert_int_equal(walk.starts_shard, i == 0 || i == 1 || i == 3 || i == 5);
        assert_int_equal(walk.spans[0].count, i < 3 ? 3 : walk.chunk[0] == 2 ? 4 : 3);
    }
    assert_false(vz_region_next(&walk));
    vz_meta_free(meta);
}

/* Strides leave out shards, and chunks in shards. */
static void test_walk_of_strides(void **state)
{
    (void)state;
    static const uint64_t expected[][2] = {{0, 0}, {0, 3}, {0, 6}, {0, 8}, {5, 0}, {5, 3}, {5, 6}, {5, 8}};
    vz_meta *meta = meta_v3("[30,40]", "");
    vz_region region = block_of(meta, NULL, NULL);
    region = (vz_region){.rank = 2, .start = {1, 2}, .stride = {20, 11}, .count = {2, 4}, .block = {1, 1}};
    vz_region_walk walk;
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_region_start(&walk, meta, &region, &err), &err);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(vz_region_next(&walk));
        assert_int_equal(walk.chunk[0], expected[i][0]);
        assert_int_equal(walk.chunk[1], expected[i][1]);
    }
    assert_false(vz_region_next(&walk));
    vz_meta_free(meta);
}

/* Bytes of a shard that waits: its chunks, and what is noted of each. */
static uint64_t shard_bytes(void)
{
    return 8 * 16 * sizeof(int32_t) + 8 * sizeof(vz_shard_waiting_chunk);
}

/* Few shards wait at a time, and none afterwards. */
static void write_all_at_once(subject *s, const int32_t *values)
{
    write_block(s, NULL, NULL, values);
    assert_true(vz_array_counted(s->array).waiting_most <= (WIDTH + 1) * shard_bytes());
    assert_int_equal(vz_array_dirty_bytes(s->array), 0);
}

/* Each thread has one chunk under way, and so keeps one shard open at most, beside the one that all have come to.
 * Twice: of an array that nobody else knows, and over what is there. The right and the lower edge are not full. */
static void test_few_shards_wait(void **state)
{
    (void)state;
    vz_pool_set_threads(WIDTH);
    const char *const shapes[] = {"[128,128]", "[125,126]", "[127,250]"}, *const behinds[] = {"", ",{'name':'crc32c'}"};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 2; k++) {
            bool is_new = true;
            subject s = subject_v3(shapes[i], behinds[k], &is_new);
            for (int32_t turn = 1; turn <= 2; turn++, is_new = false) {
                int32_t *values = numbers(&s, turn * 100000);
                write_all_at_once(&s, values);
                assert_stored(&s, values);
                free(values);
            }
            subject_clear(&s);
        }
    vz_pool_set_threads(0);
}

/* Chunks that are all fill do not keep their shards waiting, and a shard of nothing else is not there. */
static void test_fill_does_not_wait(void **state)
{
    (void)state;
    vz_pool_set_threads(WIDTH);
    for (unsigned first = 0; first < 2; first++) { /* over nothing, and over what is there */
        bool is_new = true;
        vz_error err = VZ_ERROR_NONE;
        subject s = subject_v3("[128,128]", "", &is_new);
        int32_t *values = numbers(&s, 7);
        if (first == 1)
            write_block(&s, NULL, NULL, values);
        is_new = first == 0;
        for (size_t row = 0; row < 128; row++) /* the second chunk of each shard, and all of the first one */
            memset(values + row * 128 + 4, 0, 4 * sizeof *values);
        for (size_t row = 0; row < 8; row++)
            memset(values + row * 128, 0, 16 * sizeof *values);
        write_all_at_once(&s, values);
        vz_stamp stamp;
        no_error(vz_store_stat(s.store, "a/c/0/0", &stamp, &err), &err);
        assert_false(stamp.exists);
        assert_stored(&s, values);
        free(values);
        subject_clear(&s);
    }
    vz_pool_set_threads(0);
}

/* What waited of a shard before goes with it, or is replaced. */
static void test_over_what_waits(void **state)
{
    (void)state;
    subject s = subject_v3("[64,64]", "", NULL);
    int32_t *values = numbers(&s, 50), part[4 * 4];
    for (unsigned i = 0; i < 16; i++)
        part[i] = -1;
    write_block(&s, (uint64_t[]){4, 4}, (uint64_t[]){4, 4}, part);   /* a chunk of the first shard */
    write_block(&s, (uint64_t[]){60, 62}, (uint64_t[]){4, 2}, part); /* a part of one of the last one */
    write_block(&s, NULL, NULL, values);
    assert_true(s.array->shards->pending_bytes <= shard_bytes()); /* that of the part, which is in the cache */
    flush(&s);
    assert_stored(&s, values);
    write_block(&s, (uint64_t[]){4, 4}, (uint64_t[]){4, 4}, part);
    write_block(&s, (uint64_t[]){8, 0}, (uint64_t[]){56, 64}, values + 8 * 64); /* all shards but its row */
    assert_true(s.array->shards->pending_bytes > 0);
    flush(&s);
    for (unsigned row = 4; row < 8; row++)
        memcpy(values + row * 64 + 4, part, 4 * sizeof *part);
    assert_stored(&s, values);
    free(values);
    subject_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_goes_by_shards), cmocka_unit_test(test_walk_of_strides),
        cmocka_unit_test(test_few_shards_wait),     cmocka_unit_test(test_fill_does_not_wait),
        cmocka_unit_test(test_over_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
