/* test_consolidated_small_arrays.c - small arrays of a remote store, fetched together when a second dataset
 * is read whole: how many requests and round trips that takes, which arrays it takes along, and which it leaves. */
#include "hierarchy/consolidated/consolidated.h"
#include "slow_store.h"
#include "store_support.h"
#include <stdio.h>

enum { LATENCY = 20, IN_FLIGHT = 64, MANY = 10 };

#define ARRAY(name, shape, chunks)                                                                                     \
    "\"" name "\":{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[" shape                                        \
    "],\"data_type\":\"int32\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[" chunks       \
    "]}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,\"codecs\":[{\"name\":\"bytes\","              \
    "\"configuration\":{\"endian\":\"little\"}}],\"attributes\":{}}"

/* As above, with shards of an index without a checksum. */
#define SHARDED(name, shape, shards, chunks)                                                                           \
    "\"" name "\":{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[" shape                                        \
    "],\"data_type\":\"int32\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[" shards       \
    "]}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,\"codecs\":[{\"name\":\"sharding_indexed\","   \
    "\"configuration\":{\"chunk_shape\":[" chunks                                                                      \
    "],\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}],\"index_codecs\":[{\"name\":"       \
    "\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}}],\"attributes\":{}}"

/* Two large arrays; one of one chunk, of four in two dimensions, of five; one whose chunk is large; one of two shards,
 * and one of a shard that is much larger than it. */
static const char root[] =
    "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{},\"consolidated_metadata\":{\"kind\":\"inline\","
    "\"must_understand\":false,\"metadata\":{" ARRAY("a", "100", "10") "," ARRAY("b", "100", "10") "," ARRAY(
        "one", "3",
        "10") "," ARRAY("four", "20,4",
                        "10,2") "," ARRAY("five", "50",
                                          "10") "," ARRAY("wide", "1000000",
                                                          "1000000") "," SHARDED("shards", "40", "20",
                                                                                 "10") "," SHARDED("shard", "15",
                                                                                                   "1000000",
                                                                                                   "10") "}}}";

static const char *const others[] = {"one/c/0",    "four/c/0/0", "four/c/0/1", "four/c/1/0", "four/c/1/1",
                                     "shards/c/0", "shards/c/1", "shard/c/0",  "five/c/0",   "wide/c/0"};
enum { TAKEN = 8, OTHERS = 10, CHUNKS = 5 }; /* the first eight go along, the first five chunks among them */

typedef struct far {
    slow_store *slow;
    vz_store *seen;
} far;

static void put_chunks(vz_store *memory, const char *name)
{
    char key[32];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "%s/c/%u", name, i);
        put(memory, key, key);
    }
}

static int open_far(void **state)
{
    far *f = calloc(1, sizeof *f);
    vz_error err = VZ_ERROR_NONE;
    vz_store *memory = vz_store_new_memory(NULL);
    put(memory, "zarr.json", root);
    put_chunks(memory, "a");
    put_chunks(memory, "b");
    for (unsigned i = 0; i < OTHERS; i++)
        put(memory, others[i], others[i]);
    f->slow = slow_store_over(memory, LATENCY, IN_FLIGHT);
    f->seen = vz_consolidated_store(&f->slow->layer.base, &err);
    if (!f->seen)
        fail_msg("%s", err.text);
    f->slow->requests = f->slow->now = 0;
    *state = f;
    return 0;
}

static int close_far(void **state)
{
    far *f = *state;
    vz_store_close(f->seen);
    free(f);
    return 0;
}

/* Some of the chunks of an array, as one batch. */
static void read_chunks(far *f, const char *name, unsigned count)
{
    char keys[MANY][32];
    vz_buffer into[MANY] = {{0}};
    vz_request requests[MANY];
    for (unsigned i = 0; i < count; i++) {
        snprintf(keys[i], sizeof keys[i], "%s/c/%u", name, i);
        requests[i] = (vz_request){.key = keys[i], .into = &into[i]};
    }
    assert_true(vz_requests_do(f->seen, requests, count, NULL));
    for (unsigned i = 0; i < count; i++) {
        assert_true(requests[i].found && into[i].size == strlen(keys[i]));
        assert_memory_equal(into[i].data, keys[i], into[i].size);
        vz_buffer_clear(&into[i]);
    }
}

static void read_one(far *f, const char *key)
{
    vz_buffer out = {0};
    vz_request request = {.key = key, .into = &out};
    assert_true(vz_requests_do(f->seen, &request, 1, NULL) && request.found);
    assert_int_equal(out.size, strlen(key));
    assert_memory_equal(out.data, key, out.size);
    vz_buffer_clear(&out);
}

/* They come in the round trip of the second array, and are told once. */
static void goes_along(void **state)
{
    far *f = *state;
    read_chunks(f, "a", MANY);
    assert_int_equal(f->slow->requests, MANY);
    read_chunks(f, "b", MANY);
    assert_int_equal(f->slow->requests, 2 * MANY + TAKEN);
    assert_int_equal(slow_rounds(f->slow), 2);
    for (unsigned i = 0; i < CHUNKS; i++)
        read_one(f, others[i]);
    assert_int_equal(f->slow->requests, 2 * MANY + TAKEN);
    for (unsigned i = TAKEN; i < OTHERS; i++)
        read_one(f, others[i]);
    assert_int_equal(f->slow->requests, 2 * MANY + OTHERS);
    read_one(f, others[0]);
    assert_int_equal(f->slow->requests, 2 * MANY + OTHERS + 1);
}

/* The last bytes of a shard, as its index is asked for. *version: that of the value. */
static void read_index(far *f, const char *key, vz_version *version)
{
    const vz_range last = {VZ_RANGE_SUFFIX, 0, 3};
    vz_buffer scratch = {0};
    vz_request request = {.key = key, .ranges = &last, .range_count = 1, .hold = VZ_HOLD_TO_READ};
    vz_batch *batch = vz_batch_open(f->seen, &request, 1, NULL);
    assert_ptr_equal(vz_batch_next(batch, &scratch), &request);
    assert_true(request.failed == VZ_OK && request.found && request.bytes.size == 3);
    assert_memory_equal(request.bytes.data, key + strlen(key) - 3, 3);
    *version = request.version;
    assert_true(vz_batch_close(batch, NULL));
    vz_buffer_clear(&scratch);
}

/* Two ranges of a version of it. */
static vz_error_class read_ranges(far *f, const char *key, const vz_version *version)
{
    const vz_range ranges[] = {{VZ_RANGE_AT, 0, 2}, {VZ_RANGE_AT, 4, 1}};
    vz_buffer into[2] = {{0}};
    vz_request request = {
        .key = key, .ranges = ranges, .range_count = 2, .into = into, .when = VZ_WHEN_VERSION, .version = *version};
    const bool ok = vz_requests_do(f->seen, &request, 1, NULL);
    assert_true(!ok || (into[0].size == 2 && into[1].size == 1 && memcmp(into[0].data, key, 2) == 0 &&
                        into[1].data[0] == (uint8_t)key[4]));
    vz_buffer_clear(&into[0]);
    vz_buffer_clear(&into[1]);
    return request.failed;
}

/* A shard is fetched whole: its index and ranges of that version need no request. Who asks for the index again is told
 * what is there now, and no range of another version. */
static void shards_go_along(void **state)
{
    far *f = *state;
    vz_version first, now;
    read_chunks(f, "a", MANY);
    read_chunks(f, "b", MANY);
    for (unsigned i = CHUNKS; i < TAKEN; i++) {
        read_index(f, others[i], &first);
        assert_true(first.size > 0 && read_ranges(f, others[i], &first) == VZ_OK);
        assert_int_equal(read_ranges(f, others[i], &first), VZ_OK);
    }
    assert_int_equal(f->slow->requests, 2 * MANY + TAKEN);
    put(f->slow->layer.below, "shard/c/0", "shard/c/0");
    read_index(f, "shard/c/0", &now);
    assert_false(vz_version_equal(&first, &now));
    assert_int_equal(f->slow->requests, 2 * MANY + TAKEN + 1);
    assert_int_equal(read_ranges(f, "shard/c/0", &now), VZ_OK);
    assert_int_equal(f->slow->requests, 2 * MANY + TAKEN + 2);
}

/* The indexes of all shards of an array, or of the one that is small, stand for the array. */
static void indexes_begin_it(void **state)
{
    far *f = *state;
    vz_version version;
    read_chunks(f, "a", MANY);
    read_index(f, "shards/c/0", &version);
    assert_int_equal(f->slow->requests, MANY + 1);
    read_index(f, "shard/c/0", &version);
    assert_int_equal(f->slow->requests, MANY + 2 + TAKEN - 1);
}

/* Who reads a part of each array, or one again, wants no others. */
static void parts_take_nothing_along(void **state)
{
    far *f = *state;
    read_chunks(f, "a", MANY - 1);
    read_chunks(f, "b", 3);
    read_chunks(f, "a", MANY);
    read_chunks(f, "a", MANY);
    assert_int_equal(f->slow->requests, 3 * MANY + 2);
}

/* What cannot be fetched is asked for again when it is wanted. */
static void missing_is_asked_for(void **state)
{
    far *f = *state;
    vz_buffer out = {0};
    vz_request request = {.key = others[0], .into = &out};
    vz_store *memory = f->slow->layer.below;
    assert_true(vz_store_del(memory, others[0], NULL));
    read_chunks(f, "a", MANY);
    read_chunks(f, "b", MANY);
    assert_true(vz_requests_do(f->seen, &request, 1, NULL) && !request.found);
    assert_int_equal(f->slow->requests, 2 * MANY + TAKEN + 1);
    put(memory, others[0], others[0]);
    read_one(f, others[0]);
    vz_buffer_clear(&out);
}

int main(void)
{
#define FAR(test) cmocka_unit_test_setup_teardown(test, open_far, close_far)
    const struct CMUnitTest tests[] = {FAR(goes_along), FAR(shards_go_along), FAR(indexes_begin_it),
                                       FAR(parts_take_nothing_along), FAR(missing_is_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
