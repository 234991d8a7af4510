/* References in the store: written and read with either memory type, they say what they say in a native file. */
#include "reference_support.h"

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

static void write_new(trial *t)
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
}

static void new_ones(trial *t)
{
    write_new(t);
    read_new(t);
    reopen(t, H5F_ACC_RDWR);
    read_new(t);
}

/* ---- H5Ocopy ---- */

/* Addresses and tokens are in the names that HDF5 makes. */
static void say_copy(trial *t, H5R_ref_t *reference)
{
    static const H5R_ref_t none;
    char object[64] = "", attribute[64] = "";
    if (memcmp(reference, &none, sizeof none) == 0) {
        say(t, "null\n");
        return;
    }
    const hid_t id = H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "%d %s ", (int)H5Rget_type(reference), went(id));
    H5Rget_obj_name(reference, H5P_DEFAULT, object, sizeof object);
    if (H5Rget_type(reference) == H5R_ATTR)
        H5Rget_attr_name(reference, attribute, sizeof attribute);
    if (H5Rget_type(reference) == H5R_DATASET_REGION2) {
        const hid_t space = H5Ropen_region(reference, H5P_DEFAULT, H5P_DEFAULT);
        say(t, "%d elements ", (int)H5Sget_select_npoints(space));
        H5Sclose(space);
    }
    say(t, "%.15s %s\n", object, attribute);
    if (id >= 0)
        H5Oclose(id);
}

static void say_copies(trial *t, hid_t file, const char *name)
{
    H5R_ref_t read[COUNT];
    memset(read, 0, sizeof read);
    const hid_t d = H5Dopen2(file, name, H5P_DEFAULT), a = H5Aopen(d, "refs", H5P_DEFAULT);
    say(t, "%s %s\n", name, went(H5Dread(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    for (int i = 0; i < COUNT; i++)
        say_copy(t, &read[i]);
    destroy(read);
    memset(read, 0, sizeof read);
    say(t, "attribute %s\n", went(H5Aread(a, H5T_STD_REF, read)));
    for (int i = 0; i < COUNT; i++)
        say_copy(t, &read[i]);
    destroy(read);
    H5Aclose(a);
    H5Dclose(d);
}

static void copies_of_new_ones(trial *t)
{
    char other[160];
    write_new(t);
    const hid_t expand = H5Pcreate(H5P_OBJECT_COPY);
    H5Pset_copy_object(expand, H5O_COPY_EXPAND_REFERENCE_FLAG);
    snprintf(other, sizeof other, "%s other", t->path);
    const hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    say(t, "copy %s %s %s\n", went(H5Ocopy(t->file, "refs", t->file, "same file", H5P_DEFAULT, H5P_DEFAULT)),
        went(H5Ocopy(t->file, "refs", file, "null", H5P_DEFAULT, H5P_DEFAULT)),
        went(H5Ocopy(t->file, "refs", file, "expanded", expand, H5P_DEFAULT)));
    say_copies(t, t->file, "same file");
    say_copies(t, file, "null");
    say_copies(t, file, "expanded");
    H5Pclose(expand);
    H5Fclose(file);
}

/* ---- other files ---- */

static void say_external(trial *t, H5R_ref_t *reference)
{
    char file[256] = "", object[64] = "", attribute[64] = "";
    const hid_t id = H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT);
    H5Rget_file_name(reference, file, sizeof file);
    H5Rget_obj_name(reference, H5P_DEFAULT, object, sizeof object);
    const char *last = strrchr(file, '/');
    say(t, "kind %d open %s in %s: %s", (int)H5Rget_type(reference), went(id), last ? last : file, object);
    if (H5Rget_type(reference) == H5R_ATTR)
        H5Rget_attr_name(reference, attribute, sizeof attribute);
    if (H5Rget_type(reference) == H5R_DATASET_REGION2) {
        const hid_t space = H5Ropen_region(reference, H5P_DEFAULT, H5P_DEFAULT);
        say(t, " %d elements", (int)H5Sget_select_npoints(space));
        H5Sclose(space);
    }
    say(t, " %s\n", attribute);
    if (id >= 0)
        H5Oclose(id);
}

static void other_file(trial *t)
{
    enum { EXTERNAL = 3 };
    char path[160];
    const hsize_t start = 1, count = 2;
    H5R_ref_t made[EXTERNAL], read[EXTERNAL];
    snprintf(path, sizeof path, "%s other", t->path);
    const hid_t other = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    const hid_t target = dataset(other, "there", H5T_NATIVE_INT, 4), space = H5Dget_space(target);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(target, "a", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    say(t, "%s %s %s\n", went(H5Rcreate_object(other, "there", H5P_DEFAULT, &made[0])),
        went(H5Rcreate_region(other, "there", space, H5P_DEFAULT, &made[1])),
        went(H5Rcreate_attr(other, "there", "a", H5P_DEFAULT, &made[2])));
    const hid_t d = dataset(t->file, "refs", H5T_STD_REF, EXTERNAL);
    say(t, "write %s\n", went(H5Dwrite(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, made)));
    for (int i = 0; i < EXTERNAL; i++)
        H5Rdestroy(&made[i]);
    H5Sclose(scalar);
    H5Sclose(space);
    H5Dclose(target);
    H5Fclose(other);
    H5Dclose(d);
    reopen(t, H5F_ACC_RDWR);
    const hid_t again = H5Dopen2(t->file, "refs", H5P_DEFAULT);
    memset(read, 0, sizeof read);
    say(t, "read %s\n", went(H5Dread(again, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    for (int i = 0; i < EXTERNAL; i++) {
        say_external(t, &read[i]);
        H5Rdestroy(&read[i]);
    }
    remove_tree(path);
    memset(read, 0, sizeof read);
    say(t, "read %s: ", went(H5Dread(again, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    say(t, "%s\n", went(H5Ropen_object(&read[0], H5P_DEFAULT, H5P_DEFAULT)));
    for (int i = 0; i < EXTERNAL; i++)
        H5Rdestroy(&read[i]);
    H5Dclose(again);
}

/* How many files are open, and whether somebody holds the other one. */
static void say_open(trial *t, const char *path)
{
    char inside[200];
    snprintf(inside, sizeof inside, "%s/.zgroup", path);
    const int file = open(access(inside, F_OK) == 0 ? inside : path, O_RDONLY);
    say(t, "%d files open, the other one %s\n", (int)H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE),
        flock(file, LOCK_EX | LOCK_NB) == 0 ? "free" : "held");
    close(file);
}

static void say_followed(trial *t, H5R_ref_t *reference, hid_t list)
{
    const hid_t object = H5Ropen_object(reference, list, H5P_DEFAULT);
    const hid_t file = object < 0 ? H5I_INVALID_HID : H5Iget_file_id(object);
    unsigned intent = 99;
    H5Fget_intent(file, &intent);
    say(t, "followed %s intent %u\n", went(object), intent);
    if (object < 0)
        return;
    H5Fclose(file);
    H5Oclose(object);
}

static hid_t make_two(trial *t, const char *path, const char *name)
{
    H5R_ref_t made[2];
    const hid_t other = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    H5Dclose(dataset(other, "there", H5T_NATIVE_INT, 4));
    H5Rcreate_object(other, "there", H5P_DEFAULT, &made[0]);
    H5Rcreate_object(other, "/", H5P_DEFAULT, &made[1]);
    const hid_t d = dataset(t->file, name, H5T_STD_REF, 2);
    say(t, "write %s\n", went(H5Dwrite(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, made)));
    H5Rdestroy(&made[0]);
    H5Rdestroy(&made[1]);
    H5Fclose(other);
    return d;
}

/* A reference that is read opens nothing; one that is followed opens its file, for writing. */
static void nothing_is_opened(trial *t)
{
    char path[160];
    H5R_ref_t read[2];
    snprintf(path, sizeof path, "%s other", t->path);
    const hid_t d = make_two(t, path, "refs");
    say_open(t, path);
    say(t, "read %s ", went(H5Dread(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    say_open(t, path);
    const hid_t list = H5Pcreate(H5P_REFERENCE_ACCESS);
    say_followed(t, &read[0], list);
    say_followed(t, &read[1], H5P_DEFAULT);
    H5Pclose(list);
    H5Rdestroy(&read[0]);
    H5Rdestroy(&read[1]);
    say_open(t, path);
    H5Dclose(d);
    remove_tree(path);
}

/* HDF5 1.14.6 cannot write what it read so to a file of its own. */
static void copies_open_nothing(void **state)
{
    (void)state;
    static const kind others[] = {NATIVE, ZARR};
    for (size_t i = 0; i < 2; i++) {
        trial *t = trial_begin(ZARR), *other = trial_begin(others[i]);
        char path[160];
        H5R_ref_t read[2];
        snprintf(path, sizeof path, "%s other", t->path);
        const hid_t fapl = t->fapl;
        t->fapl = other->fapl;
        const hid_t d = make_two(t, path, "refs"), copy = dataset(t->file, "copy", H5T_STD_REF, 2);
        t->fapl = fapl;
        for (int round = 0; round < 2; round++) {
            assert_true(H5Dread(round ? copy : d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
            assert_true(H5Dwrite(copy, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
            say_open(t, path);
            assert_non_null(strstr(t->said + t->size - 8, "free"));
            say_followed(t, &read[0], H5P_DEFAULT);
            assert_non_null(strstr(t->said + t->size - 14, "ok intent 1"));
            H5Rdestroy(&read[0]);
            H5Rdestroy(&read[1]);
        }
        remove_tree(path);
        assert_true(H5Dread(copy, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
        assert_true(H5Dwrite(d, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
        assert_true(H5Ropen_object(&read[0], H5P_DEFAULT, H5P_DEFAULT) < 0);
        H5Rdestroy(&read[0]);
        H5Rdestroy(&read[1]);
        H5Dclose(copy);
        H5Dclose(d);
        trial_end(t);
        trial_end(other);
        free(t);
        free(other);
    }
}

static herr_t find_text(unsigned n, const H5E_error2_t *record, void *found)
{
    (void)n;
    *(bool *)found |= record->desc && strstr(record->desc, "it names \"s3://bucket/x.zarr\", which leads to a server");
    return 0;
}

/* Whoever made the store may have written the name of a server: HDF5 would open that as the program's own name. */
static void servers_are_refused(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    char path[160], command[400];
    H5R_ref_t reference;
    bool found = false;
    snprintf(path, sizeof path, "%s other", t->path);
    const hid_t other = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl), scalar = H5Screate(H5S_SCALAR);
    H5Dclose(dataset(other, "there", H5T_NATIVE_INT, 4));
    assert_true(H5Rcreate_object(other, "there", H5P_DEFAULT, &reference) >= 0);
    hid_t a = H5Acreate2(t->file, "to", H5T_STD_REF, scalar, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_STD_REF, &reference) >= 0);
    H5Rdestroy(&reference);
    H5Aclose(a);
    H5Sclose(scalar);
    H5Fclose(other);
    H5Fclose(t->file);
    snprintf(command, sizeof command,
             "sed -i 's|[^\"]*file other|s3://bucket/x.zarr|' '%s/.zattrs' && grep -q s3: '%s/.zattrs'", t->path,
             t->path);
    assert_int_equal(system(command), 0);
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    a = H5Aopen(t->file, "to", H5P_DEFAULT);
    assert_true(H5Aread(a, H5T_STD_REF, &reference) < 0);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_text, &found);
    assert_true(found);
    H5Aclose(a);
    remove_tree(path);
    trial_end(t);
    free(t);
}

ON_EVERY_KIND(nothing_is_opened)

ON_EVERY_KIND(other_file)

ON_EVERY_KIND(new_ones)

ON_EVERY_KIND(copies_of_new_ones)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(nothing_is_opened),
        AS_NATIVE(other_file),
        AS_NATIVE(new_ones),
        AS_NATIVE(copies_of_new_ones),
        cmocka_unit_test(copies_open_nothing),
        cmocka_unit_test(servers_are_refused),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
