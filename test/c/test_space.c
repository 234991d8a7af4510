/* test_space.c - extents, layouts and fill: what is asked, shown again, stored, and read where nothing was written. */
#include "both.h"

static void say_values(trial *t, hid_t id)
{
    hsize_t dims[H5S_MAX_RANK] = {0}, most[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(id);
    const int rank = H5Sget_simple_extent_dims(space, dims, most);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    say(t, " %d:", rank);
    for (int d = 0; d < rank && d < 4; d++)
        say(t, " %d/%d", (int)dims[d], (int)most[d]);
    short *values = malloc(((size_t)count + 1) * sizeof *values);
    for (hssize_t i = 0; i <= count; i++)
        values[i] = -99; /* what is not read stays */
    say(t, " read %s", went(H5Dread(id, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
    for (hssize_t i = 0; i < count && i < 40; i++)
        say(t, " %d", values[i]);
    say(t, "\n");
    free(values);
}

static void say_status(trial *t, hid_t id, bool sized)
{
    H5D_space_status_t status = -1;
    say(t, " status %s", went(H5Dget_space_status(id, &status)));
    say(t, " %d", (int)status);
    if (sized)
        say(t, " storage %d", (int)H5Dget_storage_size(id));
}

static void say_list(trial *t, hid_t id)
{
    const hid_t dcpl = H5Dget_create_plist(id);
    hsize_t chunk[H5S_MAX_RANK] = {0};
    H5D_fill_value_t defined = -1;
    H5D_fill_time_t when = -1;
    H5D_alloc_time_t alloc = -1;
    short value = -1;
    const H5D_layout_t layout = H5Pget_layout(dcpl);
    H5Pfill_value_defined(dcpl, &defined);
    H5Pget_fill_time(dcpl, &when);
    H5Pget_alloc_time(dcpl, &alloc);
    say(t, " layout %d fill %d time %d alloc %d", layout, defined, when, alloc);
    say(t, " value %s", went(H5Pget_fill_value(dcpl, H5T_NATIVE_SHORT, &value)));
    say(t, " %d", value);
    if (layout == H5D_CHUNKED)
        say(t, " chunk %d: %d", H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk), (int)chunk[0]);
    say(t, "\n");
    H5Pclose(dcpl);
}

/* ---- every layout with every kind of fill ---- */

static hid_t list_of(H5D_layout_t layout, int fill, H5D_fill_time_t when, H5D_alloc_time_t alloc)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const short value = fill == 3 ? 0 : 7;
    H5Pset_layout(dcpl, layout);
    if (layout == H5D_CHUNKED)
        H5Pset_chunk(dcpl, 1, (const hsize_t[]){3});
    if (fill == 1)
        H5Pset_fill_value(dcpl, H5I_INVALID_HID, NULL);
    else if (fill >= 2)
        H5Pset_fill_value(dcpl, H5T_NATIVE_SHORT, &value);
    H5Pset_fill_time(dcpl, when);
    if (alloc != H5D_ALLOC_TIME_ERROR)
        H5Pset_alloc_time(dcpl, alloc);
    return dcpl;
}

static void write_two(trial *t, hid_t id)
{
    const hid_t space = H5Dget_space(id);
    const short values[] = {1, 2};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){1}, NULL, (const hsize_t[]){2}, NULL);
    say(t, " write %s\n", went(H5Dwrite(id, H5T_NATIVE_SHORT, H5S_BLOCK, space, H5P_DEFAULT, values)));
    H5Sclose(space);
}

/* Memory that HDF5 leaves as it finds it is no promise: what a dataset without fill reads is not compared. */
static void fills_of(trial *t, H5D_layout_t layout)
{
    static const H5D_alloc_time_t allocs[] = {H5D_ALLOC_TIME_ERROR, H5D_ALLOC_TIME_DEFAULT, H5D_ALLOC_TIME_EARLY,
                                              H5D_ALLOC_TIME_LATE, H5D_ALLOC_TIME_INCR};
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){7}, NULL);
    for (int fill = 0; fill < 4; fill++)
        for (int when = H5D_FILL_TIME_ALLOC; when <= H5D_FILL_TIME_IFSET; when++)
            for (size_t a = 0; a < sizeof allocs / sizeof *allocs; a++) {
                char name[32];
                snprintf(name, sizeof name, "%d-%d-%d-%zu", layout, fill, when, a);
                const hid_t dcpl = list_of(layout, fill, (H5D_fill_time_t)when, allocs[a]);
                const hid_t id = H5Dcreate2(t->file, name, H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
                const bool known = when != H5D_FILL_TIME_NEVER && fill != 1;
                say(t, "%s %s", name, went(id));
                if (id >= 0) {
                    say_list(t, id);
                    if (known) {
                        say_values(t, id);
                        write_two(t, id);
                        say_values(t, id);
                    }
                    H5Dclose(id);
                } else
                    say(t, "\n");
                H5Pclose(dcpl);
            }
    H5Sclose(space);
    reopen(t, H5F_ACC_RDONLY);
    char name[32];
    for (int fill = 0; fill < 4; fill++)
        for (int when = H5D_FILL_TIME_ALLOC; when <= H5D_FILL_TIME_IFSET; when++)
            for (size_t a = 0; a < sizeof allocs / sizeof *allocs; a++) {
                snprintf(name, sizeof name, "%d-%d-%d-%zu", layout, fill, when, a);
                const hid_t id = H5Dopen2(t->file, name, H5P_DEFAULT);
                if (id < 0)
                    continue;
                say(t, "%s", name);
                say_list(t, id);
                H5Dclose(id);
            }
}

static void chunked(trial *t)
{
    fills_of(t, H5D_CHUNKED);
}
ON_EVERY_KIND(chunked)

static void contiguous(trial *t)
{
    fills_of(t, H5D_CONTIGUOUS);
}
ON_EVERY_KIND(contiguous)

static void compact(trial *t)
{
    fills_of(t, H5D_COMPACT);
}
ON_EVERY_KIND(compact)

/* ---- growing and shrinking ---- */

static void sizes(trial *t)
{
    static const hsize_t steps[][2] = {{9, 4}, {2, 4}, {9, 4}, {9, 1}, {9, 6},
                                       {0, 6}, {5, 0}, {5, 6}, {1, 1}, {10, 10}};
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(2, (const hsize_t[]){4, 4}, (const hsize_t[]){H5S_UNLIMITED, 10});
    const short fill = 8;
    H5Pset_chunk(dcpl, 2, (const hsize_t[]){4, 3});
    H5Pset_fill_value(dcpl, H5T_NATIVE_SHORT, &fill);
    const hid_t id = H5Dcreate2(t->file, "d", H5T_NATIVE_SHORT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    short values[120];
    for (int i = 0; i < 120; i++)
        values[i] = (short)(i + 100);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (i % 3 == 0)
            say(t, "write %s", went(H5Dwrite(id, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
        say(t, "set %s", went(H5Dset_extent(id, steps[i])));
        hsize_t chunks = 0;
        H5Dget_num_chunks(id, H5S_ALL, &chunks);
        say(t, " chunks %d", (int)chunks);
        say_status(t, id, false);
        say_values(t, id);
    }
    say(t, "too wide %s\n", went(H5Dset_extent(id, (const hsize_t[]){4, 11})));
    H5Dclose(id);
    reopen(t, H5F_ACC_RDONLY);
    const hid_t again = H5Dopen2(t->file, "d", H5P_DEFAULT);
    say_values(t, again);
    H5Dclose(again);
    H5Sclose(space);
    H5Pclose(dcpl);
}
ON_EVERY_KIND(sizes)

/* ---- odd shapes ---- */

static void shape(trial *t, const char *name, int rank, const hsize_t *dims, const hsize_t *most, const hsize_t *chunk)
{
    const hid_t space = H5Screate_simple(rank, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    say(t, "%s: space %s", name, went(space));
    if (chunk)
        say(t, " chunk %s", went(H5Pset_chunk(dcpl, rank, chunk)));
    const hid_t id = H5Dcreate2(t->file, name, H5T_NATIVE_SHORT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    say(t, " create %s\n", went(id));
    if (id >= 0) {
        const hssize_t count = H5Sget_simple_extent_npoints(space);
        short values[64];
        for (int i = 0; i < 64; i++)
            values[i] = (short)i;
        if (count <= 64)
            say(t, "write %s", went(H5Dwrite(id, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)));
        say_values(t, id);
        say_list(t, id);
        H5Dclose(id);
        const hid_t again = H5Dopen2(t->file, name, H5P_DEFAULT);
        say_list(t, again);
        H5Dclose(again);
    }
    if (space >= 0)
        H5Sclose(space);
    H5Pclose(dcpl);
}

static void shapes(trial *t)
{
    hsize_t ones[H5S_MAX_RANK], most[H5S_MAX_RANK];
    for (int d = 0; d < H5S_MAX_RANK; d++) {
        ones[d] = d == 3 ? 2 : 1;
        most[d] = d == 31 ? H5S_UNLIMITED : 2;
    }
    shape(t, "rank 32", 32, ones, NULL, NULL);
    shape(t, "rank 32 chunked", 32, ones, most, ones);
    shape(t, "nothing", 2, (const hsize_t[]){0, 3}, NULL, NULL);
    shape(t, "nothing chunked", 2, (const hsize_t[]){0, 3}, (const hsize_t[]){H5S_UNLIMITED, 3},
          (const hsize_t[]){2, 2});
    shape(t, "chunk as the maximum", 2, (const hsize_t[]){2, 2}, (const hsize_t[]){8, 8}, (const hsize_t[]){8, 8});
    shape(t, "chunk beyond the maximum", 2, (const hsize_t[]){2, 2}, (const hsize_t[]){8, 8}, (const hsize_t[]){9, 8});
    shape(t, "chunk beyond a fixed shape", 1, (const hsize_t[]){5}, NULL, (const hsize_t[]){6});
    shape(t, "chunk beyond an unlimited shape", 1, (const hsize_t[]){5}, (const hsize_t[]){H5S_UNLIMITED},
          (const hsize_t[]){60});
    shape(t, "chunk of zero", 1, (const hsize_t[]){5}, NULL, (const hsize_t[]){0});
    shape(t, "growing without chunks", 1, (const hsize_t[]){5}, (const hsize_t[]){10}, NULL);
    shape(t, "maximum below", 1, (const hsize_t[]){5}, (const hsize_t[]){4}, NULL);
}
ON_EVERY_KIND(shapes)

/* ---- what fills memory ---- */

static herr_t add(void *element, hid_t type, unsigned rank, const hsize_t *at, void *context)
{
    trial *t = context;
    (void)type;
    say(t, " %d@%d,%d", *(short *)element, (int)at[0], rank > 1 ? (int)at[1] : 0);
    return *(short *)element == 9 ? 3 : 0;
}

typedef struct source {
    short values[8];
    size_t given;
} source;

static herr_t give(const void **buffer, size_t *size, void *context)
{
    source *s = context;
    *buffer = s->values + s->given;
    *size = 4 * sizeof(short);
    s->given += 4;
    return 0;
}

static herr_t take(const void *buffer, size_t size, void *context)
{
    trial *t = context;
    for (size_t i = 0; i < size / sizeof(short); i++)
        say(t, " %d", ((const short *)buffer)[i]);
    say(t, " |");
    return 0;
}

/* What a dataset gives goes through HDF5's own memory calls, in the types and dataspaces that it tells. */
static void memory_calls(trial *t)
{
    const hid_t made = H5Screate_simple(2, (const hsize_t[]){2, 4}, NULL);
    const short fill = 5;
    short values[8] = {0};
    const hid_t id = H5Dcreate2(t->file, "d", H5T_NATIVE_SHORT, made, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
    source s = {{1, 2, 3, 4, 5, 6, 7, 9}, 0};
    say(t, "fill %s", went(H5Dfill(&fill, type, values, H5T_NATIVE_SHORT, space)));
    H5Dwrite(id, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    say_values(t, id);
    say(t, "scatter %s", went(H5Dscatter(give, &s, type, space, values)));
    H5Dwrite(id, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    say_values(t, id);
    say(t, "iterate %d\n", (int)H5Diterate(values, type, space, add, t));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){0, 1}, (const hsize_t[]){1, 2},
                        (const hsize_t[]){2, 2}, NULL);
    short gathered[3];
    say(t, "gather %s\n", went(H5Dgather(space, values, type, 3 * sizeof(short), gathered, take, t)));
    H5Sclose(made);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(id);
}
ON_EVERY_KIND(memory_calls)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(chunked), AS_NATIVE(contiguous), AS_NATIVE(compact),
        AS_NATIVE(sizes),   AS_NATIVE(shapes),     AS_NATIVE(memory_calls),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
