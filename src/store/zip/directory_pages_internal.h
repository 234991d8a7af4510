/* directory_pages_internal.h - places in the pages of a directory, for who goes from one record to
 * the next. For directory_pages.c and list_pages.c only. */
#ifndef VZ_ZIP_DIRECTORY_PAGES_INTERNAL_H
#define VZ_ZIP_DIRECTORY_PAGES_INTERNAL_H

#include "store/zip/pages_internal.h"
#include "base/os/thread.h"
#include "base/util/hash.h"

struct vz_zip_pages {
    vz_os_mutex lock; /* all below, but for what is known from the open on */
    vz_zip_slot slot;
    uint64_t versions, live, content;
    vz_zip_page *pages;
    size_t count;
    uint8_t *tail; /* the end of the directory, the index among it */
    uint64_t tail_first;
    size_t tail_size;
    size_t kept;      /* bytes of pages that were read */
    uint64_t now;     /* uses of pages */
    vz_strmap *leads; /* key -> length of its entry's local header; NULL: none is known */
};

/* A record; page == the number of pages: behind the last one. */
typedef struct vz_zip_place {
    size_t page;
    uint32_t record;
} vz_zip_place;

/* The first record of which the key is not before `text`: among keys without slashes (is_top), or
 * among those with some. The page of the place is read. */
bool vz_zip_place_seek(vz_zip_pages *pages, vz_byte_source *source, const char *text, size_t length, bool is_top,
                       vz_zip_place *place, vz_error *err);
/* A place behind the last record of its page becomes the first of the next one, which is read. */
bool vz_zip_place_settle(vz_zip_pages *pages, vz_byte_source *source, vz_zip_place *place, vz_error *err);

/* The key of a record of a page that was read and checked; not ended by a NUL. */
typedef struct vz_zip_name {
    const char *text;
    size_t length;
} vz_zip_name;

static inline vz_zip_name vz_zip_name_at(const vz_zip_page *page, uint32_t record)
{
    const uint8_t *bytes = page->bytes + page->places[record];
    return (vz_zip_name){(const char *)bytes + VZ_ZIP_CENTRAL_SIZE, vz_zip_load16(bytes + VZ_ZIP_CENTRAL_NAME)};
}

static inline vz_zip_name vz_zip_place_name(const vz_zip_pages *pages, const vz_zip_place *place)
{
    return vz_zip_name_at(&pages->pages[place->page], place->record);
}

#endif
