/* test_directory_staging_queue.c - small values and nodes of a staging area that wait for a thread: the order, what
 * fails, forks. */
#include "store_directory_support.h"
#include "base/os/thread.h"
#include <dirent.h>

enum { NODES = 300 };

static void name_node(char *key, size_t size, int number, const char *rest)
{
    snprintf(key, size, "g/n%03d%s", number, rest);
}

/* More than can wait, so that some is put by who puts: all of it is there, and each value has its own bytes. */
static void test_waits_and_appears(void **state)
{
    char key[80], text[80];
    begin_prefix(*state, "g");
    for (int i = 0; i < NODES; i++) {
        name_node(key, sizeof key, i, "");
        begin_prefix(*state, key);
        name_node(key, sizeof key, i, "/0");
        put(*state, key, key);
    }
    for (int i = 0; i < NODES; i++) {
        name_node(key, sizeof key, i, "/.zattrs");
        put(*state, key, key);
        name_node(key, sizeof key, i, "");
        assert_true(vz_store_publish(*state, key, NULL));
        if (i % 50 == 7) { /* who looks in between meets it */
            name_node(key, sizeof key, i, "/.zattrs");
            assert_got(*state, key, key);
        }
    }
    put(*state, "g/.zgroup", "{}");
    shell("test -z \"$(ls -A)\"");
    assert_true(vz_store_publish(*state, "g", NULL));
    assert_false(vz_store_has_unwritten(*state, ""));
    for (int i = 0; i < NODES; i++)
        for (int document = 0; document < 2; document++) {
            name_node(key, sizeof key, i, document ? "/.zattrs" : "/0");
            snprintf(text, sizeof text, "%s", key);
            assert_file(key, text);
        }
    shell("test \"$(ls -A g | wc -l)\" = 301 && test \"$(ls ../.s.partial)\" = lease");
}

/* What fails is reported, is not there as long as it fails, and then is. */
static void fail_while_waiting(vz_store *store, int nodes)
{
    vz_error err = VZ_ERROR_NONE;
    char key[80];
    begin_prefix(store, "g");
    put(store, "g/x", "before");
    assert_true(vz_store_drain(store, NULL));
    shell("mv ../.s.partial/1 ../.s.partial/away && touch ../.s.partial/1");
    put(store, "g/x", "1");
    assert_true(vz_store_has_unwritten(store, "g"));
    assert_true(vz_store_has_unwritten(store, ""));
    for (int i = 0; i < nodes; i++) {
        name_node(key, sizeof key, i, "");
        begin_prefix(store, key);
        name_node(key, sizeof key, i, "/0");
        if (!vz_store_put(store, key, text_bytes("2"), NULL))
            break;
    }
    assert_false(vz_store_drain(store, &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_publish(store, "g", &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    assert_false(exists("g"));
    assert_true(vz_store_has_unwritten(store, "g"));
    shell("rm ../.s.partial/1 && mv ../.s.partial/away ../.s.partial/1");
    assert_true(vz_store_drain(store, NULL));
    assert_false(vz_store_has_unwritten(store, ""));
    assert_got(store, "g/x", "1");
    assert_true(vz_store_publish(store, "g", NULL));
    assert_file("g/x", "1");
}

static void test_fails_while_it_waits(void **state)
{
    fail_while_waiting(*state, 0);
}

static void test_fails_in_the_thread(void **state)
{
    fail_while_waiting(*state, NODES);
}

static char sanitizers[16]; /* a thread of ThreadSanitizer's own */

/* The number of a thread of the process that is not the first one, nor the sanitizer's; "": there is none. */
static void other_thread(char number[16])
{
    char first[16];
    const struct dirent *entry;
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    snprintf(first, sizeof first, "%ld", (long)getpid());
    *number = '\0';
    while ((entry = readdir(threads)))
        if (*entry->d_name != '.' && strcmp(entry->d_name, first) != 0 && strcmp(entry->d_name, sanitizers) != 0)
            snprintf(number, 16, "%.15s", entry->d_name);
    closedir(threads);
}

/* What waits is looked at again and again: by one thread that stays, and goes with the store. */
static void test_one_thread(void **state)
{
    enum { MANY = 100, TIMES = 3 };
    char key[80], before[16] = "", now[16];
    if (access("/proc/self/task", F_OK) != 0) /* nothing else tells which threads there are */
        skip();
    other_thread(now);
    memcpy(sanitizers, now, sizeof now);
    begin_prefix(*state, "g");
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < MANY; i++) {
            name_node(key, sizeof key, time * MANY + i, "");
            begin_prefix(*state, key);
            name_node(key, sizeof key, time * MANY + i, "/0");
            put(*state, key, "2");
        }
        assert_got(*state, key, "2");
        other_thread(now);
        assert_true(*now && (!*before || strcmp(now, before) == 0));
        memcpy(before, now, sizeof now);
    }
    vz_store_close(*state);
    other_thread(now);
    assert_string_equal(now, "");
    *state = vz_store_open_directory(root, true, NULL);
}

static int reads_what_waited(vz_store *store)
{
    assert_got(store, "g/x", "1");
    assert_got(store, "g/n299/0", "2");
    return 0;
}

/* A forked child has no thread, and reads all the same; so does the parent. */
static void test_forked_while_it_waits(void **state)
{
    char key[80];
    begin_prefix(*state, "g");
    put(*state, "g/x", "1");
    for (int i = 0; i < NODES; i++) {
        name_node(key, sizeof key, i, "");
        begin_prefix(*state, key);
        name_node(key, sizeof key, i, "/0");
        put(*state, key, "2");
    }
    assert_int_equal(in_child(reads_what_waited, *state), 0);
    put(*state, "g/y", "3");
    assert_true(vz_store_publish(*state, "g", NULL));
    assert_file("g/x", "1");
    assert_file("g/y", "3");
}

int main(void)
{
    vz_pool_set_threads(2); /* with one alone nothing waits */
    const struct CMUnitTest tests[] = {
        TEST(test_waits_and_appears), TEST(test_fails_while_it_waits),  TEST(test_fails_in_the_thread),
        TEST(test_one_thread),        TEST(test_forked_while_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
