/* remote_zip_batch.c - reads of a remote zip file or one-file store. A value is one range of the
 * file, in which its local header stands, too. Of a value that is read in parts the header is asked
 * for first. */
#include "remote/bucket/tree_internal.h"
#include "remote/bucket/task_internal.h"
#include "base/os/file.h"
#include "store/store/kind.h"
#include "store/store/call.h"
#include "store/zip/zip.h"
#include "store/zip/read.h"
#include "base/util/hash.h"
#include <stdlib.h>

static vz_bucket_zip *file_of(vz_store *store)
{
    return (vz_bucket_zip *)store;
}

/* The part of the file that a request needs. */
typedef struct part {
    const char *key;
    vz_request inner; /* of the whole file, whose key is "" */
    vz_range *ranges; /* in it; or `one` */
    vz_range one;
    vz_buffer raw; /* the entry with its header, where no parts of it are read; or its header
                    * alone */
    vz_zip_entry entry;
    bool is_answered; /* nothing is asked for */
    bool is_known;    /* `raw` came with the opening */
    bool reads_parts;
    vz_error err;
} part;

typedef struct state {
    part *parts;
    vz_request **asked; /* of those that ask for something, in their order */
    size_t *of_asked, asked_count;
    vz_coalesced *gather; /* NULL: nobody asks for anything */
    atomic_size_t handed_out;
    size_t count;
} state;

/* Another one for each entry of each version of the file. */
static vz_version version_of(const vz_bucket_zip *f, const vz_zip_entry *entry)
{
    vz_version version = {.size = 17, .lasts = f->version.lasts, .bytes = {'Z'}};
    vz_bytes_store_le64(version.bytes + 1, vz_hash(f->version.bytes, f->version.size, f->size));
    vz_bytes_store_le64(version.bytes + 9, entry->local);
    return version;
}

static void read_range(const vz_bucket_zip *f, vz_request *inner, const vz_range *range, vz_buffer *into)
{
    *inner = (vz_request){.key = "", .ranges = range, .range_count = 1, .into = into};
    inner->when = f->version.size ? VZ_WHEN_VERSION : VZ_WHEN_ANY;
    inner->version = f->version;
}

/* The values that are read first, the documents of the root, mostly lie in what came with the
 * opening. */
static bool take_known(const vz_bucket_zip *f, part *p)
{
    const uint8_t *bytes = vz_bucket_file_bytes_opened(f->bytes, p->one.offset, p->one.size);
    return bytes && vz_buffer_append(&p->raw, bytes, p->one.size, NULL);
}

static uint64_t limited(const vz_bucket_zip *f, uint64_t first, uint64_t size)
{
    return first < f->size && size < f->size - first ? size : first < f->size ? f->size - first : 0;
}

/* All that can be said without asking. */
static bool prepare(vz_bucket_zip *f, bool is_first, vz_request *request, part *p, vz_error *err)
{
    request->failed = VZ_OK;
    p->key = request->key;
    p->is_answered = true;
    if (request->op == VZ_REQUEST_LIST)
        return vz_store_list(f->zip, request->key, &request->entries, &request->entry_count, err);
    if (!vz_store_call_check_key(&f->base, request->key, err))
        return false;
    if (!vz_zip_entry_find(f->zip, request->key, &p->entry, &request->found, err))
        return false;
    const vz_version version = request->found ? version_of(f, &p->entry) : (vz_version){0};
    if (request->when == VZ_WHEN_VERSION && !vz_version_equal(&version, &request->version))
        return vz_exchange_fail_changed(err);
    request->version = version;
    if (!request->found || (request->ranges && request->range_count == 0))
        return true;
    if (!vz_zip_entry_check(&p->entry, err))
        return false;
    p->is_answered = false;
    p->reads_parts = !vz_request_is_whole(request) && vz_zip_entry_is_stored(&p->entry);
    const uint64_t all = p->reads_parts && !p->entry.lead
                             ? vz_zip_entry_head(request->key)
                             : vz_zip_entry_guess(request->key, &p->entry) + p->entry.stored;
    p->one = (vz_range){VZ_RANGE_AT, p->entry.local, limited(f, p->entry.local, all)};
    if (p->one.size < vz_zip_entry_head(request->key))
        return vz_fail(err, VZ_CORRUPT, "the entry lies outside of the zip file");
    read_range(f, &p->inner, &p->one, &p->raw);
    p->inner.found = p->is_known = is_first && !p->reads_parts && take_known(f, p);
    return true;
}

/* ---- values of which parts are read: their headers, all at once ---- */

static bool needs_head(const part *p)
{
    return !p->is_answered && p->err.class == VZ_OK && p->reads_parts && !p->entry.lead;
}

static bool ask_heads(vz_bucket_zip *f, state *s, size_t count, vz_error *err)
{
    vz_coalesced *gather = vz_coalesced_open(f->remote, s->asked, count, vz_task_begin_get, err);
    vz_error failed = VZ_ERROR_NONE;
    vz_buffer unused = {0};
    size_t index;
    while (gather && failed.class == VZ_OK && vz_coalesced_next(gather, &index, &unused, &failed))
        vz_buffer_clear(&unused);
    if (gather)
        vz_coalesced_close(gather);
    if (failed.class != VZ_OK && err && err->class == VZ_OK)
        *err = failed;
    return gather && failed.class == VZ_OK;
}

/* `with`: of the same entry, whose header was read. It is remembered for the next time. */
static void take_head(vz_bucket_zip *f, part *p, const part *with)
{
    if (with->raw.size < vz_zip_entry_head(p->key))
        vz_fail(&p->err, VZ_CHANGED, "the file changed meanwhile");
    else if (vz_zip_entry_measure(&p->entry, p->key, (vz_bytes){with->raw.data, with->raw.size}, f->size, &p->err))
        vz_zip_entry_remember(f->zip, p->key, p->entry.lead);
    p->is_answered = p->err.class != VZ_OK;
}

/* One of each entry. */
static bool read_heads(vz_bucket_zip *f, state *s, vz_error *err)
{
    vz_strmap *first = vz_strmap_new();
    bool ok = first || vz_fail_memory(err);
    size_t count = 0;
    for (size_t i = 0; ok && i < s->count; i++) {
        part *p = &s->parts[i];
        if (!needs_head(p) || vz_strmap_get(first, p->key))
            continue;
        ok = vz_strmap_put(first, p->key, p, err);
        s->asked[count++] = &p->inner;
    }
    ok = ok && (count == 0 || ask_heads(f, s, count, err));
    for (size_t i = 0; ok && i < s->count; i++)
        if (needs_head(&s->parts[i]))
            take_head(f, &s->parts[i], vz_strmap_get(first, s->parts[i].key));
    vz_strmap_free(first, NULL);
    return ok;
}

/* Its ranges in the file; bytes go to where they are wanted. */
static bool place_ranges(vz_bucket_zip *f, const vz_request *request, part *p, vz_error *err)
{
    if (!(p->ranges = calloc(request->range_count, sizeof *p->ranges)))
        return vz_fail_memory(err);
    for (size_t i = 0; i < request->range_count; i++) {
        uint64_t first;
        size_t size;
        if (!vz_os_range_resolve(p->entry.size, request->ranges[i], &first, &size, err))
            return false;
        p->ranges[i] = (vz_range){VZ_RANGE_AT, p->entry.local + p->entry.lead + first, size};
    }
    vz_buffer_clear(&p->raw);
    read_range(f, &p->inner, p->ranges, request->into ? request->into : &p->raw);
    p->inner.range_count = request->range_count;
    p->inner.most = request->most;
    return true;
}

/* ---- opening and closing ---- */

static void free_state(state *s)
{
    for (size_t i = 0; s->parts && i < s->count; i++) {
        vz_buffer_clear(&s->parts[i].raw);
        free(s->parts[i].ranges);
    }
    free(s->parts);
    free(s->asked);
    free(s->of_asked);
    free(s);
}

static void prepare_all(vz_bucket_zip *f, state *s, vz_request *requests)
{
    const bool is_first = !atomic_exchange(&f->was_read, true);
    for (size_t i = 0; i < s->count; i++)
        if (!prepare(f, is_first, &requests[i], &s->parts[i], &s->parts[i].err))
            s->parts[i].is_answered = true;
}

static bool ask_all(vz_bucket_zip *f, state *s, const vz_request *requests, vz_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        part *p = &s->parts[i];
        if (!p->is_answered && p->reads_parts && !place_ranges(f, &requests[i], p, &p->err))
            p->is_answered = true;
        if (p->is_answered || p->is_known)
            continue;
        s->of_asked[s->asked_count] = i;
        s->asked[s->asked_count++] = &p->inner;
    }
    return s->asked_count == 0 ||
           (s->gather = vz_coalesced_open(f->remote, s->asked, s->asked_count, vz_task_begin_get, err));
}

static bool batch_open(vz_batch *batch, vz_error *err)
{
    vz_bucket_zip *f = file_of(batch->store);
    state *s = calloc(1, sizeof *s);
    if (!s)
        return vz_fail_memory(err);
    s->count = batch->count;
    s->parts = calloc(batch->count + 1, sizeof *s->parts);
    s->asked = calloc(batch->count + 1, sizeof *s->asked);
    s->of_asked = calloc(batch->count + 1, sizeof *s->of_asked);
    bool ok = (s->parts && s->asked && s->of_asked) || vz_fail_memory(err);
    if (ok) {
        prepare_all(f, s, batch->requests);
        ok = read_heads(f, s, err) && ask_all(f, s, batch->requests, err);
    }
    if (ok)
        batch->state = s;
    else
        free_state(s);
    return ok;
}

static void batch_close(vz_batch *batch)
{
    state *s = batch->state;
    if (s->gather)
        vz_coalesced_close(s->gather);
    free_state(s);
}

static void batch_drop(vz_batch *batch)
{
    state *s = batch->state;
    if (s->gather)
        vz_coalesced_drop(s->gather);
    free_state(s);
}

/* ---- pulling ---- */

/* The local header was longer than guessed: the rest is asked for by itself. */
static bool read_rest(vz_bucket_zip *f, part *p, vz_error *err)
{
    const uint64_t all = p->entry.lead + p->entry.stored;
    if (p->raw.size >= all)
        return true;
    const vz_range range = {VZ_RANGE_AT, p->entry.local + p->raw.size, all - p->raw.size};
    vz_request rest;
    read_range(f, &rest, &range, &p->raw);
    vz_task task = {.remote = f->remote, .request = &rest};
    return vz_task_queue_all(f->remote, &task, 1, vz_task_begin_get, err) &&
           (rest.found || vz_fail(err, VZ_CHANGED, "the file is gone"));
}

static bool unpack(vz_bucket_zip *f, vz_request *request, part *p, vz_buffer *out, vz_error *err)
{
    const vz_range whole = VZ_WHOLE, *ranges = request->ranges ? request->ranges : &whole;
    const size_t count = request->ranges ? request->range_count : 1;
    if (!vz_zip_entry_measure(&p->entry, request->key, (vz_bytes){p->raw.data, p->raw.size}, f->size, err) ||
        !read_rest(f, p, err))
        return false;
    const vz_bytes stored = {p->raw.data + p->entry.lead, p->entry.stored};
    for (size_t i = 0; i < count; i++) {
        const size_t before = out[i].size;
        if (!vz_zip_entry_unpack(&p->entry, stored, ranges[i], &out[i], err)) {
            out[i].size = before;
            return false;
        }
    }
    return true;
}

static bool finish(vz_bucket_zip *f, vz_request *request, part *p, vz_buffer *scratch, vz_error *err)
{
    if (!p->inner.found)
        return vz_fail(err, VZ_CHANGED, "the file is gone");
    if (p->reads_parts && request->into)
        return true;
    if (p->reads_parts) {
        vz_buffer_clear(scratch);
        *scratch = p->raw;
        scratch->limit = 0;
        p->raw = (vz_buffer){0};
        request->bytes = (vz_bytes){scratch->data, scratch->size};
        return true;
    }
    if (request->most && p->entry.size > request->most)
        return vz_fail(err, VZ_LIMIT, "%llu bytes", (unsigned long long)p->entry.size);
    if (request->into)
        return unpack(f, request, p, request->into, err);
    scratch->size = 0;
    const bool ok = unpack(f, request, p, scratch, err);
    request->bytes = (vz_bytes){scratch->data, scratch->size};
    return ok;
}

static vz_request *answer(vz_batch *batch, vz_request *request, vz_error *failed)
{
    if (failed->class != VZ_OK) {
        vz_error_where(failed, batch->store->path, request->key);
        vz_batch_failed(batch, request, failed);
    }
    return request;
}

/* The value of which the bytes are there. */
static vz_request *hand_out(vz_batch *batch, size_t index, vz_buffer *scratch, vz_error *failed)
{
    part *p = &((state *)batch->state)->parts[index];
    if (failed->class == VZ_OK)
        finish(file_of(batch->store), &batch->requests[index], p, scratch, failed);
    vz_buffer_clear(&p->raw);
    return answer(batch, &batch->requests[index], failed);
}

static vz_request *batch_next(vz_batch *batch, vz_buffer *scratch)
{
    state *s = batch->state;
    if (batch->stopped)
        return NULL;
    for (size_t i; (i = atomic_fetch_add(&s->handed_out, 1)) < s->count;) {
        if (s->parts[i].is_answered)
            return answer(batch, &batch->requests[i], &s->parts[i].err);
        if (s->parts[i].is_known)
            return hand_out(batch, i, scratch, &s->parts[i].err);
    }
    vz_error failed = VZ_ERROR_NONE;
    vz_buffer unused = {0}; /* each has a place */
    size_t index;
    if (!s->gather || !vz_coalesced_next(s->gather, &index, &unused, &failed))
        return NULL;
    return hand_out(batch, s->of_asked[index], scratch, &failed);
}

const vz_batch_class vz_bucket_zip_batches = {
    .open = batch_open, .next = batch_next, .close = batch_close, .drop = batch_drop};
