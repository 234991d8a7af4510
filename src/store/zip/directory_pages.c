/* directory_pages.c - the pages of a sorted central directory. Its index is read at the open, and a
 * page when somebody looks for a key in it. Where many were read the oldest are dropped. */
#include "store/zip/pages_internal.h"
#include "base/os/thread.h"
#include "base/util/hash.h"
#include "store/zip/directory_pages_internal.h"
#include <libdeflate.h>
#include <stdlib.h>

#define PAGES_KEPT ((size_t)32 << 20) /* bytes of pages that are kept, but for the one in use */
#define LEADS_KEPT ((size_t)1 << 16)  /* lengths of local headers that are remembered */
#define TAIL_READ  (32 << 10)         /* bytes of the directory that are read with the end record */

/* ---- opening ---- */

/* The end record that the slot's directory has; nothing else is behind the directory. */
static bool is_end_record(const vz_zip_slot *slot, const uint8_t *bytes, size_t size)
{
    vz_buffer expected = {0};
    vz_zip_end end = slot->end;
    const bool same = vz_zip_print_end(&expected, &end, NULL) && end.after == slot->end.after &&
                      expected.size == size && memcmp(expected.data, bytes, size) == 0;
    vz_buffer_clear(&expected);
    return same;
}

/* The newer slot, if the file was closed, nobody has changed it since, and it has an index. */
static bool read_slot(vz_byte_source *source, uint64_t base, uint64_t size, vz_zip_slot *slot)
{
    vz_zip_slot slots[VZ_SIGNATURE_SLOTS];
    unsigned count = 0;
    if (size < vz_signature_end(base) || !vz_zip_slot_read(source, base, slots, &count, NULL) || count == 0)
        return false;
    const vz_zip_end *end = &slots[0].end;
    *slot = slots[0];
    return !slot->is_damaged && !slot->is_open && slot->deltas == 0 && end->shift == 0 && end->after == size &&
           end->index_size > 0 && end->index_size <= VZ_ZIP_INDEX_MAX && end->index_size < end->size &&
           end->directory >= vz_signature_end(base) && size - end->directory - end->size <= VZ_ZIP_END_MOST;
}

/* The end of the directory and what is behind it: the index, the end record, and often pages. */
static bool read_tail(vz_zip_pages *p, vz_byte_source *source)
{
    const vz_zip_end *end = &p->slot.end;
    const uint64_t known = (uint64_t)end->index_size + TAIL_READ < end->size ? end->index_size + TAIL_READ : end->size;
    p->tail_first = end->size - known;
    p->tail_size = (size_t)(end->after - end->directory - p->tail_first);
    p->tail = malloc(p->tail_size);
    if (!p->tail || !vz_byte_source_read(source, end->directory + p->tail_first, p->tail, p->tail_size, NULL))
        return false;
    p->tail_size = (size_t)known;
    const uint8_t *index = p->tail + known - end->index_size;
    return is_end_record(&p->slot, p->tail + known, (size_t)(end->after - end->directory - end->size)) &&
           libdeflate_crc32(0, index, end->index_size) == end->index_crc &&
           (p->pages = vz_zip_index_parse(index, end, &p->count, NULL));
}

vz_zip_pages *vz_zip_pages_open(vz_byte_source *source, uint64_t base, uint64_t size, uint64_t versions)
{
    vz_zip_slot slot;
    vz_zip_pages *p = read_slot(source, base, size, &slot) ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->slot = slot;
    p->versions = versions;
    vz_os_mutex_init(&p->lock);
    if (!read_tail(p, source)) {
        vz_zip_pages_free(p);
        return NULL;
    }
    for (size_t i = 0; i < p->count; i++) {
        p->live += p->pages[i].live;
        p->content += p->pages[i].content;
    }
    return p;
}

static void drop_page(vz_zip_pages *p, vz_zip_page *page)
{
    if (page->bytes)
        p->kept -= page->size;
    free(page->bytes);
    free(page->places);
    page->bytes = NULL;
    page->places = NULL;
}

void vz_zip_pages_free(vz_zip_pages *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        drop_page(p, &p->pages[i]);
    vz_strmap_free(p->leads, NULL);
    vz_os_mutex_destroy(&p->lock);
    free(p->pages);
    free(p->tail);
    free(p);
}

/* ---- a page ---- */

static bool fail_damaged(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "the central directory is damaged, or its index is");
}

static bool is_top_key(const vz_zip_record *record)
{
    return !memchr(record->name, '/', record->name_length);
}

/* The keys begin with the page's, and rise. */
static bool is_in_order(const vz_zip_page *page, const vz_zip_record *before, bool before_top,
                        const vz_zip_record *record, bool top)
{
    if (!before)
        return record->name_length == page->key_length && memcmp(record->name, page->key, page->key_length) == 0;
    return before_top == top
               ? vz_zip_key_compare_bytes(before->name, before->name_length, record->name, record->name_length) < 0
               : top;
}

/* Those of the next page follow. */
static bool is_before_next(const vz_zip_pages *p, const vz_zip_page *page, const vz_zip_record *last)
{
    const vz_zip_page *next = page + 1;
    return next == p->pages + p->count ||
           vz_zip_key_compare(last->name, last->name_length, next->key, next->key_length) < 0;
}

/* Values of other programs may be unpacked, but directories and encrypted entries are none of
 * ours. */
static bool is_plain(const vz_zip_record *record)
{
    return record->name[record->name_length - 1] != '/' && !(record->value.flags & VZ_ZIP_FLAG_ENCRYPTED);
}

/* `left`: bytes of the page, and of the index in its last record. */
static bool check_page(const vz_zip_pages *p, const vz_zip_page *page, const uint8_t *bytes, size_t left,
                       uint32_t *places, vz_error *err)
{
    vz_zip_record before, record = {0};
    bool before_top, top = false;
    uint64_t live = 0, content = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < page->count; i++) {
        before = record;
        before_top = top;
        if (!vz_zip_record_parse(bytes + at, left - at, &record) ||
            !vz_zip_record_check(&record, p->slot.end.directory, NULL) || !is_plain(&record))
            return fail_damaged(err);
        top = is_top_key(&record);
        if (!is_in_order(page, i ? &before : NULL, before_top, &record, top))
            return fail_damaged(err);
        live += vz_zip_record_live(&record);
        content += record.value.size;
        places[i] = (uint32_t)at;
        at += record.length;
    }
    return (at == left && live == page->live && content == page->content && is_before_next(p, page, &record)) ||
           fail_damaged(err);
}

static void make_room(vz_zip_pages *p, const vz_zip_page *keep)
{
    while (p->kept > PAGES_KEPT) {
        vz_zip_page *oldest = NULL;
        for (size_t i = 0; i < p->count; i++)
            if (p->pages[i].bytes && &p->pages[i] != keep && (!oldest || p->pages[i].used < oldest->used))
                oldest = &p->pages[i];
        if (!oldest)
            return;
        drop_page(p, oldest);
    }
}

/* The end of the directory was read at the open. */
static bool read_part(const vz_zip_pages *p, vz_byte_source *source, uint64_t first, uint8_t *bytes, size_t size,
                      vz_error *err)
{
    if (first < p->tail_first)
        return vz_byte_source_read(source, p->slot.end.directory + first, bytes, size, err);
    memcpy(bytes, p->tail + (first - p->tail_first), size);
    return true;
}

static bool load_page(vz_zip_pages *p, vz_byte_source *source, vz_zip_page *page, vz_error *err)
{
    page->used = ++p->now;
    if (page->bytes)
        return true;
    const bool is_last = page == p->pages + p->count - 1;
    const size_t size = page->size + (is_last ? (size_t)p->slot.end.index_size : 0);
    uint8_t *bytes = malloc(size);
    uint32_t *places = malloc(page->count * sizeof *places);
    bool ok = (bytes && places) || vz_fail_memory(err);
    ok = ok && read_part(p, source, page->first, bytes, size, err) &&
         (libdeflate_crc32(0, bytes, page->size) == page->crc || fail_damaged(err)) &&
         check_page(p, page, bytes, size, places, err);
    if (!ok) {
        free(bytes);
        free(places);
        return false;
    }
    page->bytes = bytes;
    page->places = places;
    p->kept += page->size;
    make_room(p, page);
    return true;
}

/* ---- seeking ---- */

/* A key, or a place between keys, that is compared with keys. */
typedef struct bound {
    const char *text;
    size_t length;
    bool is_top; /* among the keys without slashes, which come last */
} bound;

static int compare(const char *key, size_t length, const bound *b)
{
    const bool is_top = !memchr(key, '/', length);
    return is_top != b->is_top ? (is_top ? 1 : -1) : vz_zip_key_compare_bytes(key, length, b->text, b->length);
}

static vz_zip_record record_at(const vz_zip_page *page, uint32_t i)
{
    vz_zip_record record = {0};
    const uint8_t *bytes = page->bytes + page->places[i];
    vz_zip_record_parse(bytes, SIZE_MAX, &record); /* it was parsed when the page was read */
    return record;
}

/* The first key of a page from `low` on that is not before the bound; page->count: none. */
static uint32_t seek_in(const vz_zip_page *page, uint32_t low, const bound *b)
{
    uint32_t high = page->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const vz_zip_name name = vz_zip_name_at(page, middle);
        if (compare(name.text, name.length, b) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of pages of which the first key is not behind the bound. */
static size_t pages_before(const vz_zip_pages *p, const bound *b)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(p->pages[middle].key, p->pages[middle].key_length, b) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool vz_zip_place_seek(vz_zip_pages *p, vz_byte_source *source, const char *text, size_t length, bool is_top,
                       vz_zip_place *place, vz_error *err)
{
    const bound b = {text, length, is_top};
    const size_t before = pages_before(p, &b);
    *place = (vz_zip_place){.page = before ? before - 1 : 0};
    if (!load_page(p, source, &p->pages[place->page], err))
        return false;
    place->record = seek_in(&p->pages[place->page], 0, &b);
    return vz_zip_place_settle(p, source, place, err);
}

bool vz_zip_place_settle(vz_zip_pages *p, vz_byte_source *source, vz_zip_place *place, vz_error *err)
{
    if (place->page < p->count && place->record == p->pages[place->page].count)
        *place = (vz_zip_place){.page = place->page + 1};
    return place->page == p->count || load_page(p, source, &p->pages[place->page], err);
}

/* ---- finding ---- */

static bool find(vz_zip_pages *p, vz_byte_source *source, const char *key, vz_keytree_value *value, bool *found,
                 vz_error *err)
{
    const bound b = {key, strlen(key), !strchr(key, '/')};
    const size_t before = pages_before(p, &b);
    *found = false;
    if (before == 0)
        return true;
    vz_zip_page *page = &p->pages[before - 1];
    if (!load_page(p, source, page, err))
        return false;
    const uint32_t i = seek_in(page, 0, &b);
    const vz_zip_record record = i < page->count ? record_at(page, i) : (vz_zip_record){0};
    *found = record.name_length == b.length && memcmp(record.name, key, b.length) == 0;
    if (*found) {
        const uintptr_t lead = p->leads ? (uintptr_t)vz_strmap_get(p->leads, key) : 0;
        *value = record.value;
        value->version = p->versions + page->ordinal + i + 1;
        value->lead = (uint32_t)lead;
        value->is_unproven = true;
    }
    return true;
}

bool vz_zip_pages_find(vz_zip_pages *p, vz_byte_source *source, const char *key, vz_keytree_value *value, bool *found,
                       vz_error *err)
{
    vz_os_mutex_lock(&p->lock);
    const bool ok = find(p, source, key, value, found, err);
    vz_os_mutex_unlock(&p->lock);
    return ok;
}

void vz_zip_pages_remember(vz_zip_pages *p, const char *key, uint32_t lead)
{
    vz_os_mutex_lock(&p->lock);
    if (p->leads && vz_strmap_count(p->leads) >= LEADS_KEPT) {
        vz_strmap_free(p->leads, NULL);
        p->leads = NULL;
    }
    if (!p->leads)
        p->leads = vz_strmap_new();
    if (p->leads && lead) /* without memory for it the header is looked at again */
        vz_strmap_put(p->leads, key, (void *)(uintptr_t)lead, NULL);
    vz_os_mutex_unlock(&p->lock);
}

/* ---- all of it ---- */

bool vz_zip_pages_check(vz_zip_pages *p, vz_byte_source *source, vz_error *err)
{
    bool ok = true;
    vz_os_mutex_lock(&p->lock);
    for (size_t i = 0; ok && i < p->count; i++)
        ok = load_page(p, source, &p->pages[i], err);
    vz_os_mutex_unlock(&p->lock);
    return ok;
}

const vz_zip_slot *vz_zip_pages_slot(const vz_zip_pages *p)
{
    return &p->slot;
}

uint64_t vz_zip_pages_live(const vz_zip_pages *p)
{
    return p->live;
}

uint64_t vz_zip_pages_content(const vz_zip_pages *p)
{
    return p->content;
}

uint64_t vz_zip_pages_versions(const vz_zip_pages *p)
{
    return p->versions;
}
