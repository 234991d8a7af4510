/* Flush and refresh of every class of object, and what they are for: a second handle, opened before, sees what the
 * first one wrote; calls on what is no object fail. */
#include "both.h"

static void say_flushes(trial *t, hid_t id, const char *what)
{
    say(t, "%s: flush %s refresh %s local %s global %s\n", what, went(H5Oflush(id)), went(H5Orefresh(id)),
        went(H5Fflush(id, H5F_SCOPE_LOCAL)), went(H5Fflush(id, H5F_SCOPE_GLOBAL)));
}

static void make(trial *t)
{
    const hsize_t two = 2, unlimited = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &two, &unlimited), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t type = H5Tcopy(H5T_NATIVE_INT);
    H5Pset_chunk(dcpl, 1, &two);
    H5Gclose(H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(t->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    H5Tcommit2(t->file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(H5Acreate_by_name(t->file, "g", "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(type);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void every_class(trial *t)
{
    make(t);
    for (int round = 0; round < 2; round++) {
        const hid_t group = H5Gopen2(t->file, "g", H5P_DEFAULT), dataset = H5Dopen2(t->file, "d", H5P_DEFAULT);
        const hid_t type = H5Topen2(t->file, "t", H5P_DEFAULT), attribute = H5Aopen(group, "a", H5P_DEFAULT);
        say(t, "group %s %s\n", went(H5Gflush(group)), went(H5Grefresh(group)));
        say(t, "dataset %s %s\n", went(H5Dflush(dataset)), went(H5Drefresh(dataset)));
        say(t, "type %s %s\n", went(H5Tflush(type)), went(H5Trefresh(type)));
        say_flushes(t, group, "group");
        say_flushes(t, dataset, "dataset");
        say_flushes(t, type, "type");
        say(t, "attribute: local %s\n", went(H5Fflush(attribute, H5F_SCOPE_LOCAL)));
        say(t, "file: local %s\n", went(H5Fflush(t->file, H5F_SCOPE_LOCAL)));
        say(t, "other kinds: %s %s %s\n", went(H5Gflush(dataset)), went(H5Dflush(group)), went(H5Trefresh(group)));
        say(t, "no object: %s %s\n", went(H5Oflush(H5I_INVALID_HID)), went(H5Orefresh(H5P_DEFAULT)));
        say(t, "still open: %d %d %d\n", (int)H5Iget_type(group), (int)H5Iget_type(dataset), (int)H5Iget_type(type));
        H5Aclose(attribute);
        H5Tclose(type);
        H5Dclose(dataset);
        H5Gclose(group);
        reopen(t, round == 0 ? H5F_ACC_RDONLY : H5F_ACC_RDWR);
    }
}

static void seen_by_another_handle(trial *t)
{
    const int written[] = {1, 2, 3};
    int read[3] = {0};
    const hsize_t three = 3;
    make(t);
    const hid_t writer = H5Dopen2(t->file, "d", H5P_DEFAULT), second = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    const hid_t reader = H5Dopen2(second, "d", H5P_DEFAULT);
    say(t, "%s", went(H5Dset_extent(writer, &three)));
    say(t, " %s", went(H5Dwrite(writer, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, written)));
    say(t, " %s %s\n", went(H5Dflush(writer)), went(H5Drefresh(reader)));
    say(t, "%s", went(H5Dread(reader, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    say(t, " %d %d %d\n", read[0], read[1], read[2]);
    H5Dclose(reader);
    H5Fclose(second);
    H5Dclose(writer);
}

typedef struct told {
    trial *trial;
    int failing;
} told;

static herr_t tell(hid_t id, void *context)
{
    const told *to = context;
    char name[64] = "";
    H5Iget_name(id, name, sizeof name);
    say(to->trial, "[%d %s]", (int)H5Iget_type(id), name);
    return to->failing ? -1 : 0;
}

static void say_each_flush(trial *t, hid_t file)
{
    const hid_t group = H5Gopen2(file, "g", H5P_DEFAULT), dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    const hid_t type = H5Topen2(file, "t", H5P_DEFAULT);
    say(t, "group %s", went(H5Gflush(group)));
    say(t, " dataset %s", went(H5Dflush(dataset)));
    say(t, " type %s", went(H5Tflush(type)));
    say(t, " objects %s %s %s", went(H5Oflush(group)), went(H5Oflush(dataset)), went(H5Oflush(type)));
    say(t, " file %s %s\n", went(H5Oflush(file)), went(H5Fflush(file, H5F_SCOPE_GLOBAL)));
    H5Tclose(type);
    H5Dclose(dataset);
    H5Gclose(group);
}

/* A program's own call, which the access list brings: for objects, not for files. */
static void the_programs_call(trial *t)
{
    told first = {t, 0}, second = {t, 1};
    H5F_flush_cb_t call = NULL;
    void *context = NULL;
    make(t);
    const hid_t plain = H5Pcopy(t->fapl);
    H5Pset_object_flush_cb(t->fapl, tell, &first);
    reopen(t, H5F_ACC_RDWR);
    say_each_flush(t, t->file);
    const hid_t other = H5Fopen(t->path, H5F_ACC_RDWR, plain), list = H5Fget_access_plist(other);
    H5Pget_object_flush_cb(list, &call, &context);
    say(t, "another handle's list: %d %d\n", call == tell, context == &first);
    say_each_flush(t, other);
    H5Pclose(list);
    H5Fclose(other);
    H5Pset_object_flush_cb(t->fapl, tell, &second);
    reopen(t, H5F_ACC_RDWR);
    say_each_flush(t, t->file);
    H5Pset_object_flush_cb(t->fapl, tell, &first);
    reopen(t, H5F_ACC_RDONLY);
    say_each_flush(t, t->file);
    H5Pset_object_flush_cb(t->fapl, NULL, NULL);
    reopen(t, H5F_ACC_RDWR);
    say_each_flush(t, t->file);
    H5Pclose(plain);
}

static herr_t tell_name(hid_t at, const char *name, const H5L_info2_t *info, void *context)
{
    (void)at;
    say(context, " %s type %d order %d", name, info->type, info->corder_valid ? (int)info->corder : -1);
    return 0;
}

static void say_names(trial *t, hid_t group, H5_index_t index)
{
    say(t, "refresh %s:", went(H5Orefresh(group)));
    H5Literate2(group, index, H5_ITER_INC, NULL, tell_name, t);
    say(t, "\n");
}

static void number(hid_t at, const char *name, bool flush)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0 && (!flush || H5Oflush(id) >= 0));
    H5Dclose(id);
    H5Sclose(space);
}

/* What is written is in the group's directory, the group's own list of names is not yet. */
static void members_before_their_group(trial *t)
{
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Gclose(H5Gcreate2(t->file, "tracked", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(t->file, "plain", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Pclose(gcpl);
    reopen(t, H5F_ACC_RDWR);
    const hid_t tracked = H5Gopen2(t->file, "tracked", H5P_DEFAULT), plain = H5Gopen2(t->file, "plain", H5P_DEFAULT);
    const hid_t groups[] = {tracked, plain};
    for (size_t i = 0; i < 2; i++) {
        number(groups[i], "z", false);
        number(groups[i], "b\\c", true);
        number(groups[i], "a", true);
        say_names(t, groups[i], i == 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME);
        number(groups[i], "m", false);
        say_names(t, groups[i], i == 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME);
        H5Gclose(groups[i]);
    }
}

/* A flush of the group writes its names, those that others are told of as well. */
static void names_of_a_flushed_group(trial *t)
{
    number(t->file, "x", false);
    H5Lcreate_hard(t->file, "x", t->file, "y", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/x", t->file, "s", H5P_DEFAULT, H5P_DEFAULT);
    reopen(t, H5F_ACC_RDWR);
    const hid_t root = H5Gopen2(t->file, "/", H5P_DEFAULT);
    say(t, "move %s", went(H5Lmove(t->file, "y", t->file, "z", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " %s", went(H5Lmove(t->file, "s", t->file, "r", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " flush %s ", went(H5Oflush(root)));
    say_names(t, root, H5_INDEX_NAME);
    say(t, "delete %s flush %s ", went(H5Ldelete(t->file, "r", H5P_DEFAULT)), went(H5Oflush(root)));
    say_names(t, root, H5_INDEX_NAME);
    H5Gclose(root);
}

ON_EVERY_KIND(every_class)
ON_EVERY_KIND(members_before_their_group)
ON_EVERY_KIND(names_of_a_flushed_group)
ON_EVERY_KIND(seen_by_another_handle)
ON_EVERY_KIND(the_programs_call)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(every_class), AS_NATIVE(seen_by_another_handle),
                                       AS_NATIVE(the_programs_call), AS_NATIVE(members_before_their_group),
                                       AS_NATIVE(names_of_a_flushed_group)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
