/* Writing a zip file when the system fails: the old file stays as it was, nothing lies beside it, and the same commit
 * works once the system does. What killed writers leave; rights; locks. */
#include "failing_calls.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FILE_NAME    "a.zip"

#include "zip_file_support.h"
#include "base/os/file.h"

static int count_files(void)
{
    DIR *opened = opendir(directory);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(opened));)
        count += entry->d_name[0] != '.' || entry->d_name[1] == 'z';
    closedir(opened);
    return count;
}

static bool is_there(const char *name)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", directory, name);
    struct stat status;
    return lstat(whole, &status) == 0;
}

static int make_file(const char *name, size_t size)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", directory, name);
    const int file = open(whole, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)size), 0);
    return file;
}

static void make_old(void)
{
    vz_store *store = vz_zip_create(path, false, NULL);
    assert_non_null(store);
    put(store, ".zgroup", "{}");
    put(store, "old", "old value");
    put(store, "gone", "to be deleted");
    put(store, "a/large", large);
    commit(store);
    vz_store_close(store);
}

static void change(vz_store *store)
{
    put(store, "new", "new value");
    put(store, "b/large", large);
    assert_true(vz_store_del(store, "gone", NULL));
    assert_true(vz_store_rename_tree(store, "a", "moved", NULL));
    put(store, "host-1-1.partial/0", "hidden");
}

static void check_old(void)
{
    vz_store *store = open_zip(false);
    assert_value(store, "old", "old value");
    assert_value(store, "gone", "to be deleted");
    assert_value(store, "a/large", large);
    assert_value(store, "new", NULL);
    vz_store_close(store);
}

static void check_new(void)
{
    vz_store *store = open_zip(false);
    assert_value(store, "old", "old value");
    assert_value(store, "new", "new value");
    assert_value(store, "gone", NULL);
    assert_value(store, "moved/large", large);
    assert_value(store, "b/large", large);
    assert_value(store, "host-1-1.partial/0", NULL);
    vz_store_close(store);
}

/* ---- failures ---- */

/* One commit in which a call fails: false when there are fewer calls than that. */
static bool try_to_commit(unsigned turn, bool for_good, int sys_errno)
{
    make_old();
    vz_store *store = open_zip(true);
    change(store);
    vz_error err = VZ_ERROR_NONE;
    fail_call(turn, for_good, sys_errno);
    const bool ok = vz_store_commit(store, &err);
    const bool failed = end_failing();
    assert_int_equal(count_files(), 1);
    if (!ok) {
        /* A file that is said to be gone, and is there when its name is taken, is somebody else's new one. */
        const bool is_lie = err.class == VZ_BUSY && sys_errno == ENOENT && strcmp(failing.name, "stat") == 0;
        if (!failed || err.class == VZ_OK || (err.sys_errno != sys_errno && !is_lie) || strcmp(err.store, path) != 0)
            fail_msg("call %u (%s) with errno %d: \"%s\"", turn, failing.name, sys_errno, err.text);
        check_old();
        commit(store);
        assert_int_equal(count_files(), 1);
    }
    assert_value(store, "moved/large", large); /* the store goes on */
    assert_value(store, "host-1-1.partial/0", "hidden");
    check_new();
    vz_store_close(store);
    return failed;
}

static void fail_every_call(unsigned at_least)
{
    static const int errors[] = {EIO, ENOSPC, EMFILE, EACCES, EINTR};
    for (size_t i = 0; i < COUNT(errors); i++)
        for (int for_good = 0; for_good <= (errors[i] != EINTR); for_good++) {
            unsigned turn = 1;
            while (try_to_commit(turn, for_good, errors[i]))
                turn++;
            assert_true(turn > at_least);
        }
}

static void test_every_call_fails(void **state)
{
    (void)state;
    fail_every_call(10);
}

static void test_every_call_fails_without_locks(void **state)
{
    (void)state;
    lockless = true; /* then a new file takes the place of the old one */
    fail_every_call(20);
    lockless = false;
}

/* The calls that tell of files without names, and those that a system may lack. */
static void test_without_files_that_have_no_name(void **state)
{
    (void)state;
    static const int lacking[] = {EOPNOTSUPP, ENOSYS, EPERM, ENOENT};
    lockless = true;
    for (size_t i = 0; i < COUNT(lacking); i++)
        for (unsigned turn = 1; try_to_commit(turn, false, lacking[i]);)
            turn++;
    lockless = false;
}

/* ---- two writers where nobody wants locks ---- */

static vz_store *open_without_locks(void)
{
    vz_store *store = open_zip(true);
    store->without_locks = true;
    return store;
}

static void assert_refused(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_commit(store, &err));
    assert_int_equal(err.class, VZ_BUSY);
    assert_non_null(strstr(err.text, "somebody else"));
    assert_int_equal(count_files(), 1);
}

static void test_the_second_writer_is_refused(void **state)
{
    (void)state;
    make_old();
    vz_store *first = open_without_locks(), *second = open_without_locks();
    put(first, "first", "one");
    put(second, "second", "two");
    commit(first);
    assert_refused(second);
    put(first, "again", "three"); /* it goes on */
    commit(first);
    assert_refused(second);
    vz_store_close(second);
    vz_store_close(first);
    vz_store *store = open_zip(false);
    assert_value(store, "first", "one");
    assert_value(store, "again", "three");
    assert_value(store, "second", NULL);
    vz_store_close(store);
}

static vz_store *rival;

static void let_rival_put(void)
{
    put(rival, "second", "two");
}

static void let_rival_commit(void)
{
    let_rival_put();
    commit(rival);
}

/* Another writer comes after everything was looked at, right before the new file takes its place: one who does the
 * same, and one who takes locks, and so changes the file where it is. */
static void test_somebody_comes_at_the_last_moment(void **state)
{
    (void)state;
    if (!vz_os_can_exchange()) /* nothing is noticed between the last look and the rename */
        skip();
    for (int how = 0; how < 3; how++) {
        make_old();
        vz_store *store = open_without_locks();
        rival = how == 0 ? open_without_locks() : open_zip(true);
        put(store, "first", "one");
        before_renameat2 = how == 2 ? let_rival_put : let_rival_commit;
        assert_refused(store);
        assert_null(before_renameat2);
        vz_store_close(store);
        if (how == 2)
            commit(rival);
        vz_store_close(rival);
        store = open_zip(false);
        assert_value(store, "first", NULL);
        assert_value(store, "second", "two");
        assert_value(store, "old", "old value");
        vz_store_close(store);
    }
}

static void remove_file(void)
{
    assert_int_equal(unlink(path), 0);
}

static void test_the_file_comes_or_goes_at_the_last_moment(void **state)
{
    (void)state;
    if (!vz_os_can_exchange()) /* nothing is noticed between the last look and the rename */
        skip();
    make_old();
    vz_store *store = open_without_locks();
    put(store, "first", "one");
    before_renameat2 = remove_file;
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_commit(store, &err));
    assert_int_equal(count_files(), 0);
    before_renameat2 = make_old; /* now it is known to be gone, and would be made anew */
    assert_refused(store);
    assert_null(before_renameat2);
    vz_store_close(store);
    check_old();
}

/* Processes that open the same file and commit at the same time: what was reported to be written is there. */
static void race(int mark, int process, int begin, int answer)
{
    char key[24], letter;
    vz_store *store = open_without_locks();
    snprintf(key, sizeof key, "%d/%d", mark, process);
    if (!vz_store_put(store, key, (vz_bytes){(const uint8_t *)"mine", 4}, NULL))
        _exit(3);
    if (write(answer, "r", 1) != 1 || read(begin, &letter, 1) != 1)
        _exit(2);
    _exit(vz_store_commit(store, NULL) ? 0 : 1);
}

static void run_race(int mark, int count)
{
    int begin[2], answer[2], status, won = 0;
    char letters[8] = {0}, key[24];
    pid_t children[8];
    bool wrote[8];
    assert_true(pipe(begin) == 0 && pipe(answer) == 0);
    for (int i = 0; i < count; i++)
        if ((children[i] = fork()) == 0)
            race(mark, i, begin[0], answer[1]);
    for (int i = 0; i < count; i++)
        assert_int_equal(read(answer[0], letters, 1), 1);
    assert_int_equal(write(begin[1], letters, (size_t)count), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        wrote[i] = WEXITSTATUS(status) == 0;
        won += wrote[i];
    }
    vz_store *store = open_zip(false);
    assert_value(store, "old", "old value");
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%d/%d", mark, i);
        assert_value(store, key, wrote[i] ? "mine" : NULL);
    }
    vz_store_close(store);
    assert_true(won <= 1);
    assert_int_equal(count_files(), 1);
    for (int i = 0; i < 2; i++)
        close(begin[i]), close(answer[i]);
}

static void test_writers_race(void **state)
{
    (void)state;
    if (!vz_os_can_exchange()) /* the later one replaces what the earlier one put */
        skip();
    make_old();
    for (int i = 0; i < 30; i++)
        run_race(i, 2 + i % 3);
}

static void test_put_fails(void **state)
{
    (void)state;
    make_old();
    vz_store *store = open_zip(true);
    vz_error err = VZ_ERROR_NONE;
    bool failed = true;
    for (unsigned turn = 1; failed; turn++) {
        fail_call(turn, true, ENOSPC);
        const vz_bytes value = {(const uint8_t *)"new value", 9};
        const bool ok = vz_store_put(store, "new", value, &err);
        failed = end_failing();
        assert_true(failed || ok);
        assert_int_equal(count_files(), 1);
        assert_value(store, "new", ok ? "new value" : NULL);
    }
    vz_store_close(store);
}

/* ---- again and again ---- */

static void test_commits_in_a_row(void **state)
{
    (void)state;
    char key[24], value[24];
    make_old();
    vz_store *store = open_zip(true);
    const int *descriptor = store->descriptor, number = *descriptor;
    for (int i = 0; i < 5; i++) {
        struct stat status;
        snprintf(key, sizeof key, "c/%d", i);
        snprintf(value, sizeof value, "value %d", i);
        put(store, key, value);
        if (i == 2) /* deleted while it is open: its values stay readable, in the file and in the spool */
            assert_true(vz_store_rename_tree(store, "c", "host-1-7.partial", NULL));
        commit(store);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(store->identity.part[1], status.st_ino);
        assert_int_equal(*descriptor, number);
        vz_store *other = open_zip(false);
        assert_value(other, key, i == 2 ? NULL : value);
        vz_store_close(other);
        assert_value(store, i < 2 ? "c/0" : "host-1-7.partial/0", "value 0");
        assert_value(store, "a/large", large);
    }
    assert_true(vz_store_del_tree(store, "host-1-7.partial", NULL));
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    commit(store); /* what goes was in no zip file */
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    vz_store_close(store);
    assert_int_equal(count_files(), 1);
}

static void write_twice_at_once(int rounds)
{
    make_old();
    for (int round = 0; round < rounds; round++) {
        vz_store *first = open_zip(true), *second = open_zip(true);
        char key[16], others[16];
        snprintf(key, sizeof key, "p%d", round);
        snprintf(others, sizeof others, "q%d", round);
        lockless = true; /* when they begin, so that both wait for the commit */
        put(first, key, "parent");
        put(second, others, "child");
        lockless = false;
        const pid_t child = fork();
        if (child == 0)
            _exit(vz_store_commit(second, NULL) ? 0 : 1);
        const bool ok = vz_store_commit(first, NULL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        const bool child_ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        assert_true(ok != child_ok); /* one of them, and it is there whole */
        vz_store *reader = open_zip(false);
        assert_value(reader, key, ok ? "parent" : NULL);
        assert_value(reader, others, child_ok ? "child" : NULL);
        vz_store_close(reader);
        vz_store_close(first);
        vz_store_close(second);
        assert_int_equal(count_files(), 1);
    }
}

/* Of two that replace the file one does; of two that change it the second may not even begin. */
static void test_two_writers_at_once(void **state)
{
    (void)state;
    write_twice_at_once(40);
}

static void test_a_second_writer_is_refused(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    const vz_bytes value = {(const uint8_t *)"second", 6};
    make_old();
    vz_store *first = open_zip(true), *second = open_zip(true);
    put(first, "x", "first");
    assert_false(vz_store_put(second, "x", value, &err));
    assert_int_equal(err.class, VZ_BUSY);
    assert_non_null(strstr(err.text, "is writing to it"));
    commit(first);
    assert_false(vz_store_put(second, "x", value, NULL)); /* as long as the first has it open */
    put(first, "y", "first");
    vz_store_close(first);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(second, "x", value, &err));
    assert_non_null(strstr(err.text, "somebody else changed"));
    vz_store_close(second);
    second = open_zip(true);
    assert_value(second, "y", NULL); /* it was not committed */
    put(second, "x", "second");
    commit(second);
    vz_store_close(second);
    second = open_zip(false);
    assert_value(second, "x", "second");
    vz_store_close(second);
}

/* ---- rights ---- */

static void test_mode_owner_and_attributes_are_kept(void **state)
{
    (void)state;
    struct stat status;
    char value[16] = "";
    const bool is_root = geteuid() == 0;
    make_old();
    assert_int_equal(chmod(path, 0640), 0);
    if (is_root)
        assert_int_equal(chown(path, 1234, 4321), 0);
    const bool has_attributes = setxattr(path, "user.note", "kept", 4, 0) == 0;
    for (int i = 0; i < 2; i++) { /* changed; created over it */
        vz_store *store = i ? vz_zip_create(path, false, NULL) : open_zip(true);
        put(store, "a", "1");
        commit(store);
        vz_store_close(store);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0640);
        if (is_root)
            assert_true(status.st_uid == 1234 && status.st_gid == 4321);
        if (has_attributes)
            assert_int_equal(getxattr(path, "user.note", value, sizeof value), 4);
    }
    assert_int_equal(count_files(), 1);
}

/* ---- leftovers ---- */

static void age(int file, time_t seconds)
{
    const time_t now = time(NULL);
    const struct timespec times[2] = {{.tv_sec = now - seconds}, {.tv_sec = now - seconds}};
    assert_int_equal(futimens(file, times), 0);
}

/* A name of the form that partial zip files have; locked as long as `file` is open. */
static int make_partial(const char *name)
{
    const int file = make_file(name, 1000);
    struct flock what = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
    if (vz_os_byte_locks_are_in_file())
        assert_int_equal(fcntl(file, F_OFD_SETLK, &what), 0);
    else
        assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
    return file;
}

static void test_leftovers_of_dead_writers(void **state)
{
    (void)state;
    static const char *const strangers[] = {"a.zip.partial",
                                            "a.zip.0123456789abcde.partial",
                                            "b.zip.0123456789abcdef.partial",
                                            "a.zip.0123456789abcdef.partia",
                                            "a.zip.x.partial",
                                            "a.zip.-1-2.partial"};
    make_old();
    const int living = make_partial("a.zip.00000000000000aa.partial");
    close(make_partial("a.zip.00000000000000bb.partial"));
    const int young = make_file("a.zip.host-1-2.partial", 10); /* as older versions called them, without a lock */
    const int old = make_file("a.zip.host-1-3.partial", 10);
    age(old, 7200);
    for (size_t i = 0; i < COUNT(strangers); i++) {
        const int file = make_file(strangers[i], 1);
        age(file, 7200);
        close(file);
    }
    vz_store_close(open_zip(false));
    assert_true(is_there("a.zip.00000000000000bb.partial")); /* who only reads removes nothing */
    vz_store_close(open_zip(true));
    assert_true(is_there("a.zip.00000000000000aa.partial"));
    assert_false(is_there("a.zip.00000000000000bb.partial"));
    assert_true(is_there("a.zip.host-1-2.partial"));
    assert_false(is_there("a.zip.host-1-3.partial"));
    for (size_t i = 0; i < COUNT(strangers); i++)
        assert_true(is_there(strangers[i]));
    close(living);
    age(young, 7200);
    close(young);
    close(old);
    vz_store_close(open_zip(true));
    assert_false(is_there("a.zip.00000000000000aa.partial"));
    assert_false(is_there("a.zip.host-1-2.partial"));
}

/* Killed in the middle of packing, at each call, with and without names: a reader finds one of the two versions, and
 * the next writer leaves nothing else. */
static void kill_at(unsigned turn, bool with_names, bool rewrites, bool *reached)
{
    make_old();
    const pid_t child = fork();
    if (child == 0) {
        vz_store *store = vz_zip_open_path(path, true, NULL);
        lockless = rewrites; /* when it begins */
        change(store);
        lockless = false;
        fail_call(with_names, false, ENOENT); /* the first call looks for /proc, without which files have names */
        failing.kill = turn;
        vz_store_commit(store, NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    *reached = WIFSIGNALED(status);
    vz_store *reader = open_zip(false);
    vz_buffer out = {0};
    bool is_new;
    assert_true(vz_store_get(reader, "new", VZ_WHOLE, &out, &is_new, NULL));
    vz_buffer_clear(&out);
    vz_store_close(reader);
    is_new ? check_new() : check_old();
    vz_store_close(open_zip(true));
    assert_int_equal(count_files(), 1);
}

static void test_killed_anywhere(void **state)
{
    (void)state;
    for (int with_names = 0; with_names < 2; with_names++)
        for (int rewrites = 0; rewrites < 2; rewrites++) {
            bool reached = true;
            for (unsigned turn = 1; reached; turn++)
                kill_at(turn, with_names, rewrites, &reached);
        }
}

/* Names as long as the system allows leave room for no suffix. */
static void test_long_names(void **state)
{
    (void)state;
    char name[256] = "", whole[512];
    for (int i = 0; i < 125; i++)
        strcat(name, "\xc3\xa4");
    strcat(name, ".zip");
    snprintf(whole, sizeof whole, "%s/%s", directory, name);
    lockless = true;
    vz_store *store = vz_zip_create(whole, true, NULL);
    assert_non_null(store);
    fail_call(1, false, ENOENT); /* so that the spool, and the new file, have names from the beginning */
    put(store, "a", "1");
    assert_true(end_failing());
    commit(store);
    lockless = false;
    vz_store_close(store);
    assert_int_equal(count_files(), 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_call_fails),
        TEST(test_every_call_fails_without_locks),
        TEST(test_the_second_writer_is_refused),
        TEST(test_somebody_comes_at_the_last_moment),
        TEST(test_the_file_comes_or_goes_at_the_last_moment),
        TEST(test_writers_race),
        TEST(test_without_files_that_have_no_name),
        TEST(test_put_fails),
        TEST(test_commits_in_a_row),
        TEST(test_two_writers_at_once),
        TEST(test_a_second_writer_is_refused),
        TEST(test_mode_owner_and_attributes_are_kept),
        TEST(test_leftovers_of_dead_writers),
        TEST(test_killed_anywhere),
        TEST(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
