/* The directory store, looked at with POSIX calls: what lies on the disk, what is left alone, what a failure leaves. */
#include "store/store.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NOBODY       65534

static char root[64];

static void shell(const char *command) /* in the store's root */
{
    char text[1024];
    if (snprintf(text, sizeof text, "cd %s && %s", root, command) >= (int)sizeof text || system(text) != 0)
        fail_msg("%s", text);
}

static int setup(void **state)
{
    strcpy(root, P_tmpdir "/vz_store_XXXXXX");
    if (!mkdtemp(root) || chmod(root, 0777) != 0)
        return -1;
    *state = vz_store_open_directory(root, true, NULL);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    vz_store_close(*state);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static vz_bytes text_bytes(const char *text)
{
    return (vz_bytes){.data = (const uint8_t *)text, .size = strlen(text)};
}

static void put(vz_store *store, const char *key, const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_put(store, key, text_bytes(text), &err))
        fail_msg("%s: %s", key, err.text);
}

static void assert_file(const char *path, const char *text)
{
    char full[512], content[512] = "";
    snprintf(full, sizeof full, "%s/%s", root, path);
    FILE *file = fopen(full, "r");
    if (!file)
        fail_msg("no file %s", full);
    assert_int_equal(fread(content, 1, sizeof content - 1, file), strlen(text));
    fclose(file);
    assert_string_equal(content, text);
}

static bool exists(const char *path)
{
    char full[512];
    struct stat status;
    snprintf(full, sizeof full, "%s/%s", root, path);
    return lstat(full, &status) == 0;
}

static void assert_list(vz_store *store, const char *prefix, const char *expected)
{
    vz_error err = VZ_ERROR_NONE;
    vz_entry *entries;
    size_t count;
    char text[4096] = "";
    assert_true(vz_store_list(store, prefix, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s%s%s", i ? " " : "", entries[i].name, entries[i].is_prefix ? "/" : "");
    assert_string_equal(text, expected);
    vz_entries_free(entries, count);
}

/* Runs `child` in a process of its own; what it returns is its exit status. */
static int in_child(int (*child)(vz_store *), vz_store *store)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(child(store));
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

static int return_at_once(vz_store *store)
{
    (void)store;
    return 0;
}

static pid_t dead_pid(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(return_at_once(NULL));
    waitpid(pid, NULL, 0);
    return pid;
}

/* ---- what lies on the disk ---- */

static void test_files(void **state)
{
    put(*state, "a/b/.zarray", "{}");
    put(*state, "a/b/0.0", "chunk");
    assert_file("a/b/.zarray", "{}");
    assert_file("a/b/0.0", "chunk");
    put(*state, "a/b/0.0", "new");
    assert_file("a/b/0.0", "new");
    shell("test \"$(find . -type f | sort | tr '\\n' ' ')\" = './a/b/.zarray ./a/b/0.0 '");
    umask(027);
    put(*state, "m/f", "x");
    umask(022);
    shell("test \"$(stat -c %a m m/f | tr '\\n' ' ')\" = '750 640 '");
}

static void test_many_levels(void **state)
{
    char key[4000] = "d";
    while (strlen(key) < 3900)
        strcat(key, "/d");
    put(*state, key, "deep");
    vz_buffer out = {0};
    bool found;
    assert_true(vz_store_get(*state, key, VZ_WHOLE, &out, &found, NULL) && found);
    vz_buffer_clear(&out);
    char longer[8200];
    memset(longer, 'n', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_true(vz_store_get(*state, longer, VZ_WHOLE, &out, &found, NULL));
    assert_false(found);
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, longer, text_bytes("x"), &err));
    assert_int_equal(err.sys_errno, ENAMETOOLONG);
    assert_true(vz_store_del_tree(*state, "d", NULL));
    assert_list(*state, "", "");
}

static void test_store_survives_chdir_and_move(void **state)
{
    put(*state, "a", "1");
    char moved[80];
    snprintf(moved, sizeof moved, "%s_moved", root);
    assert_int_equal(rename(root, moved), 0);
    put(*state, "b/c", "2"); /* the open store is the directory, not the name */
    assert_int_equal(rename(moved, root), 0);
    assert_file("b/c", "2");
}

static void test_parents_in_the_way(void **state)
{
    put(*state, "file", "x");
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, "file/below", text_bytes("y"), &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, "file/far/below", text_bytes("y"), &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    put(*state, "dir/x", "x");
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put(*state, "dir", text_bytes("y"), &err));
    assert_int_equal(err.class, VZ_IO);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_put_new(*state, "dir", text_bytes("y"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_rename_tree(*state, "dir", "file/x", &err));
    assert_int_equal(err.sys_errno, ENOTDIR);
    assert_list(*state, "", "dir/ file");
    assert_file("file", "x");
}

/* ---- opening ---- */

static void test_open(void **state)
{
    (void)state;
    char path[128];
    vz_error err = VZ_ERROR_NONE;
    snprintf(path, sizeof path, "%s/none", root);
    assert_null(vz_store_open_directory(path, false, &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_string_equal(err.store, path);

    vz_store *made = vz_store_create_directory(path, true, NULL);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(made->device == status.st_dev && made->inode == status.st_ino);
    assert_string_equal(made->path, path);
    vz_store_close(made);
    err = VZ_ERROR_NONE;
    assert_null(vz_store_create_directory(path, true, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_int_equal(err.sys_errno, EEXIST);

    strcat(path, "//");
    made = vz_store_create_directory(path, false, NULL);
    path[strlen(path) - 2] = '\0';
    assert_string_equal(made->path, path);
    vz_store_close(made);

    shell("touch file");
    snprintf(path, sizeof path, "%s/file", root);
    for (int i = 0; i < 3; i++) {
        err = VZ_ERROR_NONE;
        assert_null(i == 2 ? vz_store_create_directory(path, false, &err) : vz_store_open_directory(path, i, &err));
        assert_int_equal(err.sys_errno, ENOTDIR);
    }
    snprintf(path, sizeof path, "%s/no/parent", root);
    err = VZ_ERROR_NONE;
    assert_null(vz_store_create_directory(path, false, &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);

    char here[256];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(root), 0);
    made = vz_store_open_directory("none", true, NULL);
    snprintf(path, sizeof path, "%s/none", root);
    assert_string_equal(made->path, path);
    assert_int_equal(chdir(here), 0);
    put(made, "x", "after chdir");
    vz_store_close(made);
    assert_file("none/x", "after chdir");
}

static void test_read_only(void **state)
{
    put(*state, "a/b", "1");
    char leftover[128];
    snprintf(leftover, sizeof leftover, "h=$(hostname) && touch a/$h-%d-1.partial && touch -d '2001-01-01' a .",
             (int)dead_pid());
    shell(leftover);
    shell("find . -printf '%p %T@ %i\\n' | sort > ../vz_before.$PPID");
    vz_store *store = vz_store_open_directory(root, false, NULL);
    vz_error err[7] = {VZ_ERROR_NONE};
    assert_false(vz_store_put(store, "a/b", text_bytes("2"), &err[0]));
    assert_false(vz_store_put_new(store, "a/c", text_bytes("2"), &err[1]));
    assert_false(vz_store_del(store, "a/b", &err[2]));
    assert_false(vz_store_del_tree(store, "a", &err[3]));
    assert_false(vz_store_del_tree(store, "", &err[4]));
    assert_false(vz_store_rename_tree(store, "a", "b", &err[5]));
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(err[i].class, VZ_READ_ONLY);
    assert_list(store, "a", "b"); /* the leftover is not listed, and stays */
    assert_true(vz_store_sync(store, NULL));
    vz_store_close(store);
    shell("find . -printf '%p %T@ %i\\n' | sort | diff - ../vz_before.$PPID; s=$?; rm ../vz_before.$PPID; exit $s");
}

static int cannot_write(vz_store *unused)
{
    (void)unused;
    if (geteuid() == 0 && seteuid(NOBODY) != 0)
        return 1;
    vz_error err = VZ_ERROR_NONE;
    if (vz_store_open_directory(root, true, &err) || err.class != VZ_PERMISSION || err.sys_errno != EACCES)
        return 2;
    vz_store *store = vz_store_open_directory(root, false, NULL);
    vz_buffer out = {0};
    bool found;
    if (!store || !vz_store_get(store, "open", VZ_WHOLE, &out, &found, NULL) || !found)
        return 3;
    vz_buffer_clear(&out);
    err = VZ_ERROR_NONE;
    if (vz_store_get(store, "closed", VZ_WHOLE, &out, &found, &err) || err.class != VZ_PERMISSION)
        return 4;
    vz_store_close(store);
    return 0;
}

static void test_permissions(void **state)
{
    put(*state, "open", "1");
    put(*state, "closed", "1");
    shell("chmod 000 closed && chmod 555 .");
    assert_int_equal(in_child(cannot_write, *state), 0);
    shell("chmod 777 .");
}

static int cannot_write_below(vz_store *store)
{
    if (geteuid() == 0 && seteuid(NOBODY) != 0)
        return 1;
    vz_error err[5] = {VZ_ERROR_NONE};
    if (vz_store_put(store, "d/x", text_bytes("2"), &err[0]) ||
        vz_store_put(store, "d/new/y", text_bytes("2"), &err[1]) || vz_store_del(store, "d/x", &err[2]) ||
        vz_store_del_tree(store, "d", &err[3]) || vz_store_put_new(store, "d/new", text_bytes("2"), &err[4]))
        return 2;
    for (size_t i = 0; i < 5; i++)
        if (err[i].class != VZ_PERMISSION || err[i].sys_errno != EACCES)
            return 3 + (int)i;
    return 0;
}

static void test_permission_below(void **state)
{
    put(*state, "d/x", "1");
    shell("chmod 555 d");
    assert_int_equal(in_child(cannot_write_below, *state), 0);
    shell("chmod 777 d");
    assert_file("d/x", "1");
}

/* ---- things that are not files ---- */

static void test_strange_entries(void **state)
{
    put(*state, "real", "content");
    put(*state, "d/x", "1");
    shell("mkfifo fifo && ln -s real link && ln -s d dirlink && ln -s nowhere dangling && ln -s loop loop");
    assert_list(*state, "", "d/ dirlink/ link real");
    vz_buffer out = {0};
    bool found;
    assert_true(vz_store_get(*state, "link", VZ_WHOLE, &out, &found, NULL) && found); /* a user's link is followed */
    assert_memory_equal(out.data, "content", 7);
    vz_buffer_clear(&out);
    assert_true(vz_store_get(*state, "dangling", VZ_WHOLE, &out, &found, NULL) && !found);
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_get(*state, "fifo", VZ_WHOLE, &out, &found, &err)); /* and does not wait for a writer */
    assert_int_equal(err.class, VZ_CORRUPT);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_get(*state, "loop", VZ_WHOLE, &out, &found, &err));
    assert_int_equal(err.sys_errno, ELOOP);
}

static void test_del_tree_follows_no_link(void **state)
{
    put(*state, "keep/x/y", "1");
    put(*state, "gone/a/b/c", "1");
    shell("ln -s ../keep gone/link && ln -s ../../keep/x gone/a/link && ln -s keep top && mkfifo gone/fifo && mkdir -p "
          "gone/empty/e");
    assert_true(vz_store_del_tree(*state, "gone", NULL));
    assert_true(vz_store_del_tree(*state, "top", NULL));
    assert_false(exists("gone") || exists("top"));
    assert_file("keep/x/y", "1");
    shell("ln -s keep link");
    assert_true(vz_store_del_tree(*state, "", NULL));
    assert_true(exists(""));
    assert_list(*state, "", "");
}

/* Deeper than a path can be long. */
static void test_del_tree_deep(void **state)
{
    int here = open(root, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(mkdirat(here, "deep", 0777), 0);
        close(openat(here, "file", O_CREAT | O_WRONLY, 0666));
        const int below = openat(here, "deep", O_RDONLY | O_DIRECTORY);
        close(here);
        here = below;
    }
    close(here);
    struct rlimit before, few;
    getrlimit(RLIMIT_NOFILE, &before);
    few = (struct rlimit){.rlim_cur = 20, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_del_tree(*state, "deep", &err))
        fail_msg("%s", err.text);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_false(exists("deep"));
}

static void test_del_tree_wide(void **state)
{
    shell("for i in $(seq 60); do mkdir -p w/$i/x && touch w/$i/a w/$i/x/b w/f$i; done");
    assert_true(vz_store_del_tree(*state, "w", NULL));
    assert_false(exists("w"));
}

/* ---- partial files ---- */

static void test_partial_names(void **state)
{
    (void)state;
    char name[256], again[256], host[65] = "";
    assert_true(vz_partial_name(name, sizeof name, NULL));
    assert_true(vz_partial_name(again, sizeof again, NULL));
    assert_string_not_equal(name, again);
    assert_true(vz_is_partial_name(name));
    gethostname(host, 64);
    char expected[128];
    snprintf(expected, sizeof expected, "%s-%d-", host, (int)getpid());
    assert_memory_equal(name, expected, strlen(expected));
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_partial_name(name, 10, &err));

    static const struct {
        const char *name;
        bool is_partial;
    } cases[] = {{"host-1-2.partial", true},
                 {"my-host.example.org-4711-0.partial", true},
                 {"a-1-2-3.partial", true},
                 {"x.partial", false},
                 {".partial", false},
                 {"host-1.partial", false},
                 {"-1-2.partial", false},
                 {"host-a-2.partial", false},
                 {"host-1-b.partial", false},
                 {"host-1-.partial", false},
                 {"host--2.partial", false},
                 {"host-0-2.partial", false},
                 {"host-1-2.partial~", false},
                 {"host-1-2.Partial", false},
                 {"host-1-2", false},
                 {"host-1-99999999999999999999999.partial", false},
                 {"", false}};
    for (size_t i = 0; i < COUNT(cases); i++)
        if (vz_is_partial_name(cases[i].name) != cases[i].is_partial)
            fail_msg("%s", cases[i].name);
}

/* Only what a dead process of this host left, and only what has the form of it, is removed. */
static void test_leftovers(void **state)
{
    const int dead = (int)dead_pid();
    char command[512];
    snprintf(command, sizeof command,
             "h=$(hostname) && touch $h-%d-1.partial $h-%d-2.partial other-%d-1.partial x.partial $h-%d-x.partial && "
             "mkdir -p $h-%d-3.partial/a/b && touch $h-%d-3.partial/a/b/c && ln -s x.partial $h-%d-4.partial && mkdir "
             "user.partial",
             dead, (int)getpid(), dead, dead, dead, dead, dead);
    shell(command);
    char expected[512], host[65] = "";
    gethostname(host, 64);
    vz_entry *entries;
    size_t count;
    assert_true(vz_store_list(*state, "", &entries, &count, NULL));
    bool user_file = false, user_directory = false, not_quite = false, link = false;
    for (size_t i = 0; i < count; i++) {
        user_file |= strcmp(entries[i].name, "x.partial") == 0;
        user_directory |= strcmp(entries[i].name, "user.partial") == 0;
        snprintf(expected, sizeof expected, "%s-%d-x.partial", host, dead);
        not_quite |= strcmp(entries[i].name, expected) == 0;
        snprintf(expected, sizeof expected, "%s-%d-4.partial", host, dead);
        link |= strcmp(entries[i].name, expected) == 0;
    }
    vz_entries_free(entries, count);
    assert_true(user_file && user_directory && not_quite && link);
    assert_int_equal(count, 4);
    snprintf(command, sizeof command,
             "h=$(hostname) && test ! -e $h-%d-1.partial && test ! -e $h-%d-3.partial && test -e $h-%d-2.partial && "
             "test -e other-%d-1.partial && test -L $h-%d-4.partial",
             dead, dead, (int)getpid(), dead, dead);
    shell(command);
}

static int name_carries_own_pid(vz_store *store)
{
    char name[256], part[32];
    snprintf(part, sizeof part, "-%d-", (int)getpid());
    return vz_partial_name(name, sizeof name, NULL) && strstr(name, part) &&
                   vz_store_put(store, "child", text_bytes("1"), NULL)
               ? 0
               : 1;
}

static void test_fork(void **state)
{
    assert_int_equal(in_child(name_carries_own_pid, *state), 0);
    assert_file("child", "1");
    assert_list(*state, "", "child");
}

static void put_for_ever(vz_store *store)
{
    const size_t size = 4 << 20;
    uint8_t *value = malloc(size);
    for (uint8_t round = 0;; round++) {
        memset(value, round, size);
        vz_store_put(store, "a/victim", (vz_bytes){.data = value, .size = size}, NULL);
    }
}

/* A killed writer leaves the old value or the new one, and what else it leaves goes with the next listing. */
static void test_kill(void **state)
{
    for (int round = 0; round < 10; round++) {
        const pid_t pid = fork();
        if (pid == 0)
            put_for_ever(*state);
        usleep(20000 + 3000 * (unsigned)round);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        vz_buffer out = {0};
        bool found;
        assert_true(vz_store_get(*state, "a/victim", VZ_WHOLE, &out, &found, NULL));
        if (found) {
            assert_int_equal(out.size, 4 << 20);
            assert_memory_equal(out.data, out.data + 1, out.size - 1);
        }
        vz_buffer_clear(&out);
        assert_list(*state, "a", found ? "victim" : "");
        shell("test -z \"$(find a -name '*.partial')\"");
    }
}

/* ---- failing writes ---- */

static int put_beyond_file_limit(vz_store *store)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 1000, .rlim_max = 1000});
    vz_error err = VZ_ERROR_NONE;
    uint8_t value[5000] = {0};
    if (vz_store_put(store, "a/k", (vz_bytes){.data = value, .size = sizeof value}, &err))
        return 1;
    return err.class == VZ_IO && err.sys_errno == EFBIG && strcmp(err.object, "a/k") == 0 ? 0 : 2;
}

static void test_failed_write(void **state)
{
    put(*state, "a/k", "old");
    assert_int_equal(in_child(put_beyond_file_limit, *state), 0);
    assert_file("a/k", "old");
    shell("test \"$(ls -A a)\" = k"); /* and no partial file */
}

static void test_full_disk(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/small", root);
    mkdir(path, 0777);
    if (mount("none", path, "tmpfs", 0, "size=256k") != 0)
        skip();
    vz_store *store = vz_store_open_directory(path, true, NULL);
    put(store, "a/first", "stays readable");
    const size_t size = 1 << 20;
    uint8_t *value = calloc(1, size);
    vz_error err = VZ_ERROR_NONE;
    const bool ok = vz_store_put(store, "a/big", (vz_bytes){.data = value, .size = size}, &err);
    free(value);
    assert_file("small/a/first", "stays readable");
    shell("test \"$(ls -A small/a)\" = first");
    vz_store_close(store);
    assert_int_equal(umount(path), 0);
    assert_false(ok);
    assert_int_equal(err.class, VZ_IO);
    assert_int_equal(err.sys_errno, ENOSPC);
}

/* Another file system inside the store: a rename across it is a copy. */
static void test_rename_across_file_systems(void **state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/other", root);
    mkdir(path, 0777);
    if (mount("none", path, "tmpfs", 0, "size=1m") != 0)
        skip();
    put(*state, "here/a/.zarray", "{}");
    put(*state, "here/a/0/1", "chunk");
    vz_error err = VZ_ERROR_NONE;
    const bool ok = vz_store_rename_tree(*state, "here/a", "other/moved/a", &err);
    assert_file("other/moved/a/.zarray", "{}");
    assert_file("other/moved/a/0/1", "chunk");
    assert_false(exists("here/a"));
    assert_int_equal(umount(path), 0);
    assert_true(ok);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_files),
        TEST(test_many_levels),
        TEST(test_store_survives_chdir_and_move),
        TEST(test_parents_in_the_way),
        TEST(test_open),
        TEST(test_read_only),
        TEST(test_permissions),
        TEST(test_permission_below),
        TEST(test_strange_entries),
        TEST(test_del_tree_follows_no_link),
        TEST(test_del_tree_deep),
        TEST(test_del_tree_wide),
        TEST(test_partial_names),
        TEST(test_leftovers),
        TEST(test_fork),
        TEST(test_kill),
        TEST(test_failed_write),
        TEST(test_full_disk),
        TEST(test_rename_across_file_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
