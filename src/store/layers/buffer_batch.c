/* buffer_batch.c - batches over the write-behind buffer. The buffer answers for keys that it
 * holds. The store below answers for the others and takes the batch's own puts. */
#include "store/layers/write_behind_internal.h"
#include "base/os/file.h"
#include "store/layers/layer.h"
#include <stdlib.h>

typedef struct buffer_batch {
    vz_sub_batch rest;
    vz_buffer *known;           /* by request: the value that the table has, until the batch is
                                 * closed; NULL: it has none */
    size_t *shown, shown_count; /* the requests that it tells of */
    atomic_size_t next_shown;
} buffer_batch;

static vz_write_buffer *buffer_of(vz_store *store)
{
    return (vz_write_buffer *)store;
}

static void free_batch(buffer_batch *s, size_t count)
{
    for (size_t i = 0; s->known && i < count; i++)
        vz_buffer_clear(&s->known[i]);
    free(s->known);
    free(s->shown);
    free(s);
}

/* ---- opening ---- */

/* If the batch changes a key without a condition, a value of that key that is under way is sent
 * before it. One that waits is dropped. */
static void yield_to(vz_write_buffer *b, const vz_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool lists = requests[i].op == VZ_REQUEST_LIST;
        const bool replaces = vz_request_changes(&requests[i]) && requests[i].when == VZ_WHEN_ANY &&
                              !vz_write_buffer_keeps(b, requests[i].key);
        if (lists && vz_write_buffer_show(b, requests[i].key, NULL) && vz_write_buffer_has(b, requests[i].key))
            vz_write_buffer_drain(b, NULL); /* as below */
        vz_write_buffer_entry *entry = replaces ? vz_write_buffer_find(b, requests[i].key) : NULL;
        if (entry && entry->under_way) {
            vz_write_buffer_drain(b, NULL); /* what fails stays, and is reported by the next one who
                                             * drains */
            entry = vz_write_buffer_find(b, requests[i].key);
        }
        if (entry)
            vz_write_buffer_remove(b, entry);
    }
}

/* entry: NULL: there is no value. */
static vz_version version_of(const vz_write_buffer_entry *entry)
{
    const vz_stamp stamp = entry ? vz_write_buffer_stamp(entry) : (vz_stamp){0};
    return vz_version_of(&stamp, true);
}

/* The version that the table has is reported with its value. */
static bool answer_get(buffer_batch *s, vz_request *request, size_t at, const vz_write_buffer_entry *entry,
                       vz_error *err)
{
    const vz_write_buffer_value *newest = entry ? vz_write_buffer_newest(entry) : NULL;
    request->found = newest && newest->data;
    request->version = version_of(entry);
    return !request->found || vz_buffer_append(&s->known[at], newest->data, newest->size, err);
}

/* The condition holds of what the table has: so what is put goes there too. */
static bool answer_change(vz_write_buffer *b, vz_request *request, vz_error *err)
{
    if (!vz_write_buffer_add(b, request->key, request->op == VZ_REQUEST_PUT ? &request->value : NULL, err))
        return false;
    if (request->tells)
        request->version = version_of(vz_write_buffer_find(b, request->key));
    return true;
}

/* *answered=false: the store below has to. */
static bool answer(buffer_batch *s, vz_write_buffer *b, vz_request *request, size_t at, bool *answered, vz_error *err)
{
    const vz_write_buffer_entry *entry = request->op == VZ_REQUEST_LIST ? NULL : vz_write_buffer_find(b, request->key);
    const vz_version none = {0}, *demanded = request->when == VZ_WHEN_VERSION ? &request->version : &none;
    *answered = entry || (request->op != VZ_REQUEST_LIST && vz_write_buffer_keeps(b, request->key));
    if (!*answered)
        return true;
    const vz_version there = version_of(entry);
    s->shown[s->shown_count++] = at;
    if (request->when != VZ_WHEN_ANY && !vz_version_equal(&there, demanded)) {
        request->failed = VZ_CHANGED;
        return true;
    }
    return request->op == VZ_REQUEST_GET ? answer_get(s, request, at, entry, err) : answer_change(b, request, err);
}

static bool sort_out(buffer_batch *s, vz_write_buffer *b, vz_batch *batch, size_t *rest, size_t *rest_count,
                     vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < batch->count; i++) {
        bool answered;
        batch->requests[i].failed = VZ_OK;
        ok = answer(s, b, &batch->requests[i], i, &answered, err);
        if (!answered)
            rest[(*rest_count)++] = i;
    }
    return ok;
}

static bool open_mixed(buffer_batch *s, vz_write_buffer *b, vz_batch *batch, vz_error *err)
{
    size_t *rest = malloc((batch->count + 1) * sizeof *rest), rest_count = 0;
    s->known = calloc(batch->count + 1, sizeof *s->known);
    s->shown = malloc((batch->count + 1) * sizeof *s->shown);
    bool ok = (rest && s->known && s->shown) || vz_fail_memory(err);
    vz_write_buffer_lock(b);
    if (ok)
        yield_to(b, batch->requests, batch->count);
    ok = ok && sort_out(s, b, batch, rest, &rest_count, err);
    vz_write_buffer_unlock(b);
    ok = ok && (rest_count == 0 || vz_sub_batch_open(&s->rest, b->layer.below, batch->requests, rest, rest_count, err));
    free(rest);
    return ok;
}

static bool knows_some(const vz_write_buffer *b, const vz_batch *batch)
{
    bool knows = vz_strmap_count(b->by_key) > 0;
    for (size_t i = 0; !knows && i < batch->count; i++)
        knows = vz_write_buffer_keeps(b, batch->requests[i].key);
    return knows;
}

static bool buffer_open(vz_batch *batch, vz_error *err)
{
    vz_write_buffer *b = buffer_of(batch->store);
    buffer_batch *s = calloc(1, sizeof *s);
    if (!s)
        return vz_fail_memory(err);
    vz_write_buffer_lock(b);
    const bool mixed = knows_some(b, batch);
    vz_write_buffer_unlock(b);
    if (mixed ? open_mixed(s, b, batch, err)
              : vz_sub_batch_open(&s->rest, b->layer.below, batch->requests, NULL, batch->count, err)) {
        batch->state = s;
        return true;
    }
    free_batch(s, batch->count);
    return false;
}

/* ---- answers ---- */

static bool append_ranges(const vz_buffer *value, vz_request *request, vz_error *err)
{
    const size_t count = request->ranges ? request->range_count : 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t offset;
        size_t size;
        if (!vz_os_range_resolve(value->size, request->ranges ? request->ranges[i] : VZ_WHOLE, &offset, &size, err))
            return false;
        if (!request->into) {
            request->bytes = (vz_bytes){value->data + offset, size};
            if (request->most && size > request->most)
                return vz_fail(err, VZ_LIMIT, "more than %llu bytes", (unsigned long long)request->most);
        } else if (!vz_os_range_room(&request->into[i], size, err) ||
                   !vz_buffer_append(&request->into[i], value->data + offset, size, err)) {
            return false;
        }
    }
    return true;
}

static vz_request *tell(vz_batch *batch, size_t index)
{
    const buffer_batch *s = batch->state;
    vz_request *request = &batch->requests[index];
    vz_error failed = VZ_ERROR_NONE;
    const bool reads = request->op == VZ_REQUEST_GET && request->found;
    const bool ok = request->failed == VZ_OK
                        ? !reads || append_ranges(&s->known[index], request, &failed)
                        : vz_fail(&failed, VZ_CHANGED, "another version was put in its place meanwhile");
    if (!ok) {
        vz_error_where(&failed, batch->store->path, request->key);
        vz_batch_failed(batch, request, &failed);
    }
    return request;
}

static vz_request *buffer_next(vz_batch *batch, vz_buffer *scratch)
{
    buffer_batch *s = batch->state;
    if (batch->stopped) {
        vz_sub_batch_stop(&s->rest);
    } else {
        const size_t next = atomic_fetch_add(&s->next_shown, 1);
        if (next < s->shown_count)
            return tell(batch, s->shown[next]);
    }
    return vz_sub_batch_next(&s->rest, scratch);
}

static void buffer_close_batch(vz_batch *batch)
{
    buffer_batch *s = batch->state;
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = vz_sub_batch_close(&s->rest, &failed);
    if (!ok && !atomic_exchange(&batch->failed, true))
        batch->error = failed;
    free_batch(s, batch->count);
}

static void buffer_drop(vz_batch *batch)
{
    buffer_batch *s = batch->state;
    vz_sub_batch_drop(&s->rest);
    free_batch(s, batch->count);
}

const vz_batch_class vz_write_buffer_batches = {
    .open = buffer_open, .next = buffer_next, .close = buffer_close_batch, .drop = buffer_drop};
