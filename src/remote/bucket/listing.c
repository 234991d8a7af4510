/* listing.c - does a listing go on, or round in a circle? See task_internal.h. */
#include "remote/bucket/task_internal.h"
#include "base/os/process.h"
#include <stdlib.h>

/* The token that is compared is kept anew after 1, 2, 4, 8 ... pages: so a circle of any length is
 * found. */
static bool compare(vz_listing_progress *progress, const char *token, vz_error *err)
{
    if (progress->token && strcmp(progress->token, token) == 0)
        return vz_fail(err, VZ_CORRUPT, "the server repeats a continuation token of its listing, which has no end so");
    if (progress->pages < 2 * progress->compared)
        return true;
    free(progress->token);
    progress->compared = progress->pages;
    return (progress->token = strdup(token)) || vz_fail_memory(err);
}

/* A page whose last key is that of the page before brings nothing new, as an empty page does. An
 * honest server sends some of either kind, where it passes over many keys that were deleted, or
 * that stand for one prefix. */
static bool note_news(vz_listing_progress *progress, const vz_list_page *page, vz_error *err)
{
    const char *last = page->count ? page->items[page->count - 1].key : NULL;
    const int64_t now_s = vz_os_now_ns() / 1000000000;
    const bool is_new = last && (!progress->last || strcmp(progress->last, last) != 0);
    if (!is_new && progress->pages > 1)
        return now_s - progress->since_s <= VZ_LIST_STILL_S ||
               vz_fail(err, VZ_LIMIT, "a listing that goes on and has brought nothing new for %d seconds",
                       VZ_LIST_STILL_S);
    progress->since_s = now_s;
    if (!is_new)
        return true;
    free(progress->last);
    return (progress->last = strdup(last)) || vz_fail_memory(err);
}

bool vz_listing_goes_on(vz_listing_progress *progress, const vz_list_page *page, vz_error *err)
{
    progress->pages++;
    progress->keys += page->count;
    if (!page->token)
        return true;
    const bool is_thin = progress->pages > VZ_LIST_FREE && progress->keys < VZ_LIST_KEYS_MIN * progress->pages;
    if (is_thin || progress->pages > VZ_LIST_PAGES_MAX)
        return vz_fail(err, VZ_LIMIT, "a listing that has no end after %llu pages with %llu keys",
                       (unsigned long long)progress->pages, (unsigned long long)progress->keys);
    return note_news(progress, page, err) && compare(progress, page->token, err);
}

void vz_listing_progress_clear(vz_listing_progress *progress)
{
    free(progress->token);
    free(progress->last);
    *progress = (vz_listing_progress){0};
}
