/* test_hierarchy_open.c - paths: what is there, opening, creating, truncating, deleting, sharing, locking; directory
 * stores.
 */
#include "node_support.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

typedef struct place {
    char *scratch;
    char *store; /* "s.zarr" in it: a root group with groups and arrays */
} place;

static void write_file(const char *directory, const char *name, const char *text, size_t size)
{
    char *path = scratch_path(directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    free(path);
}

static vz_hierarchy *open_as(const char *path, vz_open_mode mode, vz_node **start)
{
    const vz_options options = default_options();
    vz_hierarchy *h = NULL;
    must(vz_hierarchy_open(path, mode, &options, &h, start, &err));
    return h;
}

static vz_error open_error(const char *path, vz_open_mode mode)
{
    const vz_options options = default_options();
    vz_hierarchy *h;
    vz_node *start;
    vz_error err = VZ_ERROR_NONE;
    if (vz_hierarchy_open(path, mode, &options, &h, &start, &err))
        fail_msg("%s: opened", path);
    assert_string_equal(err.store, path);
    return err;
}

static void close_it(vz_hierarchy *h, vz_node *start)
{
    vz_node_unref(start);
    must(vz_hierarchy_close(h, &err));
}

static void assert_look(const char *path, vz_path_kind kind, int sys_errno)
{
    int found;
    assert_int_equal(vz_path_look(path, &found), kind);
    assert_int_equal(found, sys_errno);
}

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->scratch = scratch_new();
    p->store = scratch_path(p->scratch, "s.zarr");
    vz_node *root;
    vz_hierarchy *h = open_as(p->store, VZ_CREATE_EXCLUSIVE, &root);
    vz_node *g = new_group(h, root, "g"), *a = new_array(h, g, "a"), *g2 = new_group(h, g, "sub");
    write_elements(a, 1);
    vz_node_unref(a);
    vz_node_unref(g2);
    vz_node_unref(g);
    close_it(h, root);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    scratch_remove(p->scratch);
    free(p->store);
    free(p);
    return 0;
}

/* ---- looking ---- */

static void looking(void **state)
{
    place *p = *state;
    static const char signature[] = "\211HDF\r\n\032\n";
    static const size_t offsets[] = {0, 512, 1024, 4096, 1 << 20};
    char *path;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        char *bytes = calloc(1, offsets[i] + 8);
        memcpy(bytes + offsets[i], signature, 8);
        write_file(p->scratch, "f.h5", bytes, offsets[i] + 8);
        free(bytes);
        path = scratch_path(p->scratch, "f.h5");
        assert_look(path, VZ_PATH_HDF5, 0);
        free(path);
    }
    static const struct {
        const char *name, *text;
        size_t size;
        vz_path_kind kind;
    } others[] = {{"empty", "", 0, VZ_PATH_EMPTY_FILE},
                  {"short", "\211HDF\r\n\032", 7, VZ_PATH_FILE},
                  {"text", "hello, hello", 12, VZ_PATH_FILE}};
    for (size_t i = 0; i < 3; i++) {
        write_file(p->scratch, others[i].name, others[i].text, others[i].size);
        path = scratch_path(p->scratch, others[i].name);
        assert_look(path, others[i].kind, 0);
        free(path);
    }
    char wrong_place[1032] = {0};
    memcpy(wrong_place + 1000, signature, 8);
    write_file(p->scratch, "wrong", wrong_place, sizeof wrong_place);
    static const struct {
        const char *name;
        vz_path_kind kind;
        int sys_errno;
    } rows[] = {
        {"wrong", VZ_PATH_FILE, 0},
        {"nothing", VZ_PATH_MISSING, ENOENT},
        {"text/x", VZ_PATH_MISSING, ENOTDIR},
        {"s.zarr", VZ_PATH_ZARR, 0},
        {"s.zarr/", VZ_PATH_ZARR, 0},
        {"s.zarr/g", VZ_PATH_ZARR, 0},
        {"s.zarr/g/a", VZ_PATH_ZARR, 0},
        {"s.zarr/g/../g/", VZ_PATH_ZARR, 0},
        {".", VZ_PATH_OTHER, 0},
        {"s.zarr/nothing", VZ_PATH_MISSING, ENOENT},
        {"dir", VZ_PATH_EMPTY_DIRECTORY, 0},
        {"v3", VZ_PATH_ZARR, 0},
        {"link", VZ_PATH_ZARR, 0},
        {"dangling", VZ_PATH_MISSING, ENOENT},
        {"fifo", VZ_PATH_OTHER, 0},
        {"loop", VZ_PATH_OTHER, ELOOP},
    };
    char *dir = scratch_path(p->scratch, "dir"), *v3 = scratch_path(p->scratch, "v3"),
         *link = scratch_path(p->scratch, "link"), *dangling = scratch_path(p->scratch, "dangling"),
         *fifo = scratch_path(p->scratch, "fifo"), *loop = scratch_path(p->scratch, "loop");
    assert_int_equal(mkdir(dir, 0777) | mkdir(v3, 0777) | symlink("s.zarr", link) | symlink("none", dangling) |
                         mkfifo(fifo, 0666) | symlink("loop", loop),
                     0);
    write_file(v3, "zarr.json", "{}", 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        path = scratch_path(p->scratch, rows[i].name);
        assert_look(path, rows[i].kind, rows[i].sys_errno);
        free(path);
    }
    assert_look("", VZ_PATH_MISSING, ENOENT);
    free(dir), free(v3), free(link), free(dangling), free(fifo), free(loop);
}

/* ---- opening ---- */

static void opening(void **state)
{
    place *p = *state;
    static const struct {
        const char *name, *node; /* where the handle starts */
    } rows[] = {{"s.zarr", "/"}, {"s.zarr/", "/"}, {"s.zarr/g", "/g"}, {"s.zarr/g/sub//", "/g/sub"}, {"link", "/"}};
    char *link = scratch_path(p->scratch, "link");
    assert_int_equal(symlink("s.zarr", link), 0);
    free(link);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = scratch_path(p->scratch, rows[i].name);
        vz_node *start;
        vz_hierarchy *h = open_as(path, VZ_OPEN_READ, &start);
        char *node = vz_node_path(start, NULL);
        assert_string_equal(node, rows[i].node);
        assert_string_equal(vz_hierarchy_path(h), path);
        assert_int_equal(start->refs, 1);
        assert_false(h->writable);
        free(node);
        close_it(h, start);
        free(path);
    }
    /* An array inside of a store is a store of its own. */
    char *path = scratch_path(p->store, "g/a");
    vz_node *start;
    vz_hierarchy *h = open_as(path, VZ_OPEN_READ, &start);
    assert_int_equal(read_element(find(start, "a"), 3), 4);
    close_it(h, start);
    free(path);
}

static void refusals(void **state)
{
    place *p = *state;
    write_file(p->scratch, "text", "hello", 5);
    write_file(p->scratch, "f.h5", "\211HDF\r\n\032\n", 8);
    write_file(p->scratch, "f.zip", "PK\3\4....", 8);
    char *dir = scratch_path(p->scratch, "dir"), *v3 = scratch_path(p->scratch, "v3"),
         *full = scratch_path(p->scratch, "full");
    assert_int_equal(mkdir(dir, 0777) | mkdir(v3, 0777) | mkdir(full, 0777), 0);
    write_file(v3, "zarr.json", "{}", 2);
    write_file(full, "precious", "data", 4);
    static const struct {
        const char *name;
        vz_open_mode mode;
        vz_error_class class;
        int sys_errno;
        const char *message;
    } rows[] = {
        {"nothing", VZ_OPEN_READ, VZ_NOT_FOUND, ENOENT, "cannot open"},
        {"nothing", VZ_OPEN_WRITE, VZ_NOT_FOUND, ENOENT, "cannot open"},
        {"s.zarr/nothing", VZ_OPEN_READ, VZ_NOT_FOUND, ENOENT, "cannot open"},
        {"text", VZ_OPEN_READ, VZ_INVALID, 0, "not a Zarr store"},
        {"f.h5", VZ_OPEN_READ, VZ_INVALID, 0, "an HDF5 file"},
        {"f.zip", VZ_OPEN_READ, VZ_CORRUPT, 0, "too short for a zip file"},
        {"f.zip/x", VZ_OPEN_READ, VZ_IO, ENOTDIR, "cannot open"},
        {"f.zip/x", VZ_CREATE_TRUNCATE, VZ_IO, ENOTDIR, "cannot create"},
        {"f.h5/x", VZ_OPEN_READ, VZ_IO, ENOTDIR, "cannot open"},
        {"dir", VZ_OPEN_WRITE, VZ_INVALID, 0, "empty directory"},
        {"full", VZ_OPEN_WRITE, VZ_INVALID, 0, "not a Zarr store"},
        {"v3", VZ_OPEN_READ, VZ_CORRUPT, 0, "node_type"},
        {"s.zarr", VZ_CREATE_EXCLUSIVE, VZ_EXISTS, EEXIST, "cannot create"},
        {"dir", VZ_CREATE_EXCLUSIVE, VZ_EXISTS, EEXIST, "cannot create"},
        {"text", VZ_CREATE_EXCLUSIVE, VZ_EXISTS, EEXIST, "cannot create"},
        {"text", VZ_CREATE_OVER_EMPTY, VZ_EXISTS, EEXIST, "cannot create"},
        {"s.zarr", VZ_CREATE_OVER_EMPTY, VZ_EXISTS, EEXIST, "cannot create"},
        {"full", VZ_CREATE_TRUNCATE, VZ_EXISTS, EEXIST, "not replaced"},
        {".", VZ_CREATE_TRUNCATE, VZ_EXISTS, EEXIST, "not replaced"},
        {"no/where", VZ_CREATE_TRUNCATE, VZ_NOT_FOUND, ENOENT, "cannot create"},
        {"no/where", VZ_CREATE_EXCLUSIVE, VZ_NOT_FOUND, ENOENT, "cannot create"},
        {"text/x", VZ_CREATE_EXCLUSIVE, VZ_IO, ENOTDIR, "cannot create"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = scratch_path(p->scratch, rows[i].name);
        const vz_error err = open_error(path, rows[i].mode);
        if (err.class != rows[i].class || err.sys_errno != rows[i].sys_errno || !strstr(err.text, rows[i].message))
            fail_with(rows[i].name, &err);
        free(path);
    }
    char *kept = scratch_path(full, "precious");
    assert_int_equal(access(kept, F_OK), 0);
    free(kept), free(dir), free(v3), free(full);
}

static void permissions(void **state)
{
    place *p = *state;
    if (geteuid() == 0)
        skip(); /* root may do anything */
    chmod(p->store, 0555);
    assert_int_equal(open_error(p->store, VZ_OPEN_WRITE).sys_errno, EACCES);
    vz_node *start;
    vz_hierarchy *h = open_as(p->store, VZ_OPEN_READ, &start);
    close_it(h, start);
    chmod(p->store, 0);
    assert_int_equal(open_error(p->store, VZ_OPEN_READ).sys_errno, EACCES);
    assert_look(p->store, VZ_PATH_OTHER, EACCES);
    chmod(p->store, 0777);
}

/* As a user without root's rights, in a child: the parent may be root. */
static void permissions_of_others(void **state)
{
    place *p = *state;
    if (geteuid() != 0)
        skip();
    chmod(p->scratch, 0755);
    chmod(p->store, 0700);
    const pid_t child = fork();
    if (child == 0) {
        int sys_errno;
        const vz_options options = {.format = 2};
        vz_hierarchy *h;
        vz_node *start;
        vz_error err = VZ_ERROR_NONE;
        if (setuid(65534) != 0)
            _exit(9);
        if (vz_path_look(p->store, &sys_errno) != VZ_PATH_OTHER || sys_errno != EACCES)
            _exit(1);
        if (vz_hierarchy_open(p->store, VZ_OPEN_READ, &options, &h, &start, &err) || err.sys_errno != EACCES ||
            err.class != VZ_PERMISSION)
            _exit(2);
        err = VZ_ERROR_NONE;
        if (vz_hierarchy_open(p->store, VZ_CREATE_TRUNCATE, &options, &h, &start, &err) || err.sys_errno != EACCES)
            _exit(3);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    chmod(p->store, 0755);
    const pid_t reader = fork();
    if (reader == 0) {
        const vz_options options = {.format = 2};
        vz_hierarchy *h;
        vz_node *start;
        vz_error err = VZ_ERROR_NONE;
        if (setuid(65534) != 0)
            _exit(9);
        if (vz_hierarchy_open(p->store, VZ_OPEN_WRITE, &options, &h, &start, &err) || err.sys_errno != EACCES)
            _exit(1);
        err = VZ_ERROR_NONE;
        if (!vz_hierarchy_open(p->store, VZ_OPEN_READ, &options, &h, &start, &err))
            _exit(2);
        vz_node_unref(start);
        _exit(vz_hierarchy_close(h, &err) ? 0 : 3);
    }
    waitpid(reader, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
}

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
    must_fail(vz_hierarchy_delete(p->store, &err), VZ_BUSY, "is open");
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
    must_fail(vz_hierarchy_delete(text, &err), VZ_INVALID, "not a Zarr store");
    must_fail(vz_hierarchy_delete(none, &err), VZ_NOT_FOUND, "");
    must(vz_hierarchy_delete(p->store, &err));
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
    must(vz_hierarchy_flush(h, true, &err)); /* it goes where the store is */
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
    must_fail(vz_hierarchy_flush(h, false, &err), VZ_NOT_FOUND, "");
    vz_node_unref(start);
    must_fail(vz_hierarchy_close(h, &err), VZ_NOT_FOUND, "");
    free(moved);
}

/* ---- locking ---- */

static int child_opens(const char *path, vz_open_mode mode, bool locking)
{
    const pid_t child = fork();
    if (child == 0) {
        const vz_options options = {.format = 2, .locking = locking};
        vz_hierarchy *h;
        vz_node *start;
        vz_error err = VZ_ERROR_NONE;
        const bool ok = vz_hierarchy_open(path, mode, &options, &h, &start, &err);
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
    must(vz_hierarchy_open(p->store, VZ_OPEN_WRITE, &options, &h, &start, &err));
    assert_int_equal(child_opens(p->store, VZ_OPEN_READ, true), 1);
    assert_int_equal(child_opens(p->store, VZ_CREATE_TRUNCATE, true), 1);
    assert_int_equal(child_opens(p->store, VZ_OPEN_READ, false), 0);
    close_it(h, start);
    must(vz_hierarchy_open(p->store, VZ_OPEN_READ, &options, &h, &start, &err));
    assert_int_equal(child_opens(p->store, VZ_OPEN_READ, true), 0);
    assert_int_equal(child_opens(p->store, VZ_OPEN_WRITE, true), 1);
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    assert_int_equal(child_opens(p->store, VZ_OPEN_WRITE, true), 0);
    unsetenv("HDF5_USE_FILE_LOCKING");
    close_it(h, start);
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        test(looking),    test(opening),         test(refusals), test(permissions), test(permissions_of_others),
        test(truncating), test(files_that_stay), test(sharing),  test(deleting),    test(vanishing_store),
        test(locking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
