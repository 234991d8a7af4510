/* zip_directory.c - the central directory of a zip file: what is in it, and where. */
#include "store/zip.h"
#include <stdlib.h>

#define COMMENT_MAX 65535
#define IN_ZIP64_16 0xffffu /* the field's value is in the zip64 record */
#define IN_ZIP64_32 0xffffffffu
#define EXTRA_ZIP64 1 /* id of the zip64 extra field */

/* ---- the end record ---- */

typedef struct directory {
    uint64_t offset, size, count;
} directory;

/* The last end record whose comment ends with the file. */
static const uint8_t *find_end(const uint8_t *tail, size_t size)
{
    for (size_t at = size - VZ_ZIP_END_SIZE + 1; at-- > 0;) {
        const uint8_t *end = tail + at;
        if (vz_load_le32(end) == VZ_ZIP_END_SIGNATURE && at + VZ_ZIP_END_SIZE + vz_zip_load16(end + 20) == size)
            return end;
    }
    return NULL;
}

/* The zip64 record stands where the locator before the end record says. */
static bool read_end64(const vz_zip *zip, const uint8_t *locator, uint64_t limit, directory *central, vz_error *err)
{
    uint8_t end[VZ_ZIP_END64_SIZE];
    const uint64_t offset = vz_load_le64(locator + 8);
    if (limit < sizeof end || offset > limit - sizeof end)
        return vz_fail(err, VZ_CORRUPT, "the zip64 record lies outside of the zip file");
    if (!vz_zip_read(zip, offset, end, sizeof end, err))
        return false;
    if (vz_load_le32(end) != VZ_ZIP_END64_SIGNATURE)
        return vz_fail(err, VZ_CORRUPT, "there is no zip64 record where one should be");
    if (vz_load_le32(end + 16) != 0 || vz_load_le32(end + 20) != 0)
        return vz_fail(err, VZ_UNSUPPORTED, "zip files in several parts");
    *central =
        (directory){.count = vz_load_le64(end + 32), .size = vz_load_le64(end + 40), .offset = vz_load_le64(end + 48)};
    return true;
}

static bool parse_end(const vz_zip *zip, const uint8_t *tail, const uint8_t *end, uint64_t position, directory *central,
                      vz_error *err)
{
    *central =
        (directory){.count = vz_zip_load16(end + 10), .size = vz_load_le32(end + 12), .offset = vz_load_le32(end + 16)};
    const uint8_t *locator = end - tail >= VZ_ZIP_LOCATOR_SIZE ? end - VZ_ZIP_LOCATOR_SIZE : NULL;
    const bool is_zip64 =
        central->count == IN_ZIP64_16 || central->size == IN_ZIP64_32 || central->offset == IN_ZIP64_32;
    if (is_zip64 && locator && vz_load_le32(locator) == VZ_ZIP_LOCATOR_SIGNATURE) {
        if (!read_end64(zip, locator, position - VZ_ZIP_LOCATOR_SIZE, central, err))
            return false;
    } else if (vz_zip_load16(end + 4) != 0 || vz_zip_load16(end + 6) != 0) {
        return vz_fail(err, VZ_UNSUPPORTED, "zip files in several parts");
    }
    if (central->size > position || central->offset > position - central->size)
        return vz_fail(err, VZ_CORRUPT, "the central directory lies outside of the zip file");
    return true;
}

static bool find_central(const vz_zip *zip, directory *central, vz_error *err)
{
    const uint64_t size = (uint64_t)zip->status.st_size;
    const size_t longest = VZ_ZIP_LOCATOR_SIZE + VZ_ZIP_END_SIZE + COMMENT_MAX;
    const size_t length = size < longest ? (size_t)size : longest;
    if (length < VZ_ZIP_END_SIZE)
        return vz_fail(err, VZ_CORRUPT, "too short for a zip file");
    uint8_t *tail = malloc(length);
    if (!tail)
        return vz_fail_memory(err);
    bool ok = vz_zip_read(zip, size - length, tail, length, err);
    const uint8_t *end = ok ? find_end(tail, length) : NULL;
    if (ok && !end)
        ok = vz_fail(err, VZ_CORRUPT, "the zip file has no central directory (is it complete?)");
    if (ok)
        ok = parse_end(zip, tail, end, size - length + (uint64_t)(end - tail), central, err);
    free(tail);
    return ok;
}

/* ---- one entry ---- */

/* Sizes and offset that do not fit into 32 bits stand in the extra field, in this order (APPNOTE 4.5.3). */
static bool take_zip64(const uint8_t *extra, size_t size, vz_zip_value *value)
{
    while (size >= 4) {
        const size_t length = vz_zip_load16(extra + 2);
        if (length > size - 4)
            return false;
        if (vz_zip_load16(extra) == EXTRA_ZIP64) {
            uint64_t *const fields[] = {&value->size, &value->stored, &value->offset};
            const uint8_t *place = extra + 4;
            size_t left = length;
            for (size_t i = 0; i < 3; i++) {
                if (*fields[i] != IN_ZIP64_32)
                    continue;
                if (left < 8)
                    return false;
                *fields[i] = vz_load_le64(place);
                place += 8, left -= 8;
            }
            return true;
        }
        extra += 4 + length, size -= 4 + length;
    }
    return true;
}

static bool is_safe_name(const char *name, size_t length)
{
    if (length == 0 || memchr(name, '\0', length))
        return false;
    for (const char *end = name + length; name <= end;) {
        const char *slash = memchr(name, '/', (size_t)(end - name));
        const size_t part = (size_t)((slash ? slash : end) - name);
        if (part == 0 && slash != NULL)
            return false; /* absolute, or an empty part; a slash at the end says that it is a directory */
        if ((part == 1 && name[0] == '.') || (part == 2 && name[0] == '.' && name[1] == '.'))
            return false;
        name += part + 1;
    }
    return true;
}

/* What the sizes and places of an entry must keep to, or it is a lie. */
static bool check_value(const vz_zip_value *value, size_t name_length, uint64_t end, vz_error *err)
{
    uint64_t after;
    if (!vz_add(value->offset, VZ_ZIP_LOCAL_SIZE + name_length, &after) || !vz_add(after, value->stored, &after) ||
        after > end)
        return vz_fail(err, VZ_CORRUPT, "the entry lies outside of the zip file");
    if (value->method == VZ_ZIP_STORED && !(value->flags & VZ_ZIP_FLAG_ENCRYPTED) && value->size != value->stored)
        return vz_fail(err, VZ_CORRUPT, "the sizes of a stored entry differ");
    if (value->method == VZ_ZIP_DEFLATED && value->size / VZ_ZIP_RATIO_MAX > value->stored)
        return vz_fail(err, VZ_CORRUPT, "the entry claims to be larger than its %llu bytes can become",
                       (unsigned long long)value->stored);
    return true;
}

/* ---- all entries ---- */

typedef struct extent {
    uint64_t first, after;
} extent;

typedef struct loader {
    vz_zip *zip;
    const uint8_t *next;
    size_t left;
    extent *extents;
    size_t count;
    char name[VZ_ZIP_NAME_MAX + 1];
} loader;

static void take_fields(const uint8_t *record, vz_zip_value *value)
{
    *value = (vz_zip_value){.place = VZ_ZIP_PACKED,
                            .flags = vz_zip_load16(record + 8),
                            .method = vz_zip_load16(record + 10),
                            .crc = vz_load_le32(record + 16),
                            .stored = vz_load_le32(record + 20),
                            .size = vz_load_le32(record + 24),
                            .offset = vz_load_le32(record + 42)};
}

/* Of entries with the same name the last one counts, as for everybody who appends to a zip file. */
static bool keep_entry(loader *l, vz_zip_value *value, size_t name_length, vz_error *err)
{
    if (!is_safe_name(l->name, name_length))
        return vz_fail(err, VZ_CORRUPT, "a name that is absolute or contains \".\" or \"..\"");
    if (!check_value(value, name_length, l->zip->end, err))
        return false;
    l->extents[l->count++] =
        (extent){.first = value->offset, .after = value->offset + VZ_ZIP_LOCAL_SIZE + name_length + value->stored};
    if (l->name[name_length - 1] == '/')
        return true;
    value->version = ++l->zip->versions;
    l->zip->encrypted |= (value->flags & VZ_ZIP_FLAG_ENCRYPTED) != 0;
    return vz_zip_tree_put(l->zip->tree, l->name, value, err);
}

static bool load_entry(loader *l, vz_error *err)
{
    const uint8_t *record = l->next;
    if (l->left < VZ_ZIP_CENTRAL_SIZE || vz_load_le32(record) != VZ_ZIP_CENTRAL_SIGNATURE)
        return vz_fail(err, VZ_CORRUPT, "the central directory is damaged");
    const size_t name = vz_zip_load16(record + 28), extra = vz_zip_load16(record + 30);
    const size_t length = VZ_ZIP_CENTRAL_SIZE + name + extra + vz_zip_load16(record + 32);
    if (l->left < length)
        return vz_fail(err, VZ_CORRUPT, "the central directory is damaged");
    vz_zip_value value;
    take_fields(record, &value);
    memcpy(l->name, record + VZ_ZIP_CENTRAL_SIZE, name);
    l->name[name] = '\0';
    l->next += length, l->left -= length;
    bool ok = take_zip64(record + VZ_ZIP_CENTRAL_SIZE + name, extra, &value) ||
              vz_fail(err, VZ_CORRUPT, "a damaged zip64 field");
    ok = ok && keep_entry(l, &value, name, err);
    if (!ok)
        vz_error_where(err, l->zip->base.path, l->name);
    return ok;
}

static int compare_extents(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static bool check_overlap(loader *l, vz_error *err)
{
    qsort(l->extents, l->count, sizeof *l->extents, compare_extents);
    for (size_t i = 1; i < l->count; i++)
        if (l->extents[i].first < l->extents[i - 1].after)
            return vz_fail(err, VZ_CORRUPT, "entries of the zip file overlap");
    return true;
}

static bool load_all(loader *l, uint64_t count, vz_error *err)
{
    /* So many entries fit into the directory, whatever it says. */
    if (count > l->left / VZ_ZIP_CENTRAL_SIZE)
        return vz_fail(err, VZ_CORRUPT, "the central directory is damaged");
    l->extents = malloc((count ? count : 1) * sizeof *l->extents);
    if (!l->extents)
        return vz_fail_memory(err);
    while (l->count < count)
        if (!load_entry(l, err))
            return false;
    return check_overlap(l, err);
}

bool vz_zip_load(vz_zip *zip, vz_error *err)
{
    directory central;
    if (!find_central(zip, &central, err))
        return false;
    uint8_t *records = malloc(central.size ? central.size : 1);
    loader *l = calloc(1, sizeof *l);
    bool ok = (records && l) || vz_fail_memory(err);
    if (ok) {
        zip->end = central.offset;
        l->zip = zip;
        l->next = records;
        l->left = (size_t)central.size;
        ok = vz_zip_read(zip, central.offset, records, l->left, err) && load_all(l, central.count, err);
        free(l->extents);
    }
    free(l);
    free(records);
    return ok;
}
