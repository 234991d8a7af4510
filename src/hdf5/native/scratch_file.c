/* scratch_file.c - a native file in memory with one dataset of one chunk, made for one question. */
#include "hdf5/native/native.h"
#include "hdf5/h5/h5.h"

#define SCRATCH_GROWTH 4096 /* bytes by which the in-memory file grows */
#define NAME           "chunk"

typedef struct scratch {
    hid_t fapl, file, space, dcpl, dataset;
    uint64_t count; /* elements of the chunk */
} scratch;

static bool failed(vz_error *err)
{
    return vz_fail(err, VZ_HDF5, "an HDF5 call failed");
}

static bool make_file(scratch *s, vz_error *err)
{
    s->fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (s->fapl < 0 || H5Pset_vol(s->fapl, vz_native_connector(), NULL) < 0 ||
        H5Pset_fapl_core(s->fapl, SCRATCH_GROWTH, false) < 0)
        return failed(err);
    s->file = H5Fcreate("vol-zarr scratch", H5F_ACC_TRUNC, H5P_FILE_CREATE_DEFAULT, s->fapl);
    return s->file >= 0 || failed(err);
}

/* As large as one chunk, and without a chunk until one is written. */
static bool make_dataset(scratch *s, hid_t type, hid_t dcpl, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, dims);
    if (rank < 0)
        return failed(err);
    s->count = 1;
    for (int i = 0; i < rank; i++)
        if (!vz_mul(s->count, dims[i], &s->count))
            return vz_fail(err, VZ_LIMIT, "a chunk of too many elements");
    s->space = H5Screate_simple(rank, dims, NULL);
    s->dcpl = H5Pcopy(dcpl);
    if (s->space < 0 || s->dcpl < 0 || H5Pset_alloc_time(s->dcpl, H5D_ALLOC_TIME_INCR) < 0)
        return failed(err);
    s->dataset =
        H5Dcreate2(s->file, NAME, type, s->space, H5P_LINK_CREATE_DEFAULT, s->dcpl, H5P_DATASET_ACCESS_DEFAULT);
    return s->dataset >= 0 || failed(err);
}

static bool scratch_open(scratch *s, hid_t type, hid_t dcpl, vz_error *err)
{
    *s = (scratch){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0};
    return make_file(s, err) && make_dataset(s, type, dcpl, err);
}

static void scratch_close(scratch *s, const vz_error *err)
{
    const hid_t kept = vz_h5_errors_keep(err);
    if (s->dataset >= 0)
        H5Dclose(s->dataset);
    if (s->dcpl >= 0)
        H5Pclose(s->dcpl);
    if (s->space >= 0)
        H5Sclose(s->space);
    if (s->file >= 0)
        H5Fclose(s->file);
    if (s->fapl >= 0)
        H5Pclose(s->fapl);
    vz_h5_errors_restore(kept);
}

enum { VALUES_MAX = 256 }; /* HDF5 takes a larger room for one that was never set */

static bool take_filter(hid_t to, hid_t from, unsigned index, vz_error *err)
{
    unsigned flags, config, values[VALUES_MAX];
    size_t count = VALUES_MAX;
    const H5Z_filter_t id = H5Pget_filter2(from, index, &flags, &count, values, 0, NULL, &config);
    if (id < 0)
        return failed(err);
    if (count > VALUES_MAX)
        return vz_fail(err, VZ_LIMIT, "filter %d has %zu values", (int)id, count);
    return H5Pmodify_filter(to, id, flags, count, values) >= 0 || failed(err);
}

static bool take_filters(hid_t to, hid_t from, vz_error *err)
{
    const int count = H5Pget_nfilters(from);
    bool ok = count >= 0 || failed(err);
    for (int i = 0; ok && i < count; i++)
        ok = take_filter(to, from, (unsigned)i, err);
    return ok;
}

hid_t vz_scratch_filters(hid_t type, hid_t dcpl, vz_error *err)
{
    scratch s;
    hid_t native = H5I_INVALID_HID, copy = H5I_INVALID_HID;
    bool ok = scratch_open(&s, type, dcpl, err);
    if (ok) {
        native = H5Dget_create_plist(s.dataset);
        copy = H5Pcopy(dcpl);
        ok = (native >= 0 && copy >= 0 ? true : failed(err)) && take_filters(copy, native, err);
    }
    const hid_t kept = vz_h5_errors_keep(err);
    if (native >= 0)
        H5Pclose(native);
    if (!ok && copy >= 0)
        H5Pclose(copy);
    vz_h5_errors_restore(kept);
    scratch_close(&s, err);
    return ok ? copy : H5I_INVALID_HID;
}

/* A dataset remembers that all filters will be applied to the chunk that it looked up last, if
 * that is not yet written. HDF5 1.14.6 and 2.0.0 do so. So it cannot read back a chunk that was
 * written otherwise; another handle can. */
static bool write_chunk(scratch *s, uint32_t mask, vz_bytes chunk, vz_error *err)
{
    static const hsize_t origin[H5S_MAX_RANK];
    if (H5Dwrite_chunk(s->dataset, H5P_DATASET_XFER_DEFAULT, mask, origin, chunk.size, chunk.data) < 0)
        return failed(err);
    const hid_t written = s->dataset;
    s->dataset = H5I_INVALID_HID;
    if (H5Dclose(written) < 0)
        return failed(err);
    s->dataset = H5Dopen2(s->file, NAME, H5P_DATASET_ACCESS_DEFAULT);
    return s->dataset >= 0 || failed(err);
}

bool vz_scratch_undo_filters(hid_t type, hid_t dcpl, uint32_t mask, vz_bytes chunk, vz_buffer *elements, vz_error *err)
{
    scratch s;
    uint64_t size;
    bool ok = scratch_open(&s, type, dcpl, err);
    if (ok && !vz_mul(s.count, H5Tget_size(type), &size))
        ok = vz_fail(err, VZ_LIMIT, "a chunk of too many bytes");
    ok = ok && vz_buffer_reserve(elements, size, err) && write_chunk(&s, mask, chunk, err);
    if (ok && H5Dread(s.dataset, type, H5S_ALL, H5S_ALL, H5P_DATASET_XFER_DEFAULT, elements->data) < 0)
        ok = failed(err);
    if (ok)
        elements->size = size;
    scratch_close(&s, err);
    return ok;
}
