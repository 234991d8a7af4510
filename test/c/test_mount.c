/* test_mount.c - H5Fmount and H5Funmount: a file seen below a group of another. */
#include "both.h"

static hid_t open_second(trial *t, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", t->directory, name);
    const hid_t native = access_list(NATIVE);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, t->kind == WRAPPED ? native : t->fapl);
    H5Pclose(native);
    if (t->kind == WRAPPED) {
        H5Fclose(file);
        file = H5Fopen(path, H5F_ACC_RDWR, t->fapl);
    }
    assert_true(file >= 0);
    return file;
}

static void group(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Gclose(id);
}

static void number(hid_t at, const char *name, int value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    assert_true(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(id);
    H5Sclose(space);
}

static void say_path(trial *t, hid_t at, const char *path)
{
    char name[100] = "";
    const hid_t id = H5Oopen(at, path, H5P_DEFAULT);
    say(t, " %s: %s", path, went(id));
    if (id >= 0) {
        int value = 0;
        H5Iget_name(id, name, sizeof name);
        say(t, " name %s", name);
        if (H5Iget_type(id) == H5I_DATASET && H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0)
            say(t, " value %d", value);
        H5Oclose(id);
    }
    say(t, "\n");
}

static void say_paths(trial *t, hid_t at)
{
    static const char *const paths[] = {"/", "/m", "/m/hidden", "/m/a", "/m/g/b", "m/g", "/g/b", "/a", "/new"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        say_path(t, at, paths[i]);
}

static void fill(trial *t, hid_t child)
{
    group(t->file, "m");
    number(t->file, "m/hidden", 1);
    number(child, "a", 2);
    group(child, "g");
    number(child, "g/b", 3);
}

static void mounting(trial *t)
{
    const hid_t child = open_second(t, "child");
    fill(t, child);
    say(t, "mount %s\n", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
    say_paths(t, t->file);
    say(t, "again %s\n", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
    say(t, "itself %s\n", went(H5Fmount(child, "g", t->file, H5P_DEFAULT)));
    say(t, "nowhere %s\n", went(H5Fmount(t->file, "nope", child, H5P_DEFAULT)));
    number(t->file, "/m/new", 4);
    const hid_t g = H5Gopen2(t->file, "/m/g", H5P_DEFAULT);
    number(g, "inner", 5);
    say_path(t, g, "b");
    say_path(t, g, "/m/a");
    say(t, "unmount %s\n", went(H5Funmount(t->file, "m")));
    say(t, "unmount again %s\n", went(H5Funmount(t->file, "m")));
    say_path(t, g, "inner");
    H5Gclose(g);
    say_paths(t, t->file);
    say_paths(t, child);
    say_path(t, child, "g/inner");
    H5Fclose(child);
}
ON_EVERY_KIND(mounting)

/* The mounted file is closed, or the one it is mounted in. */
static void closing(trial *t)
{
    hid_t child = open_second(t, "child");
    fill(t, child);
    say(t, "mount %s\n", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
    say(t, "close the child %s\n", went(H5Fclose(child)));
    say_paths(t, t->file);
    say(t, "unmount %s\n", went(H5Funmount(t->file, "/m")));
    say_paths(t, t->file);
    child = open_second(t, "other");
    number(child, "a", 7);
    say(t, "mount %s\n", went(H5Fmount(t->file, "/m", child, H5P_DEFAULT)));
    say(t, "close %s\n", went(H5Fclose(child)));
    reopen(t, H5F_ACC_RDWR);
    say_paths(t, t->file);
}
ON_EVERY_KIND(closing)

/* The files of a tree stay open as long as one of them is. */
static void one_of_a_tree(trial *t)
{
    hid_t child = open_second(t, "child");
    fill(t, child);
    say(t, "mount %s\n", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
    say(t, "close the parent %s\n", went(H5Fclose(t->file)));
    say_paths(t, child);
    number(child, "late", 6);
    const hid_t g = H5Gopen2(child, "/m/g", H5P_DEFAULT);
    say(t, "close the child %s\n", went(H5Fclose(child)));
    say_path(t, g, "b");
    say_path(t, g, "/late");
    H5Gclose(g);
    t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    say(t, "open again %s\n", went(t->file));
    say_paths(t, t->file);
    say_path(t, t->file, "/late");
}
ON_EVERY_KIND(one_of_a_tree)

static hid_t open_with_degree(const char *path, const trial *t, H5F_close_degree_t degree)
{
    const hid_t fapl = H5Pcopy(t->fapl);
    H5Pset_fclose_degree(fapl, degree);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, fapl);
    H5Pclose(fapl);
    assert_true(file >= 0);
    return file;
}

/* What a close does to open objects, while another file of the tree is open and when it is the last one. */
static void degrees(trial *t)
{
    char path[200];
    snprintf(path, sizeof path, "%s/child", t->directory);
    H5Fclose(open_second(t, "child"));
    group(t->file, "m");
    for (int i = 0; i < 2; i++) {
        const H5F_close_degree_t degree = i ? H5F_CLOSE_STRONG : H5F_CLOSE_SEMI;
        H5Fclose(t->file);
        t->file = open_with_degree(t->path, t, degree);
        const hid_t child = open_with_degree(path, t, degree), g = H5Gopen2(t->file, "m", H5P_DEFAULT);
        say(t, "mount %s", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
        const hid_t root = H5Gopen2(t->file, "m", H5P_DEFAULT);
        say(t, " close the parent %s", went(H5Fclose(t->file)));
        say(t, " objects %d %d", H5Iis_valid(g) > 0, H5Iis_valid(root) > 0);
        const herr_t closed = H5Fclose(child);
        say(t, " the child %s, objects %d %d", went(closed), H5Iis_valid(g) > 0, H5Iis_valid(root) > 0);
        if (H5Iis_valid(g) > 0)
            H5Gclose(g);
        if (H5Iis_valid(root) > 0)
            H5Gclose(root);
        say(t, " child again %s\n", closed < 0 ? went(H5Fclose(child)) : "closed");
        t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    }
}
ON_EVERY_KIND(degrees)

static void say_new(trial *t, hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, " %s %s", name, went(id));
    if (id >= 0)
        H5Gclose(id);
}

/* The file that a group is in says whether anything can be made there. */
static void read_only_members(trial *t)
{
    char path[200];
    snprintf(path, sizeof path, "%s/child", t->directory);
    hid_t child = open_second(t, "child");
    fill(t, child);
    H5Fclose(child);
    child = H5Fopen(path, H5F_ACC_RDONLY, t->fapl);
    say(t, "mount %s", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
    say_new(t, t->file, "/m/a1"), say_new(t, t->file, "a2"), say_new(t, child, "/m/a3"), say_new(t, child, "/a4");
    say_new(t, child, "a5");
    say(t, "\nunlink %s", went(H5Ldelete(child, "a5", H5P_DEFAULT)));
    say(t, " below %s", went(H5Ldelete(child, "m/a", H5P_DEFAULT)));
    say(t, " unmount %s\n", went(H5Funmount(t->file, "m")));
    H5Fclose(child);
    reopen(t, H5F_ACC_RDONLY);
    child = H5Fopen(path, H5F_ACC_RDWR, t->fapl);
    say(t, "mount %s", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
    say_new(t, t->file, "/m/b1"), say_new(t, t->file, "b2"), say_new(t, child, "/m/b3"), say_new(t, child, "/b4");
    say_new(t, child, "b5");
    say(t, " unmount %s\n", went(H5Funmount(t->file, "m")));
    H5Fclose(child);
}
ON_EVERY_KIND(read_only_members)

/* Names are looked for from the topmost file, whichever file of the tree is asked. */
static void uniformity(trial *t)
{
    H5O_info2_t info;
    const hid_t child = open_second(t, "child"), grandchild = open_second(t, "grandchild");
    fill(t, child);
    number(grandchild, "c", 8);
    say(t, "mount %s\n", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
    say(t, "mount below %s\n", went(H5Fmount(child, "m/g", grandchild, H5P_DEFAULT)));
    say_paths(t, child);
    say_path(t, child, "m/g/c");
    say_path(t, grandchild, "m/g/c");
    say_path(t, grandchild, "c");
    say(t, "root of the child %s\n", went(H5Oget_info_by_name3(child, "mm", &info, H5O_INFO_BASIC, H5P_DEFAULT)));
    number(child, "new", 9);
    say_path(t, t->file, "new");
    say(t, "links %d\n", H5Lexists(grandchild, "new", H5P_DEFAULT));
    say(t, "unmount %s\n", went(H5Funmount(grandchild, "m/g")));
    say(t, "unmount %s\n", went(H5Funmount(child, "m")));
    say_paths(t, child);
    H5Fclose(grandchild);
    H5Fclose(child);
}
ON_EVERY_KIND(uniformity)

static void say_referred(trial *t, const char *what, hobj_ref_t *reference)
{
    char name[100] = "", of_reference[100] = ""; /* HDF5 does not set what has no name */
    const hid_t id = H5Rdereference2(t->file, H5P_DEFAULT, H5R_OBJECT, reference);
    const ssize_t length = H5Iget_name(id, name, sizeof name);
    const ssize_t length_of = H5Rget_name(t->file, H5R_OBJECT, reference, of_reference, sizeof of_reference);
    say(t, "%s: %s \"%s\" %d \"%s\" %d\n", what, went(id), name, (int)length, of_reference, (int)length_of);
    if (id >= 0)
        H5Oclose(id);
}

/* No path leads to what a mounted file hides. */
static void hidden_names(trial *t)
{
    static const char *const paths[] = {"m", "m/hidden", "m/deep", "m/deep/x", "beside"};
    enum { COUNT = sizeof paths / sizeof *paths };
    hobj_ref_t references[COUNT];
    const hid_t child = open_second(t, "child");
    fill(t, child);
    group(t->file, "m/deep");
    number(t->file, "m/deep/x", 4);
    number(t->file, "beside", 5);
    for (int i = 0; i < COUNT; i++)
        assert_true(H5Rcreate(&references[i], t->file, paths[i], H5R_OBJECT, -1) >= 0);
    for (int round = 0; round < 3; round++) {
        if (round == 1)
            say(t, "mount %s\n", went(H5Fmount(t->file, "m", child, H5P_DEFAULT)));
        if (round == 2)
            say(t, "unmount %s\n", went(H5Funmount(t->file, "m")));
        for (int i = 0; i < COUNT; i++)
            say_referred(t, paths[i], &references[i]);
    }
    H5Fclose(child);
}
WITH_GATEWAY(hidden_names)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(mounting),    AS_NATIVE(closing),           AS_NATIVE(one_of_a_tree),
                                       AS_NATIVE(degrees),     AS_NATIVE(read_only_members), AS_NATIVE(uniformity),
                                       AS_NATIVE(hidden_names)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
