/* test_virtual.c - virtual datasets: extents, elements, views, what the lists tell. */
#include "virtual_support.h"

static void grow(const trial *t, const char *file, const char *name, hsize_t rows, hsize_t columns)
{
    char path[160];
    source_path(t, file, path, sizeof path);
    const hid_t fapl = source_list(t), id = H5Fopen(path, H5F_ACC_RDWR, fapl);
    const hid_t dataset = H5Dopen2(id, name, H5P_DEFAULT);
    assert_true(H5Dset_extent(dataset, (const hsize_t[]){rows, columns}) >= 0);
    H5Dclose(dataset);
    H5Fclose(id);
    H5Pclose(fapl);
}

/* Three stripes of rows: from another file, from this one, and from none. */
static void stripes(trial *t)
{
    sources(t, "one", "x", 2, 4, 100);
    numbers_in(t->file, "here", 4, 4, 200);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), to = simple(2, 8, 4), two = simple(2, 2, 4),
                four = simple(2, 4, 4);
    const int fill = -7;
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    map(dcpl, to, 0, 2, "one", "x", two);
    H5Sselect_hyperslab(four, H5S_SELECT_SET, (const hsize_t[]){1, 0}, NULL, (const hsize_t[]){2, 4}, NULL);
    map(dcpl, to, 2, 2, ".", "/here", four);
    map(dcpl, to, 5, 2, "none", "x", two);
    H5Sselect_all(to);
    const hid_t id = H5Dcreate2(t->file, "v", H5T_NATIVE_INT, to, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "create %s\n", went(id));
    say_elements(t, id);
    int values[32];
    for (int i = 0; i < 32; i++)
        values[i] = 1000 + i;
    say(t, "write unmapped %s\n", went(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    H5Sselect_hyperslab(to, H5S_SELECT_SET, (const hsize_t[]){1, 1}, NULL, (const hsize_t[]){2, 2}, NULL);
    const hid_t memory = simple(1, 4, 0);
    say(t, "write %s\n", went(H5Dwrite(id, H5T_NATIVE_INT, memory, to, H5P_DEFAULT, values)));
    say_elements(t, id);
    H5Dclose(id);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "v", H5P_DEFAULT), here = H5Dopen2(t->file, "here", H5P_DEFAULT);
    say_elements(t, again);
    say_elements(t, here);
    say_list(t, again);
    const hid_t ids[] = {again, here};
    for (size_t i = 0; i < 2; i++)
        H5Dclose(ids[i]);
    const hid_t spaces[] = {to, two, four, memory};
    for (size_t i = 0; i < 4; i++)
        H5Sclose(spaces[i]);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(stripes)

static hid_t with_view(H5D_vds_view_t view, hsize_t gap)
{
    const hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_virtual_view(dapl, view);
    H5Pset_virtual_printf_gap(dapl, gap);
    return dapl;
}

/* Opened with each view, in a file of its own so that nothing is left of the one before. */
static void say_views(trial *t, const char *name)
{
    static const struct {
        H5D_vds_view_t view;
        hsize_t gap;
    } views[] = {{H5D_VDS_LAST_AVAILABLE, 0}, {H5D_VDS_FIRST_MISSING, 0}, {H5D_VDS_LAST_AVAILABLE, 2}};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const hid_t dapl = with_view(views[i].view, views[i].gap);
        reopen(t, H5F_ACC_RDONLY);
        const hid_t id = H5Dopen2(t->file, name, dapl);
        say(t, "view %d gap %d\n", (int)views[i].view, (int)views[i].gap);
        say_elements(t, id);
        if (i == 0)
            say_list(t, id);
        H5Dclose(id);
        H5Pclose(dapl);
    }
}

/* Two sources that grow, in turns: rows 0 and 1 of three from the first, row 2 from the second. */
static void growing(trial *t)
{
    const hsize_t dims[] = {0, 2}, most[] = {H5S_UNLIMITED, 2};
    sources(t, "one", "x", 3, 2, 100);
    sources(t, "two", "x", 3, 2, 200);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t to = H5Screate_simple(2, dims, most), from = H5Screate_simple(2, dims, most);
    unlimited_from(from, 0, 1, 1);
    unlimited_from(to, 0, 3, 2);
    say(t, "map %s\n", went(H5Pset_virtual(dcpl, to, "one", "x", from)));
    unlimited_from(to, 2, 3, 1);
    say(t, "map %s\n", went(H5Pset_virtual(dcpl, to, "two", "x", from)));
    H5Sselect_all(to);
    const hid_t id = H5Dcreate2(t->file, "v", H5T_NATIVE_INT, to, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "create %s\n", went(id));
    say_elements(t, id);
    H5Dclose(id);
    say_views(t, "v");
    grow(t, "one", "x", 8, 2);
    say_views(t, "v");
    grow(t, "two", "x", 1, 2);
    say_views(t, "v");
    H5Sclose(to);
    H5Sclose(from);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(growing)

/* Blocks of two rows, each from a file of its own, some of which are missing. */
static void patterns(trial *t)
{
    const hsize_t dims[] = {0, 2}, most[] = {H5S_UNLIMITED, 2};
    sources(t, "part-0%", "x0", 2, 2, 100);
    sources(t, "part-1%", "x1", 2, 2, 200);
    sources(t, "part-4%", "x4", 2, 2, 400);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t to = H5Screate_simple(2, dims, most), from = simple(2, 2, 2);
    unlimited_from(to, 1, 3, 2);
    say(t, "map %s\n", went(H5Pset_virtual(dcpl, to, "part-%b%%", "x%b", from)));
    H5Sselect_all(to);
    const hid_t id = H5Dcreate2(t->file, "v", H5T_NATIVE_INT, to, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "create %s\n", went(id));
    H5Dclose(id);
    say_views(t, "v");
    sources(t, "part-2%", "x2", 2, 2, 200);
    say_views(t, "v");
    reopen(t, H5F_ACC_RDWR);
    const hid_t again = H5Dopen2(t->file, "v", H5P_DEFAULT);
    const hid_t file = H5Dget_space(again);
    hsize_t now[2];
    H5Sget_simple_extent_dims(file, now, NULL);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, (const hsize_t[]){2, 1}, NULL, (const hsize_t[]){5, 1}, NULL);
    int values[5] = {0};
    say(t, "read %s", went(H5Dread(again, H5T_NATIVE_INT, H5S_BLOCK, file, H5P_DEFAULT, values)));
    say(t, " %d %d %d %d %d\n", values[0], values[1], values[2], values[3], values[4]);
    say(t, "extent %s\n", went(H5Dset_extent(again, (const hsize_t[]){3, 2})));
    H5Sclose(file);
    H5Dclose(again);
    H5Sclose(to);
    H5Sclose(from);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(patterns)

/* What HDF5 refuses, and what it takes. */
static void creations(trial *t)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), big = simple(2, 4, 4), small = simple(2, 2, 4);
    map(dcpl, big, 2, 2, "one", "x", small);
    H5Sselect_all(big);
    say(t, "too small %s\n", went(H5Dcreate2(t->file, "a", H5T_NATIVE_INT, small, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
    const hid_t id = H5Dcreate2(t->file, "b", H5T_NATIVE_INT, big, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "right %s\n", went(id));
    say_elements(t, id);
    H5Dclose(id);
    H5Pset_fill_value(dcpl, H5I_INVALID_HID, NULL);
    const hid_t raw = H5Dcreate2(t->file, "c", H5T_NATIVE_INT, big, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say_elements(t, raw);
    H5Dclose(raw);
    const hid_t none = H5Pcreate(H5P_DATASET_CREATE);
    say(t, "layout %s\n", went(H5Pset_layout(none, H5D_VIRTUAL)));
    const hid_t empty = H5Dcreate2(t->file, "d", H5T_NATIVE_INT, big, H5P_DEFAULT, none, H5P_DEFAULT);
    say(t, "no mappings %s\n", went(empty));
    say_elements(t, empty);
    say_list(t, empty);
    H5Dclose(empty);
    reopen(t, H5F_ACC_RDWR);
    const hid_t again = H5Dopen2(t->file, "d", H5P_DEFAULT), two = H5Dopen2(t->file, "b", H5P_DEFAULT);
    say_list(t, again);
    say(t, "extent %s %s\n", went(H5Dset_extent(two, (const hsize_t[]){3, 4})),
        went(H5Dset_extent(two, (const hsize_t[]){5, 4})));
    H5Dclose(again);
    H5Dclose(two);
    H5Pclose(none);
    H5Pclose(dcpl);
    H5Sclose(big);
    H5Sclose(small);
}
ON_EVERY_KIND(creations)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(stripes),
        AS_NATIVE(growing),
        AS_NATIVE(patterns),
        AS_NATIVE(creations),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
