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

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(names), AS_NATIVE(deleted_groups), AS_NATIVE(moved_groups), AS_NATIVE(cycles), AS_NATIVE(anonymous),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
