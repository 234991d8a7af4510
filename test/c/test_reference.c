/* References in the store: written and read with either memory type, they say what they say in a native file. */
#include "both.h"

enum { COUNT = 8 };

static hid_t dataset(hid_t file, const char *name, hid_t type, int count)
{
    const hsize_t dims = (hsize_t)count;
    const hid_t space = H5Screate_simple(1, &dims, NULL);
    const hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    return id;
}

static void say_reference(trial *t, const H5R_ref_t *reference)
{
    char object[64] = "", attribute[64] = "";
    H5O_type_t type = H5O_TYPE_UNKNOWN;
    static const H5R_ref_t none;
    if (memcmp(reference, &none, sizeof none) == 0) {
        say(t, "null\n");
        return;
    }
    const H5R_type_t class = H5Rget_type(reference);
    const ssize_t length = H5Rget_obj_name((H5R_ref_t *)(uintptr_t)reference, H5P_DEFAULT, object, sizeof object);
    assert_true(length > 0);
    const herr_t typed = H5Rget_obj_type3((H5R_ref_t *)(uintptr_t)reference, H5P_DEFAULT, &type);
    if (class == H5R_DATASET_REGION2) {
        hsize_t first[1] = {0}, last[1] = {0};
        const hid_t space = H5Ropen_region((H5R_ref_t *)(uintptr_t)reference, H5P_DEFAULT, H5P_DEFAULT);
        H5Sget_select_bounds(space, first, last);
        say(t, "region of type %d with %d elements from %d to %d: ", (int)H5Sget_select_type(space),
            (int)H5Sget_select_npoints(space), (int)first[0], (int)last[0]);
        H5Sclose(space);
    }
    if (class == H5R_ATTR)
        H5Rget_attr_name(reference, attribute, sizeof attribute);
    say(t, "kind %d object %s (%s) type %d (%s) attribute %s\n", (int)class, object, went(length), (int)type,
        went(typed), attribute);
}

static void make_regions(trial *t, hid_t d, H5R_ref_t made[4])
{
    const hsize_t start = 0, stride = 2, count = 2, block = 1, points[] = {2, 0};
    const hid_t space = H5Dget_space(d);
    say(t, "%s ", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[0])));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, &block);
    say(t, "%s ", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[1])));
    H5Sselect_elements(space, H5S_SELECT_SET, 2, points);
    say(t, "%s ", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[2])));
    H5Sselect_none(space);
    say(t, "%s\n", went(H5Rcreate_region(t->file, "d", space, H5P_DEFAULT, &made[3])));
    H5Sclose(space);
}

static void make(trial *t, H5R_ref_t made[COUNT])
{
    const hid_t d = dataset(t->file, "d", H5T_NATIVE_INT, 3), space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(d, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    memset(made, 0, COUNT * sizeof *made);
    say(t, "%s %s %s\n", went(H5Rcreate_object(t->file, "d", H5P_DEFAULT, &made[0])),
        went(H5Rcreate_object(t->file, "g", H5P_DEFAULT, &made[1])),
        went(H5Rcreate_attr(t->file, "d", "a", H5P_DEFAULT, &made[3])));
    H5Sclose(space);
    make_regions(t, d, made + 4);
    H5Dclose(d);
}

static void destroy(H5R_ref_t *references)
{
    static const H5R_ref_t none;
    for (int i = 0; i < COUNT; i++)
        if (memcmp(&references[i], &none, sizeof none) != 0)
            H5Rdestroy(&references[i]);
}

static void read_new(trial *t)
{
    H5R_ref_t read[COUNT];
    const hid_t d = H5Dopen2(t->file, "refs", H5P_DEFAULT), a = H5Aopen(d, "refs", H5P_DEFAULT);
    const hid_t type = H5Dget_type(d);
    say(t, "type %d\n", H5Tequal(type, H5T_STD_REF));
    H5Tclose(type);
    memset(read, 0, sizeof read);
    say(t, "dataset %s\n", went(H5Dread(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    for (int i = 0; i < COUNT; i++)
        say_reference(t, &read[i]);
    destroy(read);
    memset(read, 0, sizeof read);
    say(t, "attribute %s\n", went(H5Aread(a, H5T_STD_REF, read)));
    for (int i = 0; i < COUNT; i++)
        say_reference(t, &read[i]);
    destroy(read);
    H5Aclose(a);
    H5Dclose(d);
}

static void new_ones(trial *t)
{
    H5R_ref_t made[COUNT];
    const hsize_t dims = COUNT;
    make(t, made);
    const hid_t d = dataset(t->file, "refs", H5T_STD_REF, COUNT), space = H5Screate_simple(1, &dims, NULL);
    const hid_t a = H5Acreate2(d, "refs", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "write %s %s\n", went(H5Dwrite(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, made)),
        went(H5Awrite(a, H5T_STD_REF, made)));
    destroy(made);
    H5Sclose(space);
    H5Aclose(a);
    H5Dclose(d);
    read_new(t);
    reopen(t, H5F_ACC_RDWR);
    read_new(t);
}

/* As h5dump reads them: rule 6 of the gateway. */
static void old_ones_as_new(trial *t)
{
    H5R_ref_t read[COUNT], made[COUNT];
    hobj_ref_t old[COUNT] = {0};
    make(t, made);
    destroy(made);
    say(t, "%s %s\n", went(H5Rcreate(&old[0], t->file, "d", H5R_OBJECT, H5I_INVALID_HID)),
        went(H5Rcreate(&old[2], t->file, "g", H5R_OBJECT, H5I_INVALID_HID)));
    const hid_t d = dataset(t->file, "old", H5T_STD_REF_OBJ, COUNT);
    say(t, "write %s\n", went(H5Dwrite(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, old)));
    memset(read, 0, sizeof read);
    say(t, "read %s\n", went(H5Dread(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    say(t, "null %d %d\n", ((const uint8_t *)&read[1])[0], ((const uint8_t *)&read[3])[0]);
    char name[64] = "";
    say(t, "%s ", went(H5Rget_obj_name(&read[0], H5P_DEFAULT, name, sizeof name)));
    say(t, "%s\n", name);
    destroy(read);
    hobj_ref_t again[COUNT] = {0};
    say(t, "again %s:", went(H5Dread(d, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, again)));
    for (int i = 0; i < COUNT; i++)
        say(t, " %s", memcmp(&old[i], &again[i], sizeof *old) == 0 ? "same" : "other");
    say(t, "\n");
    assert_int_equal(old[0], again[0]);
    H5Dclose(d);
}

ON_EVERY_KIND(new_ones)
WITH_GATEWAY(old_ones_as_new)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(new_ones), AS_NATIVE(old_ones_as_new)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
