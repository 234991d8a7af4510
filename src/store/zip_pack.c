/* zip_pack.c - writing all values into a new zip file. What is hidden (partial names: objects that lost their last name
 * while they are open) does not belong in it and goes into a new spool. */
#include "store/file.h"
#include "store/zip.h"
#include "store/zip_new.h"
#include <stdlib.h>
#include <unistd.h>

#define COPY_SIZE     ((size_t)1 << 20)
#define FIELD_MAX_32  0xffffffffu /* from here on a field's value stands in a zip64 record */
#define FIELD_MAX_16  0xffffu
#define VERSION_PLAIN 20
#define VERSION_ZIP64 45
#define MADE_BY_UNIX  (3 << 8)
#define MODE_FILE     (0100644u << 16)
#define DATE_1980     ((1 << 5) | 1) /* 1 January 1980: the same store makes the same bytes */

typedef struct packer {
    vz_zip *zip;
    vz_zip_packed *packed;
    uint64_t offset; /* where the next record of the zip file goes */
    vz_buffer local, central;
    uint64_t count;
    uint8_t *copy_buffer;
} packer;

static void store_le16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8);
}

static uint32_t clip32(uint64_t value)
{
    return value < FIELD_MAX_32 ? (uint32_t)value : FIELD_MAX_32;
}

static bool write_next(packer *p, const void *data, size_t size, vz_error *err)
{
    if (!vz_file_write(p->packed->file, p->offset, data, size, err))
        return false;
    p->offset += size;
    return true;
}

/* ---- headers ---- */

/* Bit 11 says that the name is UTF-8, for names beyond ASCII that are. No other flag is written: entries that were
 * streamed get their sizes, and zip files with encrypted entries are not opened for writing. */
static uint16_t name_flags(const char *key)
{
    for (const char *c = key; *c; c++)
        if ((unsigned char)*c >= 0x80)
            return vz_utf8_valid(key, strlen(key)) ? VZ_ZIP_FLAG_UTF8 : 0;
    return 0;
}

/* What local and central header share, from "version needed" to the length of the name (26 bytes). */
static void fill_common(uint8_t *p, const char *key, const vz_zip_value *value, bool is_zip64, size_t extra)
{
    memset(p, 0, 26);
    store_le16(p, is_zip64 ? VERSION_ZIP64 : VERSION_PLAIN);
    store_le16(p + 2, name_flags(key));
    store_le16(p + 4, value->method);
    store_le16(p + 8, DATE_1980);
    vz_store_le32(p + 10, value->crc);
    vz_store_le32(p + 14, clip32(value->stored));
    vz_store_le32(p + 18, clip32(value->size));
    store_le16(p + 22, (uint16_t)strlen(key));
    store_le16(p + 24, (uint16_t)extra);
}

/* The zip64 field of what does not fit; a local header has both sizes or none. Returns its length, 0 to 28. */
static size_t fill_zip64(uint8_t *extra, const vz_zip_value *value, bool local, uint64_t offset)
{
    const bool large = value->size >= FIELD_MAX_32 || value->stored >= FIELD_MAX_32;
    size_t length = 4;
    if (value->size >= FIELD_MAX_32 || (local && large))
        vz_store_le64(extra + length, value->size), length += 8;
    if (value->stored >= FIELD_MAX_32 || (local && large))
        vz_store_le64(extra + length, value->stored), length += 8;
    if (!local && offset >= FIELD_MAX_32)
        vz_store_le64(extra + length, offset), length += 8;
    if (length == 4)
        return 0;
    store_le16(extra, 1);
    store_le16(extra + 2, (uint16_t)(length - 4));
    return length;
}

static bool write_local(packer *p, const char *key, const vz_zip_value *value, vz_error *err)
{
    uint8_t header[VZ_ZIP_LOCAL_SIZE], extra[32];
    const size_t length = fill_zip64(extra, value, true, 0);
    vz_store_le32(header, VZ_ZIP_LOCAL_SIGNATURE);
    fill_common(header + 4, key, value, length > 0, length);
    if (length) { /* with the field there, both are in it */
        vz_store_le32(header + 18, FIELD_MAX_32);
        vz_store_le32(header + 22, FIELD_MAX_32);
    }
    p->local.size = 0;
    return vz_buffer_append(&p->local, header, sizeof header, err) &&
           vz_buffer_append(&p->local, key, strlen(key), err) && vz_buffer_append(&p->local, extra, length, err) &&
           write_next(p, p->local.data, p->local.size, err);
}

static bool add_central(packer *p, const char *key, const vz_zip_value *value, uint64_t offset, vz_error *err)
{
    uint8_t header[VZ_ZIP_CENTRAL_SIZE] = {0}, extra[32];
    const size_t length = fill_zip64(extra, value, false, offset);
    vz_store_le32(header, VZ_ZIP_CENTRAL_SIGNATURE);
    store_le16(header + 4, MADE_BY_UNIX | VERSION_ZIP64);
    fill_common(header + 6, key, value, length > 0, length);
    vz_store_le32(header + 38, MODE_FILE);
    vz_store_le32(header + 42, clip32(offset));
    p->count++;
    return vz_buffer_append(&p->central, header, sizeof header, err) &&
           vz_buffer_append(&p->central, key, strlen(key), err) && vz_buffer_append(&p->central, extra, length, err);
}

/* ---- values ---- */

static bool copy_by_hand(packer *p, const vz_zip_value *value, uint64_t offset, int to, uint64_t *place, uint64_t size,
                         vz_error *err)
{
    while (size) {
        const size_t part = size < COPY_SIZE ? (size_t)size : COPY_SIZE;
        if (!vz_zip_read_of(p->zip, value, offset, p->copy_buffer, part, err) ||
            !vz_file_write(to, *place, p->copy_buffer, part, err))
            return false;
        offset += part, *place += part, size -= part;
    }
    return true;
}

/* The kernel copies large values, or shares their blocks, where the file system can. */
static bool copy_data(packer *p, const vz_zip_value *value, int to, uint64_t *place, vz_error *err)
{
    uint64_t offset, size = value->stored;
    if (!vz_zip_find_data(p->zip, value, &offset, err))
        return false;
    const int from = vz_zip_file_of(p->zip, value);
    while (from >= 0 && size >= COPY_SIZE) {
        off_t source = (off_t)offset, target = (off_t)*place;
        const ssize_t done = copy_file_range(from, &source, to, &target, size, 0);
        if (done <= 0)
            break; /* what is really wrong shows below */
        offset += (uint64_t)done, *place += (uint64_t)done, size -= (uint64_t)done;
    }
    return copy_by_hand(p, value, offset, to, place, size, err);
}

static bool pack_visible(packer *p, const char *key, vz_zip_value *value, vz_error *err)
{
    value->next = p->offset;
    return write_local(p, key, value, err) && copy_data(p, value, p->packed->file, &p->offset, err) &&
           add_central(p, key, value, value->next, err);
}

static bool keep_hidden(packer *p, vz_zip_value *value, vz_error *err)
{
    vz_zip_packed *packed = p->packed;
    if (packed->spool < 0 && (packed->spool = vz_zip_spool_new(p->zip, err)) < 0)
        return false;
    value->next = packed->spooled;
    return copy_data(p, value, packed->spool, &packed->spooled, err);
}

static bool pack_value(const char *key, bool is_hidden, vz_zip_value *value, void *context, vz_error *err)
{
    packer *p = context;
    const bool ok = is_hidden ? keep_hidden(p, value, err) : pack_visible(p, key, value, err);
    if (!ok)
        vz_error_where(err, p->zip->base.path, key);
    return ok;
}

/* ---- the end ---- */

static bool write_end64(packer *p, uint64_t offset, vz_error *err)
{
    uint8_t record[VZ_ZIP_END64_SIZE + VZ_ZIP_LOCATOR_SIZE] = {0};
    uint8_t *locator = record + VZ_ZIP_END64_SIZE;
    vz_store_le32(record, VZ_ZIP_END64_SIGNATURE);
    vz_store_le64(record + 4, VZ_ZIP_END64_SIZE - 12);
    store_le16(record + 12, MADE_BY_UNIX | VERSION_ZIP64);
    store_le16(record + 14, VERSION_ZIP64);
    vz_store_le64(record + 24, p->count);
    vz_store_le64(record + 32, p->count);
    vz_store_le64(record + 40, p->central.size);
    vz_store_le64(record + 48, offset);
    vz_store_le32(locator, VZ_ZIP_LOCATOR_SIGNATURE);
    vz_store_le64(locator + 8, p->offset);
    vz_store_le32(locator + 16, 1);
    return write_next(p, record, sizeof record, err);
}

static bool write_end(packer *p, vz_error *err)
{
    const uint64_t offset = p->packed->end = p->offset;
    if (!write_next(p, p->central.data, p->central.size, err))
        return false;
    const bool is_zip64 = p->count >= FIELD_MAX_16 || offset >= FIELD_MAX_32 || p->central.size >= FIELD_MAX_32;
    if (is_zip64 && !write_end64(p, offset, err))
        return false;
    uint8_t end[VZ_ZIP_END_SIZE] = {0};
    const uint16_t count = p->count < FIELD_MAX_16 ? (uint16_t)p->count : FIELD_MAX_16;
    vz_store_le32(end, VZ_ZIP_END_SIGNATURE);
    store_le16(end + 8, count);
    store_le16(end + 10, count);
    vz_store_le32(end + 12, clip32(p->central.size));
    vz_store_le32(end + 16, clip32(offset));
    return write_next(p, end, sizeof end, err);
}

/* A one-file store begins with the program's user block and our header. */
static bool write_start(packer *p, vz_error *err)
{
    const vz_header *header = &p->zip->header;
    const vz_zip_value block = {.place = VZ_ZIP_PACKED};
    uint64_t place = 0;
    if (header->kind != VZ_HEADER_STORE)
        return true;
    p->offset = vz_header_end(header->base);
    return copy_by_hand(p, &block, 0, p->packed->file, &place, header->base, err) &&
           vz_header_write(p->packed->file, header->base, err);
}

bool vz_zip_pack(vz_zip *zip, vz_zip_packed *packed, vz_error *err)
{
    packer p = {.zip = zip, .packed = packed, .copy_buffer = malloc(COPY_SIZE)};
    const bool ok = (p.copy_buffer || vz_fail_memory(err)) && write_start(&p, err) &&
                    vz_zip_tree_each(zip->tree, pack_value, &p, err) && write_end(&p, err);
    free(p.copy_buffer);
    vz_buffer_clear(&p.local);
    vz_buffer_clear(&p.central);
    return ok;
}
