/* test_store_requests.c - requests, one by one and in batches, over each kind of store, a slow one and one that fails.
 */
#include "failing_store.h"
#include "slow_store.h"
#include "store_support.h"
#include "own_directory.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char directory_path[64];

static int make_directory(void)
{
    strcpy(directory_path, P_tmpdir "/vz_requests_XXXXXX");
    return mkdtemp(directory_path) ? 0 : -1;
}

static int open_directory(void **state)
{
    if (make_directory() != 0)
        return -1;
    *state = vz_store_open_directory(directory_path, true, NULL);
    return *state ? 0 : -1;
}

static int open_zip(void **state)
{
    char path[96];
    if (make_directory() != 0)
        return -1;
    snprintf(path, sizeof path, "%s/a.zip", directory_path);
    *state = vz_zip_create(path, true, NULL);
    return *state ? 0 : -1;
}

static int open_memory(void **state)
{
    directory_path[0] = '\0';
    *state = vz_store_new_memory(NULL);
    return *state ? 0 : -1;
}

static int open_slow(void **state)
{
    open_memory(state);
    *state = slow_store_over(*state, 50, 64);
    return 0;
}

/* As remote stores are used. */
static int open_far(void **state)
{
    open_slow(state);
    *state = vz_layer_for_use(*state, true, NULL);
    return *state ? 0 : -1;
}

static int close_store(void **state)
{
    vz_store_close(*state);
    return directory_path[0] ? remove_tree(directory_path) : 0;
}

/* ---- helpers ---- */

static vz_bytes bytes_of(const char *text)
{
    return (vz_bytes){(const uint8_t *)text, strlen(text)};
}

/* The version that is met. `scratch` receives the value. */
static vz_request get(vz_store *store, const char *key, vz_request_hold hold, vz_buffer *scratch)
{
    vz_error err = VZ_ERROR_NONE;
    vz_request request = {.key = key, .hold = hold};
    if (!vz_request_do(store, &request, scratch, &err))
        fail_msg("%s: %s", key, err.text);
    return request;
}

static vz_error_class change(vz_store *store, const char *key, const char *text, vz_request_condition when,
                             const vz_version *version)
{
    vz_request request = {.op = text ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE, .key = key, .when = when};
    vz_error err = VZ_ERROR_NONE;
    if (text)
        request.value = bytes_of(text);
    if (version)
        request.version = *version;
    const bool ok = vz_request_do(store, &request, NULL, &err);
    assert_int_equal(ok, request.failed == VZ_OK);
    assert_int_equal(request.failed, err.class);
    return request.failed;
}

static void assert_bytes(vz_bytes bytes, const char *text)
{
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
}

/* ---- one request ---- */

static void test_get(void **state)
{
    vz_store *store = *state;
    vz_buffer scratch = {0}, parts[2] = {{0}};
    put(store, "a/b", "0123456789");
    vz_request request = get(store, "a/b", VZ_HOLD_NOT, &scratch);
    assert_true(request.found);
    assert_bytes(request.bytes, "0123456789");
    assert_false(get(store, "a/c", VZ_HOLD_NOT, &scratch).found);
    assert_int_equal(get(store, "a/c", VZ_HOLD_NOT, &scratch).version.size, 0);

    const vz_range ranges[2] = {{VZ_RANGE_AT, 2, 3}, {VZ_RANGE_SUFFIX, 0, 2}};
    request = (vz_request){.key = "a/b", .ranges = ranges, .range_count = 2, .into = parts};
    assert_true(vz_request_do(store, &request, &scratch, NULL));
    assert_bytes((vz_bytes){parts[0].data, parts[0].size}, "234");
    assert_bytes((vz_bytes){parts[1].data, parts[1].size}, "89");
    request = (vz_request){.key = "a/b", .ranges = ranges, .range_count = 1};
    assert_true(vz_request_do(store, &request, &scratch, NULL));
    assert_bytes(request.bytes, "234");
    vz_buffer_clear(&scratch);
    vz_buffer_clear(&parts[0]);
    vz_buffer_clear(&parts[1]);
}

static void test_only_new(void **state)
{
    vz_store *store = *state;
    assert_int_equal(change(store, "k", "one", VZ_WHEN_ABSENT, NULL), VZ_OK);
    assert_int_equal(change(store, "k", "two", VZ_WHEN_ABSENT, NULL), VZ_CHANGED);
    assert_value(store, "k", "one");
}

static void test_only_that_version(void **state)
{
    vz_store *store = *state;
    vz_buffer scratch = {0};
    put(store, "k", "one");
    const vz_version one = get(store, "k", VZ_HOLD_NOT, &scratch).version;
    assert_true(one.size > 0);
    assert_int_equal(change(store, "k", "second", VZ_WHEN_VERSION, &one), VZ_OK);
    assert_int_equal(change(store, "k", "third", VZ_WHEN_VERSION, &one), VZ_CHANGED);
    assert_int_equal(change(store, "k", NULL, VZ_WHEN_VERSION, &one), VZ_CHANGED);
    assert_value(store, "k", "second");
    const vz_version second = get(store, "k", VZ_HOLD_NOT, &scratch).version;
    assert_false(vz_version_equal(&one, &second));
    assert_int_equal(change(store, "k", NULL, VZ_WHEN_VERSION, &second), VZ_OK);
    assert_value(store, "k", NULL);
    assert_int_equal(change(store, "k", "fourth", VZ_WHEN_VERSION, &second), VZ_CHANGED);
    assert_value(store, "k", NULL);
    vz_buffer_clear(&scratch);
}

static void test_demanded_version(void **state)
{
    vz_store *store = *state;
    vz_buffer scratch = {0};
    vz_error err = VZ_ERROR_NONE;
    put(store, "k", "one");
    vz_request request = {.key = "k", .when = VZ_WHEN_VERSION};
    request.version = get(store, "k", VZ_HOLD_NOT, &scratch).version;
    assert_true(vz_request_do(store, &request, &scratch, NULL));
    assert_bytes(request.bytes, "one");
    put(store, "k", "second");
    assert_false(vz_request_do(store, &request, &scratch, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    assert_string_equal(err.object, "k");
    assert_int_equal(change(store, "k", NULL, VZ_WHEN_ANY, NULL), VZ_OK);
    assert_false(vz_request_do(store, &request, &scratch, NULL));
    assert_int_equal(request.failed, VZ_CHANGED);
    vz_buffer_clear(&scratch);
}

/* A store that can keeps the version readable; another one says that it is gone. Neither hands out the new bytes. */
static void test_held_version(void **state)
{
    vz_store *store = *state;
    vz_buffer scratch = {0};
    put(store, "k", "one");
    vz_store_hold(store);
    vz_request request = {.key = "k", .when = VZ_WHEN_VERSION, .hold = VZ_HOLD_TO_READ};
    request.version = get(store, "k", VZ_HOLD_TO_READ, &scratch).version;
    put(store, "k", "second");
    if (vz_request_do(store, &request, &scratch, NULL))
        assert_bytes(request.bytes, "one");
    else
        assert_int_equal(request.failed, VZ_CHANGED);
    assert_int_equal(request.failed, store->class->open_value ? VZ_OK : VZ_CHANGED);
    vz_store_forget_held(store, "k");
    assert_bytes(get(store, "k", VZ_HOLD_TO_READ, &scratch).bytes, "second");
    vz_store_release(store);
    put(store, "k", "third");
    assert_bytes(get(store, "k", VZ_HOLD_NOT, &scratch).bytes, "third");
    vz_buffer_clear(&scratch);
}

static void test_held_to_replace(void **state)
{
    vz_store *store = *state;
    vz_buffer scratch = {0};
    put(store, "k", "one");
    vz_store_hold(store);
    get(store, "k", VZ_HOLD_TO_READ, &scratch);
    const vz_version one = get(store, "k", VZ_HOLD_TO_REPLACE, &scratch).version;
    assert_int_equal(change(store, "k", "second", VZ_WHEN_VERSION, &one), VZ_OK);
    assert_bytes(get(store, "k", VZ_HOLD_TO_READ, &scratch).bytes, "second");
    assert_int_equal(change(store, "k", "third", VZ_WHEN_VERSION, &one), VZ_CHANGED);
    vz_store_release(store);
    vz_buffer_clear(&scratch);
}

/* More than are held: what had to be closed is met as it is now. */
static void test_many_held(void **state)
{
    enum { MANY = 40 };
    vz_store *store = *state;
    vz_buffer scratch = {0};
    vz_version versions[MANY];
    char key[16];
    vz_store_hold(store);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "k%u", i);
        put(store, key, "old");
        versions[i] = get(store, key, VZ_HOLD_TO_READ, &scratch).version;
    }
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "k%u", i);
        put(store, key, "later");
        vz_request request = {.key = key, .when = VZ_WHEN_VERSION, .version = versions[i]};
        if (vz_request_do(store, &request, &scratch, NULL))
            assert_bytes(request.bytes, "old");
        else
            assert_int_equal(request.failed, VZ_CHANGED);
    }
    vz_store_release(store);
    vz_buffer_clear(&scratch);
}

static void test_list(void **state)
{
    vz_store *store = *state;
    put(store, "a/b", "x");
    put(store, "a/c/d", "x");
    vz_request two[] = {{.op = VZ_REQUEST_LIST, .key = "a"}, {.op = VZ_REQUEST_LIST, .key = "nothing"}};
    assert_true(vz_requests_do(store, two, COUNT(two), NULL));
    assert_int_equal(two[0].entry_count, 2);
    assert_string_equal(two[0].entries[0].name, "b");
    assert_false(two[0].entries[0].is_prefix);
    assert_string_equal(two[0].entries[1].name, "c");
    assert_true(two[0].entries[1].is_prefix);
    assert_int_equal(two[1].entry_count, 0);
    vz_entries_free(two[0].entries, two[0].entry_count);
    vz_entries_free(two[1].entries, two[1].entry_count);
}

/* ---- batches ---- */

enum { VALUES = 400 };

static char keys[VALUES][16];
static vz_request requests[VALUES];

static void put_values(vz_store *store)
{
    for (size_t i = 0; i < VALUES; i++) {
        snprintf(keys[i], sizeof keys[i], "c/%zu", i);
        put(store, keys[i], keys[i]);
        requests[i] = (vz_request){.key = keys[i], .tag = i};
    }
}

typedef struct puller {
    vz_batch *batch;
    size_t pulled;
    bool wrong;
} puller;

static void *pull_all(void *context)
{
    puller *p = context;
    vz_buffer scratch = {0};
    for (vz_request *request; (request = vz_batch_next(p->batch, &scratch)); p->pulled++) {
        const char *key = keys[request->tag];
        p->wrong |=
            !request->found || request->bytes.size != strlen(key) || memcmp(request->bytes.data, key, strlen(key)) != 0;
    }
    vz_buffer_clear(&scratch);
    return NULL;
}

static void test_batch(void **state)
{
    vz_store *store = *state;
    put_values(store);
    vz_batch *batch = vz_batch_open(store, requests, VALUES, NULL);
    puller pullers[3] = {{batch, 0, false}, {batch, 0, false}, {batch, 0, false}};
    pthread_t others[3];
    for (unsigned i = 1; i < 3; i++)
        assert_int_equal(pthread_create(&others[i], NULL, pull_all, &pullers[i]), 0);
    pull_all(&pullers[0]);
    for (unsigned i = 1; i < 3; i++)
        pthread_join(others[i], NULL);
    assert_true(vz_batch_close(batch, NULL));
    assert_int_equal(pullers[0].pulled + pullers[1].pulled + pullers[2].pulled, VALUES);
    assert_false(pullers[0].wrong || pullers[1].wrong || pullers[2].wrong);
}

static void test_changes_in_a_batch(void **state)
{
    vz_store *store = *state;
    vz_error err = VZ_ERROR_NONE;
    put(store, "old", "x");
    put(store, "taken", "x");
    vz_request three[] = {{.op = VZ_REQUEST_PUT, .key = "new", .value = bytes_of("y")},
                          {.op = VZ_REQUEST_PUT, .key = "taken", .value = bytes_of("y"), .when = VZ_WHEN_ABSENT},
                          {.op = VZ_REQUEST_DELETE, .key = "old"}};
    assert_false(vz_requests_do(store, three, COUNT(three), &err));
    assert_int_equal(err.class, VZ_CHANGED);
    assert_int_equal(three[0].failed, VZ_OK);
    assert_int_equal(three[1].failed, VZ_CHANGED);
    assert_int_equal(three[2].failed, VZ_OK);
    assert_value(store, "new", "y");
    assert_value(store, "taken", "x");
    assert_value(store, "old", NULL);
}

static void test_stopped(void **state)
{
    vz_store *store = *state;
    vz_buffer scratch = {0};
    size_t pulled = 1;
    put_values(store);
    vz_batch *batch = vz_batch_open(store, requests, VALUES, NULL);
    assert_non_null(vz_batch_next(batch, &scratch));
    vz_batch_stop(batch);
    while (vz_batch_next(batch, &scratch))
        pulled++;
    assert_true(pulled <= 65); /* those that were under way */
    assert_true(vz_batch_close(batch, NULL));
    vz_buffer_clear(&scratch);
}

/* ---- a slow store ---- */

static void test_round_trips(void **state)
{
    slow_store *slow = *state;
    vz_store *store = *state;
    put_values(store);
    assert_int_equal(slow_rounds(slow), VALUES); /* one by one */
    slow->now = 0;
    puller p = {vz_batch_open(store, requests, VALUES, NULL), 0, false};
    pull_all(&p);
    assert_true(vz_batch_close(p.batch, NULL));
    assert_false(p.wrong);
    assert_int_equal(slow_rounds(slow), (VALUES + 63) / 64);
}

static void test_order_is_shuffled(void **state)
{
    vz_buffer scratch = {0};
    size_t before = 0, backwards = 0;
    put_values(*state);
    vz_batch *batch = vz_batch_open(*state, requests, VALUES, NULL);
    for (vz_request *request; (request = vz_batch_next(batch, &scratch)); before = request->tag)
        backwards += request->tag < before;
    assert_true(vz_batch_close(batch, NULL));
    assert_true(backwards > 50);
    vz_buffer_clear(&scratch);
}

/* ---- a store that fails ---- */

static void test_one_fails(void **state)
{
    failing_store *failing = failing_store_over(*state);
    vz_store *store = &failing->layer.base;
    vz_error err = VZ_ERROR_NONE;
    unsigned failed = 0;
    put_values(store);
    failing->made = 0;
    failing->turn = 7;
    assert_false(vz_requests_do(store, requests, VALUES, &err));
    for (size_t i = 0; i < VALUES; i++)
        failed += requests[i].failed != VZ_OK;
    assert_int_equal(failed, 1);
    assert_int_equal(err.class, VZ_IO);
    assert_true(strncmp(err.object, "c/", 2) == 0);
    *state = store;
}

int main(void)
{
#define OVER(open)                                                                                                     \
    cmocka_unit_test_setup_teardown(test_get, open, close_store),                                                      \
        cmocka_unit_test_setup_teardown(test_only_new, open, close_store),                                             \
        cmocka_unit_test_setup_teardown(test_only_that_version, open, close_store),                                    \
        cmocka_unit_test_setup_teardown(test_demanded_version, open, close_store),                                     \
        cmocka_unit_test_setup_teardown(test_held_version, open, close_store),                                         \
        cmocka_unit_test_setup_teardown(test_held_to_replace, open, close_store),                                      \
        cmocka_unit_test_setup_teardown(test_many_held, open, close_store),                                            \
        cmocka_unit_test_setup_teardown(test_list, open, close_store),                                                 \
        cmocka_unit_test_setup_teardown(test_batch, open, close_store),                                                \
        cmocka_unit_test_setup_teardown(test_changes_in_a_batch, open, close_store),                                   \
        cmocka_unit_test_setup_teardown(test_stopped, open, close_store)
    const struct CMUnitTest tests[] = {
        OVER(open_directory),
        OVER(open_zip),
        OVER(open_memory),
        OVER(open_slow),
        OVER(open_far),
        cmocka_unit_test_setup_teardown(test_round_trips, open_slow, close_store),
        cmocka_unit_test_setup_teardown(test_order_is_shuffled, open_slow, close_store),
        cmocka_unit_test_setup_teardown(test_one_fails, open_memory, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
