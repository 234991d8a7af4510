/* test_directory_links.c - symbolic links in a directory store: changes do not leave the root through them, also
 * where the kernel has no openat2 (a filter of system calls stands for such a kernel). */
#include "store_directory_support.h"
#include "own_directory.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static char outside[sizeof root + 16];

static bool put_value(vz_store *store, const char *key, vz_error *err)
{
    return vz_store_put(store, key, text_bytes("new"), err);
}

static bool put_new(vz_store *store, const char *key, vz_error *err)
{
    return vz_store_put_new(store, key, text_bytes("new"), err);
}

static bool rename_from(vz_store *store, const char *key, vz_error *err)
{
    return vz_store_rename_tree(store, key, "renamed", err);
}

static bool rename_to(vz_store *store, const char *key, vz_error *err)
{
    return vz_store_rename_tree(store, "mine", key, err);
}

static bool exchange(vz_store *store, const char *key, vz_error *err)
{
    bool done;
    return vz_store_exchange_trees(store, "mine", key, &done, err);
}

static const struct change {
    const char *name, *key;
    bool (*make)(vz_store *store, const char *key, vz_error *err);
} changes[] = {
    {"put over", "out/x", put_value},
    {"put", "out/y", put_value},
    {"put below", "out/new/deep/y", put_value},
    {"put in a member", "out/d/x", put_value},
    {"put behind an absolute link", "far/x", put_value},
    {"put behind two links", "twice/x", put_value},
    {"put_new", "out/y", put_new},
    {"del", "out/x", vz_store_del},
    {"del_tree", "out/d", vz_store_del_tree},
    {"rename from", "out/d", rename_from},
    {"rename to", "out/e", rename_to},
    {"exchange", "out/d", exchange},
    {"check", "out", vz_store_check_change},
    {"check below", "out/d", vz_store_check_change},
};

static void lay_links(vz_store *store)
{
    snprintf(outside, sizeof outside, "%s.outside", root);
    put(store, "mine/x", "mine");
    put(store, "in/x", "in");
    char command[800];
    snprintf(command, sizeof command,
             "o=%s; mkdir -p $o/d && echo -n x > $o/x && echo -n x > $o/d/x && ln -s ../$(basename $o) out && "
             "ln -s $o far && ln -s out twice && ln -s in alias && ln -s ../in mine/up && ln -s $PWD/in whole",
             outside);
    shell(command);
}

static int setup_links(void **state)
{
    if (setup(state) != 0)
        return -1;
    lay_links(*state);
    return 0;
}

static int teardown_links(void **state)
{
    return remove_tree(outside) | teardown(state);
}

#define LINKS_TEST(test) cmocka_unit_test_setup_teardown(test, setup_links, teardown_links)

static void assert_outside_unchanged(void)
{
    char command[800];
    snprintf(
        command, sizeof command,
        "o=%s; test \"$(cd $o && find . | sort | tr '\\n' ' ')\" = '. ./d ./d/x ./x ' && test $(cat $o/x $o/d/x) = xx",
        outside);
    shell(command);
}

/* 0, or the number of what went wrong. */
static int refuse_all(vz_store *store)
{
    for (size_t i = 0; i < COUNT(changes); i++) {
        vz_error err = VZ_ERROR_NONE;
        if (changes[i].make(store, changes[i].key, &err) || err.class != VZ_PERMISSION ||
            !strstr(err.text, "symbolic link") || strcmp(err.store, store->path) != 0)
            return (int)i + 1;
    }
    return 0;
}

/* Links that stay inside, relative and absolute. */
static int allow_inside(vz_store *store)
{
    static const char *const keys[] = {"alias/x", "alias/new/y", "mine/up/z", "whole/x", "whole/n/m"};
    for (size_t i = 0; i < COUNT(keys); i++)
        if (!vz_store_put(store, keys[i], text_bytes("n"), NULL))
            return (int)i + 1;
    return vz_store_del(store, "alias/x", NULL) && vz_store_del(store, "whole/n/m", NULL) ? 0 : 100;
}

/* From here on the kernel has no openat2. Not every one lets itself be asked for that: qemu-user has neither. */
static int refuse_openat2(void)
{
    if (syscall(SYS_openat2, AT_FDCWD, ".", NULL, (size_t)0) < 0 && errno == ENOSYS)
        return 0;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = COUNT(filter), .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 200;
    return 0;
}

static int change_without_openat2(vz_store *store)
{
    const int refused = refuse_openat2() ? 200 : refuse_all(store);
    return refused ? refused : allow_inside(store);
}

static void test_changes_stay_inside(void **state)
{
    const int wrong = refuse_all(*state);
    if (wrong)
        fail_msg("%s", changes[wrong - 1].name);
    assert_outside_unchanged();
    assert_file("mine/x", "mine");
    assert_int_equal(allow_inside(*state), 0);
    assert_file("in/z", "n");
    assert_file("in/new/y", "n");
    assert_false(exists("in/x") || exists("in/n/m"));
    assert_outside_unchanged();
}

static void test_changes_stay_inside_without_openat2(void **state)
{
    assert_int_equal(in_child(change_without_openat2, *state), 0);
    assert_outside_unchanged();
    assert_file("in/z", "n");
}

/* ---- reading ---- */

static bool reads(vz_store *store, const char *key, const char *text)
{
    vz_buffer out = {0};
    bool found = false;
    const bool ok = vz_store_get(store, key, VZ_WHOLE, &out, &found, NULL) && found && out.size == strlen(text) &&
                    memcmp(out.data, text, out.size) == 0;
    vz_buffer_clear(&out);
    return ok;
}

/* 0: of a store whose readers stay inside values are read through its own links, and through no others. */
static int read_inside(vz_store *store)
{
    static const char *const inside[] = {"alias/x", "mine/up/x", "near", "mine/over", "chain", "in/slash"};
    static const char *const refused[] = {"out/x", "far/x", "twice/x", "away", "mine/away", "absolute", "round"};
    store->stays_inside = true;
    for (size_t i = 0; i < COUNT(inside); i++)
        if (!reads(store, inside[i], i == 5 ? "mine" : "in"))
            return (int)i + 1;
    for (size_t i = 0; i < COUNT(refused); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_buffer out = {0};
        bool found = false;
        if (vz_store_get(store, refused[i], VZ_WHOLE, &out, &found, &err) || err.class != VZ_PERMISSION)
            return (int)i + 101;
    }
    return reads(store, "above", "x") || reads(store, "directory", "in");
}

static int read_without_openat2(vz_store *store)
{
    return refuse_openat2() ? 200 : read_inside(store);
}

static void test_reads_stay_inside(void **state)
{
    shell("o=$(basename $PWD).outside; ln -s in/x near && ln -s ../in/x mine/over && ln -s mine/over chain && "
          "ln -s ../mine/../mine/x in/slash && ln -s ../$o/x away && ln -s ../../$o/x mine/away && ln -s $PWD/in/x "
          "absolute && "
          "ln -s round round && ln -s .. above && ln -s in/. directory");
    assert_int_equal(in_child(read_without_openat2, *state), 0);
    assert_int_equal(in_child(read_inside, *state), 0);
}

/* ---- the option, and the links themselves ---- */

static void test_follow_links(void **state)
{
    vz_store *store = *state;
    store->follow_links = true;
    put(store, "out/d/x", "changed");
    assert_true(vz_store_del(store, "far/x", NULL));
    char path[128];
    snprintf(path, sizeof path, "../%s.outside/d/x", strrchr(root, '/') + 1);
    assert_file(path, "changed");
    assert_false(exists("out/x"));
}

/* What goes, moves or is looked at is the link. */
static void test_the_link_itself(void **state)
{
    vz_store_key_kind thing;
    assert_true(vz_store_look(*state, "out", &thing, NULL) && thing == VZ_STORE_LINK);
    assert_true(vz_store_look(*state, "mine", &thing, NULL) && thing == VZ_STORE_PREFIX);
    assert_true(vz_store_look(*state, "mine/x", &thing, NULL) && thing == VZ_STORE_VALUE);
    assert_true(vz_store_look(*state, "no", &thing, NULL) && thing == VZ_STORE_NOTHING);
    assert_true(vz_store_rename_tree(*state, "out", "renamed", NULL));
    assert_true(vz_store_rename_tree(*state, "renamed", "a/b/deep", NULL));
    assert_false(exists("renamed"));
    assert_file("a/b/deep/x", "x");
    assert_true(vz_store_rename_tree(*state, "mine/up", "up", NULL));
    assert_file("up/x", "in");
    assert_false(vz_store_rename_tree(*state, "far", "up", NULL)); /* taken */
    assert_true(vz_store_rename_tree(*state, "a/b/deep", "top", NULL));
    assert_file("top/x", "x");
    shell("test -L top && case $(readlink top) in /*) false;; esac");
    assert_true(vz_store_del_tree(*state, "top", NULL) && vz_store_del(*state, "far", NULL));
    assert_false(exists("top") || exists("far"));
    assert_outside_unchanged();
}

/* A link whose directory is itself behind one: no relative path leads from there, so it becomes absolute. */
static void test_a_link_behind_a_link(void **state)
{
    shell("mkdir -p deep/er && ln -s ../../in deep/er/l && ln -s deep/er short");
    assert_true(vz_store_rename_tree(*state, "short/l", "mine/l", NULL));
    assert_file("mine/l/x", "in");
    assert_false(exists("deep/er/l"));
}

/* 0: what a link leads to that nobody may look at is listed, and a link to nothing is not. */
static int list_as_nobody(void)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool locked = false, nowhere = false;
    if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
        return 1;
    vz_store *store = vz_store_open_directory(root, false, NULL);
    if (!store || !vz_store_list(store, "", &entries, &count, NULL))
        return 2;
    for (size_t i = 0; i < count; i++) {
        locked = locked || (strcmp(entries[i].name, "locked") == 0 && entries[i].is_prefix);
        nowhere = nowhere || strcmp(entries[i].name, "nowhere") == 0;
    }
    return !locked ? 3 : nowhere ? 4 : 0;
}

static void test_a_link_that_may_not_be_followed(void **state)
{
    (void)state;
    int status = 0;
    if (geteuid() != 0)
        skip();
    shell("ln -s ../$(basename $PWD).outside/d locked && ln -s ../nothing nowhere && chmod 700 ../$(basename "
          "$PWD).outside");
    const pid_t child = fork();
    if (child == 0)
        _exit(list_as_nobody());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINKS_TEST(test_changes_stay_inside),
        LINKS_TEST(test_changes_stay_inside_without_openat2),
        LINKS_TEST(test_reads_stay_inside),
        LINKS_TEST(test_follow_links),
        LINKS_TEST(test_the_link_itself),
        LINKS_TEST(test_a_link_behind_a_link),
        LINKS_TEST(test_a_link_that_may_not_be_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
