/* test_hierarchy_rounds.c - how many round trips reading, writing and deleting chunks take in a store that is far away:
 * 50 ms for an answer, 64 requests under way. */
#include "slow_store.h"
#include "array_support.h"

enum { LATENCY = 50, IN_FLIGHT = 64 };

typedef struct far_array {
    slow_store *slow;
    vz_array_meta *meta;
    vz_array *array;
} far_array;

static vz_array_meta *meta_of_v3(const char *text)
{
    char document[2048];
    vz_error err = VZ_ERROR_NONE;
    assert_true(strlen(text) < sizeof document);
    strcpy(document, text);
    for (char *p = document; *p; p++)
        if (*p == '\'')
            *p = '"';
    vz_json *json = vz_json_parse(document, strlen(document), &err);
    no_error(json != NULL, &err);
    vz_array_meta *meta = vz_meta_parse(3, json, &err);
    no_error(meta != NULL, &err);
    vz_json_free(json);
    return meta;
}

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
    far.array = vz_array_open(&far.slow->stacked.base, far.meta, "a", skip_fill, &err);
    no_error(far.array != NULL, &err);
    return far;
}

static void close_far(far_array *far)
{
    vz_array_close(far->array);
    vz_meta_free(far->meta);
    vz_store_close(&far->slow->stacked.base);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_hundred_chunks),       cmocka_unit_test(chunks_in_shards),
        cmocka_unit_test(indexes_are_remembered),    cmocka_unit_test(parts_are_read_together),
        cmocka_unit_test(filled_chunks_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
