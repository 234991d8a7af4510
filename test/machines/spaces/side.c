/* side.c - the datasets of a case, in a store or in a native file. */
#include "run.h"

#include "H5VLzarr.h"
#include <H5VLnative.h>

static hid_t creation_list(const trial *t, const dataset *s)
{
    static const H5D_layout_t layouts[] = {H5D_CONTIGUOUS, H5D_COMPACT, H5D_CHUNKED, H5D_CHUNKED, H5D_CHUNKED};
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const int fill = FILL;
    H5Pset_layout(dcpl, layouts[s->layout]);
    if (s->layout >= CHUNKED) {
        H5Pset_chunk(dcpl, s->rank, s->chunk);
        if (s->deflated)
            H5Pset_deflate(dcpl, 1);
    }
    if (s->layout == CONTIGUOUS) /* native HDF5 leaves out the fill if all of a smaller dataspace is written first */
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    if (t->element == NUMBER)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    return dcpl;
}

static hid_t make(const side *s, const trial *t, const dataset *of, const char *name, const hsize_t *dims)
{
    const hsize_t most[] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    const hid_t type = element_file_type(t), dcpl = creation_list(t, of);
    const hid_t extent =
        of->rank ? H5Screate_simple(of->rank, dims, of->layout >= CHUNKED ? most : NULL) : H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate2(s->file, name, type, extent, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Sclose(extent);
    H5Pclose(dcpl);
    H5Tclose(type);
    return id;
}

/* Writes all of a source; `first` is the number of its first element in the virtual dataset. */
static bool fill_source(const trial *t, hid_t source, size_t first, size_t cells)
{
    const size_t size = element_size(t, 0);
    const hid_t type = element_memory_type(t, 0);
    char *memory = malloc(cells * size);
    for (size_t i = 0; memory && i < cells; i++)
        element_put(t, 0, element_initial(first + i), memory + i * size);
    const bool ok = memory && H5Dwrite(source, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory) >= 0;
    free(memory);
    H5Tclose(type);
    return ok;
}

/* Rows [from, to) have a source of their own. */
static bool map_rows(const side *s, const trial *t, const dataset *of, const char *name, hid_t dcpl, hid_t extent,
                     hsize_t from, hsize_t to)
{
    const hsize_t start[RANK_MAX] = {from};
    hsize_t dims[RANK_MAX];
    memcpy(dims, of->dims, sizeof dims);
    dims[0] = to - from;
    if (dims[0] == 0)
        return true;
    size_t row = 1;
    for (int k = 1; k < of->rank; k++)
        row *= dims[k];
    const hid_t filled = make(s, t, of, name, dims);
    const bool ok = fill_source(t, filled, from * row, dims[0] * row);
    H5Dclose(filled);
    const hid_t source = H5Screate_simple(of->rank, dims, NULL);
    H5Sselect_hyperslab(extent, H5S_SELECT_SET, start, NULL, dims, NULL);
    H5Pset_virtual(dcpl, extent, ".", name, source);
    H5Sclose(source);
    return ok;
}

static hid_t make_virtual(const side *s, const trial *t, const dataset *of, const char *name)
{
    char first[8], second[8];
    const int fill = FILL;
    const hsize_t half = of->mapping ? (of->dims[0] + 1) / 2 : of->dims[0];
    const hid_t type = element_file_type(t), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t extent = H5Screate_simple(of->rank, of->dims, NULL);
    snprintf(first, sizeof first, "%s0", name);
    snprintf(second, sizeof second, "%s1", name);
    bool ok = map_rows(s, t, of, first, dcpl, extent, 0, half);
    if (of->mapping == 1)
        ok = map_rows(s, t, of, second, dcpl, extent, half, of->dims[0]) && ok;
    if (t->element == NUMBER)
        H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    const hid_t id = ok ? H5Dcreate2(s->file, name, type, extent, H5P_DEFAULT, dcpl, H5P_DEFAULT) : H5I_INVALID_HID;
    H5Sclose(extent);
    H5Pclose(dcpl);
    H5Tclose(type);
    return id;
}

static const char *name_of(int set)
{
    return set ? "b" : "a";
}

bool side_open(side *s, const trial *t, const char *directory, bool native)
{
    char path[256], options[64];
    bool sharded = false, ok = true;
    for (int i = 0; i < t->sets; i++)
        sharded = sharded || t->set[i].layout == SHARDED;
    snprintf(options, sizeof options, "format=%d%s", t->format, sharded ? ";shards=200" : "");
    snprintf(path, sizeof path, "%s/%s", directory, native ? "native.h5" : "store.zarr");
    *s = (side){.name = native ? "native HDF5" : "vol-zarr", .fapl = H5Pcreate(H5P_FILE_ACCESS)};
    ok = (native ? H5Pset_vol(s->fapl, H5VL_NATIVE, NULL) : H5Pset_fapl_zarr(s->fapl, options)) >= 0;
    s->file = ok ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, s->fapl) : H5I_INVALID_HID;
    for (int i = 0; s->file >= 0 && i < t->sets; i++) {
        const dataset *of = &t->set[i];
        s->dataset[i] =
            of->layout == VIRTUAL ? make_virtual(s, t, of, name_of(i)) : make(s, t, of, name_of(i), of->dims);
        ok = ok && s->dataset[i] >= 0;
    }
    return ok && s->file >= 0;
}

void side_close(side *s, const trial *t)
{
    for (int i = 0; s->file >= 0 && i < t->sets; i++)
        if (s->dataset[i] >= 0)
            H5Dclose(s->dataset[i]);
    if (s->file >= 0)
        H5Fclose(s->file);
    H5Pclose(s->fapl);
}

bool side_reopen(side *s, int set)
{
    H5Dclose(s->dataset[set]);
    s->dataset[set] = H5Dopen2(s->file, name_of(set), H5P_DEFAULT);
    return s->dataset[set] >= 0;
}
