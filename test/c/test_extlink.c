/* test_extlink.c - external links: from a file of each kind to a file of the same kind, and from stores to HDF5 files;
 * user-defined links. */
#include "both.h"

static void make(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Gclose(id);
}

/* A file beside the trial's, with a group and a dataset, closed. */
static void make_other(const trial *t, const char *name, kind k)
{
    char path[200];
    const hid_t fapl = access_list(k == WRAPPED ? NATIVE : k);
    const int seven = 7;
    snprintf(path, sizeof path, "%s/%s", t->directory, name);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    assert_true(file >= 0);
    make(file, "g");
    make(file, "g/h");
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t data = H5Dcreate2(file, "g/d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(data >= 0 && H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &seven) >= 0);
    H5Dclose(data);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(fapl);
}

static void external(trial *t, const char *file, const char *path, const char *name)
{
    say(t, "%s -> %s %s: %s\n", name, file, path,
        went(H5Lcreate_external(file, path, t->file, name, H5P_DEFAULT, H5P_DEFAULT)));
}

static void say_value(trial *t, const char *name)
{
    char value[100];
    unsigned flags = 9;
    const char *file = "", *path = "";
    H5L_info2_t info = {0};
    say(t, "%s: %s", name, went(H5Lget_info2(t->file, name, &info, H5P_DEFAULT)));
    say(t, " type %d size %d", info.type, (int)info.u.val_size);
    say(t, " %s", went(H5Lget_val(t->file, name, value, sizeof value, H5P_DEFAULT)));
    say(t, " %s", went(H5Lunpack_elink_val(value, info.u.val_size, &flags, &file, &path)));
    say(t, " %u \"%s\" \"%s\" exists %d", flags, file, path, H5Lexists(t->file, name, H5P_DEFAULT));
    say(t, " object %d\n", H5Oexists_by_name(t->file, name, H5P_DEFAULT));
}

static void say_data(trial *t, const char *name)
{
    int value = -1;
    char file_name[200] = "";
    const hid_t data = H5Dopen2(t->file, name, H5P_DEFAULT);
    say(t, "data %s: %s", name, went(data));
    if (data >= 0) {
        say(t, " %s", went(H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value)));
        H5Fget_name(data, file_name, sizeof file_name);
        say(t, " %d in %s\n", value, strrchr(file_name, '/') ? strrchr(file_name, '/') : file_name);
        H5Dclose(data);
    } else
        say(t, "\n");
}

static herr_t tell(hid_t at, const char *name, const H5L_info2_t *info, void *data)
{
    (void)at;
    say(data, "  %s type %d\n", name, info->type);
    return 0;
}

static void follow(trial *t)
{
    external(t, "other", "/g", "e");
    external(t, "other", "g//d/", "data");
    external(t, "other", "/nothing", "gone");
    external(t, "missing", "/g", "lost");
    assert_true(H5Lcreate_soft("/e/h", t->file, "through", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    for (int round = 0; round < 2; round++) {
        say_value(t, "e"), say_value(t, "data"), say_value(t, "gone"), say_value(t, "lost");
        say_data(t, "e/d"), say_data(t, "data"), say_data(t, "gone"), say_data(t, "lost");
        say(t, "exists %d %d\n", H5Lexists(t->file, "e/h", H5P_DEFAULT), H5Lexists(t->file, "e/x", H5P_DEFAULT));
        const hid_t h = H5Gopen2(t->file, "through", H5P_DEFAULT);
        say(t, "through %s\n", went(h));
        H5Gclose(h);
        say(t, "%s\n", went(H5Literate_by_name2(t->file, "e", H5_INDEX_NAME, H5_ITER_INC, NULL, tell, t, H5P_DEFAULT)));
        say(t, "%s\n", went(H5Lvisit2(t->file, H5_INDEX_NAME, H5_ITER_INC, tell, t)));
        reopen(t, H5F_ACC_RDWR);
    }
    const hid_t first = H5Oopen_by_idx(t->file, "/", H5_INDEX_NAME, H5_ITER_INC, 1, H5P_DEFAULT);
    say(t, "by index %s\n", went(first));
    make(t->file, "e/made");
    say(t, "soft there %s\n", went(H5Lcreate_soft("/g", t->file, "e/soft", H5P_DEFAULT, H5P_DEFAULT)));
    H5Oclose(first);
    say(t, "copy %s move %s", went(H5Lcopy(t->file, "e", t->file, "e2", H5P_DEFAULT, H5P_DEFAULT)),
        went(H5Lmove(t->file, "data", t->file, "data2", H5P_DEFAULT, H5P_DEFAULT)));
    say_data(t, "e2/soft/d"), say_data(t, "data2"), say_data(t, "data");
    say(t, "delete through it %s\n", went(H5Ldelete(t->file, "e/made", H5P_DEFAULT)));
    say(t, "exists %d\n", H5Lexists(t->file, "e2/made", H5P_DEFAULT));
    reopen(t, H5F_ACC_RDONLY);
    say(t, "read-only %s\n", went(H5Gcreate2(t->file, "e/again", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    /* The object keeps its file alive. */
    const hid_t kept = H5Gopen2(t->file, "e", H5P_DEFAULT);
    H5Fclose(t->file);
    H5G_info_t info = {0};
    say(t, "kept %s", went(H5Gget_info(kept, &info)));
    say(t, " %d\n", (int)info.nlinks);
    H5Gclose(kept);
    t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
}

static void same_kind(trial *t)
{
    make_other(t, "other", t->kind);
    follow(t);
}
ON_EVERY_KIND(same_kind)

static void to_native(trial *t)
{
    make_other(t, "other", NATIVE);
    follow(t);
}
ON_EVERY_KIND(to_native)

static void circles(trial *t)
{
    external(t, "file", "/a", "a");
    say(t, "%d\n", H5Oexists_by_name(t->file, "a", H5P_DEFAULT));
    external(t, "file", "/", "self");
    make(t->file, "g");
    const hid_t group = H5Gopen2(t->file, "self/self/g", H5P_DEFAULT);
    say(t, "%s\n", went(group));
    H5Gclose(group);
}
ON_EVERY_KIND(circles)

static void prefix(trial *t)
{
    char directory[200];
    make(t->file, "g");
    external(t, "elsewhere", "/g", "e");
    snprintf(directory, sizeof directory, "%s/sub", t->directory);
    const hid_t gapl = H5Pcreate(H5P_GROUP_ACCESS);
    H5Pset_elink_prefix(gapl, directory);
    say(t, "%s\n", went(H5Gopen2(t->file, "e", gapl)));
    char command[220];
    snprintf(command, sizeof command, "mkdir %s", directory);
    assert_int_equal(system(command), 0);
    make_other(t, "sub/elsewhere", t->kind);
    hid_t group = H5Gopen2(t->file, "e", gapl);
    say(t, "%s\n", went(group));
    H5Gclose(group);
    say(t, "%s\n", went(H5Gopen2(t->file, "e", H5P_DEFAULT)));
    H5Pset_elink_acc_flags(gapl, H5F_ACC_RDONLY);
    group = H5Gopen2(t->file, "e", gapl);
    say(t, "%s %s\n", went(group), went(H5Gcreate2(group, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    H5Gclose(group);
    H5Pclose(gapl);
}
ON_EVERY_KIND(prefix)

/* The directory beside which files are looked for is that of when the file was opened. */
static void working_directory(trial *t)
{
    char before[200];
    make_other(t, "other", t->kind);
    external(t, "other", "/g", "e");
    H5Fclose(t->file);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(t->directory), 0);
    t->file = H5Fopen("file", H5F_ACC_RDWR, t->fapl);
    assert_int_equal(chdir("/"), 0);
    const hid_t group = H5Gopen2(t->file, "e", H5P_DEFAULT);
    say(t, "%s\n", went(group));
    H5Gclose(group);
    H5Fclose(t->file);
    assert_int_equal(chdir(before), 0);
    t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    assert_true(t->file >= 0);
}
ON_EVERY_KIND(working_directory)

typedef struct traversal {
    trial *trial;
    unsigned flags; /* that the file is to be opened with */
    herr_t status;
} traversal;

static herr_t on_traversal(const char *parent_file, const char *parent_group, const char *child_file,
                           const char *child_object, unsigned *flags, hid_t fapl, void *data)
{
    traversal *t = data;
    say(t->trial, "  %s \"%s\" -> \"%s\" \"%s\" flags %u list %d\n", strrchr(parent_file, '/'), parent_group,
        child_file, child_object, *flags, H5Pisa_class(fapl, H5P_FILE_ACCESS));
    *flags = t->flags;
    return t->status;
}

/* The program's function is asked on every way; what it answers counts. */
static void callback(trial *t)
{
    const traversal answers[] = {{.flags = H5F_ACC_RDONLY},
                                 {.flags = H5F_ACC_RDWR},
                                 {.status = -1},
                                 {.flags = H5F_ACC_TRUNC},
                                 {.flags = H5F_ACC_EXCL | H5F_ACC_RDWR}};
    make_other(t, "other", t->kind);
    make(t->file, "in");
    external(t, "other", "/g", "in/e");
    external(t, "missing", "/g", "in/lost");
    assert_true(H5Lcreate_soft("in/e", t->file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    reopen(t, H5F_ACC_RDWR);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const hid_t gapl = H5Pcreate(H5P_GROUP_ACCESS), lapl = H5Pcreate(H5P_LINK_ACCESS);
        traversal answer = answers[i];
        answer.trial = t;
        assert_true(H5Pset_elink_cb(gapl, on_traversal, &answer) >= 0);
        assert_true(H5Pset_elink_cb(lapl, on_traversal, &answer) >= 0);
        const hid_t group = H5Gopen2(t->file, "soft", gapl);
        say(t, "group %s", went(group));
        if (group >= 0) {
            say(t, " write %s", went(H5Lcreate_soft("x", group, i ? "a" : "b", H5P_DEFAULT, H5P_DEFAULT)));
            H5Gclose(group);
        }
        say(t, " exists %d", H5Lexists(t->file, "/in/e/h", lapl));
        say(t, " object %d\n", H5Oexists_by_name(t->file, "in/lost", lapl));
        H5Pclose(gapl), H5Pclose(lapl);
    }
}
ON_EVERY_KIND(callback)

/* From file to file and back, as often as the access list allows. */
static void to_and_fro(trial *t)
{
    char path[1000] = "";
    make_other(t, "other", t->kind);
    make(t->file, "g");
    external(t, "other", "/", "e");
    snprintf(path, sizeof path, "%s/other", t->directory);
    const hid_t other = H5Fopen(path, H5F_ACC_RDWR, t->fapl);
    assert_true(H5Lcreate_external("file", "/", other, "e", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(other);
    const hid_t lapl = H5Pcreate(H5P_LINK_ACCESS);
    for (size_t allowed = 1; allowed < 6; allowed++) {
        assert_true(H5Pset_nlinks(lapl, allowed) >= 0);
        strcpy(path, "g");
        for (size_t depth = 0; depth < 7; depth++) {
            say(t, "%d", H5Oexists_by_name(t->file, path, lapl) > 0);
            memmove(path + 2, path, strlen(path) + 1);
            memcpy(path, "e/", 2);
        }
        say(t, "\n");
    }
    H5Pclose(lapl);
}
ON_EVERY_KIND(to_and_fro)

/* Behind a link to what is not there nothing is made, also where groups on the way would be. */
static void nothing_behind(trial *t)
{
    const hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    make_other(t, "other", t->kind);
    external(t, "other", "none", "lost");
    external(t, "other", "none/below", "lower");
    external(t, "other", "g", "e");
    H5Lcreate_soft("/lost", t->file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Pset_create_intermediate_group(lcpl, 1) >= 0);
    static const char *const paths[] = {"lost/a", "lost/a/b", "lower/a", "soft/a", "e/a/b", "e/c"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const hid_t group = H5Gcreate2(t->file, paths[i], lcpl, H5P_DEFAULT, H5P_DEFAULT);
        say(t, "%s: %s", paths[i], went(group));
        if (group >= 0)
            H5Gclose(group);
        say(t, " soft %s\n", went(H5Lcreate_soft("x", t->file, paths[i], lcpl, H5P_DEFAULT)));
    }
    external(t, "other", "/", "all");
    say(t, "made: %d %d", H5Lexists(t->file, "all/none", H5P_DEFAULT), H5Lexists(t->file, "all/g/a/b", H5P_DEFAULT));
    H5Pclose(lcpl);
}
ON_EVERY_KIND(nothing_behind)

static hid_t never(const char *name, hid_t group, const void *value, size_t size, hid_t lapl, hid_t dxpl)
{
    (void)name, (void)group, (void)value, (void)size, (void)lapl, (void)dxpl;
    return H5I_INVALID_HID;
}

/* Kept with their bytes; following one is refused. */
static void user_defined(void **state)
{
    (void)state;
    const H5L_class_t class = {.version = H5L_LINK_CLASS_T_VERS, .id = (H5L_type_t)100, .trav_func = never};
    char value[8];
    H5L_info2_t info;
    trial *t = trial_begin(ZARR);
    assert_true(H5Lcreate_ud(t->file, "u", (H5L_type_t)100, "ab\0c", 4, H5P_DEFAULT, H5P_DEFAULT) < 0);
    assert_true(H5Lregister(&class) >= 0);
    assert_true(H5Lcreate_ud(t->file, "u", (H5L_type_t)100, "ab\0c", 4, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_ud(t->file, "empty", (H5L_type_t)100, NULL, 0, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcopy(t->file, "u", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lmove(t->file, "u", t->file, "moved", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    reopen(t, H5F_ACC_RDWR);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "moved" : "copy";
        assert_true(H5Lget_info2(t->file, name, &info, H5P_DEFAULT) >= 0);
        assert_true(info.type == 100 && info.u.val_size == 4);
        assert_true(H5Lget_val(t->file, name, value, sizeof value, H5P_DEFAULT) >= 0);
        assert_memory_equal(value, "ab\0c", 4);
        assert_true(H5Oopen(t->file, name, H5P_DEFAULT) < 0);
    }
    assert_true(H5Lget_info2(t->file, "empty", &info, H5P_DEFAULT) >= 0 && info.u.val_size == 0);
    assert_true(H5Lexists(t->file, "u", H5P_DEFAULT) == 0);
    H5Lunregister((H5L_type_t)100);
    trial_end(t);
    free(t);
}

static hid_t list_with_flags(hid_t class, unsigned flags)
{
    const hid_t list = H5Pcreate(class);
    assert_true(list >= 0 && H5Pset_elink_acc_flags(list, flags) >= 0);
    return list;
}

/* What is made through a link: the access list says how its file is opened. */
static void say_made(trial *t, const char *how, unsigned flags, const char *suffix)
{
    char name[40];
    const hid_t groups = list_with_flags(H5P_GROUP_ACCESS, flags), data = list_with_flags(H5P_DATASET_ACCESS, flags);
    const hid_t types = list_with_flags(H5P_DATATYPE_ACCESS, flags), space = H5Screate(H5S_SCALAR);
    const hid_t type = H5Tcopy(H5T_NATIVE_INT);
    snprintf(name, sizeof name, "e/group%s", suffix);
    const hid_t g = H5Gcreate2(t->file, name, H5P_DEFAULT, H5P_DEFAULT, groups);
    snprintf(name, sizeof name, "e/data%s", suffix);
    const hid_t d = H5Dcreate2(t->file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, data);
    snprintf(name, sizeof name, "e/type%s", suffix);
    say(t, "%s: group %s dataset %s", how, went(g), went(d));
    say(t, " type %s\n", went(H5Tcommit2(t->file, name, type, H5P_DEFAULT, H5P_DEFAULT, types)));
    if (g >= 0)
        H5Gclose(g);
    if (d >= 0)
        H5Dclose(d);
    H5Tclose(type), H5Sclose(space);
    H5Pclose(types), H5Pclose(data), H5Pclose(groups);
}

static void creating(trial *t)
{
    make_other(t, "other", t->kind);
    external(t, "other", "/g", "e");
    say_made(t, "reading", H5F_ACC_RDONLY, "1");
    say_made(t, "writing", H5F_ACC_RDWR, "2");
    say_made(t, "as the file", H5F_ACC_DEFAULT, "3");
    reopen(t, H5F_ACC_RDONLY);
    say_made(t, "reading from a read-only file", H5F_ACC_RDONLY, "4");
    say_made(t, "writing from a read-only file", H5F_ACC_RDWR, "5");
    say_made(t, "as the read-only file", H5F_ACC_DEFAULT, "6");
    say(t, "here %s\n", went(H5Gcreate2(t->file, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "nowhere %s\n", went(H5Gcreate2(t->file, "no/new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
}
ON_EVERY_KIND(creating)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(same_kind), AS_NATIVE(to_native),           AS_NATIVE(circles), AS_NATIVE(working_directory),
        AS_NATIVE(callback),  AS_NATIVE(to_and_fro),          AS_NATIVE(prefix),  AS_NATIVE(nothing_behind),
        AS_NATIVE(creating),  cmocka_unit_test(user_defined),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
