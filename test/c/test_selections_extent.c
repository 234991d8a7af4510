/* test_selections_extent.c - file dataspaces whose extent is not the dataset's: older ones, and any that a program
 * makes. Every answer is native HDF5's, memory around a buffer included. Where native HDF5 leaves the dataset or the
 * buffer, the call is refused. */
#include "both.h"

enum { ROOM = 80, GUARD = -7 };

typedef hid_t (*make_space)(int rank, const hsize_t *dims);

static void fill_buffer(int *values, int first)
{
    for (int i = 0; i < ROOM; i++)
        values[i] = first < 0 ? GUARD : first + i;
}

static void say_buffer(trial *t, const int *values)
{
    for (int i = 0; i < ROOM; i++)
        if (values[i] != GUARD)
            say(t, " %d:%d", i, values[i]);
    say(t, "\n");
}

static void say_all(trial *t, hid_t id)
{
    int values[ROOM];
    fill_buffer(values, -1);
    say(t, "  all %s", went(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    say_buffer(t, values);
}

/* A read and a write, with the elements of the whole dataset after it. Memory of the reads is H5S_ALL, H5S_BLOCK and
 * the dataspace itself. */
static void move_by(trial *t, hid_t id, const char *name, hid_t file)
{
    const hid_t memories[] = {H5S_ALL, H5S_BLOCK, file};
    int values[ROOM];
    for (size_t m = 0; m < 3; m++) {
        fill_buffer(values, -1);
        say(t, "%s %zu read %s", name, m, went(H5Dread(id, H5T_NATIVE_INT, memories[m], file, H5P_DEFAULT, values)));
        say_buffer(t, values);
        fill_buffer(values, 100 * ((int)m + 1));
        say(t, "%s %zu write %s\n", name, m,
            went(H5Dwrite(id, H5T_NATIVE_INT, memories[m], file, H5P_DEFAULT, values)));
        say_all(t, id);
    }
    H5Sclose(file);
}

static hid_t make_of(trial *t, const char *name, hid_t type, H5D_layout_t layout, int rank, const hsize_t *dims)
{
    const hsize_t chunk[] = {2, 3}, most[] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const int fill = -1;
    int values[ROOM];
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(rank, dims, layout == H5D_CHUNKED ? most : NULL);
    H5Pset_layout(dcpl, layout);
    if (layout == H5D_CHUNKED)
        H5Pset_chunk(dcpl, rank, chunk);
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    const hid_t id = H5Dcreate2(t->file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(id >= 0);
    fill_buffer(values, 0);
    assert_true(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Pclose(dcpl);
    return id;
}

static hid_t make(trial *t, const char *name, H5D_layout_t layout, int rank, const hsize_t *dims)
{
    return make_of(t, name, H5T_STD_I32BE, layout, rank, dims);
}

/* ---- kinds of selections, each inside {2, 4} as well as in {8} ---- */

static hid_t all(int rank, const hsize_t *dims)
{
    return H5Screate_simple(rank, dims, NULL);
}

static hid_t none(int rank, const hsize_t *dims)
{
    const hid_t space = all(rank, dims);
    H5Sselect_none(space);
    return space;
}

static hid_t box(int rank, const hsize_t *dims)
{
    const hid_t space = all(rank, dims);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){1, 1}, NULL, (const hsize_t[]){1, 2}, NULL);
    return space;
}

static hid_t strided(int rank, const hsize_t *dims)
{
    const hid_t space = all(rank, dims);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){0, 1}, (const hsize_t[]){1, 2},
                        (const hsize_t[]){2, 2}, NULL);
    return space;
}

static hid_t irregular(int rank, const hsize_t *dims)
{
    const hid_t space = box(rank, dims);
    H5Sselect_hyperslab(space, H5S_SELECT_XOR, (const hsize_t[]){0, 0}, NULL, (const hsize_t[]){2, 2}, NULL);
    return space;
}

static hid_t points(int rank, const hsize_t *dims)
{
    const hid_t space = all(rank, dims);
    const hsize_t plane[] = {1, 3, 0, 0, 1, 1}, line[] = {7, 0, 5};
    H5Sselect_elements(space, H5S_SELECT_SET, 3, rank == 2 ? plane : line);
    return space;
}

static hid_t moved(hid_t space, hssize_t by)
{
    H5Soffset_simple(space, (const hssize_t[]){by, by});
    return space;
}

static hid_t moved_box(int rank, const hsize_t *dims)
{
    return moved(box(rank, dims), -1);
}

static hid_t moved_irregular(int rank, const hsize_t *dims)
{
    const hid_t space = all(rank, dims);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){0, 1}, NULL, (const hsize_t[]){1, 2}, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_OR, (const hsize_t[]){0, 0}, NULL, (const hsize_t[]){1, 1}, NULL);
    return rank == 2 ? moved(space, 1) : space;
}

static hid_t too_far(int rank, const hsize_t *dims)
{
    return moved(box(rank, dims), 7); /* of its own extent */
}

static hid_t unlimited(int rank, const hsize_t *dims)
{
    const hid_t space = H5Screate_simple(rank, dims, (const hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED});
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){0, 0}, (const hsize_t[]){1, 1},
                        (const hsize_t[]){H5S_UNLIMITED, 1}, NULL);
    return space;
}

static const struct {
    const char *name;
    make_space make;
} selections[] = {{"all", all},
                  {"none", none},
                  {"box", box},
                  {"strided", strided},
                  {"irregular", irregular},
                  {"points", points},
                  {"moved box", moved_box},
                  {"moved irregular", moved_irregular},
                  {"too far", too_far},
                  {"unlimited", unlimited}};

static void each_selection(trial *t, hid_t id, int rank, const hsize_t *dims)
{
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
        move_by(t, id, selections[i].name, selections[i].make(rank, dims));
}

/* ---- extents ---- */

/* The dataset grew since; and once more from chunks that are not in memory. */
static void older(trial *t)
{
    const hsize_t line[] = {8}, plane[] = {2, 4};
    hid_t id = make(t, "line", H5D_CHUNKED, 1, line);
    H5Dset_extent(id, (const hsize_t[]){13});
    each_selection(t, id, 1, line);
    H5Dclose(id);
    id = make(t, "plane", H5D_CHUNKED, 2, plane);
    H5Dset_extent(id, (const hsize_t[]){5, 7});
    each_selection(t, id, 2, plane);
    H5Dclose(id);
    reopen(t, H5F_ACC_RDWR);
    id = H5Dopen2(t->file, "plane", H5P_DEFAULT);
    each_selection(t, id, 2, plane);
    H5Dclose(id);
}
ON_EVERY_KIND(older)

/* The dataset is smaller now, and holds the selection. */
static void younger(trial *t)
{
    const hid_t id = make(t, "plane", H5D_CHUNKED, 2, (const hsize_t[]){2, 4});
    for (size_t i = 1; i < sizeof selections / sizeof *selections; i++)
        move_by(t, id, selections[i].name, selections[i].make(2, (const hsize_t[]){7, 9}));
    H5Dclose(id);
}
ON_EVERY_KIND(younger)

/* Elements of contiguous and compact datasets are counted in the dataspace's own extent, whatever its rank. */
static void in_one_piece(trial *t, H5D_layout_t layout)
{
    const hid_t id = make(t, "d", layout, 2, (const hsize_t[]){4, 6});
    each_selection(t, id, 2, (const hsize_t[]){2, 4});
    each_selection(t, id, 2, (const hsize_t[]){3, 8});
    each_selection(t, id, 2, (const hsize_t[]){2, 12});
    each_selection(t, id, 1, (const hsize_t[]){24});
    each_selection(t, id, 1, (const hsize_t[]){11});
    move_by(t, id, "scalar", H5Screate(H5S_SCALAR));
    H5Dclose(id);
}

static void contiguous(trial *t)
{
    in_one_piece(t, H5D_CONTIGUOUS);
}
ON_EVERY_KIND(contiguous)

static void compact(trial *t)
{
    in_one_piece(t, H5D_COMPACT);
}
ON_EVERY_KIND(compact)

/* In an external file, which could give more than the dataset has. */
static hid_t make_external(trial *t)
{
    const hsize_t dims[] = {4, 6};
    int values[ROOM];
    char path[160];
    snprintf(path, sizeof path, "%s/raw", t->directory);
    const hid_t space = all(2, dims), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(dcpl, path, 0, H5F_UNLIMITED);
    const hid_t id = H5Dcreate2(t->file, "e", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_true(id >= 0);
    fill_buffer(values, 0);
    assert_true(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Pclose(dcpl);
    return id;
}

static void external(trial *t)
{
    const hid_t id = make_external(t);
    each_selection(t, id, 2, (const hsize_t[]){2, 4});
    each_selection(t, id, 1, (const hsize_t[]){24});
    H5Dclose(id);
}
ON_EVERY_KIND(external)

/* An offset does not move what is all of a dataspace. Native HDF5 gives chunked datasets other places of memory. */
static void moved_all(trial *t)
{
    const bool is_native = t->kind == NATIVE || t->kind == WRAPPED;
    const hid_t id = make(t, "d", is_native ? H5D_CONTIGUOUS : H5D_CHUNKED, 1, (const hsize_t[]){8});
    move_by(t, id, "moved all", moved(all(1, (const hsize_t[]){5}), 1));
    H5Dclose(id);
}
ON_EVERY_KIND(moved_all)

/* A selection inside a dataspace that is larger than the dataset. */
static void larger(trial *t)
{
    const hid_t id = make(t, "d", H5D_CONTIGUOUS, 1, (const hsize_t[]){8});
    for (size_t i = 2; i < sizeof selections / sizeof *selections; i++)
        if (selections[i].make != too_far)
            move_by(t, id, selections[i].name, selections[i].make(1, (const hsize_t[]){30}));
    H5Dclose(id);
}
ON_EVERY_KIND(larger)

static void scalar(trial *t)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate2(t->file, "s", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    move_by(t, id, "one", H5Screate_simple(1, (const hsize_t[]){1}, NULL));
    move_by(t, id, "plane", H5Screate_simple(2, (const hsize_t[]){1, 1}, NULL));
    move_by(t, id, "null", H5Screate(H5S_NULL));
    move_by(t, id, "scalar", H5Screate(H5S_SCALAR));
    H5Dclose(id);
    H5Sclose(space);
}
ON_EVERY_KIND(scalar)

/* Nothing is selected: nobody looks at ranks, but a dataspace has an extent. Native HDF5 refuses a null one of the file
 * with nothing of a line. */
static void nothing(trial *t)
{
    const hid_t id = make(t, "d", H5D_CHUNKED, 2, (const hsize_t[]){4, 6});
    int values[ROOM];
    fill_buffer(values, -1);
    const hid_t line = none(1, (const hsize_t[]){3}), null = H5Screate(H5S_NULL), unset = H5Screate(H5S_SIMPLE);
    const hid_t empty = H5Screate_simple(1, (const hsize_t[]){0}, NULL);
    const hid_t ids[] = {line, null, unset, empty};
    for (size_t f = 0; f < 4; f++)
        for (size_t m = f == 1 ? 1 : 0; m < 4; m++) {
            say(t, "%zu %zu %s", f, m, went(H5Dread(id, H5T_NATIVE_INT, ids[m], ids[f], H5P_DEFAULT, values)));
            say(t, " %s\n", went(H5Dwrite(id, H5T_NATIVE_INT, ids[m], ids[f], H5P_DEFAULT, values)));
        }
    for (size_t i = 0; i < 4; i++)
        H5Sclose(ids[i]);
    say_all(t, id);
    H5Dclose(id);
}
ON_EVERY_KIND(nothing)

/* Several datasets in a call, one of them with an older dataspace. */
static void several(trial *t)
{
    const hsize_t dims[] = {2, 4};
    hid_t ids[] = {make(t, "a", H5D_CHUNKED, 2, dims), make(t, "b", H5D_CHUNKED, 2, dims)};
    hid_t types[] = {H5T_NATIVE_INT, H5T_NATIVE_INT}, all_ids[] = {H5S_ALL, H5S_ALL};
    hid_t files[] = {strided(2, dims), all(2, dims)};
    int a[ROOM], b[ROOM];
    H5Dset_extent(ids[0], (const hsize_t[]){5, 7});
    H5Dset_extent(ids[1], (const hsize_t[]){6, 5});
    for (int writing = 0; writing < 2; writing++) {
        fill_buffer(a, writing ? 100 : -1);
        fill_buffer(b, writing ? 200 : -1);
        say(t, "%s\n",
            went(writing ? H5Dwrite_multi(2, ids, types, all_ids, files, H5P_DEFAULT, (const void *[]){a, b})
                         : H5Dread_multi(2, ids, types, all_ids, files, H5P_DEFAULT, (void *[]){a, b})));
        say_buffer(t, a);
        say_buffer(t, b);
    }
    for (int i = 0; i < 2; i++) {
        say_all(t, ids[i]);
        H5Sclose(files[i]);
        H5Dclose(ids[i]);
    }
}
ON_EVERY_KIND(several)

/* A virtual dataset of one source. Native HDF5 converts nothing that is written to one: the types are equal. */
static hid_t make_virtual(trial *t)
{
    const hsize_t dims[] = {5, 7};
    const hid_t space = all(2, dims), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Dclose(make_of(t, "source", H5T_NATIVE_INT, H5D_CHUNKED, 2, dims));
    H5Pset_virtual(dcpl, space, ".", "source", space);
    const hid_t id = H5Dcreate2(t->file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(dcpl);
    return id;
}

/* Native HDF5 ignores offsets here, fails over points, and refuses what is all of another extent. */
static bool native_knows(make_space make_one)
{
    return make_one != moved_box && make_one != moved_irregular && make_one != points && make_one != all;
}

static void virtual(trial *t)
{
    const hid_t id = make_virtual(t);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
        if (native_knows(selections[i].make))
            move_by(t, id, selections[i].name, selections[i].make(2, (const hsize_t[]){2, 4}));
    H5Dclose(id);
}
ON_EVERY_KIND(virtual)

/* What native HDF5 does not know of a virtual dataset is as of any other. */
static void virtual_alone(trial *t)
{
    const bool is_native = t->kind == NATIVE || t->kind == WRAPPED;
    const hsize_t dims[] = {5, 7};
    const hid_t id = is_native ? make_of(t, "v", H5T_NATIVE_INT, H5D_CHUNKED, 2, dims) : make_virtual(t);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
        if (!native_knows(selections[i].make))
            move_by(t, id, selections[i].name, selections[i].make(2, (const hsize_t[]){2, 4}));
    H5Dclose(id);
}
ON_EVERY_KIND(virtual_alone)

/* Points of a virtual dataset, with all of a memory dataspace that has an offset. */
static void points_to_moved_all(trial *t)
{
    const bool is_native = t->kind == NATIVE || t->kind == WRAPPED;
    const hid_t id =
        is_native ? make_of(t, "v", H5T_NATIVE_INT, H5D_CONTIGUOUS, 2, (const hsize_t[]){5, 7}) : make_virtual(t);
    const hid_t file = points(2, (const hsize_t[]){5, 7}), memory = moved(all(1, (const hsize_t[]){3}), 2);
    int values[ROOM];
    fill_buffer(values, -1);
    say(t, "%s", went(H5Dread(id, H5T_NATIVE_INT, is_native ? H5S_BLOCK : memory, file, H5P_DEFAULT, values)));
    say_buffer(t, values);
    H5Sclose(memory);
    H5Sclose(file);
    H5Dclose(id);
}
ON_EVERY_KIND(points_to_moved_all)

/* ---- where native HDF5 leaves the dataset, or the buffer ---- */

static void refuse(hid_t id, hid_t memory, hid_t file)
{
    int values[ROOM], whole[ROOM], after[ROOM];
    fill_buffer(whole, -1);
    fill_buffer(after, -1);
    assert_true(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole) >= 0);
    fill_buffer(values, -1);
    assert_true(H5Dread(id, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, values) < 0);
    for (int i = 0; i < ROOM; i++)
        assert_int_equal(values[i], GUARD);
    fill_buffer(values, 500);
    assert_true(H5Dwrite(id, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, values) < 0);
    assert_true(H5Dread(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, after) >= 0);
    assert_memory_equal(whole, after, sizeof whole);
    if (memory >= 0 && memory != H5S_ALL && memory != file)
        H5Sclose(memory);
    H5Sclose(file);
}

static hid_t point(int rank, const hsize_t *dims, hsize_t a, hsize_t b)
{
    const hid_t space = all(rank, dims);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, (const hsize_t[]){a, b});
    return space;
}

/* A slab that covers the one before: two elements, of which HDF5 1.14 describes one. */
static hid_t lossy(int rank, const hsize_t *dims)
{
    const hid_t space = all(rank, dims);
    const hsize_t start[] = {0, 0}, one[] = {1, 1}, two[] = {2, 1}, stride[] = {2, 1};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_OR, start, stride, two, NULL);
    return space;
}

static void refusals_of(trial *t, H5D_layout_t layout)
{
    const hsize_t dims[] = {4, 6};
    char name[16];
    snprintf(name, sizeof name, "d%d", layout);
    const hid_t id = make(t, name, layout, 2, dims);
    refuse(id, H5S_ALL, all(2, (const hsize_t[]){5, 6}));
    refuse(id, H5S_ALL, all(2, (const hsize_t[]){4, 8}));
    refuse(id, H5S_ALL, all(2, (const hsize_t[]){7, 7}));
    refuse(id, H5S_ALL, all(1, (const hsize_t[]){25}));
    refuse(id, H5S_ALL, all(3, (const hsize_t[]){2, 2, 7}));
    refuse(id, all(1, (const hsize_t[]){1}), point(2, (const hsize_t[]){9, 9}, 4, 0));
    /* HDF5 takes these points, one behind the extent, for valid. */
    refuse(id, all(1, (const hsize_t[]){1}), point(2, dims, 4, 0));
    refuse(id, all(1, (const hsize_t[]){1}), point(2, dims, 0, 6));
    refuse(id, point(1, (const hsize_t[]){5}, 5, 0), point(2, dims, 0, 0));
    refuse(id, point(2, (const hsize_t[]){5, 5}, 2, 5), point(2, dims, 0, 0));
    /* HDF5 1.14 loses elements of these, and walks to others. */
    refuse(id, H5S_BLOCK, lossy(2, dims));
    refuse(id, lossy(1, (const hsize_t[]){6}), box(2, dims));
    H5Dclose(id);
}

static void beyond_is_refused(void **state)
{
    (void)state;
    static const kind kinds[] = {ZARR, ZARR_HDMF, ZARR_WITHOUT_GATEWAY};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        trial *t = trial_begin(kinds[i]);
        refusals_of(t, H5D_CHUNKED);
        refusals_of(t, H5D_CONTIGUOUS);
        refusals_of(t, H5D_COMPACT);
        const hid_t id = make_external(t);
        refuse(id, H5S_ALL, all(2, (const hsize_t[]){4, 8}));
        refuse(id, H5S_ALL, all(1, (const hsize_t[]){25}));
        H5Dclose(id);
        trial_end(t);
        free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(older),
        AS_NATIVE(younger),
        AS_NATIVE(contiguous),
        AS_NATIVE(compact),
        AS_NATIVE(larger),
        AS_NATIVE(scalar),
        AS_NATIVE(nothing),
        AS_NATIVE(several),
        AS_NATIVE(virtual),
        AS_NATIVE(virtual_alone),
        AS_NATIVE(external),
        AS_NATIVE(moved_all),
        AS_NATIVE(points_to_moved_all),
        cmocka_unit_test(beyond_is_refused),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
