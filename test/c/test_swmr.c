/* test_swmr.c - single writer, multiple readers: which opens agree, what H5Fstart_swmr_write wants, what flush and
 * refresh show. Native is the oracle for one process; test_swmr.py has a writer and readers of different processes. */
#include "both.h"

static const kind stores[] = {ZARR, ZARR_WITHOUT_GATEWAY};

/* Native wants the newest format for SWMR. */
static void begin(trial *t)
{
    H5Fclose(t->file);
    H5Pset_libver_bounds(t->fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, t->fapl);
    assert_true(t->file >= 0);
}

static hid_t growing(hid_t at)
{
    const hsize_t none = 0, chunk = 4, any = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &none, &any), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    const hid_t dataset = H5Dcreate2(at, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dataset;
}

static void say_intent(trial *t, hid_t file)
{
    unsigned intent = 99;
    say(t, "%s", went(file));
    if (file >= 0)
        H5Fget_intent(file, &intent);
    say(t, " intent %u\n", intent);
}

static void grow(trial *t, hid_t dataset)
{
    int values[6] = {1, 2, 3, 4, 5, 6};
    const hsize_t size = 6;
    say(t, "grow %s", went(H5Dset_extent(dataset, &size)));
    say(t, " write %s", went(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    say(t, " flush %s", went(H5Dflush(dataset)));
    say(t, " refresh %s", went(H5Drefresh(dataset)));
    memset(values, 0, sizeof values);
    say(t, " read %s", went(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    say(t, " %d %d\n", values[0], values[5]);
}

static void starting(trial *t)
{
    begin(t);
    const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_NATIVE_INT);
    const hid_t group = H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t dataset = growing(group);
    const hid_t attribute = H5Acreate2(group, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "with an attribute %s\n", went(H5Fstart_swmr_write(t->file)));
    H5Aclose(attribute);
    H5Tcommit2(t->file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "with a type %s\n", went(H5Fstart_swmr_write(t->file)));
    H5Tclose(type);
    say_intent(t, t->file);
    say(t, "start %s\n", went(H5Fstart_swmr_write(t->file)));
    say_intent(t, t->file);
    say(t, "twice %s\n", went(H5Fstart_swmr_write(t->file)));
    grow(t, dataset);
    const hid_t second = H5Fopen(t->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, t->fapl);
    say_intent(t, second);
    const hid_t reader = H5Fopen(t->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, t->fapl);
    say_intent(t, reader);
    H5Fclose(reader);
    H5Fclose(second);
    H5Dclose(dataset);
    H5Gclose(group);
    H5Sclose(space);
}

static void opening(trial *t)
{
    begin(t);
    H5Dclose(growing(t->file));
    hid_t second = H5Fopen(t->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, t->fapl);
    say(t, "SWMR beside plain writing: ");
    say_intent(t, second);
    second = H5Fopen(t->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, t->fapl);
    say(t, "reading beside plain writing: ");
    say_intent(t, second);
    H5Fclose(second);
    reopen(t, H5F_ACC_RDONLY);
    say(t, "start in a file for reading %s\n", went(H5Fstart_swmr_write(t->file)));
    second = H5Fopen(t->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, t->fapl);
    say(t, "SWMR beside plain reading: ");
    say_intent(t, second);
    reopen(t, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE);
    say_intent(t, t->file);
    const hid_t dataset = H5Dopen2(t->file, "d", H5P_DEFAULT);
    grow(t, dataset);
    H5Dclose(dataset);
    say(t, "already %s\n", went(H5Fstart_swmr_write(t->file)));
    reopen(t, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
    say_intent(t, t->file);
    second = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say(t, "plain reading beside SWMR: ");
    say_intent(t, second);
    H5Fclose(second);
    H5Fclose(t->file);
    t->file = H5Fcreate(t->path, H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE, H5P_DEFAULT, t->fapl);
    say(t, "created ");
    say_intent(t, t->file);
}

/* One access for all handles of a file. */
static void sharing(trial *t)
{
    const hid_t reader = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say_intent(t, reader);
    const hid_t group = H5Gcreate2(reader, "made by the reader", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "create %s\n", went(group));
    H5Fclose(t->file);
    say_intent(t, reader);
    H5Gclose(group);
    H5Fclose(reader);
    t->file = H5Fopen(t->path, H5F_ACC_RDONLY, t->fapl);
    say(t, "it is there %d\n", H5Lexists(t->file, "made by the reader", H5P_DEFAULT));
    const hid_t locked = H5Pcopy(t->fapl);
    H5Pset_file_locking(locked, false, true);
    const hid_t other = H5Fopen(t->path, H5F_ACC_RDONLY, locked);
    say(t, "other locking %s\n", went(other));
    H5Pclose(locked);
}
ON_EVERY_KIND(sharing)

static void starting_is_as_native(void **state)
{
    (void)state;
    on_kinds(starting, stores, 2);
}

static void opening_is_as_native(void **state)
{
    (void)state;
    on_kinds(opening, stores, 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {AS_NATIVE(starting), AS_NATIVE(opening), AS_NATIVE(sharing)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
