/* References in the store: written and read with either memory type, they say what they say in a native file. */
#include "both.h"
#include <fcntl.h>
#include <sys/file.h>

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

ON_EVERY_KIND(nothing_is_opened)
ON_EVERY_KIND(other_file)
ON_EVERY_KIND(new_ones)
ON_EVERY_KIND(copies_of_new_ones)
WITH_GATEWAY(old_regions)
WITH_GATEWAY(old_regions_as_new)
WITH_GATEWAY(old_ones_as_new)

int main(void)
{
    const struct CMUnitTest tests[] = {AS_NATIVE(nothing_is_opened),
                                       AS_NATIVE(other_file),
                                       AS_NATIVE(new_ones),
                                       AS_NATIVE(copies_of_new_ones),
                                       AS_NATIVE(old_ones_as_new),
                                       AS_NATIVE(old_regions),
                                       AS_NATIVE(old_regions_as_new),
                                       cmocka_unit_test(regions_of_others),
                                       cmocka_unit_test(copies_open_nothing)};
    return cmocka_run_group_tests(tests, quiet, NULL);
}
