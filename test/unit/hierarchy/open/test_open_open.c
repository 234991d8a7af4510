/* test_open_open.c - paths: what is there, opening, what is refused. */
#include "hierarchy/resolve/path_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "remote/bucket/bucket.h"
#include "open_support.h"

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

/* A link that leads nowhere is a place for a store: what it leads to is made, and it stays. */
static void made_behind_a_link(void **state)
{
    place *p = *state;
    struct stat status;
    char *link = scratch_path(p->scratch, "to-be"), *target = scratch_path(p->scratch, "made.zarr");
    assert_int_equal(symlink("made.zarr", link), 0);
    vz_node *start;
    vz_hierarchy *h = open_as(link, VZ_CREATE_TRUNCATE, &start);
    close_it(h, start);
    assert_true(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(lstat(target, &status) == 0 && S_ISDIR(status.st_mode));
    assert_int_equal(vz_path_look(target, NULL), VZ_PATH_ZARR);
    free(link), free(target);
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
        vz_path_open_mode mode;
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

/* ---- who makes a store and flushes it before anybody hears of it ---- */

static vz_hierarchy *make(const char *path, const vz_options *options, vz_node **start)
{
    vz_hierarchy *h = NULL;
    vz_path_result *found;
    must((found = vz_path_find_to_create(path, &err)));
    vz_open_flushes(found);
    must(vz_open_found(found, VZ_CREATE_EXCLUSIVE, options, &h, start, &err));
    vz_path_result_free(found);
    return h;
}

/* Its documents come with the flush, and what somebody else put there meanwhile stays. */
static void root_left_to_the_flush(void **state)
{
    place *p = *state;
    const vz_options options = default_options();
    char *path = scratch_path(p->scratch, "later.zarr");
    vz_node *start;
    vz_hierarchy *h = make(path, &options, &start);
    assert_false(has_key(h->store, ".zgroup"));
    assert_int_equal(vz_path_look(path, NULL), VZ_PATH_EMPTY_DIRECTORY);
    write_file(path, ".zattrs", "{\"theirs\": 1}", strlen("{\"theirs\": 1}"));
    must(vz_node_set_attribute(start, "ours", json_of("2"), &err));
    must(vz_flush_store(h, false, &err));
    assert_true(has_key(h->store, ".zgroup"));
    char *text = get_text(h->store, ".zattrs");
    vz_json *attributes = json_of(text);
    assert_json(vz_json_get(attributes, "theirs"), "1");
    assert_json(vz_json_get(attributes, "ours"), "2");
    vz_json_free(attributes);
    free(text);
    close_it(h, start);
    free(path);
}

/* What is locked must be there; so must what decides between two that find the same directory. */
static void root_not_left(void **state)
{
    place *p = *state;
    vz_options options = default_options();
    char *path = scratch_path(p->scratch, "locked.zarr"), *empty = scratch_path(p->scratch, "empty");
    vz_node *start;
    options.locking = true;
    vz_hierarchy *h = make(path, &options, &start);
    assert_true(has_key(h->store, ".zgroup"));
    close_it(h, start);
    options.locking = false;
    assert_int_equal(mkdir(empty, 0777), 0);
    vz_path_result *found;
    must((found = vz_path_find_to_create(empty, &err)));
    vz_open_flushes(found);
    must(vz_open_found(found, VZ_CREATE_TRUNCATE, &options, &h, &start, &err));
    vz_path_result_free(found);
    assert_true(has_key(h->store, ".zgroup"));
    close_it(h, start);
    free(path);
    free(empty);
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
        if (vz_open_hierarchy(p->store, VZ_OPEN_READ, &options, &h, &start, &err) || err.sys_errno != EACCES ||
            err.class != VZ_PERMISSION)
            _exit(2);
        err = VZ_ERROR_NONE;
        if (vz_open_hierarchy(p->store, VZ_CREATE_TRUNCATE, &options, &h, &start, &err) || err.sys_errno != EACCES)
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
        if (vz_open_hierarchy(p->store, VZ_OPEN_WRITE, &options, &h, &start, &err) || err.sys_errno != EACCES)
            _exit(1);
        err = VZ_ERROR_NONE;
        if (!vz_open_hierarchy(p->store, VZ_OPEN_READ, &options, &h, &start, &err))
            _exit(2);
        vz_node_unref(start);
        _exit(vz_close_hierarchy(h, &err) ? 0 : 3);
    }
    waitpid(reader, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        test(looking),
        test(opening),
        test(made_behind_a_link),
        test(refusals),
        test(permissions),
        test(permissions_of_others),
        test(root_left_to_the_flush),
        test(root_not_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
