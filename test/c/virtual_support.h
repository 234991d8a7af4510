/* virtual_support.h - sources of virtual datasets, and mappings to them. */
#ifndef VIRTUAL_SUPPORT_H
#define VIRTUAL_SUPPORT_H

#include "both.h"
#include "say_elements.h"

/* A native file's sources are native, also when it is opened through us. */
static hid_t source_list(const trial *t)
{
    return access_list(t->kind == WRAPPED ? NATIVE : t->kind);
}

static void source_path(const trial *t, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", t->directory, name);
}

static hid_t source_file(const trial *t, const char *name)
{
    char path[160];
    source_path(t, name, path, sizeof path);
    const hid_t fapl = source_list(t), file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    assert_true(file >= 0);
    return file;
}

static hid_t simple(int rank, hsize_t a, hsize_t b)
{
    return H5Screate_simple(rank, (const hsize_t[]){a, b}, NULL);
}

/* A dataset of rows x columns (rank 1 without columns) that can grow, numbered from `first`. */
static void numbers_in(hid_t file, const char *name, hsize_t rows, hsize_t columns, int first)
{
    const hsize_t dims[] = {rows, columns}, most[] = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk[] = {3, 2};
    const int rank = columns ? 2 : 1;
    const hid_t space = H5Screate_simple(rank, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, rank, chunk);
    const hid_t id = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    const size_t count = rows * (columns ? columns : 1);
    int *values = calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = first + (int)i;
    assert_true(H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    free(values);
    H5Dclose(id);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static void sources(const trial *t, const char *file, const char *name, hsize_t rows, hsize_t columns, int first)
{
    const hid_t id = source_file(t, file);
    numbers_in(id, name, rows, columns, first);
    H5Fclose(id);
}

static void say_space(trial *t, const char *what, hid_t space)
{
    hsize_t dims[H5S_MAX_RANK], most[H5S_MAX_RANK], first[H5S_MAX_RANK], last[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, most);
    const H5S_sel_type type = H5Sget_select_type(space);
    if (type == H5S_SEL_ALL && strcmp(what, "from") == 0) { /* HDF5 has lost its extent */
        say(t, "  from all\n");
        H5Sclose(space);
        return;
    }
    say(t, "  %s rank %d type %d points %d", what, rank, type, (int)H5Sget_select_npoints(space));
    const bool bounded = H5Sget_select_npoints(space) > 0 && H5Sget_select_bounds(space, first, last) >= 0;
    for (int d = 0; d < rank; d++) {
        if (H5Sget_select_npoints(space) >= 0) /* of unlimited ones HDF5 tells an extent of some moment before */
            say(t, " %d/%d", (int)dims[d], (int)most[d]);
        if (bounded)
            say(t, "[%d-%d]", (int)first[d], (int)last[d]);
    }
    say(t, "\n");
    H5Sclose(space);
}

static void say_list(trial *t, hid_t id)
{
    const hid_t dcpl = H5Dget_create_plist(id);
    size_t count = 0;
    H5D_alloc_time_t alloc = -1;
    H5Pget_alloc_time(dcpl, &alloc);
    say(t, "layout %d count %s alloc %d\n", H5Pget_layout(dcpl), went(H5Pget_virtual_count(dcpl, &count)), alloc);
    for (size_t i = 0; i < count; i++) {
        char file[100], name[100];
        H5Pget_virtual_filename(dcpl, i, file, sizeof file);
        H5Pget_virtual_dsetname(dcpl, i, name, sizeof name);
        say(t, " %s %s\n", file, name);
        say_space(t, "from", H5Pget_virtual_srcspace(dcpl, i));
        say_space(t, "to", H5Pget_virtual_vspace(dcpl, i));
    }
    H5Pclose(dcpl);
    H5D_space_status_t status = -1;
    say(t, "storage %d status %s", (int)H5Dget_storage_size(id), went(H5Dget_space_status(id, &status)));
    say(t, " %d\n", status);
}

static void map(hid_t dcpl, hid_t to, hsize_t row, hsize_t rows, const char *file, const char *name, hid_t from)
{
    H5Sselect_hyperslab(to, H5S_SELECT_SET, (const hsize_t[]){row, 0}, NULL, (const hsize_t[]){rows, 4}, NULL);
    assert_true(H5Pset_virtual(dcpl, to, file, name, from) >= 0);
}

static void unlimited_from(hid_t space, hsize_t row, hsize_t stride, hsize_t block)
{
    const hsize_t start[] = {row, 0}, strides[] = {stride, 1}, count[] = {H5S_UNLIMITED, 1}, blocks[] = {block, 2};
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, strides, count, blocks) >= 0);
}

#endif
