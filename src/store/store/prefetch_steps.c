/* prefetch_steps.c - values and listings asked for, waited for, and kept: in three steps, of which
 * the second one needs no store. */
#include "store/store/request_internal.h"
#include "base/util/hash.h"
#include <stdlib.h>

#define PREFETCH_VALUE_MAX ((uint64_t)1 << 20) /* bytes of a value that is kept */

struct vz_prefetch {
    vz_store *store;
    vz_batch *batch;
    vz_request *requests; /* values, then listings */
    vz_buffer *bytes;
    size_t asked, values;
    const char *const *chunks; /* keys that are of chunks */
    size_t chunk_count;
};

static void free_prefetch(vz_prefetch *p)
{
    for (size_t i = 0; p->bytes && i < p->values; i++)
        vz_buffer_clear(&p->bytes[i]);
    free(p->requests);
    free(p->bytes);
    free(p);
}

/* Nothing is asked for that is known, or asked for already. */
static bool is_new(const vz_prefetch *p, vz_strmap *asked, const char *key)
{
    bool found;
    vz_bytes known;
    return !vz_store_has_prefetched(p->store, key, &found, &known) && !vz_strmap_get(asked, key) &&
           vz_strmap_put(asked, key, (void *)(uintptr_t)key, NULL);
}

static bool is_new_list(const vz_prefetch *p, vz_strmap *asked, const char *prefix)
{
    size_t members;
    return !vz_store_prefetched_list(p->store, prefix, &members) && !vz_strmap_get(asked, prefix) &&
           vz_strmap_put(asked, prefix, (void *)(uintptr_t)prefix, NULL);
}

/* Keys that find no memory are asked for later. */
static void make_requests(vz_prefetch *p, const vz_prefetch_wanted *wanted)
{
    vz_strmap *asked = vz_strmap_new(), *listed = vz_strmap_new();
    for (size_t i = 0; asked && i < wanted->count; i++) {
        if (!is_new(p, asked, wanted->keys[i]))
            continue;
        p->bytes[p->values].limit = wanted->most ? wanted->most : PREFETCH_VALUE_MAX;
        p->requests[p->values] = (vz_request){.key = wanted->keys[i], .into = &p->bytes[p->values], .tag = p->values};
        p->values++;
    }
    p->asked = p->values;
    for (size_t i = 0; listed && i < wanted->list_count; i++)
        if (is_new_list(p, listed, wanted->prefixes[i]))
            p->requests[p->asked++] = (vz_request){.op = VZ_REQUEST_LIST, .key = wanted->prefixes[i]};
    vz_strmap_free(asked, NULL);
    vz_strmap_free(listed, NULL);
}

static void send(vz_prefetch *p, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (p->asked > 0)
        p->batch = vz_batch_open(p->store, p->requests, p->asked, &failed);
    if (failed.class == VZ_NO_MEMORY)
        vz_fail_memory(err);
}

vz_prefetch *vz_prefetch_begin(vz_store *store, const vz_prefetch_wanted *wanted, vz_error *err)
{
    vz_prefetch *p = calloc(1, sizeof *p);
    if (p) {
        p->store = store;
        p->requests = calloc(wanted->count + wanted->list_count + 1, sizeof *p->requests);
        p->bytes = calloc(wanted->count + 1, sizeof *p->bytes);
    }
    if (!p || !p->requests || !p->bytes || !vz_prefetch_table_of(store)) {
        if (p)
            free_prefetch(p);
        vz_fail_memory(err);
        return NULL;
    }
    p->chunks = wanted->keys + (wanted->count - wanted->chunk_count);
    p->chunk_count = wanted->chunk_count;
    make_requests(p, wanted);
    send(p, err);
    if (p->batch)
        return p;
    free_prefetch(p);
    return NULL;
}

void vz_prefetch_wait(vz_prefetch *prefetch)
{
    vz_buffer unused = {0};
    while (prefetch && vz_batch_next(prefetch->batch, &unused))
        ;
    vz_buffer_clear(&unused);
}

static bool keep(vz_prefetch *p, vz_request *request, vz_error *err)
{
    if (request->failed != VZ_OK)
        return true;
    if (request->op == VZ_REQUEST_LIST)
        return vz_prefetch_keep_list(p->store->prefetched, request->key, request->entries, request->entry_count, err);
    return vz_prefetch_keep_answer(p->store->prefetched, request, &p->bytes[request->tag], err);
}

/* The table may have been emptied meanwhile. */
bool vz_prefetch_end(vz_prefetch *prefetch, vz_error *err)
{
    if (!prefetch)
        return true;
    vz_batch_close(prefetch->batch, NULL); /* what failed is reported when it is asked for */
    bool ok = vz_prefetch_table_of(prefetch->store) || vz_fail_memory(err);
    for (size_t i = 0; i < prefetch->asked; i++)
        if (ok)
            ok = keep(prefetch, &prefetch->requests[i], err);
        else
            vz_entries_free(prefetch->requests[i].entries, prefetch->requests[i].entry_count);
    for (size_t i = 0; ok && i < prefetch->chunk_count; i++)
        vz_prefetch_mark_chunk(prefetch->store->prefetched, prefetch->chunks[i]);
    free_prefetch(prefetch);
    return ok;
}

bool vz_store_prefetch_all(vz_store *store, const char *const *keys, size_t count, const char *const *prefixes,
                           size_t list_count, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_prefetch_wanted wanted = {.keys = keys, .count = count, .prefixes = prefixes, .list_count = list_count};
    vz_prefetch *prefetch = vz_prefetch_begin(store, &wanted, &failed);
    vz_prefetch_wait(prefetch);
    return (vz_prefetch_end(prefetch, &failed) && failed.class != VZ_NO_MEMORY) || vz_fail_memory(err);
}
