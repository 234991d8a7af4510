/* look_pages.c - which of many members have a value of one name: a few records behind the last. */
#include "store/zip/directory_pages_internal.h"

#define STEPS 8 /* records that are compared before the key is searched for */

typedef struct looking {
    vz_zip_pages *pages;
    vz_byte_source *source;
    vz_zip_place place; /* of the key that was found last */
    bool has_place;
} looking;

/* Is it one of the next records of the page? */
static bool is_near(looking *l, const char *key, size_t length)
{
    const vz_zip_page *page = &l->pages->pages[l->place.page];
    if (!l->has_place || !page->bytes)
        return false;
    const uint32_t left = page->count - l->place.record, last = l->place.record + (left < STEPS ? left : STEPS);
    for (uint32_t i = l->place.record; i < last; i++) {
        const vz_zip_name name = vz_zip_name_at(page, i);
        if (name.length == length && memcmp(name.text, key, length) == 0) {
            l->place.record = i;
            return true;
        }
    }
    return false;
}

static bool look_for(looking *l, const char *key, size_t length, bool *is_there, vz_error *err)
{
    *is_there = is_near(l, key, length);
    if (*is_there)
        return true;
    if (!vz_zip_place_seek(l->pages, l->source, key, length, !memchr(key, '/', length), &l->place, err))
        return false;
    l->has_place = l->place.page < l->pages->count;
    *is_there = is_near(l, key, length);
    return true;
}

/* Appends "member/name". */
static bool append_key(vz_buffer *key, const char *member, const char *name, vz_error *err)
{
    return vz_buffer_append(key, member, strlen(member), err) && vz_buffer_append(key, "/", 1, err) &&
           vz_buffer_append(key, name, strlen(name), err);
}

bool vz_zip_pages_look(vz_zip_pages *pages, vz_byte_source *source, vz_buffer *key, const char *name,
                       vz_entry_probe *looks, size_t count, vz_error *err)
{
    looking l = {.pages = pages, .source = source};
    const size_t start = key->size;
    bool ok = true;
    vz_os_mutex_lock(&pages->lock);
    for (size_t i = 0; ok && i < count; i++) {
        key->size = start;
        ok = append_key(key, looks[i].name, name, err) &&
             look_for(&l, (const char *)key->data, key->size, &looks[i].is_there, err);
    }
    vz_os_mutex_unlock(&pages->lock);
    key->size = start;
    return ok;
}
