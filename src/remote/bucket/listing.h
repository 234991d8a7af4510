/* listing.h - keys listed by pages, for all tasks that list. */
#ifndef VZ_BUCKET_LISTING_H
#define VZ_BUCKET_LISTING_H

#include "remote/bucket/task.h"

#define VZ_LIST_PAGES_MAX ((uint64_t)1 << 17) /* of one listing: a page has a thousand keys */
#define VZ_LIST_FREE      1000                /* pages that may have any number of keys, none, too; */
#define VZ_LIST_KEYS_MIN  10                  /* beyond them, so many a page, taken together */
#define VZ_LIST_STILL_S   30                  /* seconds in which pages may bring nothing new */
#define VZ_LIST_BYTES_MAX ((size_t)512 << 20) /* that the members of a prefix take in memory */

/* How far a listing is. A server may repeat its tokens, or send pages without end. While a program waits for one its
 * signal handlers may not run (Python's do not), so it ends soon where no keys arrive. */
typedef struct vz_list_progress {
    uint64_t pages, keys;
    uint64_t compared; /* pages when `token` was kept */
    char *token;       /* of an earlier page: each later one is compared with it */
    char *last;        /* key of the last page that brought something new */
    int64_t since_s;   /* when that page came, of the monotonic clock */
} vz_list_progress;

/* After each page. False with err set: VZ_CORRUPT where a token comes again, VZ_LIMIT. */
bool vz_listing_goes_on(vz_list_progress *progress, const vz_list_page *page, vz_error *err);
void vz_list_progress_clear(vz_list_progress *progress);

/* The whole prefix of what lies below a key of the store, with a slash at its end and a 0 behind it ("" of a store that
 * is all of a bucket). */
bool vz_listing_prefix(const vz_site *site, const char *prefix, vz_buffer *out, vz_error *err);
/* Asks for a page of what begins with the whole prefix. `flat`: all keys below; else direct members. token: NULL for
 * the first one. most: keys; 0: as many as the server likes. */
bool vz_listing_ask(vz_remote_task *task, const char *whole_prefix, bool flat, const char *token, unsigned most,
                    vz_error *err);
/* The page that the last exchange of the task received, or that one. */
bool vz_listing_take(vz_remote_task *task, vz_list_page *page, vz_error *err);
bool vz_listing_read(const vz_exchange *x, vz_list_page *page, vz_error *err);

#endif
