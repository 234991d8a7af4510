/* test_bucket_remote_file.c - zip files and one-file stores in a bucket: found by their names, read by ranges. */
#include "remote_support.h"
#include "store/store/kind.h"
#include "store/zip/zip_internal.h"
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char local_path[64];
enum { LARGE = 300000 };

static void put_values(vz_store *store)
{
    char key[32];
    vz_buffer large = {0};
    put(store, ".zgroup", "{}");
    put(store, "a/.zarray", "[]");
    put(store, "empty", "");
    for (unsigned i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "a/%u", i);
        put(store, key, key);
    }
    assert_true(vz_buffer_reserve(&large, LARGE, NULL));
    for (large.size = 0; large.size < LARGE; large.size++)
        large.data[large.size] = (uint8_t)(large.size * 2654435761u >> 13);
    assert_true(vz_store_put(store, "large", (vz_bytes){large.data, large.size}, NULL));
    vz_buffer_clear(&large);
}

/* What was made in the file system goes to the bucket. */
static void upload(vz_store *store, const char *key)
{
    put_values(store);
    assert_true(vz_store_commit(store, NULL));
    vz_store_close(store);
    vz_buffer bytes = {0};
    FILE *file = fopen(local_path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    assert_true(vz_buffer_reserve(&bytes, size, NULL));
    assert_int_equal(fread(bytes.data, 1, size, file), size);
    fclose(file);
    unlink(local_path);
    mock_put(key, bytes.data, size);
    vz_buffer_clear(&bytes);
}

static void begin(void)
{
    mock_clear();
    begin_options();
    vz_bucket_use(&remote_options);
    snprintf(local_path, sizeof local_path, P_tmpdir "/vz_remote_%d", (int)getpid());
}

static void find(const char *name, vz_location *location)
{
    vz_location_probe probe = {.path = name, .file = -1};
    bool is_it = false;
    *location = (vz_location){.path = strdup(name)};
    assert_true(vz_bucket_kind_s3.recognise(&probe, location, &is_it, NULL));
    assert_true(is_it);
}

static void assert_part(const vz_buffer *out, size_t first, size_t size)
{
    assert_int_equal(out->size, size);
    for (size_t i = 0; i < size; i++)
        if (out->data[i] != (uint8_t)((first + i) * 2654435761u >> 13))
            fail_msg("byte %zu", i);
}

static void check_large(vz_store *store)
{
    static const vz_range ranges[] = {{VZ_RANGE_AT, 280000, 10}, {VZ_RANGE_SUFFIX, 0, 20}, {VZ_RANGE_AT, 5, 10}};
    uint8_t place[10];
    vz_buffer out[COUNT(ranges)] = {vz_buffer_borrow(place, sizeof place)};
    bool found;
    assert_true(vz_store_get_ranges(store, "large", ranges, 3, out, &found, NULL) && found);
    assert_part(&out[0], 280000, 10);
    assert_part(&out[1], LARGE - 20, 20);
    assert_part(&out[2], 5, 10);
    for (size_t i = 1; i < COUNT(ranges); i++)
        vz_buffer_clear(&out[i]);
    vz_buffer whole = {0};
    assert_true(vz_store_get(store, "large", VZ_WHOLE, &whole, &found, NULL) && found);
    assert_part(&whole, 0, LARGE);
    vz_buffer_clear(&whole);
    vz_error err = VZ_ERROR_NONE;
    const vz_range beyond = {VZ_RANGE_AT, LARGE - 5, 10};
    assert_false(vz_store_get(store, "large", beyond, &whole, &found, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    vz_buffer_clear(&whole);
}

/* One round trip tells that it is a file and has its directory; many values are one more, and one request. */
static void check_store(const char *name)
{
    vz_location location;
    char keys[200][16];
    vz_request requests[201] = {{0}};
    vz_buffer bytes[201] = {{0}};
    mock.requests = mock.rounds = 0;
    find(name, &location);
    vz_store *store = location.store;
    if (!store)
        fail_msg("%s", location.why.text);
    assert_true(mock.requests <= 3);
    assert_value(store, ".zgroup", "{}");
    assert_value(store, "empty", "");
    assert_value(store, "none", NULL);
    assert_list(store, "", ".zgroup a/ empty large");
    mock.requests = mock.rounds = 0;
    for (unsigned i = 0; i < 200; i++) {
        snprintf(keys[i], sizeof keys[i], "a/%u", i);
        requests[i] = (vz_request){.key = keys[i], .into = &bytes[i]};
    }
    requests[200] = (vz_request){.key = "a/200", .into = &bytes[200]};
    assert_true(vz_requests_do(store, requests, 201, NULL));
    assert_true(mock.requests <= 2); /* they lie side by side */
    assert_int_equal(mock.rounds, 1);
    for (unsigned i = 0; i < 200; i++) {
        assert_true(requests[i].found && bytes[i].size == strlen(keys[i]));
        assert_memory_equal(bytes[i].data, keys[i], bytes[i].size);
        vz_buffer_clear(&bytes[i]);
    }
    assert_false(requests[200].found);
    check_large(store);
    assert_int_equal(mock.lists, 0);
    vz_error err = VZ_ERROR_NONE;
    location.store = NULL;
    assert_null(vz_bucket_kind_s3.open(store, location.root, true, &err));
    assert_int_equal(err.class, VZ_READ_ONLY);
    vz_location_clear(&location);
}

static void test_zip(void **state)
{
    (void)state;
    begin();
    upload(vz_zip_create(local_path, true, NULL), "p/x.zip");
    check_store("s3://bucket/p/x.zip");
    check_store("/cwd/s3:/bucket/p/x.zip");
    mock_clear();
}

static void test_one_file(void **state)
{
    (void)state;
    begin();
    upload(vz_zip_create_one_file(local_path, true, 0, NULL), "p/x.h5ad");
    check_store("s3://bucket/p/x.h5ad");
    upload(vz_zip_create_one_file(local_path, true, 512, NULL), "p/y.h5mu");
    check_store("s3://bucket/p/y.h5mu");
    mock_clear();
}

/* The first batch, that of the root's documents, came with the opening. Later ones do not: others
 * may have replaced the file. */
static void test_first_values(void **state)
{
    vz_location location;
    vz_buffer bytes[3] = {{0}};
    vz_request requests[3] = {
        {.key = ".zgroup", .into = &bytes[0]}, {.key = "a/9", .into = &bytes[1]}, {.key = "none", .into = &bytes[2]}};
    (void)state;
    begin();
    upload(vz_zip_create_one_file(local_path, true, 0, NULL), "p/x.h5ad");
    find("s3://bucket/p/x.h5ad", &location);
    mock.requests = mock.rounds = 0;
    assert_true(vz_requests_do(location.store, requests, 3, NULL));
    assert_int_equal(mock.requests, 0);
    assert_true(requests[0].found && requests[1].found && !requests[2].found);
    assert_int_equal(bytes[1].size, 3);
    assert_memory_equal(bytes[0].data, "{}", 2);
    assert_memory_equal(bytes[1].data, "a/9", 3);
    assert_value(location.store, ".zgroup", "{}");
    assert_int_equal(mock.requests, 1);
    for (size_t i = 0; i < COUNT(bytes); i++)
        vz_buffer_clear(&bytes[i]);
    vz_location_clear(&location);
    mock_clear();
}

/* The file is another one by now: nothing of it is taken for what the directory told. */
static void test_replaced(void **state)
{
    vz_location location;
    vz_buffer out = {0};
    bool found;
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    begin();
    upload(vz_zip_create(local_path, true, NULL), "p/x.zip");
    find("s3://bucket/p/x.zip", &location);
    assert_value(location.store, ".zgroup", "{}");
    upload(vz_zip_create(local_path, true, NULL), "p/x.zip");
    assert_false(vz_store_get(location.store, "a/1", VZ_WHOLE, &out, &found, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    mock_remove("p/x.zip");
    err = VZ_ERROR_NONE;
    assert_false(vz_store_get(location.store, "large", (vz_range){VZ_RANGE_AT, 0, 5}, &out, &found, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    vz_location_clear(&location);
    vz_buffer_clear(&out);
    mock_clear();
}

/* A checksum that does not match, a directory that is cut off, and what is no such file. */
static void test_damaged(void **state)
{
    static const char other[] = "\211HDX\r\n\032\n\0followed by something";
    vz_location location;
    vz_buffer out = {0};
    bool found;
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    begin();
    upload(vz_zip_create(local_path, true, NULL), "p/x.zip");
    mock_value *value = mock_find("p/x.zip");
    uint8_t *at = memmem(value->data, value->size, "a/7a/7", 6); /* the name and the value */
    assert_non_null(at);
    at[5] = 'x';
    find("s3://bucket/p/x.zip", &location);
    assert_false(vz_store_get(location.store, "a/7", VZ_WHOLE, &out, &found, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_int_equal(out.size, 0);
    vz_location_clear(&location);
    value->size -= 30;
    value->version++;
    find("s3://bucket/p/x.zip", &location);
    assert_null(location.store);
    assert_int_equal(location.why.class, VZ_CORRUPT);
    vz_location_clear(&location);
    mock_put("p/x.h5", other, sizeof other);
    find("s3://bucket/p/x.h5", &location);
    assert_null(location.store);
    assert_int_equal(location.why.class, VZ_INVALID);
    vz_location_clear(&location);
    find("s3://bucket/p/none.h5", &location); /* may be a prefix */
    assert_non_null(location.store);
    vz_location_clear(&location);
    vz_buffer_clear(&out);
    mock_clear();
}

static void assert_read(vz_byte_source *source, const uint8_t *wanted, uint64_t offset, size_t size)
{
    uint8_t *got = malloc(size);
    assert_true(vz_byte_source_read(source, offset, got, size, NULL));
    assert_memory_equal(got, wanted + offset, size);
    free(got);
}

/* The bytes of an HDF5 file: of one version, and none behind its end. */
static void test_hdf5(void **state)
{
    enum { SIZE = 20 << 20 };
    vz_location location;
    uint64_t size;
    uint8_t *bytes = malloc(SIZE), byte;
    (void)state;
    begin();
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    memcpy(bytes, "\211HDF\r\n\032\n", 8);
    mock_put("p/x.h5", bytes, SIZE);
    find("s3://bucket/p/x.h5", &location);
    assert_non_null(location.hdf5);
    assert_null(location.store);
    assert_int_equal(location.why.class, VZ_OK);
    assert_true(vz_byte_source_size(location.hdf5, &size, NULL));
    assert_int_equal(size, SIZE);
    assert_false(vz_byte_source_is_writable(location.hdf5));
    assert_read(location.hdf5, bytes, 0, 100);
    assert_read(location.hdf5, bytes, 8000, 1000000);
    assert_read(location.hdf5, bytes, 3 << 20, 17 << 20);
    assert_read(location.hdf5, bytes, SIZE - 200000, 200000);
    const vz_byte_read reads[] = {{6 << 20, 1, &byte, true}, {SIZE - 1, 2, &byte, false}};
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_byte_source_read_many(location.hdf5, reads, COUNT(reads), &err));
    assert_int_equal(err.class, VZ_IO);
    assert_true(vz_byte_source_read_many(location.hdf5, reads, 1, NULL));
    assert_int_equal(byte, bytes[6 << 20]);
    bytes[2 << 20] ^= 1;
    mock_put("p/x.h5", bytes, SIZE);
    err = VZ_ERROR_NONE;
    assert_false(vz_byte_source_read(location.hdf5, 2 << 20, &byte, 1, &err));
    assert_int_equal(err.class, VZ_CHANGED);
    vz_location_clear(&location);
    free(bytes);
    mock_clear();
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zip),          cmocka_unit_test(test_one_file), cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_first_values), cmocka_unit_test(test_damaged),  cmocka_unit_test(test_hdf5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
