/* test_hardlink.c - objects with more than one name: counts, deletion of the first name, cycles, moves, reopening. */
#include "both.h"

static void make(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Gclose(id);
}

static void number(hid_t at, const char *name, int value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0 && H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(id);
    H5Sclose(space);
}

static void say_number(trial *t, const char *name)
{
    int value = -1;
    H5O_info2_t info = {0};
    const hid_t id = H5Dopen2(t->file, name, H5P_DEFAULT);
    say(t, "%s: %s", name, went(id));
    if (id >= 0) {
        H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
        H5Oget_info3(id, &info, H5O_INFO_ALL);
        say(t, " %d rc %u", value, info.rc);
        H5Dclose(id);
    }
    say(t, "\n");
}

static void hard(trial *t, const char *object, const char *name)
{
    say(t, "%s = %s: %s\n", name, object,
        went(H5Lcreate_hard(t->file, object, t->file, name, H5P_DEFAULT, H5P_DEFAULT)));
}

static void gone(trial *t, const char *name)
{
    say(t, "delete %s: %s\n", name, went(H5Ldelete(t->file, name, H5P_DEFAULT)));
}

static herr_t tell_link(hid_t at, const char *name, const H5L_info2_t *info, void *data)
{
    (void)at;
    say(data, "  %s type %d\n", name, info->type);
    return 0;
}

static herr_t tell_object(hid_t at, const char *name, const H5O_info2_t *info, void *data)
{
    (void)at;
    say(data, "  %s type %d rc %u\n", name, info->type, info->rc);
    return 0;
}

static void walk(trial *t)
{
    for (int order = H5_ITER_INC; order <= H5_ITER_DEC; order++) {
        say(t, "links %d\n", H5Lvisit2(t->file, H5_INDEX_NAME, order, tell_link, t));
        say(t, "objects %d\n", H5Ovisit3(t->file, H5_INDEX_NAME, order, tell_object, t, H5O_INFO_BASIC));
    }
}

static bool same_object(hid_t file, const char *a, const char *b)
{
    H5O_info2_t x, y;
    int order = 1;
    return H5Oget_info_by_name3(file, a, &x, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           H5Oget_info_by_name3(file, b, &y, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           H5Otoken_cmp(file, &x.token, &y.token, &order) >= 0 && order == 0;
}

static void names(trial *t)
{
    make(t->file, "g");
    number(t->file, "x", 5);
    hard(t, "x", "y");
    hard(t, "y", "g/z");
    hard(t, "x", "y");
    hard(t, "nothing", "n");
    for (int round = 0; round < 2; round++) {
        say_number(t, "x"), say_number(t, "y"), say_number(t, "g/z");
        say(t, "same %d %d\n", same_object(t->file, "x", "g/z"), same_object(t->file, "x", "g"));
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
    gone(t, "x");
    for (int round = 0; round < 2; round++) {
        say_number(t, "x"), say_number(t, "y"), say_number(t, "g/z");
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
    gone(t, "y");
    reopen(t, H5F_ACC_RDWR);
    say_number(t, "g/z");
    gone(t, "g/z");
    say_number(t, "g/z");
    walk(t);
}
ON_EVERY_KIND(names)

/* What lies in a group that is deleted lives on under a name elsewhere. */
static void deleted_groups(trial *t)
{
    make(t->file, "g");
    make(t->file, "g/h");
    make(t->file, "k");
    number(t->file, "g/h/x", 7);
    number(t->file, "outside", 8);
    hard(t, "g/h/x", "k/x");
    hard(t, "outside", "g/h/o");
    reopen(t, H5F_ACC_RDWR);
    gone(t, "g");
    say_number(t, "k/x"), say_number(t, "outside");
    reopen(t, H5F_ACC_RDWR);
    say_number(t, "k/x"), say_number(t, "outside");
    walk(t);
}
ON_EVERY_KIND(deleted_groups)

/* What lives on may name what seemed to go, one after the other. */
static void deleted_circles(trial *t)
{
    make(t->file, "g");
    make(t->file, "g/h");
    number(t->file, "g/x", 3);
    hard(t, "g", "g/h/up");
    hard(t, "g/h", "k");
    make(t->file, "one");
    make(t->file, "one/a");
    make(t->file, "one/b");
    make(t->file, "one/c");
    number(t->file, "one/a/x", 4);
    hard(t, "one/a", "one/b/a");
    hard(t, "one/b", "one/c/b");
    hard(t, "one/c", "two");
    reopen(t, H5F_ACC_RDWR);
    gone(t, "g");
    gone(t, "one");
    for (int round = 0; round < 2; round++) {
        say_number(t, "k/up/x"), say_number(t, "two/b/a/x");
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
    gone(t, "k");
    walk(t);
}
ON_EVERY_KIND(deleted_circles)

/* A group that is held has its members, also those that live on elsewhere. */
static void deleted_while_held(trial *t)
{
    static const char *const groups[] = {"g", "k"};
    hid_t held[2];
    for (size_t i = 0; i < 2; i++) {
        char below[8], x[8], by[8];
        snprintf(below, sizeof below, "%s/b", groups[i]);
        snprintf(x, sizeof x, "%s/b/x", groups[i]);
        snprintf(by, sizeof by, "by %s", groups[i]);
        make(t->file, groups[i]);
        make(t->file, below);
        number(t->file, x, 3);
        hard(t, below, by);
        held[i] = H5Gopen2(t->file, groups[i], H5P_DEFAULT);
        gone(t, groups[i]);
        say(t, "%d links\n", H5Lvisit2(held[i], H5_INDEX_NAME, H5_ITER_INC, tell_link, t));
        walk(t);
    }
    say(t, "link %s\n", went(H5Olink(held[0], t->file, "again", H5P_DEFAULT, H5P_DEFAULT)));
    H5Gclose(held[0]);
    H5Gclose(held[1]);
    for (int round = 0; round < 2; round++) {
        say_number(t, "again/b/x"), say_number(t, "by k/x");
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
}
ON_EVERY_KIND(deleted_while_held)

static void moved_groups(trial *t)
{
    make(t->file, "g");
    make(t->file, "k");
    number(t->file, "g/x", 3);
    number(t->file, "y", 4);
    hard(t, "g/x", "k/x");
    hard(t, "y", "g/y");
    reopen(t, H5F_ACC_RDWR);
    say(t, "move %s\n", went(H5Lmove(t->file, "g", t->file, "k/g", H5P_DEFAULT, H5P_DEFAULT)));
    for (int round = 0; round < 2; round++) {
        say_number(t, "k/x"), say_number(t, "k/g/x"), say_number(t, "y"), say_number(t, "k/g/y");
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
    say(t, "move a second name %s\n", went(H5Lmove(t->file, "k/x", t->file, "x2", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "copy a name %s\n", went(H5Lcopy(t->file, "x2", t->file, "x3", H5P_DEFAULT, H5P_DEFAULT)));
    gone(t, "k/g/x");
    reopen(t, H5F_ACC_RDWR);
    say_number(t, "x2"), say_number(t, "x3"), say_number(t, "k/g/x");
    walk(t);
}
ON_EVERY_KIND(moved_groups)

static void cycles(trial *t)
{
    make(t->file, "a");
    make(t->file, "a/b");
    number(t->file, "a/b/n", 1);
    hard(t, "a", "a/b/up");
    hard(t, "/", "a/root");
    hard(t, "a/b", "a/b/self");
    for (int round = 0; round < 2; round++) {
        say_number(t, "a/b/up/b/self/up/root/a/b/n");
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
    gone(t, "a/b/self");
    gone(t, "a/root");
    walk(t);
}
ON_EVERY_KIND(cycles)

static void anonymous(trial *t)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate_anon(t->file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    int value = 9;
    H5O_info2_t info;
    H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    for (const char *const *name = (const char *const[]){"one", "two", "three", NULL}; *name; name++) {
        say(t, "link %s", went(H5Olink(id, t->file, *name, H5P_DEFAULT, H5P_DEFAULT)));
        H5Oget_info3(id, &info, H5O_INFO_BASIC);
        say(t, " rc %u\n", info.rc);
    }
    gone(t, "one");
    gone(t, "two");
    gone(t, "three");
    H5Oget_info3(id, &info, H5O_INFO_BASIC);
    value = 0;
    say(t, "rc %u read %s", info.rc, went(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value)));
    say(t, " %d\n", value);
    say(t, "again %s\n", went(H5Olink(id, t->file, "four", H5P_DEFAULT, H5P_DEFAULT)));
    H5Dclose(id);
    H5Sclose(space);
    reopen(t, H5F_ACC_RDONLY);
    say_number(t, "four");
    hard(t, "four", "five");
}
ON_EVERY_KIND(anonymous)

static void moved(trial *t, const char *from, const char *to)
{
    say(t, "%s to %s: %s\n", from, to, went(H5Lmove(t->file, from, t->file, to, H5P_DEFAULT, H5P_DEFAULT)));
}

/* By another name, of itself or of a group in it, a group can be reached that moved into itself. */
static void moved_into_themselves(trial *t)
{
    make(t->file, "g");
    make(t->file, "g/below");
    number(t->file, "g/below/x", 6);
    hard(t, "g", "by");
    make(t->file, "k");
    make(t->file, "k/l");
    make(t->file, "k/l/m");
    number(t->file, "k/l/x", 7);
    hard(t, "k/l", "way");
    reopen(t, H5F_ACC_RDWR);
    moved(t, "g", "by/below/g");
    moved(t, "k", "way/m/k");
    for (int round = 0; round < 2; round++) {
        say_number(t, "by/below/x"), say_number(t, "by/below/g/below/x");
        say_number(t, "way/x"), say_number(t, "way/m/k/l/x");
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
    moved(t, "by", "by2");
    moved(t, "by2/below/g", "g");
    walk(t);
    reopen(t, H5F_ACC_RDWR);
    walk(t);
}
ON_EVERY_KIND(moved_into_themselves)

/* A link's own name is taken, by whatever path it is told. */
static void moved_nowhere(trial *t)
{
    static const char *const links[] = {"g", "x", "y", "s", "loose"};
    char path[32];
    make(t->file, "g");
    number(t->file, "x", 6);
    hard(t, "x", "y");
    hard(t, "/", "root");
    H5Lcreate_soft("/x", t->file, "s", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("none", t->file, "loose", H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        snprintf(path, sizeof path, "/root/%s", links[i]);
        moved(t, links[i], links[i]);
        moved(t, links[i], path);
    }
    walk(t);
}
ON_EVERY_KIND(moved_nowhere)

static void refreshed(trial *t, const char *name)
{
    const hid_t id = H5Oopen(t->file, name, H5P_DEFAULT);
    say(t, "refresh %s: %s\n", name, went(H5Orefresh(id)));
    H5Oclose(id);
}

/* A refresh of the group where the first name is, while the others are not written yet. */
static void refreshed_before_writing(trial *t)
{
    make(t->file, "f");
    make(t->file, "f/below");
    make(t->file, "h");
    number(t->file, "x", 5);
    reopen(t, H5F_ACC_RDWR);
    hard(t, "f", "h/f");
    hard(t, "x", "h/x");
    for (int round = 0; round < 2; round++) {
        refreshed(t, "/");
        say_number(t, "h/x");
        walk(t);
        reopen(t, H5F_ACC_RDWR);
    }
    gone(t, "h/x");
    refreshed(t, "/");
    say_number(t, "x");
    walk(t);
}
ON_EVERY_KIND(refreshed_before_writing)

/* A refresh forgets the groups that hold further hard links. */
static void refreshed_above(trial *t)
{
    make(t->file, "g");
    make(t->file, "g/h");
    number(t->file, "x", 5);
    const hid_t held = H5Dopen2(t->file, "x", H5P_DEFAULT);
    hard(t, "/", "g/root");
    hard(t, "x", "g/h/x");
    say(t, "flush %s\n", went(H5Fflush(t->file, H5F_SCOPE_LOCAL)));
    refreshed(t, "/");
    say_number(t, "x");
    walk(t);
    gone(t, "x");
    H5Dclose(held);
    say_number(t, "g/h/x");
    reopen(t, H5F_ACC_RDWR);
    say_number(t, "g/h/x");
    walk(t);
}
ON_EVERY_KIND(refreshed_above)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(names),           AS_NATIVE(deleted_groups),
        AS_NATIVE(deleted_circles), AS_NATIVE(deleted_while_held),
        AS_NATIVE(moved_groups),    AS_NATIVE(cycles),
        AS_NATIVE(anonymous),       AS_NATIVE(refreshed_before_writing),
        AS_NATIVE(refreshed_above), AS_NATIVE(moved_into_themselves),
        AS_NATIVE(moved_nowhere),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
