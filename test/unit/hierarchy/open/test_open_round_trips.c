/* test_open_round_trips.c - how many round trips reading, writing and deleting chunks take in a remote store:
 * 50 ms for an answer, 64 requests under way. */
#include "slow_store.h"
#include "metadata/metadata/format_internal.h"
#include "array_support.h"

enum { LATENCY = 50, IN_FLIGHT = 64 };

typedef struct far_array {
    slow_store *slow;
    vz_meta *meta;
    vz_array *array;
} far_array;

#define V3(shape, chunks, codecs)                                                                                      \
    "{'zarr_format':3,'node_type':'array','shape':[" shape                                                             \
    "],'data_type':'int32','chunk_grid':{'name':'regular','configuration':{'chunk_shape':[" chunks                     \
    "]}},'chunk_key_encoding':{'name':'default'},'fill_value':0,'codecs':[" codecs "],'attributes':{}}"
#define BYTES "{'name':'bytes','configuration':{'endian':'little'}}"
#define SHARDED(chunks, within)                                                                                        \
    "{'name':'sharding_indexed','configuration':{'chunk_shape':[" chunks "],'codecs':[" within                         \
    "],'index_codecs':[" BYTES ",{'name':'crc32c'}]}}"

static far_array open_far(const char *document, bool skip_fill)
{
    vz_error err = VZ_ERROR_NONE;
    far_array far = {.meta = meta_of_v3(document)};
    vz_store *memory = vz_store_new_memory(&err);
    no_error(memory != NULL, &err);
    far.slow = slow_store_over(memory, LATENCY, IN_FLIGHT);
    far.array = vz_array_open(&far.slow->layer.base, far.meta, "a", skip_fill, &err);
    no_error(far.array != NULL, &err);
    return far;
}

static void close_far(far_array *far)
{
    vz_array_close(far->array);
    vz_meta_free(far->meta);
    vz_store_close(&far->slow->layer.base);
}

static void transfer(far_array *far, bool reads, uint64_t start, uint64_t count, int32_t *values)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_region region = block_of(far->meta, &start, &count);
    const vz_transfer t = plain_transfer(far->meta, &region, values);
    no_error(reads ? vz_array_read(far->array, &t, &err) : vz_array_write(far->array, &t, &err), &err);
}

/* Everything is written and forgotten; the clock begins. */
static void fill(far_array *far, int32_t *values)
{
    vz_error err = VZ_ERROR_NONE;
    const uint64_t count = far->meta->shape[0];
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int32_t)i + 1;
    transfer(far, false, 0, count, values);
    no_error(vz_array_flush(far->array, &err), &err);
    vz_array_drop_clean(far->array);
    memset(values, 0, count * sizeof *values);
    far->slow->now = 0;
}

static void read_in_rounds(const char *document, uint64_t start, uint64_t count, uint64_t rounds)
{
    far_array far = open_far(document, false);
    int32_t *values = malloc(far.meta->shape[0] * sizeof *values);
    fill(&far, values);
    transfer(&far, true, start, count, values);
    assert_int_equal(slow_rounds(far.slow), rounds);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(values[i], (int32_t)(start + i) + 1);
    free(values);
    close_far(&far);
}

static void four_hundred_chunks(void **state)
{
    (void)state;
    read_in_rounds(V3("4000", "10", BYTES), 0, 4000, 7);
    read_in_rounds(V3("4000", "10", BYTES ",{'name':'gzip','configuration':{'level':1}}"), 0, 4000, 7);
    read_in_rounds(V3("4000", "10", BYTES), 3, 3990, 7); /* and parts of chunks */
}

/* 16 shards of 4 chunks: the indexes, then the chunks. */
static void chunks_in_shards(void **state)
{
    (void)state;
    read_in_rounds(V3("640", "40", SHARDED("10", BYTES)), 0, 640, 2);
    read_in_rounds(V3("640", "40", SHARDED("10", BYTES)), 5, 600, 2);
    read_in_rounds(V3("640", "40", SHARDED("20", SHARDED("10", BYTES))), 0, 640, 3);
    read_in_rounds(V3("640", "40", SHARDED("10", BYTES) ",{'name':'crc32c'}"), 0, 640, 1); /* whole shards */
}

/* What is known of the indexes needs no round. */
static void indexes_are_remembered(void **state)
{
    (void)state;
    far_array far = open_far(V3("640", "40", SHARDED("10", BYTES)), false);
    int32_t values[640];
    fill(&far, values);
    transfer(&far, true, 0, 640, values);
    far.slow->now = 0;
    transfer(&far, true, 0, 320, values);
    assert_int_equal(slow_rounds(far.slow), 1);
    close_far(&far);
}

/* Parts of 100 chunks are written: what they hold is read in two rounds, and no more. */
static void parts_are_read_together(void **state)
{
    (void)state;
    far_array far = open_far(V3("4000", "40", BYTES), false);
    int32_t *values = malloc(4000 * sizeof *values);
    fill(&far, values);
    uint64_t start = 0, count = 100;
    const vz_region region = {
        .rank = 1, .start = {start}, .stride = {40}, .count = {count}, .block = {1}, .memory_stride = {1}};
    const vz_transfer t = plain_transfer(far.meta, &region, values);
    vz_error err = VZ_ERROR_NONE;
    no_error(vz_array_write(far.array, &t, &err), &err);
    assert_int_equal(slow_rounds(far.slow), 2);
    free(values);
    close_far(&far);
}

static void filled_chunks_go_together(void **state)
{
    (void)state;
    far_array far = open_far(V3("4000", "10", BYTES), true);
    int32_t *values = malloc(4000 * sizeof *values);
    fill(&far, values);
    transfer(&far, false, 0, 4000, values); /* zeros, the fill value */
    assert_int_equal(slow_rounds(far.slow), 7);
    free(values);
    close_far(&far);
}

/* ---- several arrays in one call ---- */

enum { MANY = 10 };

typedef struct far_arrays {
    slow_store *slow[2];
    vz_meta *meta;
    vz_array *arrays[MANY];
    int32_t *values[MANY];
    vz_region region;
    vz_transfer transfers[MANY];
    vz_array_transfer list[MANY];
} far_arrays;

/* In one store, or half of them in another one; written, and forgotten. The clocks begin. */
static far_arrays *open_many(const char *document, unsigned stores)
{
    vz_error err = VZ_ERROR_NONE;
    far_arrays *far = calloc(1, sizeof *far);
    far->meta = meta_of_v3(document);
    for (unsigned s = 0; s < stores; s++)
        far->slow[s] = slow_store_over(vz_store_new_memory(&err), LATENCY, IN_FLIGHT);
    const uint64_t start = 0, count = far->meta->shape[0];
    far->region = block_of(far->meta, &start, &count);
    for (unsigned i = 0; i < MANY; i++) {
        char prefix[8];
        snprintf(prefix, sizeof prefix, "a%u", i);
        far->arrays[i] = vz_array_open(&far->slow[i % stores]->layer.base, far->meta, prefix, false, &err);
        no_error(far->arrays[i] != NULL, &err);
        far->values[i] = malloc(count * sizeof **far->values);
        for (uint64_t k = 0; k < count; k++)
            far->values[i][k] = (int32_t)(1000 * i + k) + 1;
        far->transfers[i] = plain_transfer(far->meta, &far->region, far->values[i]);
        far->list[i] = (vz_array_transfer){far->arrays[i], &far->transfers[i]};
    }
    size_t failed;
    no_error(vz_arrays_write(far->list, MANY, &failed, &err), &err);
    for (unsigned i = 0; i < MANY; i++) {
        no_error(vz_array_flush(far->arrays[i], &err), &err);
        vz_array_drop_clean(far->arrays[i]);
        memset(far->values[i], 0, count * sizeof **far->values);
    }
    for (unsigned s = 0; s < stores; s++)
        far->slow[s]->now = 0;
    return far;
}

static void close_many(far_arrays *far)
{
    for (unsigned i = 0; i < MANY; i++) {
        vz_array_close(far->arrays[i]);
        free(far->values[i]);
    }
    vz_meta_free(far->meta);
    for (unsigned s = 0; s < 2; s++)
        if (far->slow[s])
            vz_store_close(&far->slow[s]->layer.base);
    free(far);
}

static void expect_values(const far_arrays *far)
{
    for (unsigned i = 0; i < MANY; i++)
        for (uint64_t k = 0; k < far->meta->shape[0]; k++)
            assert_int_equal(far->values[i][k], (int32_t)(1000 * i + k) + 1);
}

static void read_many_in_rounds(const char *document, unsigned stores, uint64_t rounds)
{
    vz_error err = VZ_ERROR_NONE;
    size_t failed;
    far_arrays *far = open_many(document, stores);
    no_error(vz_arrays_read(far->list, MANY, &failed, &err), &err);
    for (unsigned s = 0; s < stores; s++)
        assert_int_equal(slow_rounds(far->slow[s]), rounds);
    expect_values(far);
    close_many(far);
}

/* Ten arrays take the rounds of one that has all their chunks. */
static void several_arrays_are_one_plan(void **state)
{
    (void)state;
    read_many_in_rounds(V3("60", "10", BYTES), 1, 1);
    read_many_in_rounds(V3("400", "10", BYTES), 1, 7);
    read_many_in_rounds(V3("400", "10", BYTES ",{'name':'gzip','configuration':{'level':1}}"), 1, 7);
    read_many_in_rounds(V3("60", "60", SHARDED("10", BYTES)), 1, 2);
    read_many_in_rounds(V3("40", "40", SHARDED("20", SHARDED("10", BYTES))), 1, 3);
    read_many_in_rounds(V3("120", "10", BYTES), 2, 1);
    read_many_in_rounds(V3("80", "40", SHARDED("10", BYTES)), 2, 2);
}

/* More chunks than are looked at together: others begin as those before are done. */
static void many_chunks_of_several_arrays(void **state)
{
    (void)state;
    read_many_in_rounds(V3("3000", "10", BYTES), 1, (MANY * 300 + IN_FLIGHT - 1) / IN_FLIGHT + 1);
}

/* What is there of chunks that are written in part is read at once. */
static void parts_of_several_arrays(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    size_t failed;
    far_arrays *far = open_many(V3("60", "10", BYTES), 1);
    const vz_region all = far->region;
    for (unsigned i = 0; i < MANY; i++)
        for (uint64_t k = 0; k < 6; k++)
            far->values[i][k] = (int32_t)(1000 * i + 10 * k) + 1;
    far->region = (vz_region){.rank = 1, .stride = {10}, .count = {6}, .block = {1}, .memory_stride = {1}};
    no_error(vz_arrays_write(far->list, MANY, &failed, &err), &err);
    assert_int_equal(slow_rounds(far->slow[0]), 1);
    far->region = all;
    no_error(vz_arrays_read(far->list, MANY, &failed, &err), &err);
    expect_values(far);
    close_many(far);
}

/* A chunk that cannot be read: who failed is told, and the error names it. */
static void one_of_several_fails(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    size_t failed = 99;
    far_arrays *far = open_many(V3("60", "10", BYTES), 1);
    const vz_bytes wrong = {(const uint8_t *)"short", 5};
    no_error(vz_store_put(far->slow[0]->layer.below, "a7/c/3", wrong, &err), &err);
    assert_false(vz_arrays_read(far->list, MANY, &failed, &err));
    assert_int_equal(failed, 7);
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_non_null(strstr(err.object, "a7/c/3"));
    close_many(far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_hundred_chunks),           cmocka_unit_test(chunks_in_shards),
        cmocka_unit_test(indexes_are_remembered),        cmocka_unit_test(parts_are_read_together),
        cmocka_unit_test(filled_chunks_go_together),     cmocka_unit_test(several_arrays_are_one_plan),
        cmocka_unit_test(many_chunks_of_several_arrays), cmocka_unit_test(parts_of_several_arrays),
        cmocka_unit_test(one_of_several_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
