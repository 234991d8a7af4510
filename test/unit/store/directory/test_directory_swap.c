/* test_directory_swap.c - two trees change places where the file system cannot exchange them: by renames, each of which
 * may fail, or be the last one of its process. POSIX calls look at what is there. */
#include "store_directory_support.h"
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "store/directory/directory_internal.h"
#include "store/directory/staging_internal.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>

/* The renames since begin(), counted from 1. */
static struct {
    unsigned made, fails, last; /* `fails`: this one, and no other before `last` */
    bool kills;                 /* the process ends in its place */
} renames;
static bool no_listing;

static void begin(unsigned fails, unsigned last, bool kills)
{
    memset(&renames, 0, sizeof renames);
    renames.fails = fails;
    renames.last = last;
    renames.kills = kills;
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    int (*real)(int, const char *, int, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "renameat");
    renames.made++;
    if (renames.fails && renames.made >= renames.fails && renames.made <= renames.last) {
        if (renames.kills)
            kill(getpid(), SIGKILL);
        errno = EIO;
        return -1;
    }
    return real(from_directory, from, to_directory, to);
}

/* NFS has neither flag. */
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    if (flags) {
        errno = EINVAL;
        return -1;
    }
    return renameat(from_directory, from, to_directory, to);
}

long syscall(long number, ...)
{
    long (*real)(long, ...), arguments[6];
    *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    va_list more;
    va_start(more, number);
    for (size_t i = 0; i < COUNT(arguments); i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
    if (no_listing && number == SYS_getdents64) {
        errno = EIO;
        return -1;
    }
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

struct dirent *readdir(DIR *names)
{
    struct dirent *(*real)(DIR *);
    *(void **)&real = dlsym(RTLD_NEXT, "readdir");
    if (no_listing)
        errno = EIO;
    return no_listing ? NULL : real(names);
}

static const char nameless[] = "0123456789abcdef0123456789abcdef-1.partial";

/* g/a is "old", the one beside it "new". */
static void put_both(vz_store *store)
{
    char key[80];
    snprintf(key, sizeof key, "%s/0", nameless);
    put(store, "g/a/0", "old");
    put(store, key, "new");
}

static bool exchange(vz_store *store, vz_error *err)
{
    bool done = false;
    return vz_store_exchange_trees(store, "g/a", nameless, &done, err) && done;
}

/* Where locks prove that a writer is dead. */
static bool proves_death(void)
{
    const int directory = open(root, O_RDONLY | O_DIRECTORY);
    const vz_os_lock_reach reach = vz_os_reach_of_locks(directory);
    close(directory);
    return reach != VZ_OS_REACH_UNKNOWN;
}

static void reopen(void **state)
{
    vz_store_close(*state);
    *state = vz_store_open_directory(root, true, NULL);
    assert_non_null(*state);
}

static void test_done(void **state)
{
    char key[80];
    vz_error err = VZ_ERROR_NONE;
    snprintf(key, sizeof key, "%s/0", nameless);
    put_both(*state);
    begin(0, 0, false);
    assert_true(exchange(*state, &err));
    assert_int_equal(renames.made, 3);
    assert_file("g/a/0", "new");
    assert_got(*state, key, "old");
    reopen(state);
    shell("test \"$(ls -A ..)\" = s && test \"$(ls -A g)\" = a");
}

static void test_fails_once(void **state)
{
    for (unsigned at = 1; at <= 2; at++) {
        vz_error err = VZ_ERROR_NONE;
        put_both(*state);
        begin(at, at, false);
        assert_false(exchange(*state, &err));
        assert_int_equal(err.sys_errno, EIO);
        assert_file("g/a/0", "old");
    }
    reopen(state);
    assert_file("g/a/0", "old");
    shell("test \"$(ls -A ..)\" = s");
}

/* The last one makes no difference to readers. */
static void test_last_fails(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    put_both(*state);
    begin(3, 3, false);
    assert_true(exchange(*state, &err));
    assert_file("g/a/0", "new");
    shell("test -z \"$(ls -d ../.s.partial/*.aside 2>/dev/null)\"");
}

/* An array in a group that is not published yet. */
static void test_before_it_is_published(void **state)
{
    char key[80];
    for (unsigned fails = 2; fails < 3; fails--) {
        vz_error err = VZ_ERROR_NONE;
        bool done = false;
        snprintf(key, sizeof key, "%s/0", nameless);
        begin_prefix(*state, "h");
        put(*state, "h/a/0", "old");
        put(*state, key, "new");
        begin(fails, fails, false);
        assert_int_equal(vz_store_exchange_trees(*state, "h/a", nameless, &done, &err), fails == 0);
        assert_int_equal(done, fails == 0);
        assert_got(*state, "h/a/0", fails ? "old" : "new");
        shell("test -z \"$(ls -A)\"");
    }
    assert_true(vz_store_publish(*state, "h", NULL));
    assert_file("h/a/0", "new");
    reopen(state);
    shell("test \"$(ls -A ..)\" = s && test \"$(ls -A)\" = h");
}

/* The tree is away. The next writer gives it its place. */
static void assert_put_back(void **state, const char *content)
{
    shell("test \"$(cat ../.s.partial/*.aside/0)\" = old");
    reopen(state);
    if (!proves_death()) { /* it stays for somebody who knows more */
        shell("test \"$(cat ../.s.partial/*.aside/0)\" = old");
        return;
    }
    assert_file("g/a/0", content);
    shell("test \"$(ls -A ..)\" = s");
}

static void test_cannot_go_back(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    put_both(*state);
    begin(2, 9, false);
    assert_false(exchange(*state, &err));
    assert_non_null(strstr(err.text, ".aside"));
    begin(0, 0, false);
    vz_store_close(*state);
    *state = NULL;
    shell("test -z \"$(ls -A g)\"");
    assert_put_back(state, "old");
}

static void die_between(void **state)
{
    int status;
    vz_store_close(*state);
    *state = NULL;
    const pid_t child = fork();
    if (child == 0) {
        vz_store *store = vz_store_open_directory(root, true, NULL);
        put_both(store);
        begin(2, 2, true);
        exchange(store, NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    shell("test -z \"$(ls -A g)\"");
}

static void test_killed(void **state)
{
    die_between(state);
    assert_put_back(state, "old");
}

static void test_made_anew_meanwhile(void **state)
{
    die_between(state);
    shell("mkdir g/a && echo -n theirs > g/a/0");
    assert_put_back(state, "theirs");
    assert_file("g/a/0", "theirs");
}

/* A lease is read from the disk. */
static void test_hostile_notes(void **state)
{
    static const char *const lines[] = {
        "//",           "//1.aside",      "//1.aside ",         "//1.aside ..",
        "//.aside a",   "//../x.aside a", "//1.aside ../a",     "//1.aside g/../../a",
        "//1.asides a", "//1.aside g/",   "//1.aside nobody/a", "//11111111111111111111111111 a"};
    (void)state;
    shell("mkdir -p g stage/1.aside stage/x.aside");
    const int directory = open(root, O_RDONLY | O_DIRECTORY),
              stage = openat(directory, "stage", O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_true(vz_staging_is_swap_note(lines[i]));
        vz_staging_put_back(directory, stage, lines[i]);
    }
    shell("test \"$(ls -A stage | tr '\\n' ' ')\" = '1.aside x.aside ' && test -z \"$(ls -A g)\"");
    shell("test \"$(ls -A ..)\" = s && test \"$(ls -A | tr '\\n' ' ')\" = 'g stage '");
    assert_true(vz_staging_put_back(directory, stage, "//1.aside g/a b"));
    shell("test \"$(ls -A g)\" = 'a b'");
    close(stage);
    close(directory);
}

/* An entry that cannot be listed may be there: the lease stays, so that somebody comes back. */
static void test_listing_fails(void **state)
{
    (void)state;
    shell("mkdir -p stage/1 && touch stage/lease");
    const int directory = open(root, O_RDONLY | O_DIRECTORY),
              stage = openat(directory, "stage", O_RDONLY | O_DIRECTORY);
    no_listing = true;
    assert_false(vz_staging_empty(stage));
    assert_false(vz_staging_remove(directory, "stage", stage, false));
    no_listing = false;
    shell("test -e stage/lease && test -d stage/1");
    assert_true(vz_staging_remove(directory, "stage", stage, false));
    shell("test -z \"$(ls -A)\"");
    close(stage);
    close(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_done, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fails_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_last_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_before_it_is_published, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cannot_go_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_killed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_made_anew_meanwhile, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hostile_notes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_listing_fails, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
