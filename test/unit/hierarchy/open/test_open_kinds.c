/* test_open_kinds.c - a kind of store more: one file (logging_directory.h), and one row of the table. What a path
 * leads to is found, made, opened, locked, shared and removed as of any other kind. And what is found at a directory is
 * never what was there before. */
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/open/open.h"
#include "node_support.h"
#include "logging_directory.h"
#include "store/zip/zip.h"
#include <errno.h>
#include <fcntl.h>
#include <time.h>

static const vz_store_kind *const kinds[] = {&kind_logging, &vz_zip_kind, &vz_kind_directory, NULL};

static vz_hierarchy *open_as(const char *path, vz_path_open_mode mode, bool locking, vz_node **start)
{
    vz_options options = default_options();
    vz_hierarchy *h = NULL;
    options.locking = locking;
    must(vz_open_hierarchy(path, mode, &options, &h, start, &err));
    return h;
}

static void close_it(vz_hierarchy *h, vz_node *start)
{
    vz_node_unref(start);
    must(vz_close_hierarchy(h, &err));
}

static bool is_logged(const char *what)
{
    const bool found = strstr(logging_log, what) != NULL;
    if (!found)
        print_message("%s", logging_log);
    return found;
}

static void a_kind_is_a_row(void **state)
{
    const char *scratch = *state;
    char *path = scratch_path(scratch, "s" LOGGED), *plain = scratch_path(scratch, "plain.zarr");
    vz_node *start, *again;
    int sys_errno;
    vz_hierarchy *h = open_as(plain, VZ_CREATE_EXCLUSIVE, false, &start);
    close_it(h, start);
    assert_string_equal(logging_log, ""); /* another kind's */

    assert_int_equal(vz_path_look(path, &sys_errno), VZ_PATH_MISSING);
    h = open_as(path, VZ_CREATE_EXCLUSIVE, false, &start);
    assert_string_equal(vz_hierarchy_store(h)->class->kind, "logged");
    must(vz_node_set_attribute(start, "a", json_of("[1]"), &err));
    close_it(h, start);
    assert_true(is_logged("create ") && is_logged("key .zgroup\n") && is_logged("key .zattrs\n"));

    *logging_log = '\0';
    assert_int_equal(vz_path_look(path, &sys_errno), VZ_PATH_ZARR);
    h = open_as(path, VZ_OPEN_WRITE, true, &start);
    assert_json(vz_node_attribute(start, "a"), "[1]");
    assert_true(is_logged("write ") && is_logged("lock .zgroup\n") && is_logged("key .zattrs\n"));
    assert_ptr_equal(open_as(path, VZ_OPEN_WRITE, true, &again), h); /* one hierarchy a store, whatever kind */
    close_it(h, again);
    must_fail(vz_delete_hierarchy(path, &err), VZ_BUSY, "is open");
    close_it(h, start);

    *logging_log = '\0';
    must(vz_delete_hierarchy(path, &err));
    assert_true(is_logged("remove "));
    assert_int_equal(vz_path_look(path, &sys_errno), VZ_PATH_MISSING);
    free(path), free(plain);
}

/* ---- a store that goes ---- */

static char *root_document;
static bool tree_went, copy_was_there;

/* Is the copy of all documents there when the group's tree goes? The last who names it deletes it. */
static void look_for_copy(const char *key)
{
    char text[4096];
    if (strcmp(key, "g") != 0)
        return;
    FILE *file = fopen(root_document, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    copy_was_there = strstr(text, "consolidated_metadata") != NULL;
    tree_went = true;
}

/* Its readers would find fill values where chunks are gone. */
static void the_copy_goes_first(void **state)
{
    char *path = scratch_path(*state, "s" LOGGED);
    vz_options options = default_options();
    vz_hierarchy *h = NULL;
    vz_node *start;
    options.format = 3;
    root_document = scratch_path(path, "zarr.json");
    tree_went = false;
    for (unsigned i = 0; i < 2; i++) {
        must(vz_open_hierarchy(path, i ? VZ_CREATE_TRUNCATE : VZ_CREATE_EXCLUSIVE, &options, &h, &start, &err));
        logging_hook = NULL;
        assert_true(tree_went == (i == 1) && !copy_was_there);
        new_group(h, start, "g");
        close_it(h, start);
        logging_hook = look_for_copy;
        tree_went = false;
    }
    must(vz_delete_hierarchy(path, &err));
    logging_hook = NULL;
    assert_true(tree_went && !copy_was_there);
    free(root_document), free(path);
}

/* ---- what is found holds ---- */

static void put_document(const char *store, const char *name, bool exists)
{
    char *path = scratch_path(store, name);
    if (exists) {
        FILE *file = fopen(path, "w");
        fputs("{\"zarr_format\": 2}", file);
        fclose(file);
    } else {
        assert_int_equal(unlink(path), 0);
    }
    free(path);
}

/* A change after a look that is old enough to be believed. */
static void a_change_after_a_while(void **state)
{
    const char *scratch = *state;
    char *store = scratch_path(scratch, "slow.zarr");
    const struct timespec while_ = {.tv_nsec = 80000000};
    int sys_errno;
    assert_int_equal(mkdir(store, 0777), 0);
    put_document(store, "other", true);
    for (unsigned i = 0; i < 5; i++) {
        put_document(store, ".zgroup", true);
        nanosleep(&while_, NULL);
        assert_int_equal(vz_path_look(store, &sys_errno), VZ_PATH_ZARR);
        assert_int_equal(vz_path_look(store, &sys_errno), VZ_PATH_ZARR);
        put_document(store, ".zgroup", false);
        assert_int_equal(vz_path_look(store, &sys_errno), VZ_PATH_OTHER);
        nanosleep(&while_, NULL);
        assert_int_equal(vz_path_look(store, &sys_errno), VZ_PATH_OTHER);
    }
    free(store);
}

int main(void)
{
    vz_store_set_kinds(kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kind_is_a_row, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(the_copy_goes_first, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_change_after_a_while, scratch_set_up, scratch_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
