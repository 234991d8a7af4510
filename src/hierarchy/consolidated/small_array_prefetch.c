/* small_array_prefetch.c - small arrays fetched together: when, and which. */
#include "hierarchy/consolidated/prefetch_internal.h"
#include "array/selection/selection.h"
#include "hierarchy/documents/documents.h"
#include "base/os/process.h"
#include "base/os/file.h"
#include <stdlib.h>

enum { DEPTH_MAX = 64 /* of groups that are looked into */, KEY_SIZE = 2048 };

/* ---- what documents tell ---- */

/* Elements along a dimension of one stored value: of a shard where the array has shards, else of a
 * chunk. */
static uint64_t side(const vz_meta *meta, unsigned d)
{
    return meta->shard_levels ? meta->shards[0].shape[d] : meta->chunks[d];
}

static uint64_t values_along(const vz_meta *meta, unsigned d)
{
    return meta->shape[d] / side(meta, d) + (meta->shape[d] % side(meta, d) != 0);
}

static uint64_t values_of(const vz_meta *meta)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (meta->edges || meta->shard_edges || !vz_mul(count, values_along(meta, d), &count))
            return UINT64_MAX;
    return count;
}

/* Bytes of one of them, decoded, at most. A shard may be much larger than its array. */
static uint64_t value_size(const vz_meta *meta)
{
    if (!meta->shard_levels)
        return meta->chunk_size;
    uint64_t size = meta->chunk_size / meta->chunk_count;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(size, meta->shape[d] < side(meta, d) ? meta->shape[d] : side(meta, d), &size))
            return UINT64_MAX;
    return size;
}

/* NULL: there is no array at the prefix, or none that is read so. */
static vz_meta *meta_at(vz_store *documents, const char *prefix)
{
    vz_meta *meta = NULL;
    vz_json *document = NULL;
    for (size_t i = 0; !document && i < VZ_ZARR_FORMATS; i++) {
        const vz_zarr_format *zarr_format = vz_zarr_formats[i];
        if (vz_document_read(documents, prefix, zarr_format->array, &document, NULL) && document &&
            (!zarr_format->says || zarr_format->says(document) == VZ_SAYS_ARRAY))
            meta = zarr_format->load(document, NULL);
    }
    vz_json_free(document);
    return meta;
}

/* The prefix of the array that a chunk or shard with this key is of: what goes before the
 * numbers. Heap; NULL: no memory. */
static char *array_of(const char *key)
{
    size_t length = strlen(key);
    for (;;) {
        size_t start = length;
        while (start > 0 && key[start - 1] != '/')
            start--;
        const bool is_number = strspn(key + start, "0123456789.") == length - start;
        const bool is_c = length - start == 1 && key[start] == 'c';
        if (!is_number && !is_c)
            return strndup(key, length);
        if (start == 0)
            return strdup("");
        length = start - 1;
        if (is_c)
            return strndup(key, length);
    }
}

static bool is_chunk(const vz_request *request)
{
    return request->op == VZ_REQUEST_GET && request->when == VZ_WHEN_ANY && request->hold == VZ_HOLD_NOT &&
           vz_request_is_whole(request);
}

/* For the index of a shard, or all of one that codecs work on as a whole. */
static bool is_index(const vz_request *request)
{
    return request->op == VZ_REQUEST_GET && request->when == VZ_WHEN_ANY && request->hold == VZ_HOLD_TO_READ &&
           request->range_count == 1;
}

/* Does the program read the whole array? The index of an only shard proves it for a small shard
 * alone, since a little of a large shard may be wanted. */
static bool wants_all(const vz_meta *meta, bool indexes, size_t count)
{
    return indexes == (meta->shard_levels > 0) && values_of(meta) == count &&
           (!indexes || count > 1 || value_size(meta) <= VZ_SMALL_PREFETCH_VALUE_MAX);
}

/* The array of which these are all chunks, or the indexes of all shards; or NULL. */
static char *whole_array(vz_store *documents, const vz_request *requests, size_t count)
{
    const bool indexes = count && is_index(&requests[0]);
    for (size_t i = 0; i < count; i++)
        if (indexes ? !is_index(&requests[i]) : !is_chunk(&requests[i]))
            return NULL;
    char *prefix = count ? array_of(requests[0].key) : NULL;
    vz_meta *meta = prefix ? meta_at(documents, prefix) : NULL;
    const bool is_all = meta && wants_all(meta, indexes, count);
    vz_meta_free(meta);
    if (is_all)
        return prefix;
    free(prefix);
    return NULL;
}

/* ---- which are fetched ---- */

typedef struct search {
    vz_small_prefetch *prefetch;
    vz_store *documents;
    const char *now; /* the array that is being read */
    uint64_t bytes;
} search;

static bool has_room(const search *s)
{
    return s->prefetch->count < VZ_SMALL_PREFETCH_REQUESTS_MAX && s->bytes < VZ_SMALL_PREFETCH_BYTES_MAX;
}

static void add_value(search *s, const vz_meta *meta, const char *prefix, const uint64_t *place)
{
    char key[KEY_SIZE];
    char *own = vz_meta_chunk_key(meta, prefix, place, key, sizeof key, NULL) ? strdup(key) : NULL;
    if (!own)
        return;
    const size_t i = s->prefetch->count++;
    s->prefetch->bytes[i].limit = 2 * VZ_SMALL_PREFETCH_VALUE_MAX;
    s->prefetch->requests[i] = (vz_request){.key = own, .into = &s->prefetch->bytes[i], .tag = i};
    s->bytes += value_size(meta);
}

/* All of its chunks or shards, of which there are few. */
static void add_values(search *s, const vz_meta *meta, const char *prefix)
{
    const uint64_t low[VZ_MAX_RANK] = {0};
    uint64_t high[VZ_MAX_RANK], place[VZ_MAX_RANK] = {0};
    for (unsigned d = 0; d < meta->rank; d++)
        high[d] = values_along(meta, d);
    do
        add_value(s, meta, prefix, place);
    while (vz_grid_next(meta->rank, low, high, place));
}

static void add_array(search *s, const char *prefix)
{
    if (strcmp(prefix, s->now) == 0 || strcmp(prefix, s->prefetch->first) == 0)
        return;
    vz_meta *meta = meta_at(s->documents, prefix);
    const uint64_t count = meta ? values_of(meta) : 0;
    if (count > 0 && count <= VZ_SMALL_PREFETCH_VALUES_OF && value_size(meta) <= VZ_SMALL_PREFETCH_VALUE_MAX &&
        s->bytes + count * value_size(meta) <= VZ_SMALL_PREFETCH_BYTES_MAX &&
        s->prefetch->count + count <= VZ_SMALL_PREFETCH_REQUESTS_MAX)
        add_values(s, meta, prefix);
    vz_meta_free(meta);
}

static void search_group(search *s, const char *prefix, unsigned depth)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool is_array = false;
    if (depth > DEPTH_MAX || !has_room(s) || !vz_store_list(s->documents, prefix, &entries, &count, NULL))
        return;
    for (size_t i = 0; i < count && !is_array; i++)
        for (size_t k = 0; k < VZ_ZARR_FORMATS; k++)
            is_array = is_array || (!entries[i].is_prefix && strcmp(entries[i].name, vz_zarr_formats[k]->array) == 0);
    if (is_array)
        add_array(s, prefix);
    for (size_t i = 0; i < count && has_room(s); i++) {
        char *below = entries[i].is_prefix ? vz_document_key_join(prefix, entries[i].name, NULL) : NULL;
        if (below)
            search_group(s, below, depth + 1);
        free(below);
    }
    vz_entries_free(entries, count);
}

/* ---- fetching ---- */

static void free_requests(vz_small_prefetch *prefetch)
{
    for (size_t i = 0; i < prefetch->count; i++) {
        free((char *)(uintptr_t)prefetch->requests[i].key);
        vz_buffer_clear(&prefetch->bytes[i]);
    }
    free(prefetch->requests);
    free(prefetch->bytes);
    prefetch->requests = NULL;
    prefetch->bytes = NULL;
    prefetch->count = 0;
}

static void begin(vz_small_prefetch *prefetch, vz_store *documents, vz_store *below, const char *now)
{
    search s = {.prefetch = prefetch, .documents = documents, .now = now};
    prefetch->is_done = true;
    prefetch->requests = calloc(VZ_SMALL_PREFETCH_REQUESTS_MAX, sizeof *prefetch->requests);
    prefetch->bytes = calloc(VZ_SMALL_PREFETCH_REQUESTS_MAX, sizeof *prefetch->bytes);
    if (prefetch->requests && prefetch->bytes)
        search_group(&s, "", 0);
    prefetch->owner = vz_process_id();
    if (prefetch->count > 0)
        prefetch->batch = vz_batch_open(below, prefetch->requests, prefetch->count, NULL);
    if (!prefetch->batch)
        free_requests(prefetch);
    prefetch->since_ns = vz_os_now_ns();
}

void vz_small_prefetch_watch(vz_small_prefetch *prefetch, vz_store *documents, vz_store *below,
                             const vz_request *requests, size_t count)
{
    char *prefix = prefetch->is_done ? NULL : whole_array(documents, requests, count);
    if (prefix && !prefetch->first) {
        prefetch->first = prefix;
        return;
    }
    if (prefix && strcmp(prefix, prefetch->first) != 0)
        begin(prefetch, documents, below, prefix);
    free(prefix);
}

void vz_small_prefetch_end(vz_small_prefetch *prefetch)
{
    vz_buffer unused = {0};
    if (prefetch->batch && prefetch->owner != vz_process_id())
        vz_small_prefetch_drop(prefetch);
    if (!prefetch->batch)
        return;
    for (vz_request *request; (request = vz_batch_next(prefetch->batch, &unused));) {
        if (request->failed == VZ_OK && request->found)
            vz_small_prefetch_keep(prefetch, request->key, &prefetch->bytes[request->tag], &request->version);
    }
    vz_batch_close(prefetch->batch, NULL);
    prefetch->batch = NULL;
    vz_buffer_clear(&unused);
    free_requests(prefetch);
}

void vz_small_prefetch_drop(vz_small_prefetch *prefetch)
{
    if (prefetch->batch)
        vz_batch_drop(prefetch->batch);
    prefetch->batch = NULL;
    free_requests(prefetch);
}

void vz_small_prefetch_clear(vz_small_prefetch *prefetch)
{
    vz_small_prefetch_end(prefetch);
    vz_small_prefetch_forget(prefetch);
    free(prefetch->first);
    *prefetch = (vz_small_prefetch){.is_done = true};
}
