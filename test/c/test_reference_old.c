/* test_reference_old.c - references of the older kinds, to objects and regions, and what others wrote of regions. */
#include "reference_support.h"

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

/* ---- old region references ---- */

enum { REGIONS = 5 }; /* a hyperslab, points, all, none, null */

typedef struct row {
    int number;
    hdset_reg_ref_t region;
    hobj_ref_t object;
} row;

static hid_t row_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(row));
    H5Tinsert(type, "number", HOFFSET(row, number), H5T_NATIVE_INT);
    H5Tinsert(type, "region", HOFFSET(row, region), H5T_STD_REF_DSETREG);
    H5Tinsert(type, "object", HOFFSET(row, object), H5T_STD_REF_OBJ);
    return type;
}

static hid_t growing(trial *t)
{
    const hsize_t dims[] = {4, 6}, max[] = {H5S_UNLIMITED, 6}, chunk[] = {2, 3};
    const hid_t space = H5Screate_simple(2, dims, max), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    const hid_t d = H5Dcreate2(t->file, "grid", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return d;
}

static void make_old_regions(trial *t, hid_t d, hdset_reg_ref_t made[REGIONS])
{
    const hsize_t start[] = {0, 1}, stride[] = {2, 2}, count[] = {2, 2}, points[] = {3, 5, 0, 0, 1, 2};
    const hid_t space = H5Dget_space(d);
    memset(made, 0, REGIONS * sizeof *made);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
    say(t, "%s ", went(H5Rcreate(&made[0], t->file, "grid", H5R_DATASET_REGION, space)));
    H5Sselect_elements(space, H5S_SELECT_SET, 3, points);
    say(t, "%s ", went(H5Rcreate(&made[1], t->file, "grid", H5R_DATASET_REGION, space)));
    H5Sselect_all(space);
    say(t, "%s ", went(H5Rcreate(&made[2], t->file, "grid", H5R_DATASET_REGION, space)));
    H5Sselect_none(space);
    say(t, "%s\n", went(H5Rcreate(&made[3], t->file, "grid", H5R_DATASET_REGION, space)));
    H5Sclose(space);
}

static void say_old_region(trial *t, const hdset_reg_ref_t *reference)
{
    hsize_t dims[2] = {0}, max[2] = {0}, first[2] = {0}, last[2] = {0};
    H5O_type_t type = H5O_TYPE_UNKNOWN;
    char name[64] = "";
    const hid_t space = H5Rget_region(t->file, H5R_DATASET_REGION, reference);
    const hid_t object = H5Rdereference2(t->file, H5P_DEFAULT, H5R_DATASET_REGION, reference);
    const ssize_t length = H5Rget_name(t->file, H5R_DATASET_REGION, reference, name, sizeof name);
    say(t, "object %s name %s (%s) type %s ", went(object), name, went(length),
        went(H5Rget_obj_type2(t->file, H5R_DATASET_REGION, reference, &type)));
    say(t, "%d region %s", (int)type, went(space));
    if (space >= 0) {
        H5Sget_simple_extent_dims(space, dims, max);
        H5Sget_select_bounds(space, first, last);
        say(t, " %dx%d of %dx%d: %d elements, selection %d, from %d %d to %d %d", (int)dims[0], (int)dims[1],
            (int)max[0], (int)max[1], (int)H5Sget_select_npoints(space), (int)H5Sget_select_type(space), (int)first[0],
            (int)first[1], (int)last[0], (int)last[1]);
        H5Sclose(space);
    }
    if (object >= 0)
        H5Dclose(object);
    say(t, "\n");
}

static void write_old_regions(trial *t, const hdset_reg_ref_t *made)
{
    const hsize_t count = REGIONS;
    row element = {.number = 7, .region = made[1]};
    hvl_t sequence = {.len = 2, .p = (void *)(uintptr_t)made};
    H5Rcreate(&element.object, t->file, "grid", H5R_OBJECT, H5I_INVALID_HID);
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t type = row_type(), sequences = H5Tvlen_create(H5T_STD_REF_DSETREG);
    const hid_t regions = dataset(t->file, "regions", H5T_STD_REF_DSETREG, REGIONS);
    const hid_t rows = dataset(t->file, "rows", type, 1), lists = dataset(t->file, "lists", sequences, 1);
    const hid_t a = H5Acreate2(regions, "regions", H5T_STD_REF_DSETREG, space, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "write %s %s %s %s\n", went(H5Dwrite(regions, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, made)),
        went(H5Awrite(a, H5T_STD_REF_DSETREG, made)),
        went(H5Dwrite(rows, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &element)),
        went(H5Dwrite(lists, sequences, H5S_ALL, H5S_ALL, H5P_DEFAULT, &sequence)));
    H5Aclose(a);
    H5Dclose(lists);
    H5Dclose(rows);
    H5Dclose(regions);
    H5Tclose(type);
    H5Tclose(sequences);
    H5Sclose(space);
}

static void read_old_regions(trial *t)
{
    hdset_reg_ref_t read[REGIONS], again[REGIONS];
    row element;
    hvl_t sequence;
    const hid_t d = H5Dopen2(t->file, "regions", H5P_DEFAULT), a = H5Aopen(d, "regions", H5P_DEFAULT);
    const hid_t rows = H5Dopen2(t->file, "rows", H5P_DEFAULT), lists = H5Dopen2(t->file, "lists", H5P_DEFAULT);
    const hid_t type = row_type(), sequences = H5Tvlen_create(H5T_STD_REF_DSETREG), space = H5Dget_space(lists);
    say(t, "read %s %s\n", went(H5Dread(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)),
        went(H5Aread(a, H5T_STD_REF_DSETREG, again)));
    for (int i = 0; i < REGIONS; i++)
        say_old_region(t, &read[i]);
    say_old_region(t, &again[1]);
    say(t, "%s\n", went(H5Dread(rows, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &element)));
    say_old_region(t, &element.region);
    say(t, "%s\n", went(H5Dread(lists, sequences, H5S_ALL, H5S_ALL, H5P_DEFAULT, &sequence)));
    for (size_t i = 0; i < sequence.len; i++)
        say_old_region(t, (const hdset_reg_ref_t *)sequence.p + i);
    H5Treclaim(sequences, space, H5P_DEFAULT, &sequence);
    H5Tclose(type);
    H5Tclose(sequences);
    H5Sclose(space);
    H5Dclose(lists);
    H5Dclose(rows);
    H5Aclose(a);
    H5Dclose(d);
}

static void old_regions(trial *t)
{
    const hsize_t larger[] = {9, 6};
    hdset_reg_ref_t made[REGIONS];
    const hid_t d = growing(t);
    make_old_regions(t, d, made);
    write_old_regions(t, made);
    read_old_regions(t);
    say(t, "extent %s\n", went(H5Dset_extent(d, larger)));
    H5Dclose(d);
    read_old_regions(t);
    reopen(t, H5F_ACC_RDWR);
    read_old_regions(t);
    say(t, "move %s\n", went(H5Lmove(t->file, "grid", t->file, "moved", H5P_DEFAULT, H5P_DEFAULT)));
    reopen(t, H5F_ACC_RDONLY);
    read_old_regions(t);
    say_old_region(t, &made[0]);
}

/* As h5dump reads them. */
static void old_regions_as_new(trial *t)
{
    hdset_reg_ref_t made[REGIONS];
    H5R_ref_t read[REGIONS];
    char name[64] = "";
    const hid_t d = growing(t);
    make_old_regions(t, d, made);
    write_old_regions(t, made);
    H5Dclose(d);
    const hid_t regions = H5Dopen2(t->file, "regions", H5P_DEFAULT);
    memset(read, 0, sizeof read);
    say(t, "read %s\n", went(H5Dread(regions, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)));
    for (int i = 0; i < 4; i++) {
        const hid_t space = H5Ropen_region(&read[i], H5P_DEFAULT, H5P_DEFAULT);
        say(t, "%s %d ", went(H5Rget_obj_name(&read[i], H5P_DEFAULT, name, sizeof name)), (int)H5Rget_type(&read[i]));
        say(t, "%s %d elements, selection %d\n", name, (int)H5Sget_select_npoints(space),
            (int)H5Sget_select_type(space));
        H5Sclose(space);
        H5Rdestroy(&read[i]);
    }
    H5Dclose(regions);
}

/* A region in a native file means nothing in a store, least of all something else. One in another open store means the
 * same path there, as references to objects do. */
static void regions_of_others(void **state)
{
    (void)state;
    trial *native = trial_begin(NATIVE), *store = trial_begin(ZARR), *other = trial_begin(ZARR);
    hdset_reg_ref_t of_native[REGIONS], of_store[REGIONS], of_other[REGIONS];
    trial *const all[] = {native, store, other};
    hdset_reg_ref_t *const made[] = {of_native, of_store, of_other};
    for (int i = 0; i < 3; i++) {
        const hid_t d = growing(all[i]);
        make_old_regions(all[i], d, made[i]);
        H5Dclose(d);
    }
    const hid_t d = dataset(store->file, "regions", H5T_STD_REF_DSETREG, REGIONS);
    assert_true(H5Dwrite(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, of_store) >= 0);
    hdset_reg_ref_t kept[REGIONS];
    assert_true(H5Dwrite(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, of_other) >= 0);
    assert_true(H5Dread(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, kept) >= 0);
    assert_memory_equal(kept, of_store, sizeof kept);
    assert_true(H5Dwrite(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, of_native) >= 0);
    assert_true(H5Dread(d, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, kept) >= 0);
    assert_memory_equal(kept, of_native, sizeof kept);
    assert_true(H5Rdereference2(store->file, H5P_DEFAULT, H5R_DATASET_REGION, &kept[0]) < 0);
    assert_true(H5Rget_region(store->file, H5R_DATASET_REGION, &kept[0]) < 0);
    assert_true(H5Rdereference2(store->file, H5P_DEFAULT, H5R_DATASET_REGION, &of_other[0]) < 0);
    H5Dclose(d);
    for (int i = 0; i < 3; i++) {
        trial_end(all[i]);
        free(all[i]);
    }
}

WITH_GATEWAY(old_regions)

WITH_GATEWAY(old_regions_as_new)

WITH_GATEWAY(old_ones_as_new)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(old_ones_as_new),
        AS_NATIVE(old_regions),
        AS_NATIVE(old_regions_as_new),
        cmocka_unit_test(regions_of_others),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
