/* test_hierarchy_burst.c - small arrays of a store that is far away, fetched together when a second dataset is read
 * whole: how many requests and round trips that takes, which arrays it takes along, and which it leaves. */
#include "hierarchy/consolidated.h"
#include "slow_store.h"
#include "store_support.h"
#include <stdio.h>

enum { LATENCY = 20, IN_FLIGHT = 64, MANY = 10 };

#define ARRAY(name, shape, chunks)                                                                                     \
    "\"" name "\":{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[" shape                                        \
    "],\"data_type\":\"int32\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[" chunks       \
    "]}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,\"codecs\":[{\"name\":\"bytes\","              \
    "\"configuration\":{\"endian\":\"little\"}}],\"attributes\":{}}"

/* Two large arrays; one of one chunk, of four in two dimensions, of five; one whose chunk is large. */
static const char root[] =
    "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{},\"consolidated_metadata\":{\"kind\":\"inline\","
    "\"must_understand\":false,\"metadata\":{" ARRAY("a", "100", "10") "," ARRAY("b", "100", "10") "," ARRAY(
        "one", "3", "10") "," ARRAY("four", "20,4", "10,2") "," ARRAY("five", "50", "10") "," ARRAY("wide", "1000000",
                                                                                                    "1000000") "}}}";

static const char *const others[] = {"one/c/0",    "four/c/0/0", "four/c/0/1", "four/c/1/0",
                                     "four/c/1/1", "five/c/0",   "wide/c/0"};
enum { TAKEN = 5, OTHERS = 7 }; /* the first five go along */

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
    f->seen = vz_consolidated_store(&f->slow->stacked.base, &err);
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
    for (unsigned i = 0; i < TAKEN; i++)
        read_one(f, others[i]);
    assert_int_equal(f->slow->requests, 2 * MANY + TAKEN);
    for (unsigned i = TAKEN; i < OTHERS; i++)
        read_one(f, others[i]);
    assert_int_equal(f->slow->requests, 2 * MANY + OTHERS);
    read_one(f, others[0]);
    assert_int_equal(f->slow->requests, 2 * MANY + OTHERS + 1);
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
    vz_store *memory = f->slow->stacked.below;
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
    const struct CMUnitTest tests[] = {FAR(goes_along), FAR(parts_take_nothing_along), FAR(missing_is_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
