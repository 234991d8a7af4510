/* test_directory_new.c - a directory store that was just made: what is looked at for it only when it must be. */
#include "store/zip/zip_internal.h"
#include "store/store/kind.h"
#include "base/os/file.h"
#include "store_directory_support.h"
#include <limits.h>
#include <time.h>

static vz_store *made; /* by the case */

static void make(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    made = vz_store_create_directory(path, true, NULL);
    assert_non_null(made);
}

static void put_in_new(const char *key, const char *text)
{
    assert_true(vz_store_put(made, key, text_bytes(text), NULL));
}

static int dies_with_its_shape_untold(vz_store *store)
{
    char path[64];
    (void)store;
    snprintf(path, sizeof path, "%s/new", scratch);
    vz_store *own = vz_store_create_directory(path, true, NULL);
    return own && vz_store_begin_shape_change(own, "x", NULL) && vz_store_begin(own, "a", NULL) &&
                   vz_store_put(own, "a/0", text_bytes("left"), NULL) && vz_store_drain(own, NULL)
               ? 0
               : 1;
}

/* A store of that name died with its staging area, and somebody removed its directory, not what is beside it. */
static void test_sweeps_what_was_beside_it(void **state)
{
    (void)state;
    assert_int_equal(in_child(dies_with_its_shape_untold, NULL), 0);
    shell("test -e ../.new.partial/lease && rm -r ../new");
    make("new");
    shell("test -e ../.new.partial/1/0"); /* nothing was written yet */
    put_in_new(".zgroup", "{}");
    shell("test -e ../.new.partial/lease -a ! -e ../.new.partial/1 -a ! -e ../.new-1.partial");
    vz_store_close(made);
    shell("test -z \"$(ls -A .. | grep new.*partial)\"");
}

/* What a living writer has there stays. */
static void test_leaves_a_living_stage(void **state)
{
    (void)state;
    make("new");
    vz_store *first = made;
    assert_true(vz_store_begin(first, "a", NULL) && vz_store_put(first, "a/0", text_bytes("1"), NULL) &&
                vz_store_drain(first, NULL));
    shell("mv ../new ../other");
    make("new");
    put_in_new(".zgroup", "{}");
    shell("test -e ../.new.partial/1/0 -a -e ../.new-1.partial/lease");
    vz_store_close(made);
    shell("test -e ../.new.partial/1/0 -a ! -e ../.new-1.partial");
    vz_store_close(first);
    shell("test ! -e ../.new.partial");
}

/* Of several writers one makes a document, in a store that is new, too. */
static void test_first_document_wins(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    make("new");
    assert_true(vz_store_put_new(made, "zarr.json", text_bytes("first"), NULL));
    assert_false(vz_store_put_new(made, "zarr.json", text_bytes("second"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_int_equal(err.sys_errno, EEXIST);
    vz_store_close(made);
    assert_file("../new/zarr.json", "first");
    shell("test -z \"$(ls -A .. | grep partial)\"");
}

static bool is_recent(const char *path)
{
    char full[64];
    struct stat status;
    struct timespec now;
    snprintf(full, sizeof full, "%s/%s", scratch, path);
    clock_gettime(CLOCK_REALTIME, &now);
    assert_int_equal(stat(full, &status), 0);
    return now.tv_sec - status.st_mtim.tv_sec < 1000;
}

/* Whatever changed, the directory's time tells that something did: by a name in it, or because it is set. */
static void test_time_of_the_root(void **state)
{
    static const char *const keys[] = {".zgroup", "x/0", ".zattrs", "x/1"};
    (void)state;
    make("new");
    put_in_new("x/0", "1");
    for (size_t i = 0; i < COUNT(keys); i++) {
        put_in_new(keys[i], "2");
        shell("touch -d '2 hours ago' ../new");
        put_in_new(keys[i], "3");
        vz_store_touch(made);
        assert_true(is_recent("new"));
    }
    put_in_new(".zattrs", "4");
    put_in_new("x/1", "4"); /* after a name in the root */
    shell("touch -d '2 hours ago' ../new");
    vz_store_touch(made);
    assert_true(is_recent("new"));
    vz_store_close(made);
}

/* Whatever it was called when it was made, its path is the one that the system has for it. */
static void test_its_path(void **state)
{
    static const struct {
        const char *name;
        bool is_plain;
    } rows[] = {{"a", true},      {"in/b", true},       {"in/./c", false},    {"in/../in/d", false},
                {"in//e", false}, {"link/f", false},    {".g", true},         {"in/..h", true},
                {"./i", false},   {"link/../j", false}, {"link/in/k", false}, {"in/l.zarr", true},
                {"m/", false},    {"in/n//", false}};
    const vz_store_creation wanted = {.kind = "directory"};
    char path[100], here[PATH_MAX];
    (void)state;
    char *above = realpath(scratch, NULL);
    const bool knows_above = above && strcmp(above, scratch) == 0;
    free(above);
    shell("mkdir -p ../in/in && ln -s in ../link");
    assert_non_null(getcwd(here, sizeof here));
    const vz_store_kind *kind = vz_location_kind("x", &wanted, NULL);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) { /* absolute, then relative */
        const size_t row = i / 2;
        if (i % 2)
            shell("rm -r ../in ../link && mkdir -p ../in/in && ln -s in ../link; cd ..; rm -rf a .g i j m");
        snprintf(path, sizeof path, "%s%s%s", i % 2 ? "" : scratch, i % 2 ? "" : "/", rows[row].name);
        assert_int_equal(i % 2 ? chdir(scratch) : 0, 0);
        vz_store *store = vz_location_create(path, kind, 0, VZ_MAKE_NEW, NULL);
        char *real = realpath(path, NULL);
        assert_true(store && real);
        assert_string_equal(store->path, real);
        const int file = vz_os_path_open_real(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if ((i % 2 || knows_above) && (file >= 0) != rows[row].is_plain &&
            (file >= 0 || errno != ENOSYS || !rows[row].is_plain))
            fail_msg("%s: %d", path, file);
        if (file >= 0)
            close(file);
        free(real);
        vz_store_close(store);
        assert_int_equal(chdir(here), 0);
    }
}

int main(void)
{
    vz_store_set_kinds(vz_zip_local_kinds);
    const struct CMUnitTest tests[] = {
        TEST(test_sweeps_what_was_beside_it),
        TEST(test_leaves_a_living_stage),
        TEST(test_first_document_wins),
        TEST(test_time_of_the_root),
        TEST(test_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
