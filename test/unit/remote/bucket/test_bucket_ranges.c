/* test_bucket_ranges.c - parts of an object in a bucket: which are asked for, and what wrong answers mean. */
#include "remote_support.h"
#include "store/layers/layer.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { LARGE = 4 << 20 };

static void put_large(const char *key)
{
    uint8_t *data = malloc(LARGE);
    char whole[64];
    for (size_t i = 0; i < LARGE; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    snprintf(whole, sizeof whole, PREFIX "%s", key);
    mock_put(whole, data, LARGE);
    free(data);
}

static void assert_range(const vz_buffer *out, size_t first, size_t size)
{
    assert_int_equal(out->size, size);
    for (size_t i = 0; i < size; i++)
        if (out->data[i] != (uint8_t)((first + i) * 2654435761u >> 13))
            fail_msg("byte %zu", i);
}

/* Near ones are one request, far ones and the end one each; places of the caller are filled where they are. */
static void test_ranges(void **state)
{
    static const vz_range ranges[] = {
        {VZ_RANGE_AT, 3 << 20, 100}, {VZ_RANGE_AT, 0, 10},     {VZ_RANGE_SUFFIX, 0, 64},
        {VZ_RANGE_AT, 200000, 50},   {VZ_RANGE_AT, 200020, 5}, {VZ_RANGE_SUFFIX, 0, 64},
    };
    uint8_t place[100];
    vz_buffer out[COUNT(ranges)] = {vz_buffer_borrow(place, sizeof place)};
    bool found;
    put_large("v");
    mock.requests = 0;
    assert_true(vz_store_get_ranges(*state, "v", ranges, COUNT(ranges), out, &found, NULL) && found);
    assert_int_equal(mock.requests, 3);
    assert_ptr_equal(out[0].data, place);
    assert_range(&out[0], 3 << 20, 100);
    assert_range(&out[1], 0, 10);
    assert_range(&out[2], LARGE - 64, 64);
    assert_range(&out[3], 200000, 50);
    assert_range(&out[4], 200020, 5);
    assert_range(&out[5], LARGE - 64, 64);
    for (size_t i = 0; i < COUNT(ranges); i++)
        vz_buffer_clear(&out[i]);
}

/* Requests of a batch for parts of one value are one request where these lie together; each has its own answer. */
static void test_gathered(void **state)
{
    enum { PARTS = 64, PART = 1000 };
    vz_range ranges[PARTS + 2];
    vz_request requests[PARTS + 2] = {{0}};
    vz_buffer out[PARTS] = {{0}};
    static uint8_t places[PARTS][PART];
    vz_buffer scratch = {0};
    put_large("v");
    for (size_t i = 0; i < PARTS + 2; i++) {
        ranges[i] = (vz_range){VZ_RANGE_AT, (i % 2 ? 0 : 3 << 20) + i * PART, PART};
        requests[i] = (vz_request){.key = "v", .ranges = &ranges[i], .range_count = 1};
        if (i < PARTS) {
            out[i] = i % 3 ? (vz_buffer){0} : vz_buffer_borrow(places[i], PART);
            requests[i].into = &out[i];
        }
    }
    requests[PARTS + 1].key = "none";
    mock.requests = 0;
    vz_batch *batch = vz_batch_open(*state, requests, PARTS + 2, NULL);
    size_t count = 0;
    for (vz_request *request; (request = vz_batch_next(batch, &scratch)); count++)
        if (request == &requests[PARTS]) {
            assert_int_equal(request->bytes.size, PART);
            assert_int_equal(request->bytes.data[7], (uint8_t)((ranges[PARTS].offset + 7) * 2654435761u >> 13));
        }
    assert_true(vz_batch_close(batch, NULL));
    assert_int_equal(count, PARTS + 2);
    assert_int_equal(mock.requests, 3);
    for (size_t i = 0; i < PARTS; i++) {
        assert_true(requests[i].found && requests[i].version.size);
        assert_ptr_equal(out[i].data, i % 3 ? out[i].data : places[i]);
        assert_range(&out[i], ranges[i].offset, PART);
        vz_buffer_clear(&out[i]);
    }
    assert_false(requests[PARTS + 1].found);
    vz_buffer_clear(&scratch);
    /* One that reaches beyond the value fails alone. */
    vz_range pair[] = {{VZ_RANGE_AT, LARGE - 20, 10}, {VZ_RANGE_AT, LARGE - 5, 10}};
    vz_request two[] = {{.key = "v", .ranges = &pair[0], .range_count = 1, .into = &out[0]},
                        {.key = "v", .ranges = &pair[1], .range_count = 1, .into = &out[1]}};
    vz_error err = VZ_ERROR_NONE;
    out[0] = out[1] = (vz_buffer){0};
    assert_false(vz_requests_do(*state, two, 2, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_int_equal(two[0].failed, VZ_OK);
    assert_int_equal(two[1].failed, VZ_CORRUPT);
    assert_range(&out[0], LARGE - 20, 10);
    vz_buffer_clear(&out[0]);
    vz_buffer_clear(&out[1]);
}

static bool replace_once(mock_request *r)
{
    if (mock.turn == 2) /* between two ranges */
        put_large("v");
    (void)r;
    return false;
}

static bool replace_always(mock_request *r)
{
    put_large("v");
    (void)r;
    return false;
}

static void test_one_version(void **state)
{
    static const vz_range ranges[] = {{VZ_RANGE_AT, 0, 10}, {VZ_RANGE_AT, 3 << 20, 10}};
    vz_buffer out[2] = {{0}};
    bool found;
    put_large("v");
    mock.turn = 0;
    mock.hook = replace_once;
    assert_true(vz_store_get_ranges(*state, "v", ranges, 2, out, &found, NULL) && found);
    assert_int_equal(mock.turn, 4);
    assert_range(&out[0], 0, 10);
    assert_range(&out[1], 3 << 20, 10);
    mock.hook = replace_always;
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_get_ranges(*state, "v", ranges, 2, out, &found, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    assert_int_equal(out[0].size, 10); /* as before */
    mock.hook = NULL;
    vz_buffer_clear(&out[0]);
    vz_buffer_clear(&out[1]);
}

/* A server without ranges sends all of the value, which is cut; it is asked for a range once only. */
static void test_no_ranges(void **state)
{
    static const vz_range ranges[] = {{VZ_RANGE_AT, 3 << 20, 10}, {VZ_RANGE_SUFFIX, 0, 20}};
    uint8_t place[10];
    vz_buffer out[2] = {vz_buffer_borrow(place, sizeof place)};
    bool found;
    put_large("v");
    mock.ignores_ranges = true;
    mock.requests = 0;
    assert_true(vz_store_get_ranges(*state, "v", ranges, 2, out, &found, NULL) && found);
    assert_range(&out[0], 3 << 20, 10);
    assert_range(&out[1], LARGE - 20, 20);
    assert_int_equal(mock.requests, 3);
    out[1].size = 0;
    assert_true(vz_store_get(*state, "v", ranges[1], &out[1], &found, NULL) && found);
    assert_range(&out[1], LARGE - 20, 20);
    assert_int_equal(mock.requests, 4);
    vz_buffer_clear(&out[1]);
}

static bool send_other_range(mock_request *r)
{
    mock_line(r, "ETag", "\"x\"");
    mock_line(r, "Content-Range", "bytes 5-14/100");
    mock_body(r, 206, "0123456789", 10);
    return true;
}

static bool send_less(mock_request *r)
{
    mock_line(r, "ETag", "\"x\"");
    mock_line(r, "Content-Range", "bytes 0-8/9");
    mock_body(r, 206, "012345678", 9);
    return true;
}

static void test_wrong_ranges(void **state)
{
    const vz_range range = {VZ_RANGE_AT, 0, 10};
    bool (*const hooks[])(mock_request *) = {send_other_range, send_less};
    for (size_t i = 0; i < COUNT(hooks); i++) {
        vz_buffer out = {0};
        vz_error err = VZ_ERROR_NONE;
        bool found;
        mock.hook = hooks[i];
        assert_false(vz_store_get(*state, "v", range, &out, &found, &err));
        assert_int_equal(err.class, VZ_CORRUPT);
        assert_int_equal(out.size, 0);
        vz_buffer_clear(&out);
    }
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, open_s3, close_s3)
    const struct CMUnitTest tests[] = {
        CASE(test_ranges), CASE(test_gathered), CASE(test_one_version), CASE(test_no_ranges), CASE(test_wrong_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
