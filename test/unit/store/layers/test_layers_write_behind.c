/* test_layers_write_behind.c - what is put returns at once and goes to a remote store in batches: how many
 * round trips that takes, that reads see it, that what fails stays and is reported, and that a forked child does not
 * wait.
 */
#include "behind_support.h"
#include <sys/wait.h>
#include <unistd.h>

/* Without the store above it these are 1,000 round trips. */
static void many_puts(void **state)
{
    far *f = *state;
    put_numbered(f->store, 0, MANY);
    must_drain(f->store);
    assert_int_equal(slow_rounds(f->slow), (MANY + IN_FLIGHT - 1) / IN_FLIGHT);
    assert_int_equal(f->slow->requests, MANY);
    assert_numbered(f->memory, 0, MANY);
    must_drain(f->store);
    assert_int_equal(f->slow->requests, MANY);
}

/* Two windows are taken before anybody waits; then answers and puts go in turns, and no window is waited for whole. */
static void puts_do_not_wait(void **state)
{
    far *f = *state;
    put_numbered(f->store, 0, 2 * IN_FLIGHT);
    assert_int_equal(f->slow->now, 0);
    assert_int_equal(f->slow->requests, 2 * IN_FLIGHT);
    put_numbered(f->store, 2 * IN_FLIGHT, IN_FLIGHT);
    assert_int_equal(slow_rounds(f->slow), 1);
    must_drain(f->store);
    assert_int_equal(slow_rounds(f->slow), 3);
    assert_numbered(f->memory, 0, 3 * IN_FLIGHT);
}

/* Of one key one value is under way. */
static void put_again_and_again(void **state)
{
    far *f = *state;
    char value[32];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(value, sizeof value, "%u", i);
        put(f->store, i % 2 ? "k" : "l", value);
        put_numbered(f->store, i, 1);
    }
    assert_value(f->store, "k", "999");
    must_drain(f->store);
    assert_value(f->memory, "k", "999");
    assert_value(f->memory, "l", "998");
    assert_numbered(f->memory, 0, MANY);
}

/* Nothing is sent before there is enough of it; the newest is read, at no cost. */
static void read_what_was_put(void **state)
{
    far *f = *state;
    put(f->memory, "k", "older");
    put(f->store, "k", "old");
    put(f->store, "k", "new");
    assert_value(f->store, "k", "new");
    assert_value(f->memory, "k", "older");
    vz_stamp stamp;
    assert_true(vz_store_stat(f->store, "k", &stamp, NULL) && stamp.exists && stamp.size == 3);
    assert_true(vz_store_del(f->store, "k", NULL));
    assert_value(f->store, "k", NULL);
    assert_true(vz_store_stat(f->store, "k", &stamp, NULL) && !stamp.exists);
    assert_int_equal(f->slow->requests, 0);
    must_drain(f->store);
    assert_value(f->memory, "k", NULL);
    assert_int_equal(slow_rounds(f->slow), 1);
}

/* A key that is put again while its value is under way: the later one is there in the end. */
static void put_while_under_way(void **state)
{
    far *f = *state;
    put_numbered(f->store, 0, IN_FLIGHT);
    assert_int_equal(f->slow->requests, IN_FLIGHT);
    assert_value(f->memory, "a/7", NULL);
    assert_value(f->store, "a/7", "a/7");
    put(f->store, "a/7", "later");
    assert_value(f->store, "a/7", "later");
    must_drain(f->store);
    assert_value(f->memory, "a/7", "later");
    assert_value(f->memory, "a/8", "a/8");
}

static void batches_see_it(void **state)
{
    far *f = *state;
    vz_buffer scratch = {0}, parts[2] = {{0}};
    put(f->memory, "there", "below");
    put(f->store, "k", "0123456789");
    const vz_range ranges[2] = {{VZ_RANGE_AT, 2, 3}, {VZ_RANGE_SUFFIX, 0, 2}};
    vz_request three[] = {{.key = "there", .tag = 7},
                          {.key = "k", .ranges = ranges, .range_count = 2, .into = parts, .tag = 8},
                          {.key = "nowhere", .tag = 9}};
    vz_batch *batch = vz_batch_open(f->store, three, 3, NULL);
    unsigned seen = 0;
    for (vz_request *request; (request = vz_batch_next(batch, &scratch)); seen++) {
        assert_int_equal(request->failed, VZ_OK);
        assert_int_equal(request->found, request->tag != 9);
        if (request->tag == 7)
            assert_memory_equal(request->bytes.data, "below", 5);
    }
    assert_int_equal(seen, 3);
    assert_true(vz_batch_close(batch, NULL));
    assert_memory_equal(parts[0].data, "234", 3);
    assert_memory_equal(parts[1].data, "89", 2);
    assert_int_equal(f->slow->requests, 2);
    vz_buffer_clear(&scratch);
    vz_buffer_clear(&parts[0]);
    vz_buffer_clear(&parts[1]);
}

/* What a batch puts is newer than what waits. */
static void batches_replace_it(void **state)
{
    far *f = *state;
    put_numbered(f->store, 0, IN_FLIGHT); /* under way */
    put(f->store, "k", "waits");
    vz_request two[] = {{.op = VZ_REQUEST_PUT, .key = "k", .value = {(const uint8_t *)"new", 3}},
                        {.op = VZ_REQUEST_DELETE, .key = "a/3"}};
    assert_true(vz_requests_do(f->store, two, 2, NULL));
    must_drain(f->store);
    assert_value(f->memory, "k", "new");
    assert_value(f->memory, "a/3", NULL);
    assert_value(f->memory, "a/4", "a/4");
}

/* A condition is held against what was put, though the store below does not have it. */
static void conditions(void **state)
{
    far *f = *state;
    vz_buffer scratch = {0};
    vz_request get = {.key = "k"}, change = {.op = VZ_REQUEST_PUT, .key = "k", .value = {(const uint8_t *)"x", 1}};
    put(f->memory, "k", "below");
    assert_true(vz_request_do(f->store, &get, &scratch, NULL));
    put(f->store, "k", "first");
    change.when = VZ_WHEN_VERSION;
    change.version = get.version;
    assert_false(vz_request_do(f->store, &change, NULL, NULL));
    assert_int_equal(change.failed, VZ_CHANGED);
    change.when = VZ_WHEN_ABSENT;
    assert_false(vz_request_do(f->store, &change, NULL, NULL));
    assert_int_equal(change.failed, VZ_CHANGED);
    vz_error err = VZ_ERROR_NONE;
    put(f->store, "k", "second");
    assert_false(vz_store_put_new(f->store, "k", change.value, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    vz_stamp stamp;
    vz_version now;
    assert_true(vz_store_stat(f->store, "k", &stamp, NULL));
    const vz_version second = vz_version_of(&stamp, true);
    assert_true(vz_store_change(f->store, "k", &change.value, &second, &now, NULL));
    assert_false(vz_store_change(f->store, "k", &change.value, &second, &now, NULL));
    must_drain(f->store);
    assert_value(f->memory, "k", "x");
    vz_buffer_clear(&scratch);
}

static void trees(void **state)
{
    far *f = *state;
    vz_entry *entries;
    size_t count;
    put_numbered(f->store, 0, 3);
    put(f->store, "ab", "beside");
    assert_true(vz_store_list(f->store, "a", &entries, &count, NULL)); /* of what is there by now */
    assert_int_equal(count, 3);
    vz_entries_free(entries, count);
    put_numbered(f->store, 3, 3);
    f->slow->requests = 0;
    assert_true(vz_store_del_tree(f->store, "a", NULL));
    assert_int_equal(f->slow->requests, 1); /* what waited was never put */
    assert_value(f->store, "a/1", NULL);
    assert_value(f->store, "a/4", NULL);
    must_drain(f->store);
    assert_value(f->memory, "a/4", NULL);
    assert_value(f->memory, "ab", "beside");
}

/* ---- failures ---- */

static void what_fails_stays(void **state)
{
    far *f = *state;
    vz_error err = VZ_ERROR_NONE;
    f->failing->only = "a/5";
    f->failing->turn = 1;
    put_numbered(f->store, 0, 2 * IN_FLIGHT);
    put(f->store, "b", "more");
    f->failing->for_good = true;
    assert_false(vz_store_drain(f->store, &err));
    assert_int_equal(err.class, VZ_IO);
    assert_string_equal(err.object, "a/5");
    assert_true(vz_store_has_unwritten(f->store, "a"));
    assert_true(vz_store_has_unwritten(f->store, "a/5"));
    assert_false(vz_store_has_unwritten(f->store, "b"));
    assert_value(f->store, "a/5", "a/5");
    assert_value(f->memory, "a/5", NULL);
    assert_value(f->memory, "a/6", "a/6");
    assert_value(f->memory, "b", "more");
    f->failing->turn = 0;
    must_drain(f->store);
    assert_value(f->memory, "a/5", "a/5");
}

/* A store that takes nothing: the table is bounded, and who puts is reported. */
static void room_ends(void **state)
{
    far *f = *state;
    vz_error err = VZ_ERROR_NONE;
    unsigned taken = 0;
    char key[32];
    f->failing->turn = 1;
    f->failing->for_good = true;
    for (; taken < MANY; taken++) {
        snprintf(key, sizeof key, "a/%u", taken);
        if (!vz_store_put(f->store, key, (vz_bytes){(const uint8_t *)key, strlen(key)}, &err))
            break;
    }
    assert_int_equal(err.class, VZ_IO);
    assert_true(taken >= IN_FLIGHT && taken <= 4 * IN_FLIGHT);
    f->failing->turn = 0;
    must_drain(f->store);
    assert_numbered(f->memory, 0, taken);
    assert_value(f->memory, key, NULL);
}

/* ---- processes ---- */

/* The child reads what its parent had put, sends nothing of it, and waits for no answer. */
static void forked_child(void **state)
{
    far *f = *state;
    put_numbered(f->store, 0, IN_FLIGHT);
    put(f->store, "k", "waits");
    assert_int_equal(f->slow->requests, IN_FLIGHT);
    const uint64_t now = f->slow->now, requests = f->slow->requests;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        assert_value(f->store, "a/9", "a/9");
        assert_value(f->store, "k", "waits");
        assert_value(f->memory, "a/9", NULL);
        assert_int_equal(f->slow->dropped, f->slow->batches);
        assert_true(vz_store_has_unwritten(f->store, "a/9"));
        slow_store *slow = f->slow;
        assert_int_equal(slow->now, now);
        assert_int_equal(slow->requests, requests);
        vz_store_close(f->store);
        free(f);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    must_drain(f->store);
    assert_numbered(f->memory, 0, IN_FLIGHT);
    assert_value(f->memory, "k", "waits");
}

/* A child that goes on in its parent's place has all of it. */
static void child_that_goes_on(void **state)
{
    far *f = *state;
    put_numbered(f->store, 0, IN_FLIGHT);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        must_drain(f->store);
        assert_numbered(f->memory, 0, IN_FLIGHT);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Values of many threads' work do not get lost when the table is sent meanwhile. */
static void *put_some(void *context)
{
    void **args = context;
    put_numbered(args[0], *(unsigned *)args[1], MANY);
    return NULL;
}

static void threads(void **state)
{
    far *f = *state;
    pthread_t others[3];
    unsigned first[3];
    void *args[3][2];
    for (unsigned i = 0; i < 3; i++) {
        first[i] = i * MANY;
        args[i][0] = f->store;
        args[i][1] = &first[i];
        assert_int_equal(pthread_create(&others[i], NULL, put_some, args[i]), 0);
    }
    for (unsigned i = 0; i < 3; i++)
        pthread_join(others[i], NULL);
    must_drain(f->store);
    assert_numbered(f->memory, 0, 3 * MANY);
    assert_true(slow_rounds(f->slow) <= 3 * MANY / IN_FLIGHT + 3);
}

int main(void)
{
#define FAR(test) cmocka_unit_test_setup_teardown(test, open_far, close_far)
    const struct CMUnitTest tests[] = {
        FAR(many_puts),
        FAR(puts_do_not_wait),
        FAR(put_again_and_again),
        FAR(read_what_was_put),
        FAR(put_while_under_way),
        FAR(batches_see_it),
        FAR(batches_replace_it),
        FAR(conditions),
        FAR(trees),
        FAR(what_fails_stays),
        FAR(room_ends),
        FAR(forked_child),
        FAR(child_that_goes_on),
        FAR(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
