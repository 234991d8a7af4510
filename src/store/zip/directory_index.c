/* directory_index.c - the index of a sorted central directory. It is an extra field at the end of
 * the directory's last record, which other programs skip. */
#include "store/zip/pages_internal.h"
#include <libdeflate.h>
#include <stdlib.h>

#define HEADER_SIZE 4                       /* the number of pages */
#define FIELD_SIZE  4                       /* id and length of the extra field */
#define RECORD_MAX  65535                   /* bytes of a record with all its fields */
#define PAGES_MOST  (VZ_ZIP_INDEX_MAX / 64) /* in which pages grow with the directory */
#define EXTRA_AT    30                      /* where a record has the length of its extra fields */

/* Where fields of a page stand in the index; its first key follows. */
enum { AT_LENGTH = 0, AT_SIZE = 2, AT_COUNT = 6, AT_CRC = 10, AT_LIVE = 14, AT_CONTENT = 22, PAGE_FIELDS = 30 };

/* ---- order ---- */

int vz_zip_key_compare_bytes(const char *a, size_t a_length, const char *b, size_t b_length)
{
    const size_t length = a_length < b_length ? a_length : b_length;
    size_t i = 0;
    while (length - i >= sizeof(uint64_t) && memcmp(a + i, b + i, sizeof(uint64_t)) == 0)
        i += sizeof(uint64_t);
    while (i < length && a[i] == b[i])
        i++;
    if (i == length)
        return (a_length > b_length) - (a_length < b_length);
    const uint8_t x = a[i] == '/' ? 0 : (uint8_t)a[i], y = b[i] == '/' ? 0 : (uint8_t)b[i];
    return x < y ? -1 : 1;
}

static bool is_top(const char *key, size_t length)
{
    return !memchr(key, '/', length);
}

int vz_zip_key_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    const bool a_top = is_top(a, a_length), b_top = is_top(b, b_length);
    return a_top != b_top ? (a_top ? 1 : -1) : vz_zip_key_compare_bytes(a, a_length, b, b_length);
}

/* ---- printing ---- */

typedef struct plan {
    vz_zip_page *pages;
    size_t count, room;
    size_t index_size;
    size_t last; /* where the last record begins */
    size_t last_length;
} plan;

static bool begin_page(plan *p, uint64_t first, uint64_t ordinal, const vz_zip_record *record, vz_error *err)
{
    if (p->count == p->room) {
        const size_t room = p->room ? 2 * p->room : 64;
        vz_zip_page *pages = realloc(p->pages, room * sizeof *pages);
        if (!pages)
            return vz_fail_memory(err);
        p->pages = pages;
        p->room = room;
    }
    p->pages[p->count++] =
        (vz_zip_page){.first = first, .ordinal = ordinal, .key = record->name, .key_length = record->name_length};
    p->index_size += PAGE_FIELDS + record->name_length;
    return true;
}

/* A page ends where it has `most` bytes, and before the keys without slashes. */
static bool begins_page(const plan *p, const vz_zip_record *before, const vz_zip_record *record, size_t most)
{
    return p->count == 0 || p->pages[p->count - 1].size + record->length > most ||
           (is_top(record->name, record->name_length) && !is_top(before->name, before->name_length));
}

/* *is_sorted=false (and true returned): they are not. */
static bool divide(plan *p, const vz_buffer *records, uint64_t count, size_t most, bool *is_sorted, vz_error *err)
{
    vz_zip_record before = {0}, record;
    size_t at = 0;
    p->count = 0;
    p->index_size = HEADER_SIZE;
    *is_sorted = true;
    for (uint64_t i = 0; i < count; i++, before = record) {
        *is_sorted =
            vz_zip_record_parse(records->data + at, records->size - at, &record) &&
            (i == 0 || vz_zip_key_compare(before.name, before.name_length, record.name, record.name_length) < 0);
        if (!*is_sorted)
            return true;
        if (begins_page(p, &before, &record, most) && !begin_page(p, at, i, &record, err))
            return false;
        vz_zip_page *page = &p->pages[p->count - 1];
        page->size += (uint32_t)record.length;
        page->count++;
        page->live += vz_zip_record_live(&record);
        page->content += record.value.size;
        p->last = at;
        p->last_length = record.length;
        at += record.length;
    }
    return true;
}

static void print_pages(const plan *p, const uint8_t *records, uint8_t *next)
{
    vz_bytes_store_le32(next, (uint32_t)p->count);
    next += HEADER_SIZE;
    for (size_t i = 0; i < p->count; i++) {
        const vz_zip_page *page = &p->pages[i];
        const uint8_t *key = records + page->first + VZ_ZIP_CENTRAL_SIZE;
        vz_zip_store16(next + AT_LENGTH, (uint16_t)page->key_length);
        vz_bytes_store_le32(next + AT_SIZE, page->size);
        vz_bytes_store_le32(next + AT_COUNT, page->count);
        vz_bytes_store_le32(next + AT_CRC, libdeflate_crc32(0, records + page->first, page->size));
        vz_bytes_store_le64(next + AT_LIVE, page->live);
        vz_bytes_store_le64(next + AT_CONTENT, page->content);
        memcpy(next + PAGE_FIELDS, key, page->key_length);
        next += PAGE_FIELDS + page->key_length;
    }
}

/* The last page ends with id and length of the field. */
static bool append_field(plan *p, vz_buffer *records, vz_zip_end *end, vz_error *err)
{
    const size_t before = records->size;
    if (!vz_buffer_reserve(records, before + FIELD_SIZE + p->index_size, err))
        return false;
    uint8_t *field = records->data + before, *extra = records->data + p->last + EXTRA_AT;
    vz_zip_store16(field, VZ_ZIP_EXTRA_INDEX);
    vz_zip_store16(field + 2, (uint16_t)p->index_size);
    vz_zip_store16(extra, (uint16_t)(vz_zip_load16(extra) + FIELD_SIZE + p->index_size));
    p->pages[p->count - 1].size += FIELD_SIZE;
    print_pages(p, records->data, field + FIELD_SIZE);
    records->size = before + FIELD_SIZE + p->index_size;
    end->index_size = (uint32_t)p->index_size;
    end->index_crc = libdeflate_crc32(0, field + FIELD_SIZE, p->index_size);
    return true;
}

static bool fits(const plan *p)
{
    return p->index_size <= VZ_ZIP_INDEX_MAX && p->last_length + FIELD_SIZE + p->index_size <= RECORD_MAX;
}

bool vz_zip_index_print(vz_buffer *records, vz_zip_end *end, vz_error *err)
{
    plan p = {0};
    bool is_sorted = end->count > 0, ok = true;
    size_t most = records->size / PAGES_MOST > VZ_ZIP_PAGE_SIZE ? records->size / PAGES_MOST : VZ_ZIP_PAGE_SIZE;
    end->index_size = end->index_crc = 0;
    while (ok && is_sorted && most <= UINT32_MAX / 4) {
        ok = divide(&p, records, end->count, most, &is_sorted, err);
        if (ok && is_sorted && fits(&p)) {
            ok = append_field(&p, records, end, err);
            break;
        }
        is_sorted &= p.count > 2;
        most *= 2;
    }
    free(p.pages);
    return ok;
}

/* ---- parsing ---- */

static bool fail_damaged(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "the index of the central directory is damaged");
}

static bool parse_page(const uint8_t **next, const uint8_t *after, vz_zip_page *page)
{
    const uint8_t *at = *next;
    const size_t left = (size_t)(after - at);
    if (left < PAGE_FIELDS || vz_zip_load16(at + AT_LENGTH) > left - PAGE_FIELDS)
        return false;
    *page = (vz_zip_page){.key_length = vz_zip_load16(at + AT_LENGTH),
                          .size = vz_bytes_load_le32(at + AT_SIZE),
                          .count = vz_bytes_load_le32(at + AT_COUNT),
                          .crc = vz_bytes_load_le32(at + AT_CRC),
                          .live = vz_bytes_load_le64(at + AT_LIVE),
                          .content = vz_bytes_load_le64(at + AT_CONTENT),
                          .key = (const char *)at + PAGE_FIELDS};
    *next = at + PAGE_FIELDS + page->key_length;
    return page->count > 0 && page->key_length > 0 && page->size / VZ_ZIP_CENTRAL_SIZE >= page->count;
}

/* Pages follow each other, their keys rise, and they make up the directory. Entries that do not
 * overlap take no more than what stands before it. */
static bool parse_pages(vz_zip_page *pages, size_t count, const uint8_t *index, const vz_zip_end *end)
{
    const uint8_t *next = index + HEADER_SIZE, *after = index + end->index_size;
    uint64_t first = 0, ordinal = 0, live = 0, content = 0;
    for (size_t i = 0; i < count; i++) {
        vz_zip_page *page = &pages[i], *before = page - 1;
        if (!parse_page(&next, after, page) ||
            (i > 0 && vz_zip_key_compare(before->key, before->key_length, page->key, page->key_length) >= 0) ||
            !vz_add(live, page->live, &live) || !vz_add(content, page->content, &content))
            return false;
        page->first = first;
        page->ordinal = ordinal;
        first += page->size;
        ordinal += page->count;
    }
    return next == after && first == end->size - end->index_size && ordinal == end->count && live <= end->directory;
}

vz_zip_page *vz_zip_index_parse(const uint8_t *index, const vz_zip_end *end, size_t *count, vz_error *err)
{
    const bool has_header = end->index_size >= HEADER_SIZE && end->index_size <= end->size;
    *count = has_header ? vz_bytes_load_le32(index) : 0;
    if (*count > end->index_size / PAGE_FIELDS)
        *count = 0;
    vz_zip_page *pages = *count ? calloc(*count, sizeof *pages) : NULL;
    if (*count && !pages)
        vz_fail_memory(err);
    else if (*count == 0 || !parse_pages(pages, *count, index, end))
        fail_damaged(err);
    else
        return pages;
    free(pages);
    *count = 0;
    return NULL;
}
