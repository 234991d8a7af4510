/* end_record.c - which end record of a zip file counts. A chunk may hold the bytes of one, so an
 * end record must be true. Its directory stands before it, where it says, or all entries and the
 * directory are moved by one distance. */
#include "store/zip/central_internal.h"
#include "base/os/file.h"
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

#define STEP ((size_t)1 << 20) /* bytes that are looked through at once */
/* bytes looked through for what a killed writer left, holes not counted */
#define SEARCH_MAX ((uint64_t)1 << 28)
/* end records that are looked at: data may be full of them */
#define CANDIDATES 16
#define TAIL_MAX   (VZ_ZIP_END_SIZE + VZ_ZIP_COMMENT_MAX)

/* Where end records are looked for. */
typedef struct source {
    vz_byte_source *byte_source;
    vz_buffer *records; /* gets the directory that counts; NULL: nobody wants it */
    unsigned left;      /* so many may still be looked at */
    vz_error failed;    /* what kept one from being looked at, other than the end of the file */
} source;

static bool look_at(source *from, uint64_t offset, void *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    if (vz_byte_source_read(from->byte_source, offset, data, size, &err))
        return true;
    if (err.class != VZ_CORRUPT && from->failed.class == VZ_OK)
        from->failed = err;
    return false;
}

/* ---- one end record ---- */

/* Where a zip64 record stands, by the locator; else right before that, as where bytes precede
 * the zip. */
static bool read_end64(source *from, const uint8_t *locator, uint64_t limit, uint64_t *position, uint8_t *record)
{
    if (limit < VZ_ZIP_END64_SIZE)
        return false;
    *position = vz_bytes_load_le64(locator + 8);
    if (*position > limit - VZ_ZIP_END64_SIZE || !look_at(from, *position, record, VZ_ZIP_END64_SIZE) ||
        vz_bytes_load_le32(record) != VZ_ZIP_END64_SIGNATURE) {
        *position = limit - VZ_ZIP_END64_SIZE;
        if (!look_at(from, *position, record, VZ_ZIP_END64_SIZE))
            return false;
    }
    return vz_bytes_load_le32(record) == VZ_ZIP_END64_SIGNATURE && vz_bytes_load_le32(record + 16) == 0 &&
           vz_bytes_load_le32(record + 20) == 0;
}

static bool is_directory_at(source *from, uint64_t offset, const vz_zip_end *end)
{
    uint8_t start[4];
    return end->count == 0 ? end->size == 0
                           : end->size >= VZ_ZIP_CENTRAL_SIZE && look_at(from, offset, start, 4) &&
                                 vz_bytes_load_le32(start) == VZ_ZIP_CENTRAL_SIGNATURE;
}

/* The directory ends where the end records begin, at `limit`, and `offset` is reported. */
static bool place_directory(source *from, uint64_t limit, uint64_t offset, vz_zip_end *end)
{
    if (end->size > limit)
        return false;
    end->directory = limit - end->size;
    end->shift = end->count && offset < end->directory ? end->directory - offset : 0;
    if (offset <= end->directory && is_directory_at(from, end->directory, end))
        return true;
    end->shift = 0; /* something stands between the directory and its end record */
    end->directory = offset;
    return offset < limit - end->size && is_directory_at(from, offset, end);
}

/* ---- the directory ---- */

static bool sum_parts(vz_byte_source *byte_source, const vz_zip_end *end, uint32_t *crc, vz_error *err)
{
    uint8_t *buffer = malloc(STEP);
    if (!buffer)
        return vz_fail_memory(err);
    uint64_t done = 0;
    bool ok = true;
    *crc = 0;
    while (ok && done < end->size) {
        const size_t part = end->size - done < STEP ? (size_t)(end->size - done) : STEP;
        ok = vz_byte_source_read(byte_source, end->directory + done, buffer, part, err);
        if (ok)
            *crc = libdeflate_crc32(*crc, buffer, part);
        done += part;
    }
    free(buffer);
    return ok;
}

static bool read_whole(vz_byte_source *byte_source, const vz_zip_end *end, vz_buffer *records, uint32_t *crc,
                       vz_error *err)
{
    records->size = 0;
    if (end->size > SIZE_MAX / 2)
        return vz_fail(err, VZ_LIMIT, "a central directory of %llu bytes", (unsigned long long)end->size);
    if (!vz_buffer_reserve(records, (size_t)end->size, err) ||
        !vz_byte_source_read(byte_source, end->directory, records->data, (size_t)end->size, err))
        return false;
    records->size = (size_t)end->size;
    *crc = libdeflate_crc32(0, records->data, records->size);
    return true;
}

bool vz_zip_end_sum(vz_byte_source *byte_source, const vz_zip_end *end, vz_buffer *records, uint32_t *crc,
                    vz_error *err)
{
    return records ? read_whole(byte_source, end, records, crc, err) : sum_parts(byte_source, end, crc, err);
}

/* `record`: what stands at `position`, `length` bytes of it. */
static bool parse(source *from, const uint8_t *record, size_t length, uint64_t position, vz_zip_end *end)
{
    uint8_t locator[VZ_ZIP_LOCATOR_SIZE], end64[VZ_ZIP_END64_SIZE];
    uint64_t limit = position, offset = vz_bytes_load_le32(record + 16);
    const size_t comment = vz_zip_load16(record + 20);
    if (comment > length - VZ_ZIP_END_SIZE)
        return false;
    *end = (vz_zip_end){.count = vz_zip_load16(record + 10),
                        .size = vz_bytes_load_le32(record + 12),
                        .after = position + VZ_ZIP_END_SIZE + comment};
    const bool is_zip64 = end->count == VZ_ZIP_FIELD_16 || end->size == VZ_ZIP_FIELD_32 || offset == VZ_ZIP_FIELD_32;
    if (is_zip64 && position >= sizeof locator && look_at(from, position - sizeof locator, locator, sizeof locator) &&
        vz_bytes_load_le32(locator) == VZ_ZIP_LOCATOR_SIGNATURE) {
        if (!read_end64(from, locator, position - sizeof locator, &limit, end64))
            return false;
        end->count = vz_bytes_load_le64(end64 + 32);
        end->size = vz_bytes_load_le64(end64 + 40);
        offset = vz_bytes_load_le64(end64 + 48);
    } else if (vz_zip_load16(record + 4) != 0 || vz_zip_load16(record + 6) != 0) {
        return false; /* one of several parts */
    }
    if (!place_directory(from, limit, offset, end) ||
        !vz_zip_end_sum(from->byte_source, end, from->records, &end->crc, &from->failed))
        return false;
    vz_zip_parse_comment(record + VZ_ZIP_END_SIZE, comment, end);
    return true;
}

/* ---- the last bytes ---- */

/* Some bytes of the file. */
typedef struct part {
    uint64_t first;
    uint8_t *bytes;
    size_t size;
} part;

static bool read_tail(vz_byte_source *byte_source, uint64_t size, part *tail, vz_error *err)
{
    *tail = (part){.size = size < TAIL_MAX ? (size_t)size : TAIL_MAX};
    tail->first = size - tail->size;
    tail->bytes = malloc(tail->size ? tail->size : 1);
    if (!tail->bytes)
        return vz_fail_memory(err);
    if (vz_byte_source_read(byte_source, tail->first, tail->bytes, tail->size, err))
        return true;
    free(tail->bytes);
    return false;
}

/* The last one in the part that is true; `to_the_end`: its comment ends where the part does. */
static bool last_in(source *from, const part *p, bool to_the_end, vz_zip_end *end)
{
    for (size_t at = p->size < VZ_ZIP_END_SIZE ? 0 : p->size - VZ_ZIP_END_SIZE + 1; at-- > 0;) {
        const uint8_t *record = p->bytes + at;
        if (record[0] != 'P' || vz_bytes_load_le32(record) != VZ_ZIP_END_SIGNATURE)
            continue;
        if (to_the_end && at + VZ_ZIP_END_SIZE + vz_zip_load16(record + 20) != p->size)
            continue;
        if (from->left == 0)
            return false;
        from->left--;
        if (parse(from, record, p->size - at, p->first + at, end))
            return true;
    }
    return false;
}

/* Nothing is reported where something could not be looked at. */
static bool answer(const source *from, bool found, vz_error *err)
{
    if (found || from->failed.class == VZ_OK)
        return true;
    if (err)
        *err = from->failed;
    return false;
}

/* The last one that at most so many bytes follow. */
static bool find_in_tail(source *from, uint64_t size, uint64_t behind, vz_zip_end *end, bool *found, vz_error *err)
{
    part tail;
    if (size < VZ_ZIP_END_SIZE)
        return vz_fail(err, VZ_CORRUPT, "too short for a zip file");
    if (!read_tail(from->byte_source, size, &tail, err))
        return false;
    *found = last_in(from, &tail, behind == 0, end) && size - end->after <= behind;
    free(tail.bytes);
    return answer(from, *found, err);
}

bool vz_zip_end_at_end(vz_byte_source *byte_source, uint64_t size, vz_zip_end *end, vz_buffer *records, bool *found,
                       vz_error *err)
{
    source from = {.byte_source = byte_source, .records = records, .left = CANDIDATES};
    return find_in_tail(&from, size, 0, end, found, err);
}

bool vz_zip_end_near_end(vz_byte_source *byte_source, uint64_t size, vz_zip_end *end, bool *found, vz_error *err)
{
    source from = {.byte_source = byte_source, .left = CANDIDATES};
    return find_in_tail(&from, size, VZ_ZIP_BEHIND_MAX, end, found, err);
}

/* ---- before the last bytes ---- */

/* Entries that go on behind it are a copy that ends early: not what was in the file is reported
 * then, but that. */
static bool goes_on(source *from, const vz_zip_end *end)
{
    uint8_t start[4];
    return look_at(from, end->after, start, sizeof start) && vz_bytes_load_le32(start) == VZ_ZIP_LOCAL_SIGNATURE;
}

#define NO_DATA ((off_t)-1)

/* The first byte from `at` on that is in no hole, as far as the system knows holes. */
static off_t next_data(const vz_byte_source *byte_source, uint64_t at)
{
    const int file = vz_byte_source_file(byte_source);
    const off_t data = file < 0 ? (off_t)at : vz_os_next_data(file, at);
    return data >= 0 ? data : errno == ENXIO ? NO_DATA : (off_t)at;
}

/* Where bytes other than zeros begin, from `at` on. False: nowhere. */
static bool find_data(source *from, uint64_t size, uint64_t *at, uint8_t *buffer)
{
    while (*at < size) {
        const off_t data = next_data(from->byte_source, *at);
        if (data > (off_t)*at)
            *at = (uint64_t)data;
        else if (data == NO_DATA)
            return false; /* a hole up to the end */
        const size_t length = size - *at < STEP ? (size_t)(size - *at) : STEP;
        if (*at >= size || !look_at(from, *at, buffer, length))
            return false;
        for (size_t i = 0; i < length; i++)
            if (buffer[i]) {
                *at += i;
                return true;
            }
        *at += length;
    }
    return false;
}

/* Is what follows zeros, and then the beginning of a copy of the directory? */
static bool is_torn_copy(source *from, uint64_t size, const vz_zip_end *end)
{
    uint8_t *theirs = malloc(STEP), *ours = malloc(STEP);
    uint64_t at = end->after;
    bool same = theirs && ours;
    if (same && find_data(from, size, &at, theirs)) {
        same = size - at <= end->size + VZ_ZIP_END_MOST;
        for (uint64_t done = 0; same && done < end->size && at + done < size; done += STEP) {
            uint64_t length = end->size - done < size - at - done ? end->size - done : size - at - done;
            length = length < STEP ? length : STEP;
            same = look_at(from, at + done, theirs, (size_t)length) &&
                   look_at(from, end->directory + done, ours, (size_t)length) &&
                   memcmp(theirs, ours, (size_t)length) == 0;
        }
    }
    free(theirs);
    free(ours);
    return same;
}

/* The step before `after`, but for a hole with which it begins; false: it is one. */
static bool data_before(vz_byte_source *byte_source, uint64_t after, uint64_t *first)
{
    *first = after < STEP ? 0 : after - STEP;
    const off_t data = next_data(byte_source, *first);
    if (data > (off_t)*first && (uint64_t)data < after)
        *first = (uint64_t)data;
    return data != NO_DATA && data < (off_t)after;
}

/* Looks through the file from its end, holes left out, for an end record before a torn copy. */
static bool search(source *from, uint64_t size, vz_zip_end *end)
{
    /* a record may begin before a step and end behind */
    const uint64_t most = VZ_ZIP_END_SIZE + VZ_ZIP_COMMENT_SIZE;
    part p = {.bytes = malloc(STEP + most)};
    bool found = false, ended = !p.bytes && !vz_fail_memory(&from->failed);
    for (uint64_t after = size, looked = 0; !ended && after > 0 && looked < SEARCH_MAX && from->left;
         looked += p.size) {
        p.size = 0;
        if (data_before(from->byte_source, after, &p.first)) {
            p.size = (size_t)((size - after < most ? size : after + most) - p.first);
            ended = !look_at(from, p.first, p.bytes, p.size);
            if (!ended && last_in(from, &p, false, end)) {
                found = is_torn_copy(from, size, end);
                ended = true;
            }
        }
        after = after < STEP ? 0 : after - STEP;
    }
    free(p.bytes);
    return found;
}

bool vz_zip_end_before(vz_byte_source *byte_source, uint64_t size, vz_zip_end *end, bool *found, vz_error *err)
{
    source from = {.byte_source = byte_source, .left = CANDIDATES};
    part tail;
    if (!read_tail(byte_source, size, &tail, err))
        return false;
    *found = last_in(&from, &tail, false, end) && !goes_on(&from, end);
    free(tail.bytes);
    if (*found)
        end->is_torn = is_torn_copy(&from, size, end);
    else
        *found = end->is_torn = search(&from, size, end);
    return answer(&from, *found, err);
}
