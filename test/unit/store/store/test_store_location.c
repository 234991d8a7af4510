/* Making stores of each kind where something may be already. */
#include "store/zip/zip_internal.h"
#include "store/store/kind.h"
#include "own_directory.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char directory[64], path[96];

static int make_directory(void **state)
{
    (void)state;
    if (!own_directory(directory))
        return -1;
    snprintf(path, sizeof path, "%s/s", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    return remove_tree(directory);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
}

static const vz_store_kind *kind_called(const char *name)
{
    const vz_store_creation wanted = {.kind = name};
    return vz_location_kind(path, &wanted, NULL);
}

static void test_wishes(void **state)
{
    (void)state;
    static const struct {
        const char *path, *kind, *made; /* made: NULL is refused */
        uint64_t user_block;
    } cases[] = {
        {"s", NULL, "directory", 0}, {"s.zip", NULL, "zip", 0},     {"s.zip", "directory", "directory", 0},
        {"s", "file", "file", 0},    {"s", "file", "file", 512},    {"s", "zip", NULL, 512},
        {"s", NULL, NULL, 512},      {"s", "directory", NULL, 512}, {"s", "tar", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const vz_store_creation wanted = {.kind = cases[i].kind, .user_block = cases[i].user_block};
        vz_error err = VZ_ERROR_NONE;
        const vz_store_kind *kind = vz_location_kind(cases[i].path, &wanted, &err);
        if (cases[i].made)
            assert_string_equal(vz_store_kind_name(kind), cases[i].made);
        else
            assert_true(!kind && err.class != VZ_OK && err.text[0]);
    }
}

/* Of two who find the same empty file the second finds that it is not empty any more, and leaves it. */
static void test_over_empty(void **state)
{
    (void)state;
    static const char *const names[] = {"zip", "file"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const vz_store_kind *kind = kind_called(names[i]);
        struct stat before, after;
        vz_error err = VZ_ERROR_NONE;
        write_text("");
        assert_int_equal(stat(path, &before), 0);
        vz_store *store = vz_location_create(path, kind, 0, VZ_MAKE_OVER_EMPTY, &err);
        assert_non_null(store);
        assert_int_equal(stat(path, &after), 0);
        assert_true(after.st_ino == before.st_ino && after.st_size > 0);
        assert_null(vz_location_create(path, kind, 0, VZ_MAKE_OVER_EMPTY, &err));
        assert_int_equal(err.sys_errno, EEXIST);
        vz_store_close(store);
        write_text("text");
        err = VZ_ERROR_NONE;
        assert_null(vz_location_create(path, kind, 0, VZ_MAKE_OVER_EMPTY, &err));
        assert_int_equal(err.class, VZ_EXISTS);
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(after.st_size, 4);
        err = VZ_ERROR_NONE;
        assert_null(vz_location_create(path, kind, 0, VZ_MAKE_NEW, &err));
        assert_int_equal(err.class, VZ_EXISTS);
        vz_store_close(store = vz_location_create(path, kind, 0, VZ_MAKE_OVER, &err));
        assert_non_null(store);
        vz_location location;
        assert_true(vz_location_find(path, &location, NULL));
        assert_ptr_equal(location.kind, kind);
        vz_location_clear(&location);
        unlink(path);
    }
}

int main(void)
{
    vz_store_set_kinds(vz_zip_local_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_wishes, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_over_empty, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
