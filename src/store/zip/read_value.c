/* read_value.c - reads values from a zip file and from the spool. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include "store/zip/central_internal.h"
#include <libdeflate.h>
#include <stdlib.h>

/* ---- where a value is ---- */

int vz_zip_file_of(const vz_zip *zip, const vz_keytree_value *value)
{
    return value->place == VZ_KEYTREE_SPOOLED ? zip->spool : zip->file;
}

bool vz_zip_read_of(const vz_zip *zip, const vz_keytree_value *value, uint64_t offset, void *data, size_t size,
                    vz_error *err)
{
    return value->place == VZ_KEYTREE_SPOOLED ? vz_os_file_read(zip->spool, offset, data, size, err)
                                              : vz_zip_read(zip, offset, data, size, err);
}

/* Does the data of a large entry begin where this connector would have written it? Of an entry
 * of another program, and of one whose header was known, this is not asked. */
static bool has_usual_place(const vz_zip *zip, const vz_keytree_value *value, const uint8_t *header, uint64_t data)
{
    uint8_t padding[VZ_ZIP_PADDING_MIN];
    const size_t name = vz_zip_load16(header + 26), extra = vz_zip_load16(header + 28);
    if (!vz_zip_is_one_file(zip) || vz_zip_load16(header + 10) != 0 || vz_zip_load16(header + 12) != VZ_ZIP_DATE)
        return true;
    if (value->stored < VZ_ZIP_ALIGNED_FROM || extra < sizeof padding || data % VZ_ZIP_ALIGNMENT != 0 ||
        !vz_zip_read(zip, value->offset + VZ_ZIP_LOCAL_SIZE + name, padding, sizeof padding, NULL))
        return false;
    return vz_zip_load16(padding) == VZ_ZIP_EXTRA_PADDING && vz_zip_load16(padding + 2) == extra - 4;
}

/* Where the data of a value begins. */
typedef struct data_place {
    uint64_t offset;
    bool is_sure;   /* the header that was looked at can be no other one's */
    bool is_proven; /* it has the key, and what else the directory says; so have all headers of a
                     * directory that was read as a whole */
} data_place;

/* `header`: VZ_ZIP_LOCAL_SIZE bytes, and behind them the name of an unproven value. */
static bool take_header(const vz_zip *zip, const char *key, const vz_keytree_value *value, const uint8_t *header,
                        data_place *data, vz_error *err)
{
    uint32_t length;
    data->is_proven = !value->is_unproven || vz_zip_is_header_of(header, key, value->method, value->crc);
    if (!data->is_proven)
        return true;
    if (!vz_zip_measure_local(header, value->offset, value->stored, zip->size, &length, err))
        return false;
    data->offset = value->offset + length;
    data->is_sure = has_usual_place(zip, value, header, data->offset);
    return true;
}

static bool find_data(const vz_zip *zip, const char *key, const vz_keytree_value *value, data_place *data,
                      vz_error *err)
{
    uint8_t few[VZ_ZIP_LOCAL_SIZE + 256];
    const size_t size = VZ_ZIP_LOCAL_SIZE + (value->is_unproven ? strlen(key) : 0);
    *data = (data_place){.offset = value->offset + value->lead, .is_sure = true, .is_proven = true};
    if (value->place == VZ_KEYTREE_SPOOLED || value->lead)
        return true;
    uint8_t *header = size <= sizeof few ? few : malloc(size);
    const bool ok = (header || vz_fail_memory(err)) && vz_zip_read(zip, value->offset, header, size, err) &&
                    take_header(zip, key, value, header, data, err);
    if (header != few)
        free(header);
    return ok;
}

bool vz_zip_find_data(const vz_zip *zip, const vz_keytree_value *value, uint64_t *offset, vz_error *err)
{
    data_place data;
    const bool ok = find_data(zip, "", value, &data, err);
    *offset = data.offset;
    return ok;
}

static bool check_readable(const vz_keytree_value *value, vz_error *err)
{
    if (!vz_zip_check_method(value->method, value->flags, err))
        return false;
    return value->method == VZ_ZIP_STORED || value->size <= VZ_ZIP_VALUE_MAX ||
           vz_fail(err, VZ_LIMIT, "an entry of %llu bytes", (unsigned long long)value->size);
}

/* ---- reading ---- */

/* The sum can be checked only where all of the value was read. */
static bool check_sum(const vz_keytree_value *value, const uint8_t *data, size_t size, vz_error *err)
{
    return size != value->size || vz_zip_check_sum(data, size, value->crc, err);
}

static bool read_stored(const vz_zip *zip, uint64_t offset, const vz_keytree_value *value, uint64_t first,
                        uint8_t *place, size_t size, vz_error *err)
{
    return vz_zip_read_of(zip, value, offset + first, place, size, err) && check_sum(value, place, size, err);
}

static bool inflate_entry(const vz_zip *zip, uint64_t offset, const vz_keytree_value *value, uint8_t *place,
                          vz_error *err)
{
    uint8_t *packed = malloc(value->stored ? value->stored : 1);
    bool ok = packed || vz_fail_memory(err);
    ok = ok && vz_zip_read_of(zip, value, offset, packed, value->stored, err) &&
         vz_zip_inflate((vz_bytes){packed, value->stored}, place, value->size, err);
    free(packed);
    return ok && check_sum(value, place, value->size, err);
}

/* A part of a deflated entry costs all of it: nothing writes shards so. */
static bool read_deflated(const vz_zip *zip, uint64_t offset, const vz_keytree_value *value, uint64_t first,
                          uint8_t *place, size_t size, vz_error *err)
{
    uint8_t *whole = size == value->size ? place : malloc(value->size);
    if (!whole)
        return vz_fail_memory(err);
    const bool ok = inflate_entry(zip, offset, value, whole, err);
    if (whole != place) {
        if (ok)
            memcpy(place, whole + first, size);
        free(whole);
    }
    return ok;
}

/* The data begins at `offset`. Nothing is appended on failure. */
static bool read_range(const vz_zip *zip, uint64_t offset, const vz_keytree_value *value, vz_range range,
                       vz_buffer *out, vz_error *err)
{
    uint64_t first;
    size_t size = 0;
    if (!check_readable(value, err) || !vz_os_range_resolve(value->size, range, &first, &size, err))
        return false;
    uint8_t *place = vz_os_range_room(out, size, err);
    if (!place || !size)
        return place != NULL;
    const bool ok = value->method == VZ_ZIP_STORED ? read_stored(zip, offset, value, first, place, size, err)
                                                   : read_deflated(zip, offset, value, first, place, size, err);
    out->size += ok ? size : 0;
    return ok;
}

/* Do several ranges, one behind the other, come to all of the value? */
static bool are_whole(const vz_keytree_value *value, const vz_range *ranges, size_t count)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; end += ranges[i++].size)
        if (ranges[i].kind != VZ_RANGE_AT || ranges[i].offset != end || ranges[i].size > value->size - end)
            return false;
    return end == value->size;
}

/* Of bytes that lie in a file as they are; those that follow each other by one call. The sum is
 * made of bytes that were just read. */
static bool read_file_ranges(int file, uint64_t offset, const vz_keytree_value *value, const vz_range *ranges,
                             size_t count, vz_buffer *out, vz_error *err)
{
    uint32_t sum = 0;
    const bool is_whole = are_whole(value, ranges, count);
    for (size_t i = 0, end; i < count;) {
        const size_t read = vz_os_file_read_ranges(file, offset, value->size, ranges + i, count - i, out + i, err);
        if (read == 0)
            return false;
        for (end = i + read; i < end; i++)
            if (is_whole)
                sum = libdeflate_crc32(sum, out[i].data + out[i].size - ranges[i].size, ranges[i].size);
    }
    return !is_whole || sum == value->crc || vz_fail(err, VZ_CORRUPT, "the entry's checksum does not match");
}

static bool read_ranges(const vz_zip *zip, uint64_t offset, const vz_keytree_value *value, const vz_range *ranges,
                        size_t count, vz_buffer *out, vz_error *err)
{
    const int file = vz_zip_file_of(zip, value);
    if (count > 1 && value->method == VZ_ZIP_STORED && file >= 0)
        return check_readable(value, err) && read_file_ranges(file, offset, value, ranges, count, out, err);
    for (size_t i = 0; i < count; i++)
        if (!read_range(zip, offset, value, ranges[i], &out[i], err))
            return false;
    return true;
}

/* ---- is it whole? ---- */

#define VERIFY_SIZE ((size_t)1 << 20) /* bytes that are read at a time */

static bool verify_stored(const vz_zip *zip, uint64_t offset, const vz_keytree_value *value, uint8_t *bytes,
                          vz_error *err)
{
    uint32_t sum = 0;
    for (uint64_t done = 0; done < value->size;) {
        const size_t size = value->size - done < VERIFY_SIZE ? (size_t)(value->size - done) : VERIFY_SIZE;
        if (!vz_zip_read(zip, offset + done, bytes, size, err))
            return false;
        sum = libdeflate_crc32(sum, bytes, size);
        done += size;
    }
    return sum == value->crc || vz_fail(err, VZ_CORRUPT, "the entry's checksum does not match");
}

/* A part of a value has no checksum. Where a damaged header could have shifted it, the whole
 * value is looked at. */
static bool check_part(const vz_zip *zip, const vz_keytree_value *value, const data_place *data, vz_error *err)
{
    if (data->is_sure || !data->is_proven)
        return true;
    uint8_t *bytes = malloc(value->size < VERIFY_SIZE ? value->size + 1 : VERIFY_SIZE);
    const bool ok = bytes ? verify_stored(zip, data->offset, value, bytes, err) : vz_fail_memory(err);
    free(bytes);
    return ok;
}

static bool find_ranges(const vz_zip *zip, const char *key, const vz_keytree_value *value, const vz_range *ranges,
                        size_t count, data_place *data, vz_error *err)
{
    const bool is_whole = (count == 1 && ranges->kind == VZ_RANGE_ALL) || are_whole(value, ranges, count);
    return find_data(zip, key, value, data, err) &&
           (is_whole || value->method != VZ_ZIP_STORED || check_part(zip, value, data, err));
}

/* ---- the operations ---- */

/* Where an entry has not the name that pages of the directory said, all of the directory says what
 * counts. */
static bool read_packed(vz_zip *zip, const char *key, vz_keytree_value *value, const vz_range *ranges, size_t count,
                        vz_buffer *out, bool *found, vz_error *err)
{
    data_place data;
    if (!find_ranges(zip, key, value, ranges, count, &data, err))
        return false;
    if (!data.is_proven) {
        if (!vz_zip_distrust(zip, err) || !vz_zip_look_up(zip, key, value, found, err))
            return false;
        if (!*found || !find_ranges(zip, key, value, ranges, count, &data, err))
            return !*found;
    }
    return read_ranges(zip, data.offset, value, ranges, count, out, err);
}

/* The bytes of a value that was reported to nobody go as soon as it is replaced. So such a value is
 * read under the lock. No byte source is read so. A caller that waits there for the source's thread
 * would wait for one that waits for the lock. A commit alone replaces the source's bytes. */
bool vz_zip_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_keytree_value value = {0};
    *found = false;
    vz_os_rwlock_read(&zip->lock);
    const bool is_known = vz_zip_look_up_locked(zip, key, &value, found, NULL);
    const bool may_go =
        *found && (value.place == VZ_KEYTREE_SPOOLED || (value.place == VZ_KEYTREE_NEW && zip->file >= 0));
    const bool ok = !may_go || read_ranges(zip, value.offset + value.lead, &value, ranges, count, out, err);
    vz_os_rwlock_unlock(&zip->lock);
    if (may_go)
        return ok;
    if (!is_known && !vz_zip_look_up(zip, key, &value, found, err)) /* which makes the tree */
        return false;
    return !*found || read_packed(zip, key, &value, ranges, count, out, found, err);
}

bool vz_zip_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return vz_zip_get_ranges(store, key, &range, 1, out, found, err);
}

/* The value of an entry as it lies in the file. */
static bool verify(vz_zip *zip, const vz_keytree_value *value, uint64_t offset, vz_error *err)
{
    uint8_t *bytes = malloc(value->method == VZ_ZIP_STORED || !value->size ? VERIFY_SIZE : value->size);
    const bool ok = !bytes                           ? vz_fail_memory(err)
                    : value->method == VZ_ZIP_STORED ? verify_stored(zip, offset, value, bytes, err)
                                                     : inflate_entry(zip, offset, value, bytes, err);
    free(bytes);
    return ok;
}

bool vz_zip_verify(vz_store *store, const char *key, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_keytree_value value = {0};
    data_place data;
    bool found;
    if (!vz_zip_look_up(zip, key, &value, &found, err))
        return false;
    if (!found || value.place != VZ_KEYTREE_PACKED)
        return true;
    return check_readable(&value, err) && find_data(zip, key, &value, &data, err) &&
           (data.is_proven || vz_fail(err, VZ_CORRUPT, "no entry of that name is where the directory says")) &&
           verify(zip, &value, data.offset, err);
}
