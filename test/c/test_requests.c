/* test_requests.c - what connectors above this one, and event sets, ask of a request: its status, a call when it is
 * done, when it ran; it is freed while it is under way. */
#include "both.h"
#include <H5VLconnector_passthru.h>

enum { SIZE = 200000 };

typedef struct subject {
    trial *t;
    hid_t connector, dataset;
    int values[SIZE], found[SIZE];
} subject;

static subject *begin(void)
{
    subject *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->t = trial_begin(ZARR_WITHOUT_GATEWAY);
    s->connector = H5VLget_connector_id_by_name("zarr");
    const hsize_t size = SIZE, chunk = 10000;
    const hid_t space = H5Screate_simple(1, &size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &chunk);
    H5Pset_deflate(list, 1);
    s->dataset = H5Dcreate2(s->t->file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(s->connector >= 0 && s->dataset >= 0);
    H5Pclose(list);
    H5Sclose(space);
    for (int i = 0; i < SIZE; i++)
        s->values[i] = i / 3;
    return s;
}

static void end(subject *s)
{
    H5Dclose(s->dataset);
    H5VLclose(s->connector);
    trial_end(s->t);
    free(s->t);
    free(s);
}

static void *start(subject *s, bool reads)
{
    void *object = H5VLobject(s->dataset), *request = NULL, *memory = s->found;
    const void *values = s->values;
    hid_t type = H5T_NATIVE_INT, all = H5S_ALL;
    assert_true(
        (reads ? H5VLdataset_read(1, &object, s->connector, &type, &all, &all, H5P_DEFAULT, &memory, &request)
               : H5VLdataset_write(1, &object, s->connector, &type, &all, &all, H5P_DEFAULT, &values, &request)) >= 0);
    assert_non_null(request);
    return request;
}

static void check(const subject *s)
{
    assert_memory_equal(s->found, s->values, sizeof s->values);
}

static void one_that_is_freed_is_done(void **state)
{
    (void)state;
    subject *s = begin();
    assert_true(H5VLrequest_free(start(s, false), s->connector) >= 0);
    assert_true(H5VLrequest_free(start(s, true), s->connector) >= 0);
    check(s);
    end(s);
}

static void a_call_without_a_request_waits(void **state)
{
    (void)state;
    H5VL_request_status_t status;
    subject *s = begin();
    void *request = start(s, false);
    assert_true(H5Dread(s->dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->found) >= 0);
    check(s);
    assert_true(H5VLrequest_wait(request, s->connector, 0, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_free(request, s->connector) >= 0);
    end(s);
}

static herr_t take_status(void *context, H5VL_request_status_t status)
{
    *(int *)context = (int)status;
    return 0;
}

static void what_is_asked_of_one(void **state)
{
    (void)state;
    int seen = -1, again = -1;
    uint64_t began = 0, took = 0;
    H5VL_request_status_t status;
    H5VL_request_specific_args_t args = {.op_type = H5VL_REQUEST_GET_EXEC_TIME};
    args.args.get_exec_time.exec_ts = &began;
    args.args.get_exec_time.exec_time = &took;
    subject *s = begin();
    void *request = start(s, false);
    assert_true(H5VLrequest_notify(request, s->connector, take_status, &seen) >= 0);
    assert_true(H5VLrequest_wait(request, s->connector, UINT64_MAX, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_SUCCEED);
    assert_int_equal(seen, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_notify(request, s->connector, take_status, &again) >= 0); /* at once */
    assert_int_equal(again, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_specific(request, s->connector, &args) >= 0);
    assert_true(began > UINT64_C(1000000) * 86400 * 365 && took > 0);
    assert_true(H5VLrequest_cancel(request, s->connector, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_notify(request, s->connector, NULL, NULL) < 0);
    assert_true(H5VLrequest_free(request, s->connector) >= 0);
    end(s);
}

/* Many wait behind the first one; each is done or was never begun. */
static void canceled_ones_move_nothing(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    void *requests[COUNT];
    H5VL_request_status_t status;
    unsigned canceled = 0;
    subject *s = begin();
    for (unsigned i = 0; i < COUNT; i++)
        requests[i] = start(s, false);
    for (unsigned i = COUNT; i-- > 0;) {
        assert_true(H5VLrequest_cancel(requests[i], s->connector, &status) >= 0);
        canceled += status == H5VL_REQUEST_STATUS_CANCELED;
    }
    for (unsigned i = 0; i < COUNT; i++) {
        assert_true(H5VLrequest_wait(requests[i], s->connector, UINT64_MAX, &status) >= 0);
        canceled -= status == H5VL_REQUEST_STATUS_CANCELED;
        assert_true(H5VLrequest_free(requests[i], s->connector) >= 0);
    }
    assert_int_equal(canceled, 0);
    end(s);
}

/* As H5ESwait asks: the first one was under way when it was looked at, so the second one is not reported as done
 * before it, though it is. */
static void they_are_told_in_their_order(void **state)
{
    (void)state;
    const uint64_t long_enough = UINT64_C(20000000000);
    H5VL_request_status_t status;
    subject *s = begin();
    void *first;
    for (;;) {
        first = start(s, false);
        assert_true(H5VLrequest_wait(first, s->connector, 0, &status) >= 0);
        if (status == H5VL_REQUEST_STATUS_IN_PROGRESS)
            break; /* else it was quick: once more */
        assert_true(H5VLrequest_free(first, s->connector) >= 0);
    }
    void *second = start(s, true);
    assert_true(H5VLrequest_wait(second, s->connector, long_enough, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_IN_PROGRESS);
    assert_true(H5VLrequest_wait(first, s->connector, long_enough, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_wait(second, s->connector, long_enough, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_free(first, s->connector) >= 0 && H5VLrequest_free(second, s->connector) >= 0);
    check(s);
    end(s);
}

/* A set that is looked at after another one, in which something is under way, is reported at the second look. */
static void another_set_does_not_wait_for_ever(void **state)
{
    (void)state;
    H5VL_request_status_t status;
    subject *s = begin();
    void *first = start(s, false), *second = start(s, true);
    assert_true(H5VLrequest_wait(first, s->connector, 0, &status) >= 0);
    assert_true(H5VLrequest_wait(second, s->connector, UINT64_MAX, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_wait(second, s->connector, 0, &status) >= 0);
    assert_int_equal(status, H5VL_REQUEST_STATUS_SUCCEED);
    assert_true(H5VLrequest_free(first, s->connector) >= 0 && H5VLrequest_free(second, s->connector) >= 0);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_freed_is_done),    cmocka_unit_test(a_call_without_a_request_waits),
        cmocka_unit_test(what_is_asked_of_one),         cmocka_unit_test(canceled_ones_move_nothing),
        cmocka_unit_test(they_are_told_in_their_order), cmocka_unit_test(another_set_does_not_wait_for_ever),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
