/* test_external.c - elements in external files: the raw files have the bytes that native HDF5 writes. */
#include "both.h"
#include "say_elements.h"

static hid_t simple(int rank, hsize_t a, hsize_t b, hsize_t most)
{
    return H5Screate_simple(rank, (const hsize_t[]){a, b}, (const hsize_t[]){most, b});
}

static void path_of(const trial *t, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", t->directory, name);
}

static void external(const trial *t, hid_t dcpl, const char *name, off_t offset, hsize_t size)
{
    char path[160];
    path_of(t, name, path, sizeof path);
    assert_true(H5Pset_external(dcpl, path, offset, size) >= 0);
}

static void say_file(trial *t, const char *name)
{
    char path[160];
    path_of(t, name, path, sizeof path);
    FILE *file = fopen(path, "rb");
    say(t, "%s:", name);
    if (!file) {
        say(t, " not there\n");
        return;
    }
    for (int byte; (byte = fgetc(file)) != EOF;)
        say(t, " %02x", (unsigned)byte);
    say(t, "\n");
    fclose(file);
}

static void say_list(trial *t, hid_t id)
{
    const hid_t dcpl = H5Dget_create_plist(id);
    H5D_space_status_t status = -1;
    H5D_alloc_time_t alloc = -1;
    H5D_fill_value_t fill = -1;
    H5Pget_alloc_time(dcpl, &alloc);
    H5Pfill_value_defined(dcpl, &fill);
    const int count = H5Pget_external_count(dcpl);
    say(t, "layout %d files %d alloc %d fill %d\n", H5Pget_layout(dcpl), count, alloc, fill);
    for (int i = 0; i < count; i++) {
        char name[160] = "";
        off_t offset = -1;
        hsize_t size = 0;
        H5Pget_external(dcpl, (unsigned)i, sizeof name, name, &offset, &size);
        say(t, " %s %ld %ld\n", strrchr(name, '/') ? strrchr(name, '/') : name, (long)offset, (long)size);
    }
    H5Pclose(dcpl);
    H5Dget_space_status(id, &status);
    say(t, "status %d\n", status);
}

static void write_numbers(trial *t, hid_t id, hid_t memory, hid_t file, int first, int count)
{
    int values[64];
    for (int i = 0; i < count; i++)
        values[i] = first + i;
    say(t, "write %s\n", went(H5Dwrite(id, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, values)));
}

/* Big-endian 16-bit numbers over three files with offsets; a hole in between is never written. */
static void several(trial *t)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(2, 5, 4, 5);
    const int fill = 3;
    external(t, dcpl, "a", 0, 10);
    external(t, dcpl, "b", 5, 14);
    external(t, dcpl, "a", 20, 16);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    const hid_t id = H5Dcreate2(t->file, "d", H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "create %s\n", went(id));
    say_file(t, "a");
    say_elements(t, id);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){1, 1}, (const hsize_t[]){2, 2},
                        (const hsize_t[]){2, 2}, NULL);
    write_numbers(t, id, H5S_BLOCK, space, 500, 4);
    say_file(t, "a");
    say_file(t, "b");
    say_elements(t, id);
    write_numbers(t, id, H5S_ALL, H5S_ALL, 1, 20);
    say_file(t, "a");
    say_file(t, "b");
    H5Sselect_elements(space, H5S_SELECT_SET, 3, (const hsize_t[]){4, 3, 0, 0, 2, 2});
    write_numbers(t, id, H5S_BLOCK, space, -5, 3);
    H5Dclose(id);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "d", H5P_DEFAULT);
    say_elements(t, again);
    say_list(t, again);
    say(t, "storage %d\n", (int)H5Dget_storage_size(again));
    int value = 0;
    say(t, "write read-only %s\n", went(H5Dwrite(again, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value)));
    H5Dclose(again);
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(several)

/* The last file without a limit: the first dimension can grow. */
static void growing(trial *t)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(2, 2, 2, H5S_UNLIMITED);
    external(t, dcpl, "a", 0, 8);
    external(t, dcpl, "b", 3, H5F_UNLIMITED);
    const hid_t id = H5Dcreate2(t->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    write_numbers(t, id, H5S_ALL, H5S_ALL, 1, 4);
    say(t, "grow %s\n", went(H5Dset_extent(id, (const hsize_t[]){4, 2})));
    say_elements(t, id);
    write_numbers(t, id, H5S_ALL, H5S_ALL, 11, 8);
    say(t, "shrink %s\n", went(H5Dset_extent(id, (const hsize_t[]){1, 2})));
    say_elements(t, id);
    say(t, "grow %s\n", went(H5Dset_extent(id, (const hsize_t[]){3, 2})));
    say_elements(t, id);
    say(t, "widen %s\n", went(H5Dset_extent(id, (const hsize_t[]){3, 3})));
    H5Dclose(id);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "d", H5P_DEFAULT);
    say_elements(t, again);
    say_list(t, again);
    H5Dclose(again);
    say_file(t, "a");
    say_file(t, "b");
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(growing)

/* Only the first dimension may be created extendible, but each one shrinks and grows back. */
static void narrowing(trial *t)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(2, 2, 3, 6);
    external(t, dcpl, "a", 0, 80);
    const hid_t id = H5Dcreate2(t->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    write_numbers(t, id, H5S_ALL, H5S_ALL, 1, 6);
    say(t, "narrow %s\n", went(H5Dset_extent(id, (const hsize_t[]){2, 2})));
    say_elements(t, id);
    write_numbers(t, id, H5S_ALL, H5S_ALL, 11, 4);
    say(t, "narrow %s\n", went(H5Dset_extent(id, (const hsize_t[]){4, 1})));
    say_elements(t, id);
    say(t, "grow %s\n", went(H5Dset_extent(id, (const hsize_t[]){3, 3})));
    say_elements(t, id);
    say(t, "narrow %s\n", went(H5Dset_extent(id, (const hsize_t[]){2, 2})));
    H5Dclose(id);
    reopen(t, H5F_ACC_RDWR);
    const hid_t again = H5Dopen2(t->file, "d", H5P_DEFAULT);
    say_elements(t, again);
    write_numbers(t, again, H5S_ALL, H5S_ALL, 21, 4);
    say(t, "grow %s\n", went(H5Dset_extent(again, (const hsize_t[]){2, 3})));
    say_elements(t, again);
    H5Dclose(again);
    say_file(t, "a");
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(narrowing)

static void try_to_create(trial *t, const char *name, hsize_t rows, hsize_t columns, hsize_t most_rows,
                          hsize_t most_columns, hsize_t size, H5D_alloc_time_t alloc, hid_t type)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space =
        H5Screate_simple(2, (const hsize_t[]){rows, columns}, (const hsize_t[]){most_rows, most_columns});
    const int fill = 9;
    external(t, dcpl, name, 0, size);
    H5Pset_alloc_time(dcpl, alloc);
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_ALLOC);
    if (H5Tget_class(type) == H5T_INTEGER)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    const hid_t id = H5Dcreate2(t->file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, "%s: create %s\n", name, went(id));
    say_file(t, name);
    if (id >= 0) {
        say_list(t, id);
        H5Dclose(id);
    }
    H5Sclose(space);
    H5Pclose(dcpl);
}

static void creations(trial *t)
{
    try_to_create(t, "short", 4, 2, 4, 2, 31, H5D_ALLOC_TIME_LATE, H5T_NATIVE_INT);
    try_to_create(t, "exact", 4, 2, 4, 2, 32, H5D_ALLOC_TIME_LATE, H5T_NATIVE_INT);
    try_to_create(t, "early", 4, 2, 4, 2, 32, H5D_ALLOC_TIME_EARLY, H5T_NATIVE_INT);
    try_to_create(t, "columns grow", 4, 2, 4, H5S_UNLIMITED, H5F_UNLIMITED, H5D_ALLOC_TIME_LATE, H5T_NATIVE_INT);
    try_to_create(t, "rows grow in too little", 4, 2, H5S_UNLIMITED, 2, 32, H5D_ALLOC_TIME_LATE, H5T_NATIVE_INT);
    try_to_create(t, "rows grow", 4, 2, 8, 2, 64, H5D_ALLOC_TIME_LATE, H5T_NATIVE_INT);
    try_to_create(t, "nothing", 0, 2, 8, 2, 64, H5D_ALLOC_TIME_LATE, H5T_NATIVE_INT);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    external(t, dcpl, "unlimited", 0, H5F_UNLIMITED);
    say(t, "after the unlimited %s\n", went(H5Pset_external(dcpl, "more", 0, 8)));
    H5Pset_chunk(dcpl, 2, (const hsize_t[]){2, 2});
    const hid_t space = simple(2, 4, 2, 4);
    say(t, "chunked %s\n", went(H5Dcreate2(t->file, "chunked", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(creations)

/* Where the files are: beside a prefix, the file's own directory. */
static void prefixes(trial *t)
{
    const char *const given[] = {t->directory, "${ORIGIN}"}, *const names[] = {"raw0", "raw1"};
    for (int i = 0; i < 2; i++) {
        const char *const name = names[i];
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), dapl = H5Pcreate(H5P_DATASET_ACCESS);
        const hid_t space = simple(2, 2, 2, 2);
        H5Pset_efile_prefix(dapl, given[i]);
        H5Pset_external(dcpl, name, 2, 16);
        const hid_t id = H5Dcreate2(t->file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, dapl);
        write_numbers(t, id, H5S_ALL, H5S_ALL, 1, 4);
        say_elements(t, id);
        H5Dclose(id);
        say_file(t, name);
        const hid_t lost = H5Dopen2(t->file, name, H5P_DEFAULT);
        int values[4];
        say(t, "without %s\n", went(H5Dread(lost, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
        H5Dclose(lost);
        H5Sclose(space);
        H5Pclose(dcpl);
        H5Pclose(dapl);
    }
}
ON_EVERY_KIND(prefixes)

static hid_t open_with(trial *t, const char *name, const char *prefix)
{
    const hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_efile_prefix(dapl, prefix);
    const hid_t id = H5Dopen2(t->file, name, prefix ? dapl : H5P_DEFAULT);
    H5Pclose(dapl);
    return id;
}

/* All ids of a dataset have one prefix. */
static void one_prefix(trial *t)
{
    static const char *const others[] = {"/there/", "/elsewhere", "//", ".", NULL};
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = simple(1, 4, 0, 4);
    external(t, dcpl, "a", 0, 16);
    H5Dclose(H5Dcreate2(t->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    const hid_t first = open_with(t, "d", "/there/");
    say(t, "first %s", went(first));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const hid_t id = open_with(t, "d", others[i]);
        say(t, ", %s %s", others[i] ? others[i] : "default", went(id));
        if (id >= 0)
            H5Dclose(id);
    }
    H5Dclose(first);
    const hid_t last = open_with(t, "d", "/elsewhere");
    say(t, ", then %s\n", went(last));
    H5Dclose(last);
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(one_prefix)

/* A compound, in parts; a copy of the dataset names the same files. */
static void parts(trial *t)
{
    typedef struct pair {
        int a;
        double b;
    } pair;
    pair values[3] = {{1, 1.5}, {2, 2.5}, {3, 3.5}};
    int numbers[3] = {7, 8, 9};
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(pair)), a = H5Tcreate(H5T_COMPOUND, sizeof(int));
    H5Tinsert(type, "a", offsetof(pair, a), H5T_NATIVE_INT);
    H5Tinsert(type, "b", offsetof(pair, b), H5T_NATIVE_DOUBLE);
    H5Tinsert(a, "a", 0, H5T_NATIVE_INT);
    H5Tpack(type);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, (const hsize_t[]){3}, NULL);
    external(t, dcpl, "raw", 0, H5F_UNLIMITED);
    const hid_t id = H5Dcreate2(t->file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    const hid_t memory = H5Tcreate(H5T_COMPOUND, sizeof(pair));
    H5Tinsert(memory, "a", offsetof(pair, a), H5T_NATIVE_INT);
    H5Tinsert(memory, "b", offsetof(pair, b), H5T_NATIVE_DOUBLE);
    say(t, "write %s\n", went(H5Dwrite(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    say(t, "part %s\n", went(H5Dwrite(id, a, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers)));
    H5Dclose(id);
    say_file(t, "raw");
    say(t, "copy %s\n", went(H5Ocopy(t->file, "d", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    const hid_t copy = H5Dopen2(t->file, "copy", H5P_DEFAULT);
    say_list(t, copy);
    say(t, "read %s", went(H5Dread(copy, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    for (int i = 0; i < 3; i++)
        say(t, " %d %g", values[i].a, values[i].b);
    say(t, "\n");
    H5Dclose(copy);
    const hid_t ids[] = {type, a, memory};
    for (int i = 0; i < 3; i++)
        H5Tclose(ids[i]);
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(parts)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(several),  AS_NATIVE(growing),    AS_NATIVE(narrowing), AS_NATIVE(creations),
        AS_NATIVE(prefixes), AS_NATIVE(one_prefix), AS_NATIVE(parts),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
