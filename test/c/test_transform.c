/* test_transform.c - data transforms change what is read and what is written. */
#include "both.h"

enum { ROWS = 6, COLUMNS = 9 };

static hid_t numbers(hid_t file, const char *name, hid_t type, bool chunked)
{
    const hsize_t dims[] = {ROWS, COLUMNS}, chunk[] = {4, 5};
    const hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
        H5Pset_chunk(dcpl, 2, chunk);
        H5Pset_deflate(dcpl, 1);
    }
    const hid_t dset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(dset >= 0);
    H5Pclose(dcpl);
    H5Sclose(space);
    return dset;
}

static hid_t transfer(const char *expression)
{
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    assert_true(H5Pset_data_transform(dxpl, expression) >= 0);
    return dxpl;
}

static void say_numbers(trial *t, hid_t dset, hid_t dxpl)
{
    int whole[ROWS * COLUMNS] = {0};
    double real[ROWS * COLUMNS] = {0};
    say(t, "int %s:", went(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, dxpl, whole)));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        say(t, " %d", whole[i]);
    say(t, "\ndouble %s:", went(H5Dread(dset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, dxpl, real)));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        say(t, " %g", real[i]);
    say(t, "\n");
}

static void one(trial *t, const char *name, hid_t type, bool chunked)
{
    double values[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i * 0.75;
    const hid_t dset = numbers(t->file, name, type, chunked), up = transfer("x*10+3"), down = transfer("(x-3)/10.0");
    say(t, "%s: write %s\n", name, went(H5Dwrite(dset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, up, values)));
    say(t, "the caller's are as they were: %g %g\n", values[1], values[ROWS * COLUMNS - 1]);
    say_numbers(t, dset, H5P_DEFAULT);
    say_numbers(t, dset, down);
    const hsize_t at[] = {1, 2}, size[] = {3, 4};
    const hid_t space = H5Dget_space(dset), memory = H5Screate_simple(2, size, NULL);
    int part[12] = {0};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL);
    say(t, "part %s:", went(H5Dread(dset, H5T_NATIVE_INT, memory, space, up, part)));
    for (int i = 0; i < 12; i++)
        say(t, " %d", part[i]);
    say(t, "\npart %s\n", went(H5Dwrite(dset, H5T_NATIVE_INT, memory, space, down, part)));
    say_numbers(t, dset, H5P_DEFAULT);
    H5Sclose(space);
    H5Sclose(memory);
    H5Pclose(up);
    H5Pclose(down);
    H5Dclose(dset);
}

static void transforms(trial *t)
{
    one(t, "int", H5T_NATIVE_INT, false);
    one(t, "big-endian", H5T_STD_I16BE, true);
    one(t, "double", H5T_NATIVE_DOUBLE, true);
}
ON_EVERY_KIND(transforms)

/* What cannot be transformed, and expressions without a variable. */
static void odd(trial *t)
{
    const hid_t dset = numbers(t->file, "d", H5T_NATIVE_INT, true), five = transfer("5"), up = transfer("x+1");
    int64_t values[ROWS * COLUMNS] = {0};
    say(t, "constant, nothing written: ");
    say_numbers(t, dset, five);
    H5Dwrite(dset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    say(t, "constant: ");
    say_numbers(t, dset, five);
    const hid_t wide = H5Tcopy(H5T_NATIVE_INT);
    H5Tset_order(wide, H5T_ORDER_BE);
    say(t, "other order %s\n", went(H5Dread(dset, wide, H5S_ALL, H5S_ALL, up, values)));
    H5Tclose(wide);
    H5Pclose(five);
    H5Pclose(up);
    H5Dclose(dset);
}
ON_EVERY_KIND(odd)

/* The fill value of a dataset without storage is not transformed; later it is, everywhere. */
static void fill(trial *t)
{
    const hsize_t dims[] = {ROWS, COLUMNS}, chunk[] = {4, 5}, at[] = {1, 1}, size[] = {2, 3};
    const double seven = 7;
    for (int i = 0; i < 4; i++) {
        char name[16];
        const bool chunked = i % 2;
        const hid_t space = H5Screate_simple(2, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE),
                    up = transfer("x*10+3");
        if (chunked)
            H5Pset_chunk(dcpl, 2, chunk);
        if (i >= 2)
            H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &seven);
        snprintf(name, sizeof name, "f%d", i);
        const hid_t dset = H5Dcreate2(t->file, name, H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        say(t, "%s: ", name);
        say_numbers(t, dset, up);
        const short values[6] = {1, 2, 3, 4, 5, 6};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL);
        H5Dwrite(dset, H5T_NATIVE_SHORT, H5S_BLOCK, space, H5P_DEFAULT, values);
        say_numbers(t, dset, up);
        H5Sselect_elements(space, H5S_SELECT_SET, 3, (const hsize_t[]){5, 8, 1, 1, 0, 6});
        double points[3] = {0};
        say(t, "points %s", went(H5Dread(dset, H5T_NATIVE_DOUBLE, H5S_BLOCK, space, up, points)));
        say(t, " %g %g %g\n", points[0], points[1], points[2]);
        H5Dclose(dset);
        H5Pclose(dcpl);
        H5Pclose(up);
        H5Sclose(space);
    }
}
ON_EVERY_KIND(fill)

/* Conversions that do not fit are the program's to decide. */
static H5T_conv_ret_t decide(H5T_conv_except_t what, hid_t from, hid_t to, void *value, void *result, void *context)
{
    (void)what, (void)from, (void)to, (void)value, (void)context;
    *(signed char *)result = 42;
    return H5T_CONV_HANDLED;
}

/* Row by row: the chunk is in memory from the first one on, and each list is looked at all the same. */
static void rows(trial *t)
{
    const hsize_t row[] = {1, COLUMNS}, width[] = {COLUMNS};
    const hid_t dset = numbers(t->file, "r", H5T_NATIVE_INT, true), up = transfer("x*10+3"),
                plain = H5Pcreate(H5P_DATASET_XFER), asked = H5Pcreate(H5P_DATASET_XFER);
    const hid_t space = H5Dget_space(dset), memory = H5Screate_simple(1, width, NULL);
    H5Pset_type_conv_cb(asked, decide, NULL);
    for (hsize_t i = 0; i < ROWS; i++) {
        const hsize_t start[] = {i, 0};
        const hid_t lists[] = {plain, up, H5P_DEFAULT, asked};
        int values[COLUMNS], back[COLUMNS] = {0};
        signed char bytes[COLUMNS] = {0};
        for (int k = 0; k < COLUMNS; k++)
            values[k] = (int)i * 100 + k;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, row, NULL);
        say(t, "row %s:", went(H5Dwrite(dset, H5T_NATIVE_INT, memory, space, lists[i % 4], values)));
        for (int l = 0; l < 4; l++) {
            H5Dread(dset, H5T_NATIVE_INT, memory, space, lists[l], back);
            H5Dread(dset, H5T_NATIVE_SCHAR, memory, space, lists[l], bytes);
            for (int k = 0; k < COLUMNS; k++)
                say(t, " %d/%d", back[k], bytes[k]);
        }
        say(t, "\n");
    }
    H5Sclose(memory);
    H5Sclose(space);
    H5Pclose(asked);
    H5Pclose(plain);
    H5Pclose(up);
    H5Dclose(dset);
}
ON_EVERY_KIND(rows)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(transforms), AS_NATIVE(odd), AS_NATIVE(fill), AS_NATIVE(rows)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
