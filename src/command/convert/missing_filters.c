/* missing_filters.c - lzf, with which h5py writes and which no HDF5 has; and what to say of filters
 * that nobody has. */
#include "command/convert/copy_internal.h"
#include "command/convert/convert_internal.h"
#include "base/util/bytes.h"
#include <string.h>

#define FILTER_LZF 32000
/* of the filter's values, that with the bytes of a decoded chunk */
#define LZF_VALUE_SIZE 2
#define CHUNK_MAX      UINT32_MAX /* bytes of a chunk with filters */

/* A control byte below 32 is followed by one more literal byte than it says. Any other names
 * bytes that stand before. Its upper three bits say how many (less two; 7: the next byte adds to
 * it), the lower five and a byte how far back. */
static size_t lzf_decode(const uint8_t *in, size_t in_size, uint8_t *out, size_t room)
{
    size_t at = 0, made = 0;
    while (at < in_size) {
        const size_t control = in[at++];
        if (control < 32) {
            const size_t length = control + 1;
            if (length > in_size - at || length > room - made)
                return 0;
            memcpy(out + made, in + at, length);
            at += length;
            made += length;
            continue;
        }
        size_t length = control >> 5;
        if (length == 7 && at < in_size)
            length += in[at++];
        if (at == in_size)
            return 0;
        const size_t back = ((control & 31) << 8 | in[at++]) + 1;
        length += 2;
        if (back > made || length > room - made)
            return 0;
        for (size_t i = 0; i < length; i++, made++) /* the bytes may overlap what they make */
            out[made] = out[made - back];
    }
    return made;
}

/* Old h5py did not write the size of a chunk: then it is found by trying. */
static size_t lzf(unsigned flags, size_t value_count, const unsigned values[], size_t size, size_t *capacity,
                  void **buf)
{
    const bool is_stated = value_count > LZF_VALUE_SIZE && values[LZF_VALUE_SIZE] > 0;
    uint64_t room = is_stated ? values[LZF_VALUE_SIZE] : (uint64_t)*capacity * 4;
    if (!(flags & H5Z_FLAG_REVERSE))
        return 0;
    for (; room <= CHUNK_MAX; room *= 2) {
        uint8_t *out = H5allocate_memory(room ? room : 1, false);
        const size_t made = out ? lzf_decode(*buf, size, out, room) : 0;
        if (made > 0) {
            H5free_memory(*buf);
            *buf = out;
            *capacity = room;
            return made;
        }
        H5free_memory(out);
        if (!out || is_stated)
            return 0;
        room = room ? room : 1;
    }
    return 0;
}

vz_convert_filter vz_convert_filter_at(hid_t dcpl, int index)
{
    vz_convert_filter filter = {.count = VZ_FILTER_VALUES};
    unsigned flags, config;
    filter.id = H5Pget_filter2(dcpl, (unsigned)index, &flags, &filter.count, filter.values, sizeof filter.name,
                               filter.name, &config);
    filter.name[sizeof filter.name - 1] = '\0';
    return filter;
}

bool vz_convert_filters_add(vz_error *err)
{
    static const H5Z_class2_t class = {H5Z_CLASS_T_VERS, FILTER_LZF, 0, 1, "lzf (h5zarr)", NULL, NULL, lzf};
    const bool ok = H5Zfilter_avail(FILTER_LZF) > 0 || H5Zregister(&class) >= 0;
    H5Eclear2(H5E_DEFAULT);
    return ok || vz_convert_h5_fail(err, "filter lzf cannot be registered");
}

bool vz_convert_filters_check_readable(hid_t dcpl, vz_error *err)
{
    const int count = H5Pget_nfilters(dcpl);
    for (int i = 0; i < count; i++) {
        const vz_convert_filter filter = vz_convert_filter_at(dcpl, i);
        const bool is_there = filter.id >= 0 && H5Zfilter_avail(filter.id) > 0;
        H5Eclear2(H5E_DEFAULT);
        if (!is_there)
            return vz_fail(
                err, VZ_UNSUPPORTED,
                "HDF5 filter %d (%s), with which it is stored, is not here: put a directory that has it into "
                "HDF5_PLUGIN_PATH (the one that Python's hdf5plugin.PLUGIN_PATH names has most)",
                (int)filter.id, *filter.name ? filter.name : "without a name");
    }
    return true;
}
