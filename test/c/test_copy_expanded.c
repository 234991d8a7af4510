/* H5Ocopy that expands the references of a group's attributes: what is copied as a member of the group gets no second
 * copy, nor another name. */
#include "both.h"

static void made(hid_t id)
{
    assert_true(id >= 0);
    H5Oclose(id);
}

static void give_references(hid_t file, const char *group, const char *first, const char *second)
{
    hobj_ref_t objects[2];
    const hsize_t two = 2;
    assert_true(H5Rcreate(&objects[0], file, first, H5R_OBJECT, H5I_INVALID_HID) >= 0);
    assert_true(H5Rcreate(&objects[1], file, second, H5R_OBJECT, H5I_INVALID_HID) >= 0);
    const hid_t space = H5Screate_simple(1, &two, NULL);
    const hid_t attribute =
        H5Acreate_by_name(file, group, "refs", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, H5T_STD_REF_OBJ, objects) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void fill(hid_t file)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    made(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    made(H5Gcreate2(file, "g/h", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    made(H5Dcreate2(file, "g/a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    made(H5Dcreate2(file, "g/z", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    made(H5Dcreate2(file, "outside", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    give_references(file, "g", "g/z", "outside");
    give_references(file, "g/h", "g/a", "g/z"); /* the second is copied for the reference, and met as a member later */
    give_references(file, "/", "g/a", "g/h");
    H5Sclose(space);
}

/* What HDF5 names for a reference has a number of the file in its name. Link counts are not compared: HDF5 counts each
 * expanded reference, and never frees such objects. */
static herr_t say_name(hid_t object, const char *name, const H5O_info2_t *info, void *context)
{
    (void)object;
    const size_t length = strncmp(name, "~obj_pointed_by_", 16) == 0 ? 16 : strlen(name);
    (void)info;
    say(context, " %.*s", (int)length, name);
    return 0;
}

static void say_references(trial *t, hid_t file, const char *group)
{
    hobj_ref_t objects[2] = {0, 0};
    const hid_t attribute = H5Aopen_by_name(file, group, "refs", H5P_DEFAULT, H5P_DEFAULT);
    say(t, "%s: %s", group, went(H5Aread(attribute, H5T_STD_REF_OBJ, objects)));
    for (int i = 0; i < 2; i++) {
        char name[64] = "";
        H5Rget_name(attribute, H5R_OBJECT, &objects[i], name, sizeof name);
        say(t, " %.17s", name);
    }
    say(t, "\n");
    H5Aclose(attribute);
}

static void copy_and_say(trial *t, const char *source, const char *const groups[], size_t count)
{
    char path[160];
    const hid_t expand = H5Pcreate(H5P_OBJECT_COPY);
    snprintf(path, sizeof path, "%s2", t->path);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    H5Pset_copy_object(expand, H5O_COPY_EXPAND_REFERENCE_FLAG);
    say(t, "%s: %s:", source, went(H5Ocopy(t->file, source, file, "copy", expand, H5P_DEFAULT)));
    H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, say_name, t, H5O_INFO_BASIC);
    say(t, "\n");
    for (size_t i = 0; i < count; i++)
        say_references(t, file, groups[i]);
    H5Pclose(expand);
    H5Fclose(file);
}

static void members(trial *t)
{
    static const char *const groups[] = {"copy", "copy/h"};
    fill(t->file);
    copy_and_say(t, "g", groups, 2);
}

static void of_the_root(trial *t)
{
    static const char *const groups[] = {"copy", "copy/g", "copy/g/h"};
    fill(t->file);
    copy_and_say(t, "/", groups, 3);
}

WITH_GATEWAY(members)
WITH_GATEWAY(of_the_root)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(members), AS_NATIVE(of_the_root)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
