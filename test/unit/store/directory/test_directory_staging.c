/* test_directory_staging.c - prefixes of a directory store that wait until they are published, looked at by POSIX
 * calls. */
#include "store_directory_support.h"
#include "base/os/file.h"
#include "base/os/thread.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

/* Before the next stage that is made is opened, somebody who looks for leftovers removed it; or another writer has one
 * of its name since. */
static bool removed, overtaken;
static unsigned leases; /* that were made */

static void make_lease(int directory, const char *staging, int (*real)(int, const char *, int, ...))
{
    char name[80];
    snprintf(name, sizeof name, "%s/lease", staging);
    close(real(directory, name, O_CREAT | O_WRONLY, 0666));
}

int openat(int directory, const char *name, int flags, ...)
{
    int (*real)(int, const char *, int, ...);
    *(void **)&real = dlsym(RTLD_NEXT, "openat");
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    const bool is_stage = strstr(name, ".partial") && !strchr(name, '/') && flags & O_DIRECTORY;
    if (removed && is_stage) {
        removed = false;
        unlinkat(directory, name, AT_REMOVEDIR);
    }
    if (overtaken && is_stage) {
        overtaken = false;
        make_lease(directory, name, real);
    }
    leases += flags & O_CREAT && strcmp(name, "lease") == 0;
    return real(directory, name, flags, mode);
}

static const char nameless[] = "0123456789abcdef0123456789abcdef-1.partial";

static void key_in(char *key, size_t size, const char *prefix, const char *name)
{
    snprintf(key, size, "%s/%s", prefix, name);
}

static void test_appears_at_once(void **state)
{
    begin_prefix(*state, "g");
    begin_prefix(*state, "g/a");
    put(*state, "g/a/0.0", "chunk");
    put(*state, "g/a/.zarray", "{}");
    put(*state, "g/.zgroup", "{}");
    shell("test -z \"$(ls -A)\"");
    assert_got(*state, "g/a/0.0", "chunk");
    assert_list(*state, "g/a", ".zarray 0.0");
    assert_true(vz_store_publish(*state, "g/a", NULL));
    shell("test -z \"$(ls -A)\"");
    assert_list(*state, "g", ".zgroup a/");
    assert_true(vz_store_publish(*state, "g", NULL));
    assert_file("g/a/0.0", "chunk");
    assert_file("g/.zgroup", "{}");
    assert_list(*state, "g", ".zgroup a/");
}

static void test_renamed_and_deleted_while_it_waits(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    begin_prefix(*state, "g");
    begin_prefix(*state, "g/a");
    put(*state, "g/a/0", "chunk");
    assert_true(vz_store_rename_tree(*state, "g", "h", NULL));
    assert_got(*state, "h/a/0", "chunk");
    assert_got(*state, "g/a/0", NULL);
    put(*state, "there/x", "1");
    assert_false(vz_store_rename_tree(*state, "h/a", "there", &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_true(vz_store_rename_tree(*state, "h/a", "there/a", NULL));
    assert_true(vz_store_publish(*state, "there/a", NULL));
    assert_file("there/a/0", "chunk");
    begin_prefix(*state, "b");
    put(*state, "b/0", "1");
    assert_true(vz_store_del_tree(*state, "b", NULL));
    assert_got(*state, "b/0", NULL);
    assert_true(vz_store_publish(*state, "b", NULL));
    assert_false(exists("b"));
}

static void test_without_a_name(void **state)
{
    char key[80];
    key_in(key, sizeof key, nameless, "0");
    put(*state, key, "chunk");
    shell("test -z \"$(ls -A)\"");
    begin_prefix(*state, "a");
    assert_true(vz_store_rename_tree(*state, nameless, "a", NULL));
    assert_got(*state, "a/0", "chunk");
    assert_false(exists("a"));
    assert_true(vz_store_publish(*state, "a", NULL));
    assert_file("a/0", "chunk");
    assert_true(vz_store_rename_tree(*state, "a", nameless, NULL));
    assert_false(exists("a"));
    assert_got(*state, key, "chunk");
    assert_true(vz_store_del_tree(*state, nameless, NULL));
    assert_got(*state, key, NULL);
}

/* With nodes below it that wait, too; nothing moves on the disk, and nothing is waited for. */
static void test_named_where_it_lies(void **state)
{
    char key[80], below[80];
    vz_pool_set_threads(2);
    key_in(key, sizeof key, nameless, "0");
    key_in(below, sizeof below, nameless, "n");
    put(*state, key, "chunk");
    begin_prefix(*state, below);
    key_in(below, sizeof below, nameless, "n/0");
    put(*state, below, "deep");
    begin_prefix(*state, "a");
    assert_true(vz_store_has_unwritten(*state, ""));
    assert_true(vz_store_rename_tree(*state, nameless, "a", NULL));
    assert_true(vz_store_has_unwritten(*state, "a/n"));
    put(*state, "a/1", "more");
    assert_got(*state, "a/0", "chunk");
    assert_got(*state, "a/n/0", "deep");
    assert_got(*state, key, NULL);
    assert_true(vz_store_publish(*state, "a/n", NULL) && vz_store_publish(*state, "a", NULL));
    assert_file("a/0", "chunk");
    assert_file("a/1", "more");
    assert_file("a/n/0", "deep");
    assert_true(vz_store_del_tree(*state, "a", NULL));
}

/* At a name that has something already it goes beside that, as far as the disk tells. */
static void test_named_where_something_lies(void **state)
{
    char key[80];
    vz_error err = VZ_ERROR_NONE;
    key_in(key, sizeof key, nameless, "0");
    put(*state, key, "chunk");
    begin_prefix(*state, "a");
    put(*state, "a/0", "first");
    assert_false(vz_store_rename_tree(*state, nameless, "a", &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_got(*state, "a/0", "first");
    assert_got(*state, key, "chunk");
}

static void test_exchanged(void **state)
{
    char key[80];
    bool done;
    key_in(key, sizeof key, nameless, "0");
    put(*state, "a/0", "old");
    put(*state, key, "new");
    assert_true(vz_store_exchange_trees(*state, "a", nameless, &done, NULL) && done);
    assert_file("a/0", "new");
    assert_got(*state, key, "old");
    shell("test \"$(ls -A)\" = a");
}

/* Whatever somebody else made there since stays, but for the values that are ours, too. */
static void test_gives_way(void **state)
{
    begin_prefix(*state, "g");
    put(*state, "g/mine", "1");
    put(*state, "g/both", "mine");
    shell("mkdir g && echo -n 2 > g/theirs && echo -n theirs > g/both");
    assert_true(vz_store_give_way(*state, "g", NULL));
    assert_file("g/mine", "1");
    assert_file("g/theirs", "2");
    assert_file("g/both", "mine");
    put(*state, "g/later", "3");
    assert_file("g/later", "3");
}

/* What was put and is not there any more is no success. */
static void test_removed_by_somebody(void **state)
{
    vz_error err[2] = {VZ_ERROR_NONE};
    char key[80];
    key_in(key, sizeof key, nameless, "0");
    put(*state, key, "chunk");
    begin_prefix(*state, "a");
    begin_prefix(*state, "b");
    put(*state, "b/0", "chunk");
    assert_true(vz_store_drain(*state, NULL));
    shell("rm -r ../.s.partial/[0-9]*");
    assert_false(vz_store_rename_tree(*state, nameless, "a", &err[0]));
    assert_false(vz_store_publish(*state, "b", &err[1]));
    assert_true(err[0].class == VZ_IO && err[1].class == VZ_IO);
}

static void test_goes_with_the_store(void **state)
{
    vz_store *store = vz_store_open_directory(root, true, NULL);
    begin_prefix(store, "a");
    put(store, "a/0", "chunk");
    assert_true(vz_store_drain(store, NULL));
    put(*state, "x", "1");
    shell("test -e ../.s.partial/lease -a -e ../.s.partial/1/0 -a -e ../.s-1.partial/lease");
    vz_store_close(store);
    shell("test \"$(ls -A .. | grep partial)\" = .s-1.partial");
    assert_false(exists("a"));
}

/* What nobody knows of may be a file that could not be removed before. As long as it lies there, so does a lease. */
static void test_goes_with_what_lies_in_it(void **state)
{
    (void)state;
    vz_store *store = vz_store_open_directory(root, true, NULL);
    put(store, ".zgroup", "{}");
    shell("mkdir ../.s.partial/left && echo 1 >../.s.partial/left/over");
    leases = 0;
    vz_store_close(store);
    shell("test ! -e ../.s.partial");
    assert_int_equal(leases, 1);
}

static int dies_at_once(vz_store *store)
{
    vz_store_begin(store, "a", NULL);
    vz_store_put(store, "a/0", text_bytes("1"), NULL);
    vz_store_put(store, "x/0/0", text_bytes("1"), NULL);
    return system("cd " P_tmpdir) == 0 ? 0 : 1;
}

/* Its lease went with it. What a living one holds stays, however often somebody looks. */
static void test_dead_and_alive(void **state)
{
    put(*state, "x/.zarray", "{}");
    begin_prefix(*state, "mine");
    put(*state, "mine/0", "kept");
    vz_store_close(vz_store_open_directory(root, true, NULL));
    assert_got(*state, "mine/0", "kept");
    assert_int_equal(in_child(dies_at_once, *state), 0);
    vz_store_close(vz_store_open_directory(root, true, NULL));
    assert_true(vz_store_publish(*state, "mine", NULL));
    assert_file("mine/0", "kept");
}

static void test_removed_before_it_was_opened(void **state)
{
    removed = true;
    begin_prefix(*state, "g");
    put(*state, "g/0", "chunk");
    assert_false(removed);
    assert_true(vz_store_publish(*state, "g", NULL));
    assert_file("g/0", "chunk");
}

static void test_another_took_the_name(void **state)
{
    overtaken = true;
    begin_prefix(*state, "g");
    put(*state, "g/0", "chunk");
    assert_false(overtaken);
    assert_true(vz_store_publish(*state, "g", NULL));
    assert_file("g/0", "chunk");
    shell("test -e ../.s.partial/lease && test -d ../.s-1.partial"); /* what the other one made is left alone */
}

int main(void)
{
    vz_pool_set_threads(2); /* with one alone nothing waits */
    const struct CMUnitTest tests[] = {
        TEST(test_appears_at_once),
        TEST(test_renamed_and_deleted_while_it_waits),
        TEST(test_without_a_name),
        TEST(test_named_where_it_lies),
        TEST(test_named_where_something_lies),
        TEST(test_exchanged),
        TEST(test_gives_way),
        TEST(test_removed_by_somebody),
        TEST(test_goes_with_the_store),
        TEST(test_goes_with_what_lies_in_it),
        TEST(test_dead_and_alive),
        TEST(test_removed_before_it_was_opened),
        TEST(test_another_took_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
