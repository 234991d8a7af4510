/* test_layers_retry.c - what fails for a moment is asked again by the store, and nobody above hears of it. */
#include "store/layers/layer_internal.h"
#include "failing_store.h"
#include "slow_store.h"
#include "store_support.h"
#include <stdio.h>

enum { ATTEMPTS = 4, VALUES = 100 };

typedef struct far {
    vz_store *memory;
    failing_store *failing;
    slow_store *slow; /* over it: what fails, fails in a batch too; NULL: none */
    vz_store *store;
} far;

static int open_over(void **state, bool batches)
{
    far *f = calloc(1, sizeof *f);
    f->memory = vz_store_new_memory(NULL);
    f->failing = failing_store_over(f->memory);
    f->failing->class = VZ_TRANSIENT;
    f->slow = batches ? slow_store_over(&f->failing->layer.base, 50, 64) : NULL;
    f->store = vz_layer_retrying(batches ? &f->slow->layer.base : &f->failing->layer.base, ATTEMPTS, 1, NULL);
    *state = f;
    return f->store ? 0 : -1;
}

static int open_plain(void **state)
{
    return open_over(state, false);
}

static int open_batches(void **state)
{
    return open_over(state, true);
}

static int close_far(void **state)
{
    far *f = *state;
    vz_store_close(f->store);
    free(f);
    return 0;
}

/* `count` calls from now on fail. */
static void fail_next(far *f, unsigned count)
{
    f->failing->made = 0;
    f->failing->turn = 1;
    f->failing->turns = count;
}

static vz_bytes bytes_of(const char *text)
{
    return (vz_bytes){(const uint8_t *)text, strlen(text)};
}

static void single_calls(void **state)
{
    far *f = *state;
    vz_buffer out = {0};
    vz_stamp stamp;
    vz_entry *entries;
    size_t count;
    bool found;
    fail_next(f, ATTEMPTS - 1);
    put(f->store, "d/k", "value");
    fail_next(f, ATTEMPTS - 1);
    assert_true(vz_buffer_append(&out, "before", 6, NULL));
    assert_true(vz_store_get(f->store, "d/k", VZ_WHOLE, &out, &found, NULL) && found);
    assert_int_equal(out.size, 11);
    assert_memory_equal(out.data, "beforevalue", 11);
    fail_next(f, ATTEMPTS - 1);
    assert_true(vz_store_stat(f->store, "d/k", &stamp, NULL) && stamp.size == 5);
    fail_next(f, ATTEMPTS - 1);
    assert_true(vz_store_list(f->store, "d", &entries, &count, NULL));
    assert_int_equal(count, 1);
    vz_entries_free(entries, count);
    fail_next(f, ATTEMPTS - 1);
    assert_true(vz_store_put_new(f->store, "new", bytes_of("n"), NULL));
    fail_next(f, ATTEMPTS - 1);
    assert_true(vz_store_del(f->store, "new", NULL));
    assert_value(f->store, "new", NULL);
    fail_next(f, ATTEMPTS - 1);
    assert_true(vz_store_del_tree(f->store, "d", NULL));
    assert_value(f->store, "d/k", NULL);
    vz_buffer_clear(&out);
}

/* It ends: the last failure is reported. What fails otherwise is not asked again. */
static void bounded(void **state)
{
    far *f = *state;
    vz_error err = VZ_ERROR_NONE;
    fail_next(f, ATTEMPTS);
    assert_false(vz_store_put(f->store, "k", bytes_of("v"), &err));
    assert_int_equal(err.class, VZ_TRANSIENT);
    assert_string_equal(err.object, "k");
    assert_int_equal(f->failing->made, ATTEMPTS);
    f->failing->class = VZ_PERMISSION;
    fail_next(f, ATTEMPTS);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(f->store, "k", bytes_of("v"), &err));
    assert_int_equal(err.class, VZ_PERMISSION);
    assert_int_equal(f->failing->made, 1);
}

/* ---- answers that are lost: the change was made ---- */

static vz_error_class change(far *f, const char *text, const vz_version *version)
{
    vz_request request = {.op = text ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = "k",
                          .when = version->size ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = *version,
                          .tells = text != NULL};
    if (text)
        request.value = bytes_of(text);
    vz_request_do(f->store, &request, NULL, NULL);
    return request.failed;
}

static vz_version version_now(far *f)
{
    vz_buffer scratch = {0};
    vz_request request = {.key = "k"};
    assert_true(vz_request_do(f->memory, &request, &scratch, NULL));
    vz_buffer_clear(&scratch);
    return request.version;
}

static void lost_answers(void **state)
{
    far *f = *state;
    f->failing->loses_answer = true;
    fail_next(f, 1);
    assert_int_equal(change(f, "one", &(vz_version){0}), VZ_OK);
    assert_value(f->memory, "k", "one");
    vz_version version = version_now(f);
    fail_next(f, 1);
    assert_int_equal(change(f, "two", &version), VZ_OK);
    assert_value(f->memory, "k", "two");
    version = version_now(f);
    fail_next(f, 1);
    assert_int_equal(change(f, NULL, &version), VZ_OK);
    assert_value(f->memory, "k", NULL);
    fail_next(f, 1);
    assert_true(vz_store_put_new(f->store, "k", bytes_of("three"), NULL));
}

/* Somebody else's change is no lost answer, neither at once nor after a failure. */
static void not_ours(void **state)
{
    far *f = *state;
    put(f->memory, "k", "theirs");
    assert_int_equal(change(f, "ours", &(vz_version){0}), VZ_CHANGED);
    fail_next(f, 1);
    assert_int_equal(change(f, "ours", &(vz_version){0}), VZ_CHANGED);
    fail_next(f, 1);
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put_new(f->store, "k", bytes_of("ours"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_value(f->memory, "k", "theirs");
}

/* ---- batches ---- */

static char keys[VALUES][16];
static vz_request requests[VALUES];

static void make_requests(vz_request_op op)
{
    for (size_t i = 0; i < VALUES; i++) {
        snprintf(keys[i], sizeof keys[i], "c/%zu", i);
        requests[i] = (vz_request){.op = op, .key = keys[i], .value = bytes_of(keys[i]), .tag = i};
    }
}

static void batch(void **state)
{
    far *f = *state;
    vz_buffer scratch = {0}, into[VALUES] = {{0}};
    size_t pulled = 0;
    make_requests(VZ_REQUEST_PUT);
    fail_next(f, f->slow ? 10 : ATTEMPTS - 1); /* without batches each is asked until it is done */
    assert_true(vz_requests_do(f->store, requests, VALUES, NULL));
    make_requests(VZ_REQUEST_GET);
    for (size_t i = 0; i < VALUES; i += 2)
        requests[i].into = &into[i];
    fail_next(f, f->slow ? VALUES + 5 : ATTEMPTS - 1); /* all of the first round, and some of the second */
    vz_batch *open = vz_batch_open(f->store, requests, VALUES, NULL);
    for (vz_request *request; (request = vz_batch_next(open, &scratch)); pulled++) {
        const char *key = keys[request->tag];
        const vz_buffer *there = &into[request->tag];
        assert_int_equal(request->failed, VZ_OK);
        assert_true(request->found);
        assert_int_equal(request->into ? there->size : request->bytes.size, strlen(key));
        assert_memory_equal(request->into ? there->data : request->bytes.data, key, strlen(key));
    }
    assert_true(vz_batch_close(open, NULL));
    assert_int_equal(pulled, VALUES);
    for (size_t i = 0; i < VALUES; i++)
        vz_buffer_clear(&into[i]);
    vz_buffer_clear(&scratch);
}

/* Only what fails is asked again: 100 requests are two rounds, and their 10 that failed one more. */
static void rounds(void **state)
{
    far *f = *state;
    make_requests(VZ_REQUEST_PUT);
    fail_next(f, 10);
    f->slow->now = f->slow->requests = 0;
    assert_true(vz_requests_do(f->store, requests, VALUES, NULL));
    assert_int_equal(slow_rounds(f->slow), 3);
    assert_int_equal(f->slow->requests, VALUES + 10);
}

static void bounded_batch(void **state)
{
    far *f = *state;
    vz_error err = VZ_ERROR_NONE;
    size_t failed = 0;
    make_requests(VZ_REQUEST_PUT);
    f->failing->only = "c/17";
    fail_next(f, ATTEMPTS);
    assert_false(vz_requests_do(f->store, requests, VALUES, &err));
    assert_int_equal(err.class, VZ_TRANSIENT);
    assert_string_equal(err.object, "c/17");
    for (size_t i = 0; i < VALUES; i++)
        failed += requests[i].failed != VZ_OK;
    assert_int_equal(failed, 1);
    assert_int_equal(requests[17].failed, VZ_TRANSIENT);
    assert_int_equal(f->failing->made, ATTEMPTS);
}

typedef struct puller {
    vz_batch *batch;
    size_t pulled, failed;
} puller;

static void *pull_all(void *context)
{
    puller *p = context;
    vz_buffer scratch = {0};
    for (vz_request *request; (request = vz_batch_next(p->batch, &scratch)); p->pulled++) {
        const char *key = keys[request->tag];
        p->failed += request->bytes.size != strlen(key) || memcmp(request->bytes.data, key, strlen(key)) != 0;
    }
    vz_buffer_clear(&scratch);
    return NULL;
}

static void many_threads(void **state)
{
    far *f = *state;
    make_requests(VZ_REQUEST_PUT);
    assert_true(vz_requests_do(f->store, requests, VALUES, NULL));
    for (unsigned round = 0; round < 20; round++) {
        make_requests(VZ_REQUEST_GET);
        fail_next(f, round * 10);
        puller pullers[3] = {{0}};
        pthread_t others[3];
        vz_batch *open = vz_batch_open(f->store, requests, VALUES, NULL);
        for (unsigned i = 0; i < 3; i++) {
            pullers[i].batch = open;
            assert_int_equal(pthread_create(&others[i], NULL, pull_all, &pullers[i]), 0);
        }
        for (unsigned i = 0; i < 3; i++)
            pthread_join(others[i], NULL);
        assert_true(vz_batch_close(open, NULL));
        assert_int_equal(pullers[0].pulled + pullers[1].pulled + pullers[2].pulled, VALUES);
        assert_int_equal(pullers[0].failed + pullers[1].failed + pullers[2].failed, 0);
    }
}

int main(void)
{
#define PLAIN(test)   cmocka_unit_test_setup_teardown(test, open_plain, close_far)
#define BATCHES(test) cmocka_unit_test_setup_teardown(test, open_batches, close_far)
    const struct CMUnitTest tests[] = {
        PLAIN(single_calls),   BATCHES(single_calls),  PLAIN(bounded),        BATCHES(bounded), PLAIN(lost_answers),
        BATCHES(lost_answers), PLAIN(not_ours),        BATCHES(not_ours),     PLAIN(batch),     BATCHES(batch),
        BATCHES(rounds),       BATCHES(bounded_batch), BATCHES(many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
