/* test_directory_writes.c - partial files of the directory store, and what a failed write leaves. */
#include "store/store/lease.h"
#include "store_directory_support.h"

/* ---- partial files ---- */

/* Neither another call nor a forked child gets the same one. */
static void test_numbers_unlike_others(void **state)
{
    char ids[3][VZ_LEASE_ID_SIZE];
    int ends[2], status;
    (void)state;
    vz_lease_make_id(ids[0]);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        vz_lease_make_id(ids[1]);
        _exit(write(ends[1], ids[1], sizeof ids[1]) == (ssize_t)sizeof ids[1] ? 0 : 1);
    }
    assert_int_equal(read(ends[0], ids[1], sizeof ids[1]), sizeof ids[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    vz_lease_make_id(ids[2]);
    assert_true(strcmp(ids[0], ids[1]) != 0 && strcmp(ids[1], ids[2]) != 0 && strcmp(ids[0], ids[2]) != 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(strspn(ids[i], "0123456789abcdef"), VZ_LEASE_ID_SIZE - 1);
    close(ends[0]);
    close(ends[1]);
}

static void test_partial_names(void **state)
{
    (void)state;
    char name[256], again[256];
    assert_true(vz_partial_name(name, sizeof name, NULL));
    assert_true(vz_partial_name(again, sizeof again, NULL));
    assert_string_not_equal(name, again);
    assert_true(vz_partial_is_name(name));
    assert_int_equal(strspn(name, "0123456789abcdef"), 32);
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_partial_name(name, 10, &err));

    static const struct {
        const char *name;
        bool is_partial;
    } cases[] = {{"host-1-2.partial", true},
                 {"my-host.example.org-4711-0.partial", true},
                 {"a-1-2-3.partial", true},
                 {"0123456789abcdef0123456789abcdef-7.partial", true},
                 {"0123456789abcdef0123456789abcdef.partial", true},
                 {"0123456789abcdef0123456789abcdef-.partial", false},
                 {"0123456789abcdef0123456789abcde.partial", false},
                 {"0123456789abcdef0123456789abcdef-x.partial", false},
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
        if (vz_partial_is_name(cases[i].name) != cases[i].is_partial)
            fail_msg("%s", cases[i].name);
}

/* Names of versions without leases: what is old, and of this host, and of no process here, is removed. A number of a
 * process alone says nothing, as the process may run in another container. */
static void test_leftovers(void **state)
{
    const int dead = (int)dead_pid();
    char command[1024];
    snprintf(command, sizeof command,
             "h=$(hostname) && touch $h-%d-1.partial $h-%d-2.partial other-%d-1.partial x.partial $h-%d-x.partial && "
             "mkdir -p $h-%d-3.partial/a/b && touch $h-%d-3.partial/a/b/c && ln -s x.partial $h-%d-4.partial && mkdir "
             "user.partial && touch -h -d '8 days ago' *.partial && touch $h-%d-5.partial",
             dead, (int)getpid(), dead, dead, dead, dead, dead, dead);
    shell(command);
    snprintf(command, sizeof command,
             "h=$(hostname) && test ! -e $h-%d-1.partial && test ! -e $h-%d-3.partial && test -e $h-%d-2.partial && "
             "test -e other-%d-1.partial && test ! -L $h-%d-4.partial && test -e x.partial && test -e $h-%d-5.partial",
             dead, dead, (int)getpid(), dead, dead, dead);
    vz_entry *entries;
    size_t count;
    assert_true(vz_store_list(*state, "", &entries, &count, NULL));
    vz_entries_free(entries, count);
    assert_int_equal(count, 3); /* the user's two, and what has no number where the process stands */
    shell(command);
}

/* A name of a child is not one of its parent's. */
static int puts_what_it_likes(vz_store *store)
{
    char name[256];
    return vz_partial_name(name, sizeof name, NULL) && strcmp(name, store->path) != 0 &&
                   vz_store_put(store, "child", text_bytes("1"), NULL)
               ? 0
               : 1;
}

static void test_fork(void **state)
{
    assert_int_equal(in_child(puts_what_it_likes, *state), 0);
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

/* A killed writer leaves the old value or the new one, and what else it leaves goes with the next writer. */
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
        vz_store_close(vz_store_open_directory(root, true, NULL));
        shell("test -z \"$(find . .. -name '*.partial')\"");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_partial_names),
        TEST(test_numbers_unlike_others),
        TEST(test_numbers_unlike_others),
        TEST(test_leftovers),
        TEST(test_fork),
        TEST(test_kill),
        TEST(test_failed_write),
        TEST(test_full_disk),
        TEST(test_rename_across_file_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
