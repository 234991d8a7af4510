/* listings.c - listings that are requested beside the last documents. See cache.h. */
#include "hierarchy/documents/cache_internal.h"
#include "base/util/bytes.h"
#include "store/store/prefetch.h"
#include <stdlib.h>
#include <string.h>

struct vz_doc_listings {
    vz_request *requests; /* their keys are ours */
    size_t count;
    vz_batch *batch; /* NULL: it could not be opened, or has ended */
    vz_buffer root;  /* text of the root's document, in that version; of size 0: not known */
    vz_version version;
};

static void end_batch(struct vz_doc_listings *listings)
{
    vz_buffer unused = {0};
    while (listings->batch && vz_batch_next(listings->batch, &unused))
        ;
    if (listings->batch)
        vz_batch_close(listings->batch, NULL); /* what failed is asked for again */
    listings->batch = NULL;
    vz_buffer_clear(&unused);
}

void vz_doc_cache_drop_listings(vz_doc_cache *cache)
{
    struct vz_doc_listings *listings = cache->listings;
    if (!listings)
        return;
    end_batch(listings);
    for (size_t i = 0; i < listings->count; i++) {
        vz_entries_free(listings->requests[i].entries, listings->requests[i].entry_count);
        free((char *)listings->requests[i].key);
    }
    free(listings->requests);
    vz_buffer_clear(&listings->root);
    free(listings);
    cache->listings = NULL;
}

/* ---- asking ---- */

void vz_doc_cache_request_listings(vz_doc_cache *cache, vz_store *store, char **prefixes, size_t count)
{
    struct vz_doc_listings *listings = calloc(1, sizeof *listings);
    vz_request *requests = calloc(count + 1, sizeof *requests);
    vz_doc_cache_drop_listings(cache);
    if (!listings || !requests) {
        for (size_t i = 0; i < count; i++)
            free(prefixes[i]);
        free(listings);
        free(requests);
        return;
    }
    for (size_t i = 0; i < count; i++)
        requests[i] = (vz_request){.op = VZ_REQUEST_LIST, .key = prefixes[i]};
    *listings = (struct vz_doc_listings){.requests = requests, .count = count};
    listings->batch = vz_batch_open(store, requests, count, NULL);
    cache->listings = listings;
}

bool vz_doc_cache_has_listings(const vz_doc_cache *cache, bool *with_root)
{
    *with_root = cache->listings && cache->listings->root.size > 0;
    return cache->listings != NULL;
}

void vz_doc_cache_keep_root(vz_doc_cache *cache, vz_buffer *text, const vz_version *version)
{
    struct vz_doc_listings *listings = cache->listings;
    if (!listings)
        return;
    vz_buffer_clear(&listings->root);
    listings->root = *text;
    listings->version = *version;
    *text = (vz_buffer){0};
}

/* ---- the answers ---- */

/* Adds what lies directly in the group, and was written, to what its listing shows. */
static bool add_written(const vz_doc_cache *cache, vz_request *list)
{
    const size_t length = strlen(list->key), skipped = length ? length + 1 : 0;
    size_t cursor = 0, count = list->entry_count, room = count;
    const char *key;
    while (vz_doc_cache_next_written(cache, &cursor, &key)) {
        const char *name = key + skipped, *slash;
        if (!vz_key_is_within(key, list->key) || !(slash = strchr(name, '/')) || strchr(slash + 1, '/'))
            continue;
        if (count == room) {
            room = 2 * room + 64;
            vz_entry *entries = realloc(list->entries, room * sizeof *entries);
            if (!entries)
                return false;
            list->entries = entries;
        }
        list->entries[count] = (vz_entry){.name = strndup(name, (size_t)(slash - name)), .is_prefix = true};
        if (!list->entries[count].name)
            return false;
        list->entry_count = ++count;
    }
    return true;
}

/* Two entries of one name become one. Of these the one that was listed stays, whose memory may
 * be that of others. */
static void join(vz_entry *first, const vz_entry *second)
{
    const bool is_prefix = first->is_prefix || second->is_prefix;
    if (!first->in_names) {
        free(first->name);
        *first = *second;
    } else if (!second->in_names) {
        free(second->name);
    }
    first->is_prefix = is_prefix;
}

static void merge(vz_request *list)
{
    size_t kept = 0;
    vz_entries_sort(list->entries, list->entry_count);
    for (size_t i = 0; i < list->entry_count; i++) {
        vz_entry *entry = &list->entries[i];
        if (kept > 0 && strcmp(list->entries[kept - 1].name, entry->name) == 0) {
            join(&list->entries[kept - 1], entry);
        } else {
            list->entries[kept++] = *entry;
        }
    }
    list->entry_count = kept;
}

static bool show_lists(vz_doc_cache *cache, vz_store *store, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < cache->listings->count; i++) {
        vz_request *list = &cache->listings->requests[i];
        if (list->failed != VZ_OK)
            continue;
        if (!add_written(cache, list))
            return vz_fail_memory(err);
        merge(list);
        ok = vz_prefetch_keep_list(store->prefetched, list->key, list->entries, list->entry_count, err);
        list->entries = NULL;
        list->entry_count = 0;
    }
    return ok;
}

bool vz_doc_cache_show_listings(vz_doc_cache *cache, vz_store *store, const char *root_key, vz_error *err)
{
    struct vz_doc_listings *listings = cache->listings;
    if (!listings)
        return true;
    const bool answered = listings->batch != NULL;
    end_batch(listings);
    bool ok = vz_prefetch_table_of(store) || vz_fail_memory(err);
    ok = ok && (!answered || show_lists(cache, store, err));
    if (ok && listings->root.size > 0)
        ok = vz_prefetch_keep(store->prefetched, root_key, true, &listings->version, &listings->root, err);
    vz_doc_cache_drop_listings(cache);
    return ok;
}
