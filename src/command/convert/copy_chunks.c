/* copy_chunks.c - chunks as they are stored: where both sides have the same chunks, types and
 * filters, nothing is decoded and encoded again. */
#include "command/convert/copy_internal.h"
#include "command/convert/convert_internal.h"
#include <string.h>

static bool same_filters(hid_t a, hid_t b, int count)
{
    enum { VALUES = 64 };
    for (int i = 0; i < count; i++) {
        unsigned values[2][VALUES], flags, config;
        size_t counts[2] = {VALUES, VALUES};
        const H5Z_filter_t one = H5Pget_filter2(a, (unsigned)i, &flags, &counts[0], values[0], 0, NULL, &config);
        const H5Z_filter_t other = H5Pget_filter2(b, (unsigned)i, &flags, &counts[1], values[1], 0, NULL, &config);
        if (one < 0 || one != other || counts[0] != counts[1] || counts[0] > VALUES ||
            memcmp(values[0], values[1], counts[0] * sizeof *values[0]) != 0)
            return false;
    }
    return true;
}

static bool same_chunks(hid_t a, hid_t b, unsigned *rank)
{
    hsize_t one[H5S_MAX_RANK], other[H5S_MAX_RANK];
    const int count = H5Pget_chunk(a, H5S_MAX_RANK, one);
    if (count <= 0 || H5Pget_chunk(b, H5S_MAX_RANK, other) != count)
        return false;
    *rank = (unsigned)count;
    return memcmp(one, other, *rank * sizeof *one) == 0;
}

/* Without filters a store may compress by its own, on all cores, what is written as elements. */
static bool have_equal_storage(hid_t from, hid_t to, unsigned *rank)
{
    const hid_t a = H5Dget_create_plist(from), b = H5Dget_create_plist(to);
    bool is_equal = a >= 0 && b >= 0 && H5Pget_layout(a) == H5D_CHUNKED && H5Pget_layout(b) == H5D_CHUNKED;
    const int filters = is_equal ? H5Pget_nfilters(a) : 0;
    is_equal = is_equal && filters > 0 && H5Pget_nfilters(b) == filters && same_filters(a, b, filters) &&
               same_chunks(a, b, rank);
    vz_convert_id_close(a);
    vz_convert_id_close(b);
    return is_equal;
}

static bool same_type(hid_t from, hid_t to)
{
    const hid_t a = H5Dget_type(from), b = H5Dget_type(to);
    const bool same = a >= 0 && b >= 0 && H5Tequal(a, b) > 0;
    vz_convert_id_close(a);
    vz_convert_id_close(b);
    return same;
}

static herr_t read_chunk(hid_t dataset, const hsize_t *offset, uint32_t *mask, void *bytes, size_t size)
{
    if (H5Dread_chunk)
        return H5Dread_chunk(dataset, H5P_DEFAULT, offset, mask, bytes);
    if (H5Dread_chunk1)
        return H5Dread_chunk1(dataset, H5P_DEFAULT, offset, mask, bytes);
    return H5Dread_chunk2(dataset, H5P_DEFAULT, offset, mask, bytes, &size);
}

/* *sound=false: it looks damaged, or is not taken as it is, and was not written. Or it is the first
 * chunk, and cannot be read: HDF5 has no chunks of different shapes. */
static bool copy_chunk(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_chunk_info *each, bool first,
                       const vz_convert_chunk_check *check, vz_buffer *bytes, bool *sound, vz_error *err)
{
    uint32_t mask = each->mask;
    if (!vz_buffer_reserve(bytes, each->size, err))
        return false;
    if (read_chunk(from, each->offset, &mask, bytes->data, each->size) < 0) {
        *sound = !first;
        if (first) {
            H5Eclear2(H5E_DEFAULT);
            return true;
        }
        vz_convert_h5_fail(err, "a chunk cannot be read");
        return vz_convert_copy_source_failed(c, err);
    }
    *sound = vz_convert_chunk_check_look(check, (vz_bytes){bytes->data, each->size}, mask) &&
             H5Dwrite_chunk(to, H5P_DEFAULT, mask, each->offset, each->size, bytes->data) >= 0;
    H5Eclear2(H5E_DEFAULT);
    return true;
}

static uint64_t chunk_size(hid_t dcpl, unsigned rank, size_t element_size)
{
    hsize_t extent[H5S_MAX_RANK];
    uint64_t size = element_size;
    if (H5Pget_chunk(dcpl, (int)rank, extent) != (int)rank)
        return 0;
    for (unsigned i = 0; i < rank; i++)
        if (!vz_mul(size, extent[i], &size))
            return 0;
    return size;
}

/* *sound=false: a chunk was not written, and the rest was not copied. */
static bool copy_all(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_stored_chunks *list, size_t element_size,
                     bool *sound, vz_error *err)
{
    vz_buffer bytes = {0};
    vz_convert_chunk_check check = {0};
    const hid_t dcpl = H5Dget_create_plist(from);
    const uint64_t each = dcpl < 0 ? 0 : chunk_size(dcpl, list->rank, element_size);
    *sound = true;
    bool ok = dcpl >= 0 || vz_convert_h5_fail(err, "its creation properties cannot be read");
    ok = ok && vz_convert_chunk_check_open(&check, dcpl, element_size, each, err);
    for (size_t i = 0; ok && *sound && i < list->count; i++) {
        ok = copy_chunk(c, from, to, &list->items[i], i == 0, &check, &bytes, sound, err);
        vz_convert_copy_done(c, ok && *sound ? each : 0);
        c->counts->raw_chunks += ok && *sound;
    }
    vz_convert_chunk_check_close(&check);
    vz_convert_id_close(dcpl);
    vz_buffer_clear(&bytes);
    return ok;
}

/* HDF5 judges a chunk that looks damaged, and a store may keep elements in a form that has no such
 * chunks. Then all elements are read and written. */
bool vz_convert_copy_chunks(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, bool *done,
                            vz_error *err)
{
    vz_convert_stored_chunks list = {0};
    *done = false;
    const bool can_read = H5Dread_chunk || H5Dread_chunk1 || H5Dread_chunk2;
    if (element->has_variable || element->has_reference || !can_read || !have_equal_storage(from, to, &list.rank) ||
        !same_type(from, to))
        return true;
    bool ok = true;
    if (vz_convert_stored_take(from, list.rank, &list)) {
        ok = copy_all(c, from, to, &list, element->size, done, err);
    }
    vz_convert_stored_clear(&list);
    return ok;
}
