/* test_bucket_large_values.c - values that may be large, read as ranges: how many requests that takes, and that what
 * comes is one version of the value. */
#include "remote_support.h"

enum { PIECE = 8 << 20, LARGE = 20 << 20, MOST = 64 << 20 };
#define KEY "pre fix/x.zarr/v"

static uint8_t byte_at(size_t i, unsigned version)
{
    return (uint8_t)(i * 2654435761u >> 13) + version;
}

static void put_large(size_t size, unsigned version)
{
    uint8_t *data = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        data[i] = byte_at(i, version);
    mock_put(KEY, data, size);
    free(data);
}

/* Appended to what stands in `out`. */
static bool read_all(vz_store *store, vz_request *request, vz_buffer *out, vz_error *err)
{
    mock.requests = mock.turn = 0;
    request->key = "v";
    request->most = MOST;
    request->into = out;
    request->ranges = &VZ_WHOLE;
    request->range_count = 1;
    return vz_request_do(store, request, NULL, err);
}

static void assert_bytes(const vz_buffer *out, size_t start, size_t size, unsigned version)
{
    assert_int_equal(out->size, start + size);
    for (size_t i = 0; i < size; i++)
        if (out->data[start + i] != byte_at(i, version))
            fail_msg("byte %zu", i);
}

static void test_pieces(void **state)
{
    static const size_t sizes[] = {1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, LARGE + 5};
    static const unsigned requests[] = {1, 1, 1, 2, 2, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        vz_buffer out = {0};
        vz_request request = {0};
        put_large(sizes[i], (unsigned)i);
        vz_buffer_append(&out, "abc", 3, NULL);
        assert_true(read_all(*state, &request, &out, NULL) && request.found && request.version.size > 0);
        assert_bytes(&out, 3, sizes[i], (unsigned)i);
        assert_memory_equal(out.data, "abc", 3);
        assert_int_equal(mock.requests, requests[i]);
        vz_buffer_clear(&out);
    }
}

/* Into memory of the caller's, and into the batch's own. */
static void test_places(void **state)
{
    uint8_t *memory = malloc(LARGE);
    vz_buffer out = vz_buffer_borrow(memory, LARGE), scratch = {0};
    vz_request request = {0};
    vz_error err = VZ_ERROR_NONE;
    put_large(LARGE, 7);
    assert_true(read_all(*state, &request, &out, NULL));
    assert_ptr_equal(out.data, memory);
    assert_bytes(&out, 0, LARGE, 7);
    out = vz_buffer_borrow(memory, LARGE - 1);
    assert_false(read_all(*state, &request, &out, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    assert_int_equal(out.size, 0);
    request = (vz_request){.key = "v", .most = MOST};
    assert_true(vz_request_do(*state, &request, &scratch, NULL) && request.found);
    assert_int_equal(request.bytes.size, LARGE);
    assert_int_equal(request.bytes.data[LARGE - 1], byte_at(LARGE - 1, 7));
    vz_buffer_clear(&scratch);
    free(memory);
}

/* No bytes, no value, too many bytes: as of any other value. */
static void test_odd_values(void **state)
{
    vz_buffer out = {0};
    vz_request request = {0};
    vz_error err = VZ_ERROR_NONE;
    assert_true(read_all(*state, &request, &out, NULL) && !request.found);
    put_large(0, 0);
    assert_true(read_all(*state, &request, &out, NULL) && request.found);
    assert_int_equal(out.size, 0);
    put_large(MOST + 1, 0);
    assert_false(read_all(*state, &request, &out, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    assert_int_equal(out.size, 0);
    vz_buffer_clear(&out);
}

static void test_no_ranges(void **state)
{
    vz_buffer out = {0};
    vz_request request = {0};
    put_large(LARGE, 1);
    mock.ignores_ranges = true;
    assert_true(read_all(*state, &request, &out, NULL));
    assert_bytes(&out, 0, LARGE, 1);
    assert_int_equal(mock.requests, 1);
    vz_buffer_clear(&out);
}

/* After the start was read. */
static bool replace_once(mock_request *r)
{
    (void)r;
    if (mock.turn == 2)
        put_large(LARGE, 2);
    return false;
}

static bool replace_always(mock_request *r)
{
    const char *range = mock_asked(r, "Range");
    if (range && strncmp(range, "bytes=0-", 8) != 0)
        put_large(LARGE, mock.turn);
    return false;
}

static void test_one_version(void **state)
{
    vz_buffer out = {0};
    vz_request request = {0};
    vz_error err = VZ_ERROR_NONE;
    put_large(LARGE, 1);
    mock.hook = replace_once;
    assert_true(read_all(*state, &request, &out, NULL));
    assert_bytes(&out, 0, LARGE, 2);
    out.size = 0;
    const vz_version version = request.version;
    mock.hook = NULL;
    request.when = VZ_WHEN_VERSION;
    assert_true(read_all(*state, &request, &out, NULL));
    out.size = 0;
    mock.hook = replace_once; /* the same bytes, another version */
    assert_false(read_all(*state, &request, &out, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    assert_int_equal(out.size, 0);
    err = VZ_ERROR_NONE;
    mock.hook = NULL;
    request = (vz_request){.when = VZ_WHEN_VERSION, .version = version};
    assert_false(read_all(*state, &request, &out, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    err = VZ_ERROR_NONE;
    request = (vz_request){0};
    mock.hook = replace_always;
    assert_false(read_all(*state, &request, &out, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    assert_int_equal(out.size, 0);
    mock.hook = NULL;
    vz_buffer_clear(&out);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, open_s3, close_s3)
    const struct CMUnitTest tests[] = {
        CASE(test_pieces), CASE(test_places), CASE(test_odd_values), CASE(test_no_ranges), CASE(test_one_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
