/* test_virtual_offsets.c - H5Soffset_simple wherever a selection is kept or handed on: mappings, transfers of virtual
 * datasets, spaces that are older than the dataset's extent, stored regions. */
#include "virtual_support.h"

static void shift(hid_t space, hssize_t row, hssize_t column)
{
    assert_true(H5Soffset_simple(space, (const hssize_t[]){row, column}) >= 0);
}

/* Rows 1, 3 and 4. */
static void select_uneven(hid_t space)
{
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){1, 0}, NULL, (const hsize_t[]){1, 4}, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_OR, (const hsize_t[]){3, 0}, NULL, (const hsize_t[]){2, 4}, NULL);
}

/* A box and rows with a gap, both moved, on both sides. */
static void mappings(trial *t)
{
    numbers_in(t->file, "x", 10, 4, 100);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), to = simple(2, 12, 4), from = simple(2, 10, 4);
    const int fill = -7;
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, (const hsize_t[]){2, 1}, NULL, (const hsize_t[]){2, 2}, NULL);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, (const hsize_t[]){4, 1}, NULL, (const hsize_t[]){2, 2}, NULL);
    shift(from, 5, -1);
    shift(to, -4, 1);
    say(t, "map %s\n", went(H5Pset_virtual(dcpl, to, ".", "x", from)));
    select_uneven(from);
    select_uneven(to);
    shift(from, -1, 0);
    shift(to, 6, 0);
    say(t, "map %s\n", went(H5Pset_virtual(dcpl, to, ".", "x", from)));
    shift(to, 0, 0);
    H5Sselect_all(to);
    const hid_t id = H5Dcreate2(t->file, "v", H5T_NATIVE_INT, to, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "create %s\n", went(id));
    say_elements(t, id);
    const hid_t told = H5Dget_create_plist(id);
    say(t, "equal %d\n", H5Pequal(told, dcpl));
    say_space(t, "given", H5Pget_virtual_srcspace(told, 0));
    H5Pclose(told);
    H5Dclose(id);
    say(t, "copy %s\n", went(H5Ocopy(t->file, "v", t->file, "w", H5P_DEFAULT, H5P_DEFAULT)));
    reopen(t, H5F_ACC_RDONLY);
    for (int i = 0; i < 2; i++) {
        const hid_t again = H5Dopen2(t->file, i ? "w" : "v", H5P_DEFAULT);
        say_elements(t, again);
        say_list(t, again);
        H5Dclose(again);
    }
    H5Sclose(to);
    H5Sclose(from);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(mappings)

/* Mappings without end: one that follows its source, one of numbered sources. */
static void unlimited(trial *t)
{
    const hsize_t dims[] = {0, 2}, most[] = {H5S_UNLIMITED, 2};
    sources(t, "one", "x", 7, 2, 100);
    sources(t, "part-0", "x", 1, 2, 200);
    sources(t, "part-1", "x", 1, 2, 300);
    const hid_t to = H5Screate_simple(2, dims, most), from = H5Screate_simple(2, dims, most), one = simple(2, 1, 2);
    for (int pattern = 0; pattern < 2; pattern++) {
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
        unlimited_from(from, 0, 2, 1);
        unlimited_from(to, 2, 3, 1);
        shift(from, 1, 0);
        shift(to, -1, 0);
        say(t, "map %s\n", went(H5Pset_virtual(dcpl, to, pattern ? "part-%b" : "one", "x", pattern ? one : from)));
        shift(to, 0, 0);
        H5Sselect_all(to);
        H5Dclose(H5Dcreate2(t->file, pattern ? "p" : "u", H5T_NATIVE_INT, to, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        H5Pclose(dcpl);
    }
    reopen(t, H5F_ACC_RDONLY);
    for (int pattern = 0; pattern < 2; pattern++) {
        const hid_t id = H5Dopen2(t->file, pattern ? "p" : "u", H5P_DEFAULT);
        say_elements(t, id);
        H5Dclose(id);
    }
    H5Sclose(to);
    H5Sclose(from);
    H5Sclose(one);
}
ON_EVERY_KIND(unlimited)

/* A space from before the dataset grew. */
static void older_extent(trial *t)
{
    numbers_in(t->file, "x", 4, 4, 100);
    const hid_t id = H5Dopen2(t->file, "x", H5P_DEFAULT), old = H5Dget_space(id), memory = simple(2, 3, 4);
    H5Dset_extent(id, (const hsize_t[]){9, 5});
    int values[12], all[45];
    for (int i = 0; i < 45; i++)
        all[i] = i;
    H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
    for (int points = 0; points < 2; points++) {
        const hsize_t at[] = {0, 0, 3, 2, 1, 1};
        if (points)
            H5Sselect_elements(old, H5S_SELECT_SET, 3, at);
        else
            H5Sselect_hyperslab(old, H5S_SELECT_SET, (const hsize_t[]){1, 0}, NULL, (const hsize_t[]){1, 3}, NULL);
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, (const hsize_t[]){1, 0}, NULL, (const hsize_t[]){1, 3}, NULL);
        shift(old, points ? 0 : 2, 1);
        shift(memory, 1, 1);
        memset(values, 0x7f, sizeof values);
        say(t, "read %s:", went(H5Dread(id, H5T_NATIVE_INT, memory, old, H5P_DEFAULT, values)));
        for (int i = 0; i < 12; i++)
            say(t, " %d", values[i]);
        say(t, "\n");
        shift(old, -4, 0);
        say(t, "below zero %s\n", went(H5Dread(id, H5T_NATIVE_INT, memory, old, H5P_DEFAULT, values)));
    }
    H5Sclose(old);
    H5Sclose(memory);
    H5Dclose(id);
}
ON_EVERY_KIND(older_extent)

/* Two rows of "x" for each of six. Native HDF5 forgets the offset of what is asked of a virtual dataset, so its dataset
 * is an ordinary one (docs/upstream.md). */
static hid_t of_rows(trial *t)
{
    if (t->kind == NATIVE) {
        numbers_in(t->file, "v", 6, 4, 100);
        return H5Dopen2(t->file, "v", H5P_DEFAULT);
    }
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), to = simple(2, 6, 4), from = simple(2, 2, 4);
    for (int i = 0; i < 3; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        numbers_in(t->file, name, 2, 4, 100 + 8 * i);
        map(dcpl, to, (hsize_t)i * 2, 2, ".", name, from);
    }
    H5Sselect_all(to);
    const hid_t id = H5Dcreate2(t->file, "v", H5T_NATIVE_INT, to, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(to);
    H5Sclose(from);
    H5Pclose(dcpl);
    return id;
}

static void select_shape(hid_t space, int shape)
{
    const hsize_t at[] = {0, 1, 2, 2, 1, 0, 0, 0};
    if (shape == 2)
        H5Sselect_elements(space, H5S_SELECT_SET, 4, at);
    else
        H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){0, 0}, NULL, (const hsize_t[]){2, 2}, NULL);
    if (shape == 1) {
        H5Sselect_hyperslab(space, H5S_SELECT_NOTB, (const hsize_t[]){1, 0}, NULL, (const hsize_t[]){1, 1}, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_OR, (const hsize_t[]){2, 2}, NULL, (const hsize_t[]){1, 1}, NULL);
    }
}

/* A box, an uneven selection and points, moved in the dataset and in memory. */
static void transfers(trial *t)
{
    const hid_t id = of_rows(t), file = simple(2, 6, 4), memory = simple(2, 5, 3);
    for (int i = 0; i < 9; i++) {
        int values[15];
        select_shape(file, i / 3);
        select_shape(memory, i % 3);
        shift(file, 3, 1);
        shift(memory, 2, 0);
        memset(values, 0x7f, sizeof values);
        say(t, "read %s:", went(H5Dread(id, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, values)));
        for (int k = 0; k < 15; k++) {
            say(t, " %d", values[k]);
            values[k] = 1000 * i + k;
        }
        say(t, "\nwrite %s\n", went(H5Dwrite(id, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, values)));
        int all[24];
        H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
        for (int k = 0; k < 24; k++)
            say(t, " %d", all[k]);
        say(t, "\n");
    }
    H5Sclose(file);
    H5Sclose(memory);
    H5Dclose(id);
}

static void transfers_are_those_of_an_ordinary_dataset(void **state)
{
    static const kind others[] = {ZARR, ZARR_WITHOUT_GATEWAY};
    (void)state;
    on_kinds(transfers, others, sizeof others / sizeof *others);
}

static void say_region(trial *t, H5R_ref_t *reference)
{
    const hid_t space = H5Ropen_region(reference, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t first[2] = {99, 99}, last[2] = {99, 99};
    H5Sget_select_bounds(space, first, last);
    say(t, "%d points [%d-%d][%d-%d]\n", (int)H5Sget_select_npoints(space), (int)first[0], (int)last[0], (int)first[1],
        (int)last[1]);
    H5Sclose(space);
    H5Rdestroy(reference);
}

/* Native HDF5 forgets the offset when a reference is stored, so what it says is said before (docs/upstream.md). */
static void regions(trial *t)
{
    H5R_ref_t references[3];
    const hsize_t three = 3;
    const hid_t to = H5Screate_simple(1, &three, NULL), space = simple(2, 6, 4);
    numbers_in(t->file, "x", 6, 4, 100);
    for (int i = 0; i < 3; i++) {
        select_shape(space, i);
        shift(space, 2, 1);
        assert_true(H5Rcreate_region(t->file, "x", space, H5P_DEFAULT, &references[i]) >= 0);
    }
    if (t->kind != NATIVE) {
        hid_t id = H5Dcreate2(t->file, "r", H5T_STD_REF, to, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        say(t, "%s", H5Dwrite(id, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, references) < 0 ? "failed" : "");
        H5Dclose(id);
        for (int i = 0; i < 3; i++)
            H5Rdestroy(&references[i]);
        reopen(t, H5F_ACC_RDONLY);
        id = H5Dopen2(t->file, "r", H5P_DEFAULT);
        say(t, "%s", H5Dread(id, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, references) < 0 ? "failed" : "");
        H5Dclose(id);
    }
    for (int i = 0; i < 3; i++)
        say_region(t, &references[i]);
    H5Sclose(space);
    H5Sclose(to);
}

static void stored_regions_are_what_they_were(void **state)
{
    static const kind others[] = {ZARR, ZARR_HDMF};
    (void)state;
    on_kinds(regions, others, sizeof others / sizeof *others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(mappings),
        AS_NATIVE(unlimited),
        AS_NATIVE(older_extent),
        cmocka_unit_test(transfers_are_those_of_an_ordinary_dataset),
        cmocka_unit_test(stored_regions_are_what_they_were),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
