/* array_changed.c - is the array in the store still the one that this process knows? Another
 * program may have deleted it, or made another one in its place: chunks of the old form would be
 * read there as something else. Or it made the array smaller: chunks beyond its end would appear
 * again when it grows. */
#include "array/array/array_internal.h"
#include "array/chunks/array_state.h"
#include "base/os/process.h"
#include "base/util/memory_budget.h"
#include "store/store/prefetch.h"
#include "store/store/request.h"
#include <stdio.h>
#include <stdlib.h>

#define SECOND_NS INT64_C(1000000000)
/* chunks that are written at once are looked after once in so long */
#define CHECK_INTERVAL_NS        (SECOND_NS / 100)
#define CHECK_INTERVAL_REMOTE_NS (2 * SECOND_NS) /* where that is a round trip */
/* a younger stamp may be another document's: clocks of file systems tick */
#define STAMP_SETTLES_NS (2 * SECOND_NS)

/* One look at a document. */
typedef struct look {
    const vz_chunks_document *document;
    vz_store *store;
    const vz_meta *meta; /* as the array is in memory; NULL: not understood */
    const char *key;
} look;

/* ---- the form of chunks ---- */

/* `ours`: as this process read or wrote it last. */
static bool is_cut_off(const vz_meta *meta, const vz_meta *ours, const vz_meta *theirs)
{
    bool smaller = false;
    for (unsigned d = 0; d < ours->rank; d++) {
        if (meta->shape[d] != ours->shape[d])
            return false; /* a shape of our own, which counts when it is written */
        smaller = smaller || theirs->shape[d] < ours->shape[d];
    }
    return smaller;
}

/* Another text may still describe the same chunks: another shape, fill value or, in format 3,
 * other attributes. */
static bool is_same_form(const look *l, const vz_buffer *text, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_zarr_format *zarr_format = l->document->zarr_format;
    vz_json *json = vz_json_parse((const char *)text->data, text->size, &failed);
    vz_meta *theirs = json ? zarr_format->load(json, &failed) : NULL;
    vz_meta *ours = *l->document->json ? zarr_format->load(*l->document->json, &failed) : NULL;
    const bool same = theirs && ours && vz_meta_same_grid(ours, theirs);
    l->document->seen->cut_off = same && l->meta && is_cut_off(l->meta, ours, theirs);
    vz_json_free(json);
    vz_meta_free(theirs);
    vz_meta_free(ours);
    if (failed.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    return same || vz_fail(err, VZ_NOT_FOUND, "another program made another array in its place: open that anew");
}

/* ---- looking ---- */

static bool compare(const look *l, vz_error *err)
{
    vz_buffer text = {.limit = VZ_DOCUMENT_MAX_SIZE};
    vz_version unused;
    bool found = false;
    bool ok = vz_store_see_prefetched(l->store, l->key, &text, &found, &unused) ||
              vz_store_get(l->store, l->key, VZ_WHOLE, &text, &found, err);
    if (ok && !found)
        ok = vz_fail(err, VZ_NOT_FOUND, "the array was deleted or renamed by another program");
    l->document->seen->cut_off = false;
    if (ok && vz_hash_text(text.data, text.size) != *l->document->hash)
        ok = is_same_form(l, &text, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool is_settled(const vz_stamp *stamp)
{
    const int64_t modified = (int64_t)stamp->modified.tv_sec * SECOND_NS + stamp->modified.tv_nsec;
    const int64_t age = vz_os_date_ns() - modified;
    return age > STAMP_SETTLES_NS;
}

static bool is_remote(const vz_store *store)
{
    return !(store->capabilities & VZ_STORE_CHEAP);
}

static bool look_at(const look *l, vz_error *err)
{
    vz_chunks_seen *seen = l->document->seen;
    vz_stamp stamp = {0};
    /* In a remote store the text costs no more than its stamp. */
    bool ok = is_remote(l->store) || vz_store_stat(l->store, l->key, &stamp, err);
    if (ok && !(stamp.exists && vz_stamp_equal(&stamp, &seen->stamp))) {
        ok = compare(l, err);
        seen->stamp = ok && is_settled(&stamp) ? stamp : (vz_stamp){0};
    }
    return ok;
}

/* An array without a name has no document, and no other process knows of it. */
static bool has_name(const char *prefix)
{
    enum { NAME_SIZE = 256 }; /* longer ones are no such names */
    char top[NAME_SIZE];
    const size_t length = strcspn(prefix, "/");
    if (length >= sizeof top)
        return true;
    memcpy(top, prefix, length);
    top[length] = '\0';
    return !vz_partial_is_name(top);
}

bool vz_array_document_check(const vz_chunks_document *document, vz_store *store, const vz_meta *meta,
                             const char *prefix, bool at_once, vz_error *err)
{
    if (store->repeats || !*document->hash || *document->is_new || *document->may_lack)
        return true;
    vz_chunks_seen *seen = document->seen;
    const int64_t now = vz_os_now_ns(), interval = is_remote(store) ? CHECK_INTERVAL_REMOTE_NS : CHECK_INTERVAL_NS;
    if (!at_once && now - seen->looked_ns < interval && seen->looked_ns)
        return true;
    if (!has_name(prefix))
        return true;
    char *key = NULL;
    if (asprintf(&key, "%s%s%s", prefix, *prefix ? "/" : "", document->zarr_format->array) < 0)
        return vz_fail_memory(err);
    const look l = {document, store, meta, key};
    const bool ok = look_at(&l, err);
    if (!ok)
        vz_error_where(err, document->place, prefix);
    seen->looked_ns = ok ? now : 0;
    free(key);
    return ok;
}

/* ---- an open array ---- */

bool vz_array_may_change(vz_array *array, bool at_once, vz_error *err)
{
    const vz_chunks_document *document = &array->document;
    if (!document->seen)
        return true;
    if (!vz_array_document_check(document, array->store, array->meta, array->prefix, at_once, err))
        return false;
    if (!document->seen->cut_off)
        return true;
    vz_fail(err, VZ_INVALID, "another program made the array smaller: what is beyond its end is not stored");
    vz_error_where(err, document->place, array->prefix);
    return false;
}

bool vz_array_explain_failure(vz_array *array, bool ok, vz_error *err)
{
    vz_error reason = VZ_ERROR_NONE;
    const bool wrong = !ok && err && (err->class == VZ_CORRUPT || err->class == VZ_CHANGED);
    if (wrong && !vz_array_may_change(array, true, &reason) && reason.class == VZ_NOT_FOUND)
        *err = reason;
    return ok;
}

/* ---- several open arrays ---- */

/* Would writing to it ask a server for its document? */
static bool is_due(const vz_array *array, const vz_store *store, int64_t now)
{
    const vz_chunks_document *document = &array->document;
    return array->store == store && document->seen && *document->hash && !*document->is_new && !*document->may_lack &&
           (now - document->seen->looked_ns >= CHECK_INTERVAL_REMOTE_NS || !document->seen->looked_ns) &&
           has_name(array->prefix);
}

/* Takes note of documents that are as they were. */
static void note_equal(vz_array *const *arrays, const vz_request *requests, size_t count, int64_t now)
{
    for (size_t i = 0; i < count; i++) {
        const vz_buffer *text = requests[i].into;
        const vz_chunks_document *document = &arrays[i]->document;
        if (requests[i].failed != VZ_OK || !requests[i].found ||
            vz_hash_text(text->data, text->size) != *document->hash)
            continue;
        document->seen->cut_off = false;
        document->seen->stamp = (vz_stamp){0};
        document->seen->looked_ns = now;
    }
}

static bool ask(vz_request *request, vz_buffer *text, const vz_array *array)
{
    char *key = NULL;
    if (asprintf(&key, "%s%s%s", array->prefix, *array->prefix ? "/" : "", array->document.zarr_format->array) < 0)
        return false;
    *text = (vz_buffer){.limit = VZ_DOCUMENT_MAX_SIZE};
    *request = (vz_request){.op = VZ_REQUEST_GET, .key = key, .into = text, .small = true};
    return true;
}

static bool pull(void *batch, size_t index, unsigned worker, vz_error *err)
{
    (void)index, (void)err;
    while (vz_batch_next(batch, vz_pool_scratch(worker, VZ_SCRATCH_STORED)))
        ;
    return true;
}

/* As a task of the pool: a thread that waits so keeps nobody from arrays and stores
 * (vz_pool_set_gap). */
static void ask_all(vz_store *store, vz_request *requests, size_t count)
{
    vz_batch *batch = vz_batch_open(store, requests, count, NULL);
    if (!batch)
        return;
    vz_pool_run(pull, batch, 1, NULL);
    vz_batch_close(batch, NULL);
}

void vz_arrays_look_together(const vz_array_transfer *list, size_t count)
{
    vz_store *store = list[0].array->store;
    if (count < 2 || !is_remote(store) || store->repeats)
        return;
    const int64_t now = vz_os_now_ns();
    vz_array **arrays = malloc(count * sizeof *arrays);
    vz_request *requests = malloc(count * sizeof *requests);
    vz_buffer *texts = malloc(count * sizeof *texts);
    size_t asked = 0;
    for (size_t i = 0; arrays && requests && texts && i < count; i++)
        if (is_due(list[i].array, store, now) && ask(&requests[asked], &texts[asked], list[i].array))
            arrays[asked++] = list[i].array;
    if (asked > 1) {
        ask_all(store, requests, asked);
        note_equal(arrays, requests, asked, now);
    }
    for (size_t i = 0; i < asked; i++) {
        vz_buffer_clear(&texts[i]);
        free((char *)requests[i].key);
    }
    free(arrays);
    free(requests);
    free(texts);
}
