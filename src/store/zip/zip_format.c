/* zip_format.c - the records of a zip file as bytes: headers of entries, end records, and our
 * comment in these. */
#include "store/zip/central_internal.h"
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION_PLAIN 20
#define VERSION_ZIP64 45
#define MADE_BY_UNIX  (3 << 8)
#define MODE_FILE     (0100644u << 16)

static uint32_t clip32(uint64_t value)
{
    return value < VZ_ZIP_FIELD_32 ? (uint32_t)value : VZ_ZIP_FIELD_32;
}

/* ---- entries ---- */

uint16_t vz_zip_name_flags(const char *key)
{
    for (const char *c = key; *c; c++)
        if ((unsigned char)*c >= 0x80)
            return vz_utf8_valid(key, strlen(key)) ? VZ_ZIP_FLAG_UTF8 : 0;
    return 0;
}

/* Fields that local and central header share, from "version needed" to the length of the name (26
 * bytes). */
static void fill_common(uint8_t *p, const char *key, const vz_keytree_value *value, bool is_zip64, size_t extra)
{
    memset(p, 0, 26);
    vz_zip_store16(p, is_zip64 ? VERSION_ZIP64 : VERSION_PLAIN);
    vz_zip_store16(p + 2, value->flags);
    vz_zip_store16(p + 4, value->method);
    vz_zip_store16(p + 8, VZ_ZIP_DATE);
    vz_bytes_store_le32(p + 10, value->crc);
    vz_bytes_store_le32(p + 14, clip32(value->stored));
    vz_bytes_store_le32(p + 18, clip32(value->size));
    vz_zip_store16(p + 22, (uint16_t)strlen(key));
    vz_zip_store16(p + 24, (uint16_t)extra);
}

static bool is_large(const vz_keytree_value *value)
{
    return value->size >= VZ_ZIP_FIELD_32 || value->stored >= VZ_ZIP_FIELD_32;
}

/* The zip64 field of what does not fit; a local header has both sizes or none. Returns its
 * length, 0 to 28. */
static size_t fill_zip64(uint8_t *extra, const vz_keytree_value *value, bool local, uint64_t offset)
{
    size_t length = 4;
    if (value->size >= VZ_ZIP_FIELD_32 || (local && is_large(value)))
        vz_bytes_store_le64(extra + length, value->size), length += 8;
    if (value->stored >= VZ_ZIP_FIELD_32 || (local && is_large(value)))
        vz_bytes_store_le64(extra + length, value->stored), length += 8;
    if (!local && offset >= VZ_ZIP_FIELD_32)
        vz_bytes_store_le64(extra + length, offset), length += 8;
    if (length == 4)
        return 0;
    vz_zip_store16(extra, VZ_ZIP_EXTRA_ZIP64);
    vz_zip_store16(extra + 2, (uint16_t)(length - 4));
    return length;
}

size_t vz_zip_local_size(const char *key, const vz_keytree_value *value)
{
    return VZ_ZIP_LOCAL_SIZE + strlen(key) + (is_large(value) ? 20 : 0);
}

static bool print_padding(vz_buffer *out, size_t padding, vz_error *err)
{
    if (!padding)
        return true;
    if (!vz_buffer_reserve(out, out->size + padding, err))
        return false;
    uint8_t *field = out->data + out->size;
    memset(field, 0, padding);
    vz_zip_store16(field, VZ_ZIP_EXTRA_PADDING);
    vz_zip_store16(field + 2, (uint16_t)(padding - 4));
    vz_zip_store16(field + 4, VZ_ZIP_ALIGNMENT);
    out->size += padding;
    return true;
}

bool vz_zip_print_local(vz_buffer *out, const char *key, const vz_keytree_value *value, size_t padding, vz_error *err)
{
    uint8_t header[VZ_ZIP_LOCAL_SIZE], extra[32];
    const size_t length = fill_zip64(extra, value, true, 0);
    vz_bytes_store_le32(header, VZ_ZIP_LOCAL_SIGNATURE);
    fill_common(header + 4, key, value, length > 0, length + padding);
    if (length) { /* with the field there, both are in it */
        vz_bytes_store_le32(header + 18, VZ_ZIP_FIELD_32);
        vz_bytes_store_le32(header + 22, VZ_ZIP_FIELD_32);
    }
    return vz_buffer_append(out, header, sizeof header, err) && vz_buffer_append(out, key, strlen(key), err) &&
           vz_buffer_append(out, extra, length, err) && print_padding(out, padding, err);
}

bool vz_zip_print_central(vz_buffer *out, const char *key, const vz_keytree_value *value, uint64_t offset,
                          vz_error *err)
{
    uint8_t header[VZ_ZIP_CENTRAL_SIZE] = {0}, extra[32];
    const size_t length = fill_zip64(extra, value, false, offset);
    vz_bytes_store_le32(header, VZ_ZIP_CENTRAL_SIGNATURE);
    vz_zip_store16(header + 4, MADE_BY_UNIX | VERSION_ZIP64);
    fill_common(header + 6, key, value, length > 0, length);
    vz_bytes_store_le32(header + 38, MODE_FILE);
    vz_bytes_store_le32(header + 42, clip32(offset));
    return vz_buffer_append(out, header, sizeof header, err) && vz_buffer_append(out, key, strlen(key), err) &&
           vz_buffer_append(out, extra, length, err);
}

/* ---- end records ---- */

/* Of the directory, what is said of it, and the comment up to the sum. */
static uint32_t sum_of(const vz_zip_end *end, const char *text, size_t length)
{
    uint8_t fields[28];
    vz_bytes_store_le32(fields, end->crc);
    vz_bytes_store_le64(fields + 4, end->directory);
    vz_bytes_store_le64(fields + 12, end->size);
    vz_bytes_store_le64(fields + 20, end->count);
    return libdeflate_crc32(libdeflate_crc32(0, fields, sizeof fields), text, length);
}

#define SUMMED (VZ_ZIP_COMMENT_SIZE - 8) /* bytes of the comment before the sum */

static void print_comment(char comment[VZ_ZIP_COMMENT_SIZE + 1], const vz_zip_end *end)
{
    const unsigned long long generation = end->generation, original = end->original;
    snprintf(comment, SUMMED + 1, VZ_ZIP_COMMENT_PREFIX "%016llx %016llx ", generation, original);
    snprintf(comment + SUMMED, 9, "%08x", (unsigned)sum_of(end, comment, SUMMED));
}

void vz_zip_parse_comment(const uint8_t *comment, size_t size, vz_zip_end *end)
{
    char text[VZ_ZIP_COMMENT_SIZE + 1], again[VZ_ZIP_COMMENT_SIZE + 1];
    if (size != VZ_ZIP_COMMENT_SIZE || memcmp(comment, VZ_ZIP_COMMENT_PREFIX, strlen(VZ_ZIP_COMMENT_PREFIX)) != 0)
        return;
    memcpy(text, comment, size);
    text[size] = '\0';
    vz_zip_end stored = *end;
    char *next = text + strlen(VZ_ZIP_COMMENT_PREFIX);
    stored.generation = strtoull(next, &next, 16);
    stored.original = strtoull(next, &next, 16);
    stored.is_ours = true;
    print_comment(again, &stored);
    if (memcmp(again, text, size) == 0)
        *end = stored;
    else
        end->is_doubtful = true;
}

static bool print_end64(vz_buffer *out, const vz_zip_end *end, vz_error *err)
{
    uint8_t record[VZ_ZIP_END64_SIZE + VZ_ZIP_LOCATOR_SIZE] = {0};
    uint8_t *locator = record + VZ_ZIP_END64_SIZE;
    vz_bytes_store_le32(record, VZ_ZIP_END64_SIGNATURE);
    vz_bytes_store_le64(record + 4, VZ_ZIP_END64_SIZE - 12);
    vz_zip_store16(record + 12, MADE_BY_UNIX | VERSION_ZIP64);
    vz_zip_store16(record + 14, VERSION_ZIP64);
    vz_bytes_store_le64(record + 24, end->count);
    vz_bytes_store_le64(record + 32, end->count);
    vz_bytes_store_le64(record + 40, end->size);
    vz_bytes_store_le64(record + 48, end->directory - end->shift);
    vz_bytes_store_le32(locator, VZ_ZIP_LOCATOR_SIGNATURE);
    vz_bytes_store_le64(locator + 8, end->directory + end->size - end->shift);
    vz_bytes_store_le32(locator + 16, 1);
    return vz_buffer_append(out, record, sizeof record, err);
}

bool vz_zip_print_end(vz_buffer *out, vz_zip_end *end, vz_error *err)
{
    uint8_t record[VZ_ZIP_END_SIZE] = {0};
    char comment[VZ_ZIP_COMMENT_SIZE + 1];
    const uint64_t offset = end->directory - end->shift;
    const uint16_t count = end->count < VZ_ZIP_FIELD_16 ? (uint16_t)end->count : VZ_ZIP_FIELD_16;
    const bool is_zip64 = end->count >= VZ_ZIP_FIELD_16 || offset >= VZ_ZIP_FIELD_32 || end->size >= VZ_ZIP_FIELD_32;
    end->after = end->directory + end->size + VZ_ZIP_END_SIZE + VZ_ZIP_COMMENT_SIZE;
    if (is_zip64)
        end->after += VZ_ZIP_END64_SIZE + VZ_ZIP_LOCATOR_SIZE;
    print_comment(comment, end);
    vz_bytes_store_le32(record, VZ_ZIP_END_SIGNATURE);
    vz_zip_store16(record + 8, count);
    vz_zip_store16(record + 10, count);
    vz_bytes_store_le32(record + 12, clip32(end->size));
    vz_bytes_store_le32(record + 16, clip32(offset));
    vz_zip_store16(record + 20, VZ_ZIP_COMMENT_SIZE);
    return (!is_zip64 || print_end64(out, end, err)) && vz_buffer_append(out, record, sizeof record, err) &&
           vz_buffer_append(out, comment, VZ_ZIP_COMMENT_SIZE, err);
}
