/* Committed datatypes: what HDF5 says of them is what it says on native files. */
#include "both.h"

static hid_t point_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, 24);
    const hid_t text = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(text, H5T_VARIABLE) >= 0);
    assert_true(H5Tinsert(type, "x", 0, H5T_NATIVE_DOUBLE) >= 0);
    assert_true(H5Tinsert(type, "n", 8, H5T_STD_I32BE) >= 0);
    assert_true(H5Tinsert(type, "name", 16, text) >= 0);
    H5Tclose(text);
    return type;
}

static void commit(trial *t, const char *name)
{
    const hid_t type = point_type();
    assert_true(H5Tcommit2(t->file, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Tclose(type);
}

static void say_type(trial *t, hid_t type)
{
    char name[64] = "";
    H5O_info2_t info = {0};
    const hid_t plain = point_type();
    H5Iget_name(type, name, sizeof name);
    say(t, "class %d size %zu committed %d equal %d name %s", (int)H5Tget_class(type), H5Tget_size(type),
        H5Tcommitted(type), H5Tequal(type, plain), name);
    if (H5Tcommitted(type) > 0 && H5Oget_info3(type, &info, H5O_INFO_ALL) >= 0)
        say(t, " type %d attributes %d", (int)info.type, (int)info.num_attrs);
    say(t, "\n");
    H5Tclose(plain);
}

static void committing(trial *t)
{
    const hid_t type = point_type(), file = t->file;
    say(t, "%s\n", went(H5Tcommit2(file, "int", H5T_NATIVE_INT, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "%s\n", went(H5Tcommit2(file, "point", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say_type(t, type);
    say(t, "again %s\n", went(H5Tcommit2(file, "point2", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "insert %s\n", went(H5Tinsert(type, "late", 12, H5T_NATIVE_INT)));
    const hid_t copy = H5Tcopy(type);
    say_type(t, copy);
    say(t, "copy %s\n", went(H5Tcommit2(file, "copy", copy, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "group %s dataset %s below %s\n", went(H5Gopen2(file, "point", H5P_DEFAULT)),
        went(H5Dopen2(file, "point", H5P_DEFAULT)), went(H5Topen2(file, "point/x", H5P_DEFAULT)));
    H5Tclose(copy);
    H5Tclose(type);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Topen2(t->file, "point", H5P_DEFAULT), object = H5Oopen(t->file, "/copy", H5P_DEFAULT);
    say(t, "object %d\n", (int)H5Iget_type(object));
    say_type(t, again);
    say_type(t, object);
    say(t, "flush %s refresh %s\n", went(H5Tflush(again)), went(H5Trefresh(again)));
    say(t, "count %d\n", (int)H5Fget_obj_count(t->file, H5F_OBJ_DATATYPE));
    H5Oclose(object);
    H5Tclose(again);
}

static void without_name(trial *t)
{
    const hid_t type = point_type();
    say(t, "%s\n", went(H5Tcommit_anon(t->file, type, H5P_DEFAULT, H5P_DEFAULT)));
    say_type(t, type);
    say(t, "%s\n", went(H5Olink(type, t->file, "point", H5P_DEFAULT, H5P_DEFAULT)));
    say_type(t, type);
    H5Tclose(type);
}

static herr_t visit(hid_t id, const char *name, const H5O_info2_t *info, void *context)
{
    (void)id;
    say(context, "%s %d\n", name, (int)info->type);
    return 0;
}

static void attributes_and_visits(trial *t)
{
    commit(t, "point");
    const hid_t type = H5Topen2(t->file, "point", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(type, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    const int five = 5;
    say(t, "write %s\n", went(H5Awrite(attribute, H5T_NATIVE_INT, &five)));
    H5Aclose(attribute);
    const hid_t tcpl = H5Tget_create_plist(type);
    say(t, "list %d\n", H5Pisa_class(tcpl, H5P_DATATYPE_CREATE));
    H5Pclose(tcpl);
    H5Tclose(type);
    reopen(t, H5F_ACC_RDONLY);
    say(t, "visit %s\n", went(H5Ovisit3(t->file, H5_INDEX_NAME, H5_ITER_INC, visit, t, H5O_INFO_ALL)));
    say(t, "there %d\n", H5Aexists_by_name(t->file, "point", "a", H5P_DEFAULT));
    H5Sclose(space);
}

typedef struct point {
    double x;
    int32_t n;
    const char *name;
} point;

static hid_t memory_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(point)), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tinsert(type, "x", offsetof(point, x), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "n", offsetof(point, n), H5T_NATIVE_INT32);
    H5Tinsert(type, "name", offsetof(point, name), text);
    H5Tclose(text);
    return type;
}

static void say_points(trial *t, hid_t dataset, hid_t attribute)
{
    const hid_t memory = memory_type();
    point read[2] = {0};
    const herr_t status =
        dataset >= 0 ? H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) : H5Aread(attribute, memory, read);
    say(t, "%s: %g %d %s, %g %d %s\n", went(status), read[0].x, read[0].n, read[0].name, read[1].x, read[1].n,
        read[1].name);
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5Aget_space(attribute);
    H5Treclaim(memory, space, H5P_DEFAULT, read);
    H5Sclose(space);
    H5Tclose(memory);
}

static void say_users(trial *t)
{
    const hid_t dataset = H5Dopen2(t->file, "d", H5P_DEFAULT), attribute = H5Aopen(dataset, "a", H5P_DEFAULT);
    const hid_t types[] = {H5Dget_type(dataset), H5Aget_type(attribute)};
    say_type(t, types[0]);
    say_type(t, types[1]);
    say_points(t, dataset, -1);
    say_points(t, -1, attribute);
    H5Tclose(types[0]);
    H5Tclose(types[1]);
    H5Aclose(attribute);
    H5Dclose(dataset);
}

static void users(trial *t)
{
    commit(t, "point");
    const hsize_t two = 2;
    const hid_t type = H5Topen2(t->file, "point", H5P_DEFAULT), space = H5Screate_simple(1, &two, NULL);
    const hid_t memory = memory_type();
    const point values[] = {{1.5, 2, "one"}, {2.5, -3, ""}};
    const hid_t dataset = H5Dcreate2(t->file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(dataset, "a", type, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "%s %s\n", went(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)),
        went(H5Awrite(attribute, memory, values)));
    H5Aclose(attribute);
    H5Dclose(dataset);
    H5Tclose(memory);
    H5Sclose(space);
    H5Tclose(type);
    say_users(t);
    reopen(t, H5F_ACC_RDWR);
    say_users(t);
}

/* ---- reference counts ---- */

static void say_count(trial *t, const char *when, const char *name)
{
    H5O_info2_t info = {0};
    say(t, "%s: %s", when, went(H5Oget_info_by_name3(t->file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT)));
    say(t, " %u\n", info.rc);
}

static void use_in_attribute(trial *t, const char *object, const char *name, hid_t type, hid_t space)
{
    say(t, "%s",
        went(H5Aclose(H5Acreate_by_name(t->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
}

static void use_in_datasets(trial *t, hid_t type, hid_t space)
{
    const hid_t group = H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(t->file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    say_count(t, "one dataset", "point");
    H5Dclose(H5Dcreate2(group, "below", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t later = H5Dcreate_anon(t->file, type, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "link %s\n", went(H5Olink(later, group, "later", H5P_DEFAULT, H5P_DEFAULT)));
    H5Dclose(later);
    H5Gclose(group);
    say_count(t, "three datasets", "point");
}

static void counts(trial *t)
{
    commit(t, "point");
    const hid_t type = H5Topen2(t->file, "point", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    say_count(t, "new", "point");
    use_in_datasets(t, type, space);
    use_in_attribute(t, "/", "a", type, space);
    use_in_attribute(t, "d", "a", type, space);
    use_in_attribute(t, "d", "b", type, space);
    say_count(t, "three attributes", "point");
    H5Tclose(type);
    reopen(t, H5F_ACC_RDWR);
    say_count(t, "reopened", "point");
    say(t, "rename %s\n", went(H5Arename_by_name(t->file, "d", "a", "c", H5P_DEFAULT)));
    say(t, "move %s\n", went(H5Lmove(t->file, "d", t->file, "g/d", H5P_DEFAULT, H5P_DEFAULT)));
    say_count(t, "user moved", "point");
    say(t, "move %s\n", went(H5Lmove(t->file, "point", t->file, "g/point", H5P_DEFAULT, H5P_DEFAULT)));
    say_count(t, "type moved", "g/point");
    const hid_t again = H5Topen2(t->file, "g/point", H5P_DEFAULT);
    use_in_attribute(t, "g/d", "late", again, space);
    H5Tclose(again);
    say_count(t, "one more", "g/point");
    reopen(t, H5F_ACC_RDWR);
    say_count(t, "reopened", "g/point");
    say(t, "delete %s\n", went(H5Adelete_by_name(t->file, "g/d", "b", H5P_DEFAULT)));
    say_count(t, "attribute deleted", "g/point");
    say(t, "delete %s\n", went(H5Ldelete(t->file, "g/d", H5P_DEFAULT)));
    say_count(t, "dataset deleted", "g/point");
    say(t, "link %s\n", went(H5Lcreate_hard(t->file, "g/point", t->file, "point", H5P_DEFAULT, H5P_DEFAULT)));
    say_count(t, "two names", "point");
    say(t, "delete %s\n", went(H5Ldelete(t->file, "g", H5P_DEFAULT)));
    say_count(t, "group deleted", "point");
    reopen(t, H5F_ACC_RDONLY);
    say_count(t, "reopened", "point");
    H5Sclose(space);
}

/* More users than the list holds before it is cleared of those that are gone. */
static void count_of_many(trial *t)
{
    char name[16];
    commit(t, "point");
    const hid_t type = H5Topen2(t->file, "point", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "d%d", i);
        H5Dclose(H5Dcreate2(t->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        if (i % 3 == 0)
            H5Ldelete(t->file, name, H5P_DEFAULT);
    }
    H5Tclose(type);
    H5Sclose(space);
    say_count(t, "many", "point");
    reopen(t, H5F_ACC_RDONLY);
    say_count(t, "many", "point");
}

/* A committed type used in a file of the other kind is a transient one there (rule 4 of the gateway). */
static void in_a_native_file(void **state)
{
    (void)state;
    trial *zarr = trial_begin(ZARR), *native = trial_begin(NATIVE);
    const hsize_t two = 2;
    commit(zarr, "point");
    const hid_t type = H5Topen2(zarr->file, "point", H5P_DEFAULT), space = H5Screate_simple(1, &two, NULL);
    const hid_t plain = point_type();
    const hid_t dataset = H5Dcreate2(native->file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(dataset, "a", type, space, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t made[] = {H5Dget_type(dataset), H5Aget_type(attribute)};
    for (int i = 0; i < 2; i++) {
        assert_true(H5Tequal(made[i], plain) > 0);
        assert_int_equal(H5Tcommitted(made[i]), 0);
        H5Tclose(made[i]);
    }
    H5Aclose(attribute);
    H5Dclose(dataset);
    commit(native, "point");
    const hid_t theirs = H5Topen2(native->file, "point", H5P_DEFAULT);
    const hid_t ours = H5Dcreate2(zarr->file, "d", theirs, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t shown = H5Dget_type(ours);
    assert_true(H5Tequal(shown, plain) > 0);
    assert_int_equal(H5Tcommitted(shown), 0);
    const hid_t ids[] = {shown, ours, theirs, plain, space, type};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        H5Idec_ref(ids[i]);
    trial_end(native);
    trial_end(zarr);
    free(native);
    free(zarr);
}

static void say_committed(trial *t, hid_t user)
{
    const hid_t type = H5Iget_type(user) == H5I_ATTR ? H5Aget_type(user) : H5Dget_type(user);
    say(t, " committed %d", H5Tcommitted(type));
    H5Tclose(type);
    H5Idec_ref(user);
}

/* A type that another open of the file gave is a transient one to what is made by this open. */
static void of_another_open(trial *t)
{
    commit(t, "point");
    const hid_t again = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl), space = H5Screate(H5S_SCALAR);
    const hid_t files[] = {t->file, again};
    for (int i = 0; i < 2; i++) {
        const hid_t type = H5Topen2(files[i], "point", H5P_DEFAULT);
        say(t, "%d:", i);
        say_committed(t, H5Dcreate2(t->file, i ? "d1" : "d0", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        say_committed(t, H5Acreate2(t->file, i ? "a1" : "a0", type, space, H5P_DEFAULT, H5P_DEFAULT));
        say(t, "\n");
        H5Tclose(type);
    }
    H5Sclose(space);
    H5Fclose(again);
}

ON_EVERY_KIND(of_another_open)
ON_EVERY_KIND(committing)
ON_EVERY_KIND(without_name)
ON_EVERY_KIND(attributes_and_visits)
ON_EVERY_KIND(users)
ON_EVERY_KIND(counts)
ON_EVERY_KIND(count_of_many)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(committing),
        AS_NATIVE(without_name),
        AS_NATIVE(attributes_and_visits),
        AS_NATIVE(users),
        AS_NATIVE(of_another_open),
        AS_NATIVE(counts),
        AS_NATIVE(count_of_many),
        cmocka_unit_test(in_a_native_file),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
