/* central_directory.c - the central directory of a zip file: what is in it, and where. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <stdlib.h>

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
    vz_keytree_cursor cursor;
    extent *extents;
    size_t count;
    char *name; /* VZ_ZIP_NAME_MAX + 1 bytes */
} loader;

static bool compare_entry(const loader *l, const vz_keytree_value *value, size_t name_length, vz_error *err)
{
    uint8_t *local = malloc(VZ_ZIP_LOCAL_SIZE + name_length);
    if (!local)
        return vz_fail_memory(err);
    const bool ok = vz_zip_read(l->zip, value->offset, local, VZ_ZIP_LOCAL_SIZE + name_length, err) &&
                    (vz_zip_is_header_of(local, l->name, value->method, value->crc) ||
                     vz_fail(err, VZ_CORRUPT,
                             "the central directory is damaged: its checksum is wrong, and no entry of that name is "
                             "where it says"));
    free(local);
    return ok;
}

/* Of entries with the same name the last one counts, as for everybody who appends to a zip file. */
static bool keep_entry(loader *l, vz_zip_record *record, vz_error *err)
{
    vz_keytree_value *value = &record->value;
    if (!vz_add(value->offset, l->shift, &value->offset))
        return vz_fail(err, VZ_CORRUPT, "the entry lies outside of the zip file");
    if (!vz_zip_record_check(record, l->limit, err) ||
        (l->compares && !compare_entry(l, value, record->name_length, err)))
        return false;
    const uint64_t live = vz_zip_record_live(record);
    l->extents[l->count++] = (extent){.first = value->offset, .after = value->offset + live};
    l->zip->live += live;
    if (l->name[record->name_length - 1] == '/')
        return true;
    value->version = ++l->zip->versions;
    l->zip->encrypted |= (value->flags & VZ_ZIP_FLAG_ENCRYPTED) != 0;
    return vz_keytree_add(l->zip->tree, &l->cursor, l->name, value, err);
}

static bool load_entry(loader *l, vz_error *err)
{
    vz_zip_record record;
    if (!vz_zip_record_parse(l->next, l->left, &record))
        return vz_fail(err, VZ_CORRUPT, "the central directory is damaged");
    memcpy(l->name, record.name, record.name_length);
    l->name[record.name_length] = '\0';
    l->next += record.length, l->left -= record.length;
    if (keep_entry(l, &record, err))
        return true;
    /* programs decode what they are reported */
    vz_error_where(err, l->zip->base.path, vz_utf8_valid(l->name, strlen(l->name)) ? l->name : NULL);
    return false;
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
    l->name = malloc(VZ_ZIP_NAME_MAX + 1);
    if (!l->name)
        return vz_fail_memory(err);
    const bool ok = load_all(l, count, err) && (!is_whole || check_overlap(l, err));
    if (ok && is_whole)
        find_prefix(l);
    free(l->extents);
    free(l->name);
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
