/* list_pages.c - the members of a prefix, from the pages of a sorted directory. Of what is below a
 * member only the beginning is looked at. */
#include "store/zip/directory_pages_internal.h"
#include <stdlib.h>

#define STEPS 8 /* records that are passed over one by one before the next member is looked for */

typedef struct listing {
    vz_zip_pages *pages;
    vz_byte_source *source;
    vz_buffer prefix; /* ends with a slash, or is empty; behind it stands a member */
    size_t length;    /* of the prefix */
    vz_entry *entries;
    size_t count, room;
    size_t below; /* of the root: so many of them have something below */
} listing;

static bool add(listing *l, const char *name, size_t length, bool is_prefix, vz_error *err)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 16;
        vz_entry *entries = realloc(l->entries, room * sizeof *entries);
        if (!entries)
            return vz_fail_memory(err);
        l->entries = entries;
        l->room = room;
    }
    vz_entry *entry = &l->entries[l->count];
    *entry = (vz_entry){.name = strndup(name, length), .is_prefix = is_prefix};
    if (!entry->name)
        return vz_fail_memory(err);
    if (vz_partial_is_name(entry->name))
        free(entry->name);
    else
        l->count++;
    return true;
}

static bool is_below(const vz_zip_name *name, const char *prefix, size_t length)
{
    return name->length > length && memcmp(name->text, prefix, length) == 0;
}

/* Passes over a few records of one page. *passed: another one follows in it. */
static void pass_few(const listing *l, vz_zip_place *place, bool *passed)
{
    const vz_zip_page *page = &l->pages->pages[place->page];
    const uint32_t last = page->count - place->record > STEPS ? place->record + STEPS : page->count;
    *passed = false;
    while (!*passed && ++place->record < last) {
        const vz_zip_name name = vz_zip_name_at(page, place->record);
        *passed = !is_below(&name, (const char *)l->prefix.data, l->prefix.size);
    }
}

/* To the first record that is not below the member, whose prefix with its slash is l->prefix. */
static bool pass_member(listing *l, vz_zip_place *place, vz_error *err)
{
    bool passed;
    pass_few(l, place, &passed);
    if (passed)
        return true;
    l->prefix.data[l->prefix.size - 1] = 1; /* the byte behind the slash, in this order */
    return vz_zip_place_seek(l->pages, l->source, (const char *)l->prefix.data, l->prefix.size, false, place, err);
}

/* A member with something below it; one of the same name that was a value only is that one. */
static bool take_prefix(listing *l, const char *name, size_t length, vz_zip_place *place, vz_error *err)
{
    vz_entry *last = l->count ? &l->entries[l->count - 1] : NULL;
    if (last && strlen(last->name) == length && memcmp(last->name, name, length) == 0)
        last->is_prefix = true;
    else if (!add(l, name, length, true, err))
        return false;
    l->prefix.size = l->length;
    return vz_buffer_append(&l->prefix, name, length, err) && vz_buffer_append(&l->prefix, "/", 1, err) &&
           pass_member(l, place, err);
}

static bool list_below(listing *l, vz_error *err)
{
    vz_zip_place place;
    if (!vz_zip_place_seek(l->pages, l->source, (const char *)l->prefix.data, l->length, false, &place, err))
        return false;
    while (place.page < l->pages->count) {
        const vz_zip_name key = vz_zip_place_name(l->pages, &place);
        if (!is_below(&key, (const char *)l->prefix.data, l->length))
            return true;
        const char *name = key.text + l->length;
        const size_t left = key.length - l->length;
        const char *slash = memchr(name, '/', left);
        if (!slash && l->length == 0)
            return true; /* the keys without slashes begin */
        if (slash) {
            if (!take_prefix(l, name, (size_t)(slash - name), &place, err))
                return false;
            continue;
        }
        if (!add(l, name, left, false, err))
            return false;
        place.record++;
        if (!vz_zip_place_settle(l->pages, l->source, &place, err))
            return false;
    }
    return true;
}

static int compare_name(const void *key, const void *entry)
{
    return strcmp(key, ((const vz_entry *)entry)->name);
}

/* A value at the top may have the name of a member that has something below. */
static bool is_listed(const listing *l, const char *name, size_t length)
{
    char *copy = l->below ? strndup(name, length) : NULL;
    const bool listed = copy && bsearch(copy, l->entries, l->below, sizeof *l->entries, compare_name);
    free(copy);
    return listed;
}

static bool list_top(listing *l, vz_error *err)
{
    vz_zip_place place;
    l->below = l->count;
    if (!vz_zip_place_seek(l->pages, l->source, "", 0, true, &place, err))
        return false;
    while (place.page < l->pages->count) {
        const vz_zip_name key = vz_zip_place_name(l->pages, &place);
        if (!is_listed(l, key.text, key.length) && !add(l, key.text, key.length, false, err))
            return false;
        place.record++;
        if (!vz_zip_place_settle(l->pages, l->source, &place, err))
            return false;
    }
    return true;
}

bool vz_zip_pages_list(vz_zip_pages *pages, vz_byte_source *source, const char *prefix, vz_entry **entries,
                       size_t *count, vz_error *err)
{
    listing l = {.pages = pages, .source = source};
    const size_t length = strlen(prefix);
    bool ok = vz_buffer_reserve(&l.prefix, length + 1, err) && vz_buffer_append(&l.prefix, prefix, length, err) &&
              (length == 0 || vz_buffer_append(&l.prefix, "/", 1, err));
    l.length = l.prefix.size;
    vz_os_mutex_lock(&pages->lock);
    ok = ok && list_below(&l, err) && (length > 0 || list_top(&l, err));
    vz_os_mutex_unlock(&pages->lock);
    vz_buffer_clear(&l.prefix);
    if (!ok) {
        vz_entries_free(l.entries, l.count);
        l = (listing){.count = 0};
    }
    *entries = l.entries;
    *count = l.count;
    return ok;
}
