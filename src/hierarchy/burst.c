/* burst.c - see burst.h. */
#include "hierarchy/burst.h"
#include "hierarchy/document.h"
#include "store/process.h"
#include <stdlib.h>

enum { DEPTH_MAX = 64 /* of groups that are looked into */, KEY_SIZE = 2048 };

/* ---- what documents tell ---- */

static uint64_t chunks_of(const vz_array_meta *meta)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < meta->rank; i++) {
        const uint64_t along = meta->shape[i] / meta->chunks[i] + (meta->shape[i] % meta->chunks[i] != 0);
        if (!vz_mul(count, along, &count))
            return UINT64_MAX;
    }
    return count;
}

/* NULL: there is no array at the prefix, or none that is read so. */
static vz_array_meta *meta_at(vz_store *documents, const char *prefix)
{
    vz_array_meta *meta = NULL;
    vz_json *document = NULL;
    for (size_t i = 0; !document && i < VZ_SPELLINGS; i++) {
        const vz_spelling *spelling = vz_spellings[i];
        if (vz_document_read(documents, prefix, spelling->array, &document, NULL) && document &&
            (!spelling->says || spelling->says(document) == VZ_SAYS_ARRAY))
            meta = spelling->load(document, NULL);
    }
    vz_json_free(document);
    if (meta && meta->shard_levels == 0)
        return meta;
    vz_meta_free(meta);
    return NULL;
}

/* The prefix of the array that a chunk with this key is of: what goes before the numbers. Heap; NULL: no memory. */
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

static bool is_plain(const vz_request *request)
{
    return request->op == VZ_REQUEST_GET && request->when == VZ_WHEN_ANY && request->hold == VZ_HOLD_NOT &&
           vz_request_is_whole(request);
}

/* The array of which these are all chunks, or NULL. */
static char *whole_array(vz_store *documents, const vz_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_plain(&requests[i]))
            return NULL;
    char *prefix = count ? array_of(requests[0].key) : NULL;
    vz_array_meta *meta = prefix ? meta_at(documents, prefix) : NULL;
    const bool is_all = meta && chunks_of(meta) == count;
    vz_meta_free(meta);
    if (is_all)
        return prefix;
    free(prefix);
    return NULL;
}

/* ---- which are fetched ---- */

typedef struct search {
    vz_burst *burst;
    vz_store *documents;
    const char *now; /* the array that is being read */
    uint64_t bytes;
} search;

static bool has_room(const search *s)
{
    return s->burst->count < VZ_BURST_REQUESTS_MAX && s->bytes < VZ_BURST_BYTES_MAX;
}

static void add_chunk(search *s, const vz_array_meta *meta, const char *prefix, const uint64_t *chunk)
{
    char key[KEY_SIZE];
    char *own = vz_chunk_key(meta, prefix, chunk, key, sizeof key, NULL) ? strdup(key) : NULL;
    if (!own)
        return;
    const size_t i = s->burst->count++;
    s->burst->bytes[i].limit = 2 * VZ_BURST_CHUNK_MAX;
    s->burst->requests[i] = (vz_request){.key = own, .into = &s->burst->bytes[i], .tag = i};
    s->bytes += meta->chunk_size;
}

/* All of its chunks, of which there are few. */
static void add_chunks(search *s, const vz_array_meta *meta, const char *prefix, uint64_t count)
{
    uint64_t chunk[VZ_MAX_RANK];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = i;
        for (unsigned k = meta->rank; k-- > 0;) {
            const uint64_t along = meta->shape[k] / meta->chunks[k] + (meta->shape[k] % meta->chunks[k] != 0);
            chunk[k] = rest % along;
            rest /= along;
        }
        add_chunk(s, meta, prefix, chunk);
    }
}

static void add_array(search *s, const char *prefix)
{
    if (strcmp(prefix, s->now) == 0 || strcmp(prefix, s->burst->first) == 0)
        return;
    vz_array_meta *meta = meta_at(s->documents, prefix);
    const uint64_t count = meta ? chunks_of(meta) : 0;
    if (count > 0 && count <= VZ_BURST_CHUNKS_OF && meta->chunk_size <= VZ_BURST_CHUNK_MAX &&
        s->bytes + count * meta->chunk_size <= VZ_BURST_BYTES_MAX && s->burst->count + count <= VZ_BURST_REQUESTS_MAX)
        add_chunks(s, meta, prefix, count);
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
        for (size_t k = 0; k < VZ_SPELLINGS; k++)
            is_array = is_array || (!entries[i].is_prefix && strcmp(entries[i].name, vz_spellings[k]->array) == 0);
    if (is_array)
        add_array(s, prefix);
    for (size_t i = 0; i < count && has_room(s); i++) {
        char *below = entries[i].is_prefix ? vz_key_join(prefix, entries[i].name, NULL) : NULL;
        if (below)
            search_group(s, below, depth + 1);
        free(below);
    }
    vz_entries_free(entries, count);
}

/* ---- fetching ---- */

static void free_requests(vz_burst *burst)
{
    for (size_t i = 0; i < burst->count; i++) {
        free((char *)(uintptr_t)burst->requests[i].key);
        vz_buffer_clear(&burst->bytes[i]);
    }
    free(burst->requests);
    free(burst->bytes);
    burst->requests = NULL;
    burst->bytes = NULL;
    burst->count = 0;
}

static void begin(vz_burst *burst, vz_store *documents, vz_store *below, const char *now)
{
    search s = {.burst = burst, .documents = documents, .now = now};
    burst->is_done = true;
    burst->requests = calloc(VZ_BURST_REQUESTS_MAX, sizeof *burst->requests);
    burst->bytes = calloc(VZ_BURST_REQUESTS_MAX, sizeof *burst->bytes);
    burst->values = vz_store_new_memory(NULL);
    if (burst->requests && burst->bytes && burst->values)
        search_group(&s, "", 0);
    burst->owner = vz_process_id();
    if (burst->count > 0)
        burst->batch = vz_batch_open(below, burst->requests, burst->count, NULL);
    if (!burst->batch)
        free_requests(burst);
    clock_gettime(CLOCK_MONOTONIC, &burst->since);
}

void vz_burst_meet(vz_burst *burst, vz_store *documents, vz_store *below, const vz_request *requests, size_t count)
{
    char *prefix = burst->is_done ? NULL : whole_array(documents, requests, count);
    if (prefix && !burst->first) {
        burst->first = prefix;
        return;
    }
    if (prefix && strcmp(prefix, burst->first) != 0)
        begin(burst, documents, below, prefix);
    free(prefix);
}

void vz_burst_end(vz_burst *burst)
{
    vz_buffer unused = {0};
    if (burst->batch && burst->owner != vz_process_id())
        vz_burst_drop(burst);
    if (!burst->batch)
        return;
    for (vz_request *request; (request = vz_batch_next(burst->batch, &unused));) {
        const vz_buffer *bytes = &burst->bytes[request->tag];
        if (request->failed == VZ_OK && request->found)
            vz_store_put(burst->values, request->key, (vz_bytes){bytes->data, bytes->size}, NULL);
    }
    vz_batch_close(burst->batch, NULL);
    burst->batch = NULL;
    vz_buffer_clear(&unused);
    free_requests(burst);
}

void vz_burst_drop(vz_burst *burst)
{
    if (burst->batch)
        vz_batch_drop(burst->batch);
    burst->batch = NULL;
    free_requests(burst);
}

/* ---- told ---- */

bool vz_burst_has(vz_burst *burst, const vz_request *request)
{
    struct timespec now;
    vz_stamp stamp = {0};
    if (!burst->values || !is_plain(request))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - burst->since.tv_sec > VZ_BURST_SECONDS) {
        vz_store_close(burst->values);
        burst->values = NULL;
        return false;
    }
    return vz_store_stat(burst->values, request->key, &stamp, NULL) && stamp.exists;
}

void vz_burst_told(vz_burst *burst, const vz_request *request)
{
    if (burst->values)
        vz_store_del(burst->values, request->key, NULL);
}

void vz_burst_clear(vz_burst *burst)
{
    vz_burst_end(burst);
    vz_store_close(burst->values);
    free(burst->first);
    *burst = (vz_burst){.is_done = true};
}
