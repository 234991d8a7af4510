/* central_directory.c - the central directory of a zip file: what is in it, and where. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <stdlib.h>

/* ---- one entry ---- */

/* Sizes and offset that do not fit into 32 bits stand in the extra field, in this order (APPNOTE
 * 4.5.3). */
static bool take_zip64(const uint8_t *extra, size_t size, vz_zip_value *value)
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

/* Checks the sizes and places of an entry, which may be false. */
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
    bool compares; /* each entry with its local header: the directory's checksum does not hold */
    const uint8_t *next;
    size_t left;
    uint64_t shift, limit;
    vz_zip_cursor cursor;
    extent *extents;
    size_t count;
    char name[VZ_ZIP_NAME_MAX + 1];
} loader;

static void take_fields(const uint8_t *record, vz_zip_value *value)
{
    *value = (vz_zip_value){.place = VZ_ZIP_PACKED,
                            .flags = vz_zip_load16(record + 8),
                            .method = vz_zip_load16(record + 10),
                            .crc = vz_bytes_load_le32(record + 16),
                            .stored = vz_bytes_load_le32(record + 20),
                            .size = vz_bytes_load_le32(record + 24),
                            .offset = vz_bytes_load_le32(record + 42)};
}

/* Does the local header tell the same? Sizes and checksum may stand behind the data. */
static bool is_confirmed(const loader *l, const uint8_t *local, const vz_zip_value *value, size_t name_length)
{
    const uint16_t flags = vz_zip_load16(local + 6);
    return vz_bytes_load_le32(local) == VZ_ZIP_LOCAL_SIGNATURE && vz_zip_load16(local + 26) == name_length &&
           vz_zip_load16(local + 8) == value->method && memcmp(local + VZ_ZIP_LOCAL_SIZE, l->name, name_length) == 0 &&
           ((flags & VZ_ZIP_FLAG_DESCRIPTOR) || vz_bytes_load_le32(local + 14) == value->crc);
}

static bool compare_entry(const loader *l, const vz_zip_value *value, size_t name_length, vz_error *err)
{
    uint8_t *local = malloc(VZ_ZIP_LOCAL_SIZE + name_length);
    if (!local)
        return vz_fail_memory(err);
    const bool ok = vz_zip_read(l->zip, value->offset, local, VZ_ZIP_LOCAL_SIZE + name_length, err) &&
                    (is_confirmed(l, local, value, name_length) ||
                     vz_fail(err, VZ_CORRUPT,
                             "the central directory is damaged: its checksum is wrong, and no entry of that name is "
                             "where it says"));
    free(local);
    return ok;
}

/* Of entries with the same name the last one counts, as for everybody who appends to a zip file. */
static bool keep_entry(loader *l, vz_zip_value *value, size_t name_length, vz_error *err)
{
    if (!is_safe_name(l->name, name_length))
        return vz_fail(err, VZ_CORRUPT, "a name that is absolute or contains \".\" or \"..\"");
    if (!vz_add(value->offset, l->shift, &value->offset))
        return vz_fail(err, VZ_CORRUPT, "the entry lies outside of the zip file");
    if (!check_value(value, name_length, l->limit, err) || (l->compares && !compare_entry(l, value, name_length, err)))
        return false;
    l->extents[l->count++] =
        (extent){.first = value->offset, .after = value->offset + VZ_ZIP_LOCAL_SIZE + name_length + value->stored};
    l->zip->live += VZ_ZIP_LOCAL_SIZE + name_length + value->stored;
    if (l->name[name_length - 1] == '/')
        return true;
    value->version = ++l->zip->versions;
    l->zip->encrypted |= (value->flags & VZ_ZIP_FLAG_ENCRYPTED) != 0;
    return vz_zip_tree_add(l->zip->tree, &l->cursor, l->name, value, err);
}

static bool load_entry(loader *l, vz_error *err)
{
    const uint8_t *record = l->next;
    if (l->left < VZ_ZIP_CENTRAL_SIZE || vz_bytes_load_le32(record) != VZ_ZIP_CENTRAL_SIGNATURE)
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
    if (!ok) /* programs decode what they are reported */
        vz_error_where(err, l->zip->base.path, vz_utf8_valid(l->name, strlen(l->name)) ? l->name : NULL);
    return ok;
}

static int compare_extents(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static bool is_sorted(const loader *l)
{
    for (size_t i = 1; i < l->count; i++)
        if (l->extents[i].first < l->extents[i - 1].first)
            return false;
    return true;
}

static bool check_overlap(loader *l, vz_error *err)
{
    if (!is_sorted(l))
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
    return l->left < VZ_ZIP_CENTRAL_SIZE || vz_bytes_load_le32(l->next) != VZ_ZIP_CENTRAL_SIGNATURE ||
           vz_fail(err, VZ_CORRUPT, "the central directory has more entries than its end record says");
}

/* Bytes before the first entry belong to another program. */
static void find_prefix(loader *l)
{
    uint8_t start[2] = {0};
    vz_zip *zip = l->zip;
    zip->prefix = l->shift;
    if (l->shift || l->count == 0 || vz_zip_is_one_file(zip) ||
        (vz_zip_read(zip, 0, start, sizeof start, NULL) && memcmp(start, "PK", 2) == 0))
        return;
    zip->prefix = l->extents[0].first; /* they are sorted, or were */
}

static bool load(loader *l, vz_bytes records, uint64_t count, bool is_whole, vz_error *err)
{
    l->next = records.data;
    l->left = records.size;
    const bool ok = load_all(l, count, err) && (!is_whole || check_overlap(l, err));
    if (ok && is_whole)
        find_prefix(l);
    free(l->extents);
    return ok;
}

bool vz_zip_take_records(vz_zip *zip, vz_bytes records, uint64_t count, uint64_t limit, vz_error *err)
{
    loader *l = calloc(1, sizeof *l);
    if (!l)
        return vz_fail_memory(err);
    l->zip = zip;
    l->limit = limit;
    const bool ok = load(l, records, count, false, err);
    free(l);
    return ok;
}

bool vz_zip_take_directory(vz_zip *zip, const vz_zip_end *end, const vz_buffer *records, uint64_t limit, vz_error *err)
{
    loader *l = calloc(1, sizeof *l);
    if (!l)
        return vz_fail_memory(err);
    l->zip = zip;
    l->compares = end->is_doubtful && (zip->file >= 0 || zip->source->in_memory);
    l->shift = end->shift;
    l->limit = limit;
    zip->live = end->size;
    const bool ok = load(l, (vz_bytes){.data = records->data, .size = records->size}, end->count, true, err);
    free(l);
    return ok;
}
