/* test_virtual_places.c - virtual datasets: where sources are looked for, virtual ones of virtual ones, points; over
 * the border between stores and HDF5 files. */
#include "dice.h"
#include "virtual_support.h"

/* Where sources are looked for: the file's directory, a prefix, the environment. */
static void places(trial *t)
{
    char directory[160], path[200], origin[64] = "${ORIGIN}/deep";
    snprintf(directory, sizeof directory, "%s/deep", t->directory);
    snprintf(path, sizeof path, "mkdir '%s'", directory);
    assert_int_equal(system(path), 0);
    sources(t, "deep/one", "x", 2, 4, 100);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(2, 2, 4);
    map(dcpl, space, 0, 2, "one", "x", space);
    H5Sselect_all(space);
    H5Dclose(H5Dcreate2(t->file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    const char *const prefixes[] = {NULL, directory, origin, "/nowhere"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        reopen(t, H5F_ACC_RDONLY);
        const hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
        if (prefixes[i])
            H5Pset_virtual_prefix(dapl, prefixes[i]);
        const hid_t id = H5Dopen2(t->file, "v", dapl), told = H5Dget_access_plist(id);
        char text[200] = "";
        say_elements(t, id);
        H5Pget_virtual_prefix(told, text, sizeof text);
        const size_t known = strlen(t->directory);
        say(t, "prefix %s\n", strncmp(text, t->directory, known) == 0 ? text + known : text);
        H5Dclose(id);
        H5Pclose(told);
        H5Pclose(dapl);
    }
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(places)

/* Virtual of virtual; a copy in the same file; renamed and deleted. */
static void chains(trial *t)
{
    numbers_in(t->file, "x", 2, 4, 100);
    const hid_t space = simple(2, 2, 4);
    for (int i = 0; i < 3; i++) {
        char name[16], source[8];
        snprintf(name, sizeof name, "v%d", i);
        snprintf(source, sizeof source, i ? "v%d" : "x", i - 1);
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
        map(dcpl, space, 0, 2, ".", source, space);
        H5Sselect_all(space);
        H5Dclose(H5Dcreate2(t->file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        H5Pclose(dcpl);
    }
    say(t, "copy %s\n", went(H5Ocopy(t->file, "v2", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    const char *const names[] = {"v2", "copy"};
    for (size_t i = 0; i < 2; i++) {
        const hid_t id = H5Dopen2(t->file, names[i], H5P_DEFAULT);
        say_elements(t, id);
        say_list(t, id);
        H5Dclose(id);
    }
    H5Ldelete(t->file, "v1", H5P_DEFAULT);
    const hid_t id = H5Dopen2(t->file, "v2", H5P_DEFAULT);
    say_elements(t, id);
    H5Dclose(id);
    H5Sclose(space);
}
ON_EVERY_KIND(chains)

/* Random mappings and selections. */
/* Up to three boxes of a 12 x 10 plane, by union or exclusion; or all of it. */
static void random_selection(dice *d, hid_t space)
{
    static const H5S_seloper_t with[] = {H5S_SELECT_OR, H5S_SELECT_XOR, H5S_SELECT_NOTB, H5S_SELECT_AND,
                                         H5S_SELECT_NOTA};
    if (roll(d, 8) == 0) {
        H5Sselect_all(space);
        return;
    }
    const unsigned boxes = 1 + roll(d, 3);
    for (unsigned i = 0; i < boxes; i++) {
        hsize_t start[] = {roll(d, 6), roll(d, 5)}, block[] = {1 + roll(d, 2), 1 + roll(d, 2)};
        hsize_t stride[] = {block[0] + roll(d, 2), block[1] + roll(d, 2)};
        hsize_t count[] = {1 + roll(d, 2), 1 + roll(d, 2)};
        H5Sselect_hyperslab(space, i ? with[roll(d, 5)] : H5S_SELECT_SET, start, stride, count, block);
    }
}

static void random_mapping(dice *d, trial *t, hid_t dcpl, unsigned source)
{
    const hid_t to = simple(2, 12, 10), from = simple(2, 12, 10);
    const char *const files[] = {"one", ".", "two"};
    do
        random_selection(d, to);
    while (H5Sget_select_npoints(to) <= 0);
    hssize_t want = H5Sget_select_npoints(to), have = -1;
    for (int tries = 0; tries < 200 && have != want; tries++) {
        random_selection(d, from);
        have = H5Sget_select_npoints(from);
    }
    if (have == want)
        say(t, "map %s\n", went(H5Pset_virtual(dcpl, to, files[source % 3], "x", from)));
    H5Sclose(to);
    H5Sclose(from);
}

static void random_reads(dice *d, trial *t, hid_t id)
{
    const hid_t file = simple(2, 12, 10);
    int values[240];
    for (int i = 0; i < 12; i++) {
        random_selection(d, file);
        const hssize_t count = H5Sget_select_npoints(file);
        const hid_t memory = simple(1, 240, 0);
        const hsize_t start = 1, stride = 1 + roll(d, 2), length = (hsize_t)count;
        if (count > 0)
            H5Sselect_hyperslab(memory, H5S_SELECT_SET, &start, &stride, &length, NULL);
        else
            H5Sselect_none(memory);
        if (count > 119 && stride > 1) {
            H5Sclose(memory);
            continue;
        }
        memset(values, 0, sizeof values);
        say(t, "%d read %s:", (int)count, went(H5Dread(id, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, values)));
        unsigned hash = 0;
        for (int j = 0; j < 240; j++)
            hash = hash * 31 + (unsigned)values[j];
        say(t, " %x\n", hash);
        H5Sclose(memory);
    }
    H5Sclose(file);
}

static void anything(trial *t)
{
    dice d = {20};
    sources(t, "one", "x", 12, 10, 1000);
    sources(t, "two", "x", 12, 10, 2000);
    numbers_in(t->file, "x", 12, 10, 3000);
    for (unsigned round = 0; round < 20; round++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", round);
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(2, 12, 10);
        for (unsigned i = 0; i < 4; i++)
            random_mapping(&d, t, dcpl, i);
        const hid_t id = H5Dcreate2(t->file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        random_reads(&d, t, id);
        H5Dclose(id);
        H5Sclose(space);
        H5Pclose(dcpl);
    }
}
ON_EVERY_KIND(anything)

/* HDF5 1.14.5 crashes over points in a virtual dataset: here they are what the whole says. */
static void points_are_those_of_the_whole(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    dice d = {7};
    sources(t, "one", "x", 12, 10, 1000);
    sources(t, "two", "x", 12, 10, 2000);
    numbers_in(t->file, "x", 12, 10, 3000);
    for (unsigned round = 0; round < 8; round++) {
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(2, 12, 10), memory = simple(1, 90, 0);
        for (unsigned i = 0; i < 4; i++)
            random_mapping(&d, t, dcpl, i);
        const hid_t id = H5Dcreate_anon(t->file, H5T_NATIVE_INT, space, dcpl, H5P_DEFAULT);
        int whole[120], values[90] = {0};
        hsize_t at[2 * 30], to[30];
        assert_true(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole) >= 0);
        for (int i = 0; i < 30; i++) {
            at[2 * i] = roll(&d, 12);
            at[2 * i + 1] = roll(&d, 10);
            to[i] = (hsize_t)(89 - 3 * i);
        }
        assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 30, at) >= 0);
        assert_true(H5Sselect_elements(memory, H5S_SELECT_SET, 30, to) >= 0);
        assert_true(H5Dread(id, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) >= 0);
        for (int i = 0; i < 30; i++)
            assert_int_equal(values[to[i]], whole[10 * at[2 * i] + at[2 * i + 1]]);
        assert_true(H5Dread(id, H5T_NATIVE_INT, H5S_BLOCK, space, H5P_DEFAULT, values) >= 0);
        for (int i = 0; i < 30; i++)
            assert_int_equal(values[i], whole[10 * at[2 * i] + at[2 * i + 1]]);
        H5Dclose(id);
        H5Sclose(memory);
        H5Sclose(space);
        H5Pclose(dcpl);
    }
    t->size = 0;
    trial_end(t);
    assert_string_equal(t->said, "0 ids are left open\n");
    free(t);
}

/* A store's sources may be HDF5 files, and a file's dataset of stores cannot be helped (docs/limits.md). */
static void an_hdf5_file_is_a_source(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    char path[160];
    source_path(t, "native.h5", path, sizeof path);
    const hid_t fapl = access_list(NATIVE), file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    numbers_in(file, "x", 2, 4, 100);
    H5Fclose(file);
    H5Pclose(fapl);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(2, 2, 4);
    map(dcpl, space, 0, 2, "native.h5", "x", space);
    H5Sselect_all(space);
    const hid_t id = H5Dcreate2(t->file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say_elements(t, id);
    assert_string_equal(t->said, "2 x 4 (2 x 4) read ok: 100 101 102 103 104 105 106 107\n");
    H5Dclose(id);
    H5Sclose(space);
    H5Pclose(dcpl);
    trial_end(t);
    free(t);
}

/* Native HDF5 does not come back from this; here it ends with an error. */
static void a_circle_is_an_error(void **state)
{
    (void)state;
    trial *t = trial_begin(ZARR);
    const hsize_t dims[] = {2, 2}, most[] = {H5S_UNLIMITED, 2};
    const hid_t space = H5Screate_simple(2, dims, most);
    for (int open = 0; open < 2; open++) {
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
        const char *name = open ? "open" : "closed";
        for (int i = 0; i < 2; i++) {
            H5Sselect_all(space);
            if (open)
                unlimited_from(space, 0, 1, 1);
            assert_true(H5Pset_virtual(dcpl, space, ".", name, space) >= 0);
        }
        H5Sselect_all(space);
        const hid_t id = H5Dcreate2(t->file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        int values[4];
        assert_true(id >= 0);
        assert_true(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0);
        H5Dclose(id);
        H5Pclose(dcpl);
    }
    H5Sclose(space);
    trial_end(t);
    assert_string_equal(t->said, "0 ids are left open\n");
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(places),
        AS_NATIVE(chains),
        AS_NATIVE(anything),
        cmocka_unit_test(points_are_those_of_the_whole),
        cmocka_unit_test(an_hdf5_file_is_a_source),
        cmocka_unit_test(a_circle_is_an_error),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
