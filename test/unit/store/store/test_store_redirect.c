/* Doorways: what is written, what is read of honest and of hostile ones, and where they may lead. */
#include "store/zip/zip_internal.h"
#include "store/store/kind.h"
#include "own_directory.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char directory[64], door[128];

static int make_directory(void **state)
{
    (void)state;
    if (!own_directory(directory))
        return -1;
    snprintf(door, sizeof door, "%s/in/d.h5", directory);
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && mkdir in in/s.zarr in/s.zarr/g out && mkfifo in/pipe && touch in/empty && "
             "ln -s ../out in/away && ln -s s.zarr in/link && ln -s in/d.h5 linked.h5",
             directory);
    vz_redirect_allow_anywhere(false);
    return system(command);
}

static int remove_directory(void **state)
{
    (void)state;
    return remove_tree(directory);
}

static void make(const char *target)
{
    vz_error err = VZ_ERROR_NONE;
    unlink(door);
    if (!vz_redirect_write(door, target, &err))
        fail_msg("%s", err.text);
}

/* A file with the header of a redirect file and that text. */
static void make_text(const char *text, size_t size)
{
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE];
    const vz_bytes start = vz_signature_print(VZ_SIGNATURE_REDIRECT, block);
    FILE *file = fopen(door, "wb");
    fwrite(start.data, 1, start.size, file);
    fwrite(text, 1, size, file);
    fclose(file);
}

static vz_location find(const char *path)
{
    vz_location location;
    vz_error err = VZ_ERROR_NONE;
    if (!vz_location_find(path, &location, &err))
        fail_msg("%s", err.text);
    return location;
}

/* Where the redirect file leads: below the test's directory. */
static void assert_leads(const char *path, const char *target)
{
    char expected[128];
    vz_location location = find(path);
    snprintf(expected, sizeof expected, "%s/%s", directory, target);
    if (location.type != VZ_PATH_TYPE_STORE)
        fail_msg("%s", location.why.text);
    assert_string_equal(location.path, expected);
    assert_string_equal(location.store->path, expected);
    assert_non_null(location.redirect);
    assert_non_null(strstr(vz_location_label(&location), "a doorway to"));
    vz_location_clear(&location);
}

static void assert_lost(vz_error_class class, const char *text)
{
    vz_location location = find(door);
    assert_int_equal(location.type, VZ_PATH_TYPE_REDIRECT);
    if (location.why.class != class || !strstr(location.why.text, text))
        fail_msg("%d %s", location.why.class, location.why.text);
    assert_string_equal(location.redirect, door);
    vz_location_clear(&location);
}

static void test_leads(void **state)
{
    (void)state;
    char through[160], linked[128];
    make("s.zarr");
    assert_leads(door, "in/s.zarr");
    snprintf(linked, sizeof linked, "%s/linked.h5",
             directory); /* names count from the redirect file, not from the link */
    assert_leads(linked, "in/s.zarr");
    snprintf(through, sizeof through, "%s/g", door);
    assert_leads(through, "in/s.zarr/g");
    make("link/g");
    assert_leads(door, "in/s.zarr/g");
    make("./x/../s.zarr/"); /* x is not there */
    assert_lost(VZ_NOT_FOUND, "where it leads");
    char whole[160];
    snprintf(whole, sizeof whole, "%s/in/s.zarr", directory);
    make(whole);
    assert_leads(door, "in/s.zarr");
}

/* A place for a store, as below a dangling link. */
static void test_nothing_there_yet(void **state)
{
    (void)state;
    make("new.zarr");
    vz_location location = find(door);
    assert_int_equal(location.type, VZ_PATH_TYPE_NONE);
    assert_int_equal(location.sys_errno, ENOENT);
    assert_non_null(strstr(location.path, "/in/new.zarr"));
    vz_location_clear(&location);
}

static void test_elsewhere(void **state)
{
    (void)state;
    static const char *const names[] = {"../out",           "..",   ".", "/", "/tmp", "away", "away/new",
                                        "s.zarr/../../out", "../in"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make(names[i]);
        assert_lost(VZ_PERMISSION, "doorways=anywhere");
    }
    vz_redirect_allow_anywhere(true);
    make("../out");
    assert_leads(door, "out");
    make("away");
    assert_leads(door, "out");
    vz_redirect_allow_anywhere(false);
}

static void test_no_store(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        vz_error_class class;
        const char *text;
    } cases[] = {
        {"d.h5", VZ_INVALID, "another doorway"},
        {"pipe", VZ_INVALID, "not a Zarr store"},
        {"empty", VZ_INVALID, "not a Zarr store"},
        {"s3://bucket/x.zarr", VZ_UNSUPPORTED, "remote stores"},
        {"zarr+s3://b/x", VZ_UNSUPPORTED, "remote stores"},
        {"https://host/x", VZ_UNSUPPORTED, "remote stores"},
        {"empty/x", VZ_IO, "no store can be there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(cases[i].target);
        assert_lost(cases[i].class, cases[i].text);
    }
    vz_redirect_allow_anywhere(true);
    make("/dev/null");
    assert_lost(VZ_INVALID, "not a Zarr store");
    vz_redirect_allow_anywhere(false);
}

static void test_damaged(void **state)
{
    (void)state;
#define TEXT(text) text, sizeof text - 1
    static const struct {
        const char *text;
        size_t size;
        vz_error_class class;
        const char *says;
    } cases[] = {
        {TEXT(""), VZ_CORRUPT, "no JSON"},
        {TEXT("{\"store\": \"s.zarr\""), VZ_CORRUPT, "no JSON"},
        {TEXT("{\"store\": \"s.zarr\"}\0"), VZ_CORRUPT, "no JSON"},
        {TEXT("{\"store\": \"s.zarr\"} {}"), VZ_CORRUPT, "no JSON"},
        {TEXT("[\"s.zarr\"]"), VZ_CORRUPT, "names no store"},
        {TEXT("\"s.zarr\""), VZ_CORRUPT, "names no store"},
        {TEXT("{}"), VZ_CORRUPT, "names no store"},
        {TEXT("{\"store\": 1}"), VZ_CORRUPT, "names no store"},
        {TEXT("{\"store\": \"\"}"), VZ_CORRUPT, "names no store"},
        {TEXT("{\"store\": \"s.zarr\\u0000\"}"), VZ_CORRUPT, "names no store"},
        {TEXT("{\"store\": \"\\ud800\"}"), VZ_CORRUPT, "names no store"},
        {TEXT("{\"store\": \"s.zarr\", \"options\": \"sync=1\"}"), VZ_UNSUPPORTED, "options"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_text(cases[i].text, cases[i].size);
        assert_lost(cases[i].class, cases[i].says);
    }
    char text[5000];
    memset(text, ' ', sizeof text);
    memcpy(text, TEXT("{\"store\": \"s.zarr\"}"));
    make_text(text, sizeof text);
    assert_lost(VZ_LIMIT, "more than the 4096");
    make_text(text, 3000);
    assert_leads(door, "in/s.zarr");
    memset(text, '[', sizeof text);
    make_text(text, 3900);
    assert_lost(VZ_CORRUPT, "no JSON");
    snprintf(text, sizeof text, "{\"store\": \"");
    memset(text + 11, 'x', 3900 - 13);
    memcpy(text + 3898, "\"}", 2);
    make_text(text, 3900);
    assert_lost(VZ_IO, "where it leads"); /* longer than a name can be */
}

static void test_write(void **state)
{
    (void)state;
    char name[5000];
    vz_error err = VZ_ERROR_NONE;
    make("s.zarr");
    assert_false(vz_redirect_write(door, "other.zarr", &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_leads(door, "in/s.zarr");
    unlink(door);
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    const char *const wrong[] = {"", "\xff", name};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err = VZ_ERROR_NONE;
        assert_false(vz_redirect_write(door, wrong[i], &err));
        assert_int_equal(access(door, F_OK), -1);
    }
    make("a \"quoted\" \\ name.zarr");
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(door, "rb");
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    assert_non_null(strstr(text + 8, "plugin vol-zarr\n{\"store\": \"a \\\"quoted\\\" \\\\ name.zarr\"}\n"));
    free(text);
}

int main(void)
{
    vz_store_set_kinds(vz_zip_local_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_leads, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_nothing_there_yet, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_elsewhere, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_no_store, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_damaged, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_write, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
