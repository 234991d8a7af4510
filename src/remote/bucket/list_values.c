/* list_values.c - see bucket.h: all values of a store, page by page. */
#include "remote/bucket/tree_internal.h"
#include "store/store/store.h"
#include <stdlib.h>

struct vz_bucket_walk {
    vz_bucket *remote;
    vz_buffer prefix; /* whole, with the slash at its end */
    vz_list_page page;
    vz_listing_progress progress;
    size_t at;     /* in the page */
    char *last;    /* key of the value before; NULL: none */
    bool is_begun; /* the first page was asked for */
};

bool vz_bucket_walks(const vz_store *store)
{
    return store->class->batches == &vz_bucket_batches && (store->capabilities & VZ_STORE_LIST);
}

vz_bucket_walk *vz_bucket_walk_open(vz_store *store, vz_error *err)
{
    vz_bucket_walk *walk = calloc(1, sizeof *walk);
    if (!walk) {
        vz_fail_memory(err);
        return NULL;
    }
    walk->remote = vz_bucket_of(store);
    if (vz_listing_prefix(walk->remote->site, "", &walk->prefix, err))
        return walk;
    vz_bucket_walk_close(walk);
    return NULL;
}

void vz_bucket_walk_close(vz_bucket_walk *walk)
{
    if (!walk)
        return;
    vz_buffer_clear(&walk->prefix);
    vz_list_page_clear(&walk->page);
    vz_listing_progress_clear(&walk->progress);
    free(walk->last);
    free(walk);
}

/* ---- pages ---- */

static bool ask_once(vz_bucket_walk *walk, vz_list_page *page, vz_error *err)
{
    vz_task task = {.remote = walk->remote};
    const bool ok = vz_listing_ask(&task, (const char *)walk->prefix.data, true, walk->page.token, 0, err) &&
                    vz_exchange_do(task.exchanges[0], err) && vz_listing_take(&task, page, err);
    vz_task_clear(&task);
    return ok;
}

static bool next_page(vz_bucket_walk *walk, vz_error *err)
{
    vz_error failed;
    vz_list_page page = {0};
    unsigned attempt = 0;
    bool ok;
    do {
        failed = VZ_ERROR_NONE;
        vz_list_page_clear(&page);
        ok = ask_once(walk, &page, &failed);
    } while (!ok && vz_bucket_again(++attempt, &failed));
    ok = ok && vz_listing_goes_on(&walk->progress, &page, &failed);
    vz_list_page_clear(&walk->page);
    walk->page = page;
    walk->at = 0;
    walk->is_begun = true;
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    return ok;
}

/* ---- values ---- */

/* Of another program's unfinished value, or of a create lock: some part of it is a partial name. */
static bool is_hidden(const char *key)
{
    char part[VZ_PARTIAL_SIZE];
    for (size_t length; *key; key += length + (key[length] == '/')) {
        length = strcspn(key, "/");
        if (length >= sizeof part)
            continue;
        memcpy(part, key, length);
        part[length] = '\0';
        if (vz_partial_is_name(part))
            return true;
    }
    return false;
}

static bool check_order(vz_bucket_walk *walk, const char *key, vz_error *err)
{
    if (walk->last && strcmp(walk->last, key) >= 0)
        return vz_fail(err, VZ_UNSUPPORTED, "a server that does not list keys in their order");
    free(walk->last);
    return (walk->last = strdup(key)) || vz_fail_memory(err);
}

static vz_bucket_walked walked_of(const vz_list_item *item, const char *key)
{
    return (vz_bucket_walked){.key = key,
                              .size = item->size,
                              .version = item->etag ? vz_remote_version_of_etag(item->etag) : (vz_version){0},
                              .modified_ns = item->modified_ns,
                              .etag = item->etag,
                              .md5 = item->md5};
}

/* A key that ends with a slash marks a prefix for other programs. */
static bool is_marker(const char *key)
{
    const size_t length = strlen(key);
    return length == 0 || key[length - 1] == '/';
}

bool vz_bucket_walk_next(vz_bucket_walk *walk, vz_bucket_walked *value, bool *found, vz_error *err)
{
    const char *prefix = (const char *)walk->prefix.data;
    const size_t skipped = strlen(prefix);
    *found = false;
    for (;;) {
        while (walk->at == walk->page.count)
            if (walk->is_begun && !walk->page.token)
                return true;
            else if (!next_page(walk, err))
                return false;
        const vz_list_item *item = &walk->page.items[walk->at++];
        if (strncmp(item->key, prefix, skipped) != 0)
            return vz_fail(err, VZ_CORRUPT, "the server lists a key that was not asked for");
        const char *key = item->key + skipped;
        if (!check_order(walk, key, err))
            return false;
        *found = !item->is_prefix && !is_marker(key) && !is_hidden(key);
        *value = walked_of(item, key);
        if (*found)
            return true;
    }
}
