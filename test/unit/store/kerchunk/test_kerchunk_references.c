/* Reference files by hand: what their text may be, and what is refused with which class of error, without reading a
 * byte beyond it. The files that they name lie in a directory of this test. */
#include "store/kerchunk/kerchunk_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>

#define GROUP "\".zgroup\": \"{\\\"zarr_format\\\": 2}\""

static char directory[] = "/tmp/vz-references-XXXXXX";
static char data_path[64], json_path[64];
#define DATA      "0123456789abcdef"
#define DATA_SIZE 16
#define DATA_TIME 1700000000 /* seconds */

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    return file && fwrite(text, 1, size, file) == size && fclose(file) == 0;
}

/* Relative names count from the reference file, which must be there for that. */
static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(data_path, sizeof data_path, "%s/data.bin", directory);
    snprintf(json_path, sizeof json_path, "%s/x.json", directory);
    return !write_file(data_path, DATA, DATA_SIZE) || !write_file(json_path, "{}", 2);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(data_path);
    unlink(json_path);
    return rmdir(directory);
}

static void set_time(long nanoseconds)
{
    const struct timespec times[2] = {{DATA_TIME, 0}, {DATA_TIME, nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, data_path, times, 0), 0);
}

/* The store of a text of that size, which lies in memory of just that size: reading beyond it is found. */
static vz_store *open_text(const char *text, size_t size, vz_error *err)
{
    const vz_kerchunk_origin origin = {.path = json_path, .is_own = true};
    vz_buffer copy = {0};
    *err = VZ_ERROR_NONE;
    if (size > 0)
        assert_true(vz_buffer_append(&copy, text, size, NULL));
    return vz_kerchunk_over(&copy, &origin, err);
}

static void check_refused(const char *text, vz_error_class class)
{
    vz_error err;
    vz_store *store = open_text(text, strlen(text), &err);
    if (store || err.class != class)
        fail_msg("%s: %s", text, store ? "opened" : err.text);
    vz_store_close(store);
}

/* The class of the error with which the value of "x/0" is not read, or VZ_OK and the value. */
static vz_error_class value_of(const char *text, size_t size, vz_buffer *value)
{
    vz_error err;
    bool found = false;
    vz_store *store = open_text(text, size, &err);
    if (!store)
        fail_msg("%s: %s", text, err.text);
    value->size = 0;
    const bool ok = vz_store_get(store, "x/0", VZ_WHOLE, value, &found, &err);
    assert_true(ok == (err.class == VZ_OK));
    vz_store_close(store);
    return ok && !found ? VZ_NOT_FOUND : err.class;
}

static void check_value(const char *reference, const char *more, vz_error_class class, const char *expected)
{
    char text[16384];
    vz_buffer value = {0};
    const int size =
        snprintf(text, sizeof text, "{\"version\": 1, %s \"refs\": {" GROUP ", \"x/0\": %s}}", more, reference);
    assert_true(size > 0 && (size_t)size < sizeof text);
    const vz_error_class is = value_of(text, (size_t)size, &value);
    if (is != class || (expected && (value.size != strlen(expected) ||
                                     (value.size > 0 && memcmp(value.data, expected, value.size) != 0))))
        fail_msg("%s %s: class %d, %zu bytes", more, reference, (int)is, value.size);
    vz_buffer_clear(&value);
}

/* ---- the file ---- */

static void test_files_that_are_refused(void **state)
{
    (void)state;
    check_refused("", VZ_CORRUPT);
    check_refused("{", VZ_CORRUPT);
    check_refused("[]", VZ_CORRUPT);
    check_refused("{\"refs\": {}}", VZ_CORRUPT);
    check_refused("{\"version\": 1}", VZ_CORRUPT);
    check_refused("{\"version\": 1, \"refs\": {\"a\": \"b\"", VZ_CORRUPT);
    check_refused("{\"version\": 2, \"refs\": {}}", VZ_UNSUPPORTED);
    check_refused("{\"version\": -1, \"refs\": {}}", VZ_UNSUPPORTED);
    check_refused("{\"version\": 1.5, \"refs\": {}}", VZ_UNSUPPORTED);
    check_refused("{\"version\": 1e400, \"refs\": {}}", VZ_UNSUPPORTED);
    check_refused("{\"version\": \"1\", \"refs\": {}}", VZ_UNSUPPORTED);
    check_refused("{\"version\": 1, \"gen\": [{\"key\": \"x\"}], \"refs\": {}}", VZ_UNSUPPORTED);
    check_refused("{\"version\": 1, \"templates\": {\"u\": 1}, \"refs\": {}}", VZ_CORRUPT);
    check_refused("{\"version\": 1, \"templates\": {\"u\": \"a\\u0000b\"}, \"refs\": {}}", VZ_CORRUPT);
}

/* No prefix of a file opens as another one, and none is read beyond its end. */
static void test_every_prefix(void **state)
{
    static const char text[] =
        "{\"version\": 1, \"generationMetadata\": {\"sources\": {\"data.bin\": {\"size\": 16, "
        "\"mtime_ns\": 1}}}, \"templates\": {\"u\": \"data.bin\"}, \"refs\": {" GROUP ", \"x/0\": [\"{{u}}\", 0, 4]}}";
    vz_error err;
    (void)state;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        vz_store *store = open_text(text, size, &err);
        assert_null(store);
        assert_int_equal(err.class, VZ_CORRUPT);
    }
}

static void test_keys_that_are_no_keys(void **state)
{
    static const char *const keys[] = {"../up", "/x", "x//0", "./x", "", "x/..", "x/./0", "/"};
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(text, sizeof text, "{\"version\": 1, \"refs\": {" GROUP ", \"%s\": \"a\"}}", keys[i]);
        check_refused(text, VZ_CORRUPT);
    }
}

/* Of a key with a NUL only the beginning would count; the chunk of a scalar may have no name. */
static void test_keys_that_are_others(void **state)
{
    static const char text[] = "{\"version\": 1, \"refs\": {" GROUP ", \"x/0\\u0000\": \"a\", \"s/\": \"b\"}}";
    vz_error err;
    vz_store *store = open_text(text, sizeof text - 1, &err);
    bool has = true;
    (void)state;
    assert_non_null(store);
    assert_true(vz_store_has(store, "x/0", &has, NULL));
    assert_false(has);
    assert_true(vz_store_has(store, "s/0", &has, NULL));
    assert_true(has);
    vz_store_close(store);
}

/* ---- values ---- */

static void test_values(void **state)
{
    (void)state;
    check_value("\"abc\"", "", VZ_OK, "abc");
    check_value("\"base64:YWJj\"", "", VZ_OK, "abc");
    check_value("[\"data.bin\", 4, 3]", "", VZ_OK, "456");
    check_value("[\"data.bin\"]", "", VZ_OK, DATA);
    check_value("[\"data.bin\", 16, 0]", "", VZ_OK, "");
    check_value("\"first\", \"x/0\": \"second\"", "", VZ_OK, "second");
    check_value("\"base64:YWJ\"", "", VZ_CORRUPT, NULL);
    check_value("\"base64:=\"", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 4]", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 4, 3, 2]", "", VZ_LIMIT, NULL);
    check_value("[\"data.bin\", -1, 3]", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 1.5, 3]", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 1e400, 3]", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 18446744073709551615, 18446744073709551615]", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 9223372036854775807, 1]", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 9223372036854775806, 1]", "", VZ_CORRUPT, NULL);
    check_value("[\"data.bin\", 14, 3]", "", VZ_CORRUPT, NULL);
    check_value("[\"\", 0, 1]", "", VZ_CORRUPT, NULL);
    check_value("[\"data\\u0000.bin\", 0, 1]", "", VZ_CORRUPT, NULL);
    check_value("[[\"data.bin\"], 0, 1]", "", VZ_LIMIT, NULL);
    check_value("[null, 0, 1]", "", VZ_CORRUPT, NULL);
    check_value("[[[[[[[[[[]]]]]]]]]]", "", VZ_LIMIT, NULL);
    check_value("true", "", VZ_CORRUPT, NULL);
    check_value("null", "", VZ_CORRUPT, NULL);
}

static void test_templates(void **state)
{
    char many[9000] = "[\"";
    (void)state;
    check_value("[\"{{u}}\", 0, 2]", "\"templates\": {\"u\": \"data.bin\"},", VZ_OK, "01");
    check_value("[\"{{ u }}\", 0, 2]", "\"templates\": {\"u\": \"data.bin\"},", VZ_OK, "01");
    check_value("[\"{{v}}\", 0, 2]", "\"templates\": {\"u\": \"data.bin\"},", VZ_UNSUPPORTED, NULL);
    check_value("[\"{{u\", 0, 2]", "\"templates\": {\"u\": \"data.bin\"},", VZ_UNSUPPORTED, NULL);
    check_value("[\"{{}}\", 0, 2]", "\"templates\": {\"\": \"data.bin\"},", VZ_UNSUPPORTED, NULL);
    check_value("[\"{{u}}\", 0, 2]", "\"templates\": {\"u\": \"{{u}}\"},", VZ_UNSUPPORTED, NULL);
    for (int i = 0; i < 1200; i++)
        strcat(many, "{{u}}");
    strcat(many, "\", 0, 1]");
    check_value(many, "\"templates\": {\"u\": \"xxxxxxxxxxxxxxxx\"},", VZ_LIMIT, NULL);
}

/* ---- versions of files ---- */

static void check_source(const char *note, vz_error_class class)
{
    char more[512];
    snprintf(more, sizeof more, "\"generationMetadata\": {\"sources\": %s},", note);
    check_value("[\"data.bin\", 0, 2]", more, class, NULL);
}

static void test_sources(void **state)
{
    (void)state;
    set_time(5);
    check_source("{\"data.bin\": {\"size\": 16}}", VZ_OK);
    check_source("{\"data.bin\": {\"size\": 16, \"mtime_ns\": 1700000000000000005}}", VZ_OK);
    check_source("{\"other.bin\": {\"size\": 17}}", VZ_OK);
    check_source("{\"data.bin\": {\"size\": 17}}", VZ_CORRUPT);
    check_source("{\"data.bin\": {\"size\": 18446744073709551615}}", VZ_CORRUPT);
    check_source("{\"data.bin\": {\"size\": 16, \"mtime_ns\": 1700000000000000006}}", VZ_CORRUPT);
    check_source("{\"data.bin\": {\"size\": 16, \"mtime_ns\": -1}}", VZ_CORRUPT);
    check_source("{\"data.bin\": {\"size\": 16, \"mtime_ns\": -9223372036854775808}}", VZ_CORRUPT);
    check_source("{\"data.bin\": {\"size\": 17}, \"data.bin\": {\"size\": 16}}", VZ_OK);
}

static void test_whole_seconds(void **state)
{
    (void)state;
    set_time(0);
    check_source("{\"data.bin\": {\"size\": 16, \"mtime_ns\": 1700000000000000005}}", VZ_OK);
    check_source("{\"data.bin\": {\"size\": 16, \"mtime_ns\": 1700000001000000000}}", VZ_CORRUPT);
}

/* Other programs have what they like there. */
static void test_notes_of_others(void **state)
{
    static const char *const notes[] = {"null",
                                        "[]",
                                        "1",
                                        "\"text\"",
                                        "{}",
                                        "{\"data.bin\": null}",
                                        "{\"data.bin\": []}",
                                        "{\"data.bin\": {}}",
                                        "{\"data.bin\": {\"size\": \"16\"}}",
                                        "{\"data.bin\": {\"size\": -1}}",
                                        "{\"data.bin\": {\"size\": 1.5}}",
                                        "{\"data.bin\": {\"size\": [[[[[]]]]]}}",
                                        "{\"data.bin\": 17}",
                                        "{\"\": {\"size\": 1}}"};
    (void)state;
    set_time(5);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        check_source(notes[i], VZ_OK);
    check_value("\"a\"", "\"generationMetadata\": null,", VZ_OK, "a");
    check_value("\"a\"", "\"generationMetadata\": [1, {\"sources\": {}}],", VZ_OK, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_are_refused),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_keys_that_are_no_keys),
        cmocka_unit_test(test_keys_that_are_others),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_whole_seconds),
        cmocka_unit_test(test_notes_of_others),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
