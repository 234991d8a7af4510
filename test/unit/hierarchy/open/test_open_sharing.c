/* test_open_sharing.c - stores at paths: truncated, shared, deleted, locked. */
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "remote/bucket/bucket.h"
#include "open_support.h"

/* ---- creating over something ---- */

static void truncating(void **state)
{
    place *p = *state;
    vz_node *start;
    char *file = scratch_path(p->scratch, "f.h5"), *none = scratch_path(p->scratch, "none"),
         *dir = scratch_path(p->scratch, "dir"), *link = scratch_path(p->scratch, "link"),
         *array = scratch_path(p->store, "g/a"), *zarray = scratch_path(p->store, "g/a/.zarray"),
         *text = scratch_path(p->scratch, "text"), *empty = scratch_path(p->scratch, "empty");
    write_file(p->scratch, "f.h5", "\211HDF\r\n\032\n", 8);
    write_file(p->scratch, "none", "", 0);
    assert_int_equal(mkdir(dir, 0777) | symlink("s.zarr", link), 0);
    write_file(p->scratch, "text", "CDF\1 or prose", 14);
    write_file(p->scratch, "empty", "", 0);
    const char *const paths[] = {file, none, dir, array, link, text, empty};
    for (size_t i = 0; i < 7; i++) {
        vz_hierarchy *h = open_as(paths[i], i == 6 ? VZ_CREATE_OVER_EMPTY : VZ_CREATE_TRUNCATE, &start);
        uint64_t count;
        must(vz_group_count(start, &count, &err));
        assert_int_equal(count, 0);
        assert_true(h->writable);
        close_it(h, start);
        h = open_as(paths[i], VZ_OPEN_WRITE, &start);
        must(vz_group_count(start, &count, &err));
        assert_int_equal(count, 0);
        close_it(h, start);
        if (i == 3)
            assert_int_equal(access(zarray, F_OK), -1);
    }
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode)); /* followed, not replaced */
    free(file), free(none), free(dir), free(link), free(array), free(zarray), free(text), free(empty);
}

/* As HDF5, which opens what it truncates for writing, and locks it. */
static void files_that_stay(void **state)
{
    place *p = *state;
    char *file = scratch_path(p->scratch, "f.h5"), *document = scratch_path(p->store, "g/a/.zarray");
    write_file(p->scratch, "f.h5", "\211HDF\r\n\032\n", 8);
    const int holder = open(file, O_RDWR);
    assert_int_equal(flock(holder, LOCK_EX), 0);
    assert_int_equal(open_error(file, VZ_CREATE_TRUNCATE).sys_errno, EWOULDBLOCK);
    assert_look(file, VZ_PATH_HDF5, 0);
    close(holder);
    vz_node *start;
    vz_hierarchy *h = open_as(p->store, VZ_OPEN_READ, &start);
    assert_int_equal(open_error(document, VZ_CREATE_TRUNCATE).class, VZ_BUSY);
    close_it(h, start);
    free(file), free(document);
}

static void sharing(void **state)
{
    place *p = *state;
    vz_node *a, *b, *c;
    vz_hierarchy *h = open_as(p->store, VZ_OPEN_READ, &a);
    assert_int_equal(open_error(p->store, VZ_OPEN_WRITE).class, VZ_BUSY);
    assert_int_equal(open_error(p->store, VZ_CREATE_TRUNCATE).class, VZ_BUSY);
    assert_int_equal(open_error(p->store, VZ_CREATE_EXCLUSIVE).sys_errno, EEXIST);
    must_fail(vz_delete_hierarchy(p->store, &err), VZ_BUSY, "is open");
    vz_hierarchy *same = open_as(p->store, VZ_OPEN_READ, &b);
    assert_ptr_equal(h, same);
    close_it(same, b);
    close_it(h, a);
    h = open_as(p->store, VZ_OPEN_WRITE, &a);
    must(vz_node_set_attribute(a, "seen", json_of("1"), &err));
    char *inside = scratch_path(p->store, "g");
    same = open_as(inside, VZ_OPEN_READ, &b);
    assert_ptr_equal(h, same);
    assert_json(vz_node_attribute(vz_hierarchy_root(same), "seen"), "1"); /* not written yet */
    assert_int_equal(vz_hierarchy_fileno(h), vz_hierarchy_fileno(same));
    assert_true(vz_hierarchy_fileno(h) >> 63);
    c = vz_hierarchy_root(h);
    assert_ptr_equal(a, c);
    assert_int_equal(open_error(inside, VZ_CREATE_TRUNCATE).class, VZ_BUSY);
    char *below = scratch_path(p->store, "g/new");
    assert_int_equal(open_error(below, VZ_CREATE_EXCLUSIVE).class, VZ_BUSY);
    close_it(h, a);
    assert_true(same->writable);
    close_it(same, b);
    h = open_as(below, VZ_CREATE_EXCLUSIVE, &a); /* nobody has the outer one open now */
    close_it(h, a);
    h = open_as(p->store, VZ_OPEN_READ, &a);
    assert_int_equal(find(find(a, "g"), "new")->kind, VZ_NODE_GROUP);
    close_it(h, a);
    free(inside);
    free(below);
}

static void deleting(void **state)
{
    place *p = *state;
    char *text = scratch_path(p->scratch, "text"), *none = scratch_path(p->scratch, "none");
    write_file(p->scratch, "text", "hello", 5);
    must_fail(vz_delete_hierarchy(text, &err), VZ_INVALID, "not a Zarr store");
    must_fail(vz_delete_hierarchy(none, &err), VZ_NOT_FOUND, "");
    must(vz_delete_hierarchy(p->store, &err));
    assert_look(p->store, VZ_PATH_MISSING, ENOENT);
    free(text);
    free(none);
}

/* ---- the store goes away under us ---- */

static void vanishing_store(void **state)
{
    place *p = *state;
    vz_node *start, *other;
    char *moved = scratch_path(p->scratch, "moved.zarr");
    vz_hierarchy *h = open_as(p->store, VZ_OPEN_WRITE, &start);
    vz_node *a = find(find(start, "g"), "a");
    vz_node_ref(a);
    write_element(a, 0, 100);
    assert_int_equal(rename(p->store, moved), 0);
    must(vz_flush_store(h, true, &err)); /* it goes where the store is */
    must(vz_node_set_attribute(start, "x", json_of("1"), &err));
    vz_hierarchy *fresh = open_as(p->store, VZ_CREATE_EXCLUSIVE, &other); /* another store at the old place */
    assert_ptr_not_equal(fresh, h);
    close_it(fresh, other);
    assert_int_equal(open_error(moved, VZ_CREATE_TRUNCATE).class, VZ_BUSY);
    vz_node_unref(a);
    close_it(h, start);
    h = open_as(moved, VZ_OPEN_WRITE, &start);
    assert_int_equal(read_element(find(find(start, "g"), "a"), 0), 100);
    assert_json(vz_node_attribute(start, "x"), "1");
    /* Deleted by somebody else: what is written then is lost, and said so. */
    vz_store *store = NULL;
    must((store = vz_store_open_directory(moved, true, &err)) && vz_store_del_tree(store, "", &err));
    vz_store_close(store);
    rmdir(moved);
    must(vz_node_set_attribute(start, "y", json_of("1"), &err));
    write_element(find(find(start, "g"), "a"), 1, 5);
    must_fail(vz_flush_store(h, false, &err), VZ_NOT_FOUND, "");
    vz_node_unref(start);
    must_fail(vz_close_hierarchy(h, &err), VZ_NOT_FOUND, "");
    free(moved);
}

/* ---- locking ---- */

static int child_opens(const char *path, vz_path_open_mode mode, bool locking)
{
    const pid_t child = fork();
    if (child == 0) {
        const vz_options options = {.format = 2, .locking = locking};
        vz_hierarchy *h;
        vz_node *start;
        vz_error err = VZ_ERROR_NONE;
        const bool ok = vz_open_hierarchy(path, mode, &options, &h, &start, &err);
        _exit(ok ? 0 : err.class == VZ_BUSY ? 1 : 2);
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static void locking(void **state)
{
    place *p = *state;
    vz_options options = default_options();
    vz_hierarchy *h;
    vz_node *start;
    options.locking = true;
    unsetenv("HDF5_USE_FILE_LOCKING");
    must(vz_open_hierarchy(p->store, VZ_OPEN_WRITE, &options, &h, &start, &err));
    assert_int_equal(child_opens(p->store, VZ_OPEN_READ, true), 1);
    assert_int_equal(child_opens(p->store, VZ_CREATE_TRUNCATE, true), 1);
    assert_int_equal(child_opens(p->store, VZ_OPEN_READ, false), 0);
    close_it(h, start);
    must(vz_open_hierarchy(p->store, VZ_OPEN_READ, &options, &h, &start, &err));
    assert_int_equal(child_opens(p->store, VZ_OPEN_READ, true), 0);
    assert_int_equal(child_opens(p->store, VZ_OPEN_WRITE, true), 1);
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    assert_int_equal(child_opens(p->store, VZ_OPEN_WRITE, true), 0);
    unsetenv("HDF5_USE_FILE_LOCKING");
    close_it(h, start);
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        test(truncating), test(files_that_stay), test(sharing), test(deleting), test(vanishing_store), test(locking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
