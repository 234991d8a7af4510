/* central_record.c - a record of a central directory: its fields, and what of them is refused. */
#include "store/zip/pages_internal.h"
#include "store/zip/state_internal.h"

/* Where fields stand in a record (APPNOTE 4.3.12). */
enum {
    AT_FLAGS = 8,
    AT_METHOD = 10,
    AT_CRC = 16,
    AT_STORED = 20,
    AT_SIZE = 24,
    AT_NAME_LENGTH = 28,
    AT_EXTRA_LENGTH = 30,
    AT_COMMENT_LENGTH = 32,
    AT_OFFSET = 42
};

/* Sizes and offset that do not fit into 32 bits stand in the extra field, in this order (APPNOTE
 * 4.5.3). */
static bool take_zip64(const uint8_t *extra, size_t size, vz_keytree_value *value)
{
    while (size >= 4) {
        const size_t length = vz_zip_load16(extra + 2);
        if (length > size - 4)
            return false;
        if (vz_zip_load16(extra) == VZ_ZIP_EXTRA_ZIP64) {
            uint64_t *const fields[] = {&value->size, &value->stored, &value->offset};
            const uint8_t *place = extra + 4;
            size_t left = length;
            for (size_t i = 0; i < 3; i++) {
                if (*fields[i] != VZ_ZIP_FIELD_32)
                    continue;
                if (left < 8)
                    return false;
                *fields[i] = vz_bytes_load_le64(place);
                place += 8, left -= 8;
            }
            return true;
        }
        extra += 4 + length, size -= 4 + length;
    }
    return true;
}

bool vz_zip_record_parse(const uint8_t *bytes, size_t left, vz_zip_record *record)
{
    if (left < VZ_ZIP_CENTRAL_SIZE || vz_bytes_load_le32(bytes) != VZ_ZIP_CENTRAL_SIGNATURE)
        return false;
    const size_t name = vz_zip_load16(bytes + AT_NAME_LENGTH), extra = vz_zip_load16(bytes + AT_EXTRA_LENGTH);
    *record = (vz_zip_record){
        .name = (const char *)bytes + VZ_ZIP_CENTRAL_SIZE,
        .name_length = name,
        .length = VZ_ZIP_CENTRAL_SIZE + name + extra + vz_zip_load16(bytes + AT_COMMENT_LENGTH),
        .value = {.place = VZ_KEYTREE_PACKED,
                  .flags = vz_zip_load16(bytes + AT_FLAGS),
                  .method = vz_zip_load16(bytes + AT_METHOD),
                  .crc = vz_bytes_load_le32(bytes + AT_CRC),
                  .stored = vz_bytes_load_le32(bytes + AT_STORED),
                  .size = vz_bytes_load_le32(bytes + AT_SIZE),
                  .offset = vz_bytes_load_le32(bytes + AT_OFFSET)},
    };
    return record->length <= left && take_zip64(bytes + VZ_ZIP_CENTRAL_SIZE + name, extra, &record->value);
}

static bool is_safe_name(const char *name, size_t length)
{
    if (length == 0 || memchr(name, '\0', length))
        return false;
    for (const char *end = name + length; name <= end;) {
        const char *slash = memchr(name, '/', (size_t)(end - name));
        const size_t part = (size_t)((slash ? slash : end) - name);
        if (part == 0 && slash != NULL)
            return false; /* absolute, or an empty part; a slash at the end says that it is a
                           * directory */
        if ((part == 1 && name[0] == '.') || (part == 2 && name[0] == '.' && name[1] == '.'))
            return false;
        name += part + 1;
    }
    return true;
}

bool vz_zip_record_check(const vz_zip_record *record, uint64_t limit, vz_error *err)
{
    const vz_keytree_value *value = &record->value;
    uint64_t after;
    if (!is_safe_name(record->name, record->name_length))
        return vz_fail(err, VZ_CORRUPT, "a name that is absolute or contains \".\" or \"..\"");
    if (!vz_add(value->offset, VZ_ZIP_LOCAL_SIZE + record->name_length, &after) ||
        !vz_add(after, value->stored, &after) || after > limit)
        return vz_fail(err, VZ_CORRUPT, "the entry lies outside of the zip file");
    if (value->method == VZ_ZIP_STORED && !(value->flags & VZ_ZIP_FLAG_ENCRYPTED) && value->size != value->stored)
        return vz_fail(err, VZ_CORRUPT, "the sizes of a stored entry differ");
    if (value->method == VZ_ZIP_DEFLATED && value->size / VZ_ZIP_RATIO_MAX > value->stored)
        return vz_fail(err, VZ_CORRUPT, "the entry claims to be larger than its %llu bytes can become",
                       (unsigned long long)value->stored);
    return true;
}

uint64_t vz_zip_record_live(const vz_zip_record *record)
{
    return VZ_ZIP_LOCAL_SIZE + record->name_length + record->value.stored;
}
