/* host_filters.c - our codecs as filters of the host. HDF5 calls them on its own thread. It does so
 * only for native files and for tools that look at chunks; datasets of a store never pass here. */
#include "hdf5/native/native.h"
#include "codec/codec/blosc_format.h"
#include "hdf5/native/filters_internal.h"
#include "hdf5/native/native_internal.h"

#define FILTER_BZIP2 307
#define FILTER_BLOSC 32001
#define FILTER_LZ4   32004
#define FILTER_ZSTD  32015

#define BLOSC_FILTER_REVISION 2
#define BLOSC_FORMAT          2
#define BLOSC_LOCAL_VALUES    4 /* revision, format, type size, chunk bytes */
#define BLOSC_VALUES          7

/* The filter protocol: replaces *buf, returns the new size; 0 = failure, which optional filters
 * survive. Buffers are of the host's own allocator. */
static size_t run_filter(vz_filters_work work, unsigned flags, size_t value_count, const unsigned values[], size_t size,
                         size_t *capacity, void **buf)
{
    vz_buffer out = {0};
    vz_error err = VZ_ERROR_NONE;
    const vz_bytes in = {*buf, size};
    void *result = NULL;
    if (work((flags & H5Z_FLAG_REVERSE) != 0, value_count, values, in, &out, &err) && out.size > 0)
        result = H5allocate_memory(out.size, false);
    const size_t result_size = result ? out.size : 0;
    if (result) {
        memcpy(result, out.data, out.size);
        H5free_memory(*buf);
        *buf = result;
        *capacity = out.size;
    }
    vz_buffer_clear(&out);
    return result_size;
}

#define FILTER_FUNCTION(name)                                                                                          \
    static size_t name(unsigned flags, size_t value_count, const unsigned values[], size_t size, size_t *capacity,     \
                       void **buf)                                                                                     \
    {                                                                                                                  \
        return run_filter(vz_filters_##name, flags, value_count, values, size, capacity, buf);                         \
    }
FILTER_FUNCTION(bzip2)
FILTER_FUNCTION(blosc)
FILTER_FUNCTION(lz4)
FILTER_FUNCTION(zstd)

/* Bytes of what blosc should shuffle: an array type is its elements. */
static size_t element_size_of(hid_t type)
{
    if (H5Tget_class(type) != H5T_ARRAY)
        return H5Tget_size(type);
    const hid_t element = H5Tget_super(type);
    const size_t size = element < 0 ? 0 : H5Tget_size(element);
    if (element >= 0)
        H5Tclose(element);
    return size;
}

static unsigned chunk_bytes(hid_t dcpl, hid_t type)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, dims);
    uint64_t size = H5Tget_size(type);
    for (int i = 0; i < rank; i++)
        if (!vz_mul(size, dims[i], &size))
            return UINT32_MAX;
    return size > UINT32_MAX ? UINT32_MAX : (unsigned)size;
}

/* At creation of a native dataset: the values that depend on it, for those who read the file
 * with another blosc filter. */
static herr_t blosc_set_local(hid_t dcpl, hid_t type, hid_t space)
{
    (void)space;
    unsigned flags, values[BLOSC_VALUES] = {0};
    size_t count = BLOSC_VALUES;
    if (H5Pget_filter_by_id2(dcpl, FILTER_BLOSC, &flags, &count, values, 0, NULL, NULL) < 0)
        return -1;
    if (count > BLOSC_VALUES)
        count = BLOSC_VALUES;
    if (count < BLOSC_LOCAL_VALUES)
        count = BLOSC_LOCAL_VALUES;
    values[0] = BLOSC_FILTER_REVISION;
    values[1] = BLOSC_FORMAT;
    const size_t element = element_size_of(type);
    values[2] = element > VZ_BLOSC_MOST_ELEMENT ? 1 : (unsigned)element;
    values[3] = chunk_bytes(dcpl, type);
    return H5Pmodify_filter(dcpl, FILTER_BLOSC, flags, count, values);
}

static const H5Z_class2_t filters[] = {
    {H5Z_CLASS_T_VERS, FILTER_BZIP2, 1, 1, "bzip2 (vol-zarr)", NULL, NULL, bzip2},
    {H5Z_CLASS_T_VERS, FILTER_BLOSC, 1, 1, "blosc (vol-zarr)", NULL, blosc_set_local, blosc},
    {H5Z_CLASS_T_VERS, FILTER_LZ4, 1, 1, "lz4 (vol-zarr)", NULL, NULL, lz4},
    {H5Z_CLASS_T_VERS, FILTER_ZSTD, 1, 1, "zstd (vol-zarr)", NULL, NULL, zstd},
};

bool vz_filters_register(vz_error *err)
{
    if (vz_native.filters)
        return true;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (H5Zfilter_avail(filters[i].id) <= 0 && H5Zregister(&filters[i]) < 0)
            return vz_fail(err, VZ_HDF5, "filter %s cannot be registered", filters[i].name);
    vz_native.filters = true;
    return true;
}
