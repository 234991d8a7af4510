/* shard_write.c - putting a shard together: the chunks that wait, for the others what the store has, and the indexes.
 */
#include "util/pool.h"
#include "zarr/grid.h"
#include "zarr/shard_io.h"
#include <stdlib.h>

/* Stored bytes of one chunk of a shard that is written, by its place; NULL: it is missing. */
typedef struct assembly {
    vz_array *array;
    const vz_array_meta *meta;
    vz_version version; /* of the old shard */
    const vz_shard_codecs *levels;
    vz_bytes *chunks;
    bool *met;    /* in the old shard */
    vz_arena old; /* shards that had to be decoded */
    unsigned worker;
} assembly;

/* ---- what the store has ---- */

/* Takes the chunks of one old shard, in bytes, that are not there anew. `corner` is the first chunk in it. */
static bool take_old(assembly *a, vz_pending *pending, unsigned level, vz_bytes old, const uint64_t *corner,
                     vz_error *err);

/* Our part of the chunk goes over what is there by now. */
static bool merge_chunk(assembly *a, const vz_waiting *waiting, const vz_bytes *theirs, vz_bytes *chunk, vz_error *err)
{
    const vz_bytes ours = {waiting->data, waiting->size};
    vz_buffer merged = {0};
    bool ok = vz_change_merge(a->array, waiting->change, waiting->data ? &ours : NULL, theirs, &merged, a->worker, err);
    if (ok) {
        *chunk = (vz_bytes){vz_arena_copy(&a->old, merged.data, merged.size, err), merged.size};
        ok = chunk->data != NULL;
        waiting->change->merged = true;
    }
    vz_buffer_clear(&merged);
    return ok;
}

static bool take_entry(assembly *a, vz_pending *pending, unsigned level, vz_bytes part, const uint64_t *chunk,
                       vz_error *err)
{
    if (level + 1 < a->meta->shard_levels)
        return take_old(a, pending, level + 1, part, chunk, err);
    const uint64_t place = vz_pending_place(a->meta, chunk);
    const vz_waiting *waiting = &pending->chunks[place];
    a->met[place] = true;
    if (!waiting->touched)
        a->chunks[place] = part;
    if (!waiting->touched || !waiting->change || vz_change_is_of(waiting->change, true, &a->version))
        return true;
    return merge_chunk(a, waiting, &part, &a->chunks[place], err);
}

/* Undoes what was done to an old shard as a whole. */
static bool decode_old(assembly *a, unsigned level, vz_bytes *old, vz_error *err)
{
    const vz_shard_codecs *codecs = &a->levels[level];
    vz_buffer bytes = {0};
    if (codecs->behind.count == 0)
        return true;
    bool ok = vz_chain_decode_bytes(&codecs->behind, *old, &bytes, a->worker, err);
    if (ok)
        *old = (vz_bytes){vz_arena_copy(&a->old, bytes.data, bytes.size, err), bytes.size};
    vz_buffer_clear(&bytes);
    return ok && old->data;
}

static bool take_old(assembly *a, vz_pending *pending, unsigned level, vz_bytes old, const uint64_t *corner,
                     vz_error *err)
{
    const vz_shard_codecs *codecs = &a->levels[level];
    const size_t size = codecs->index_size;
    if (!decode_old(a, level, &old, err))
        return false;
    if (size > old.size)
        return vz_fail(err, VZ_CORRUPT, "a shard of %zu bytes has no room for its index", old.size);
    vz_shard_entry *entries = malloc((size_t)codecs->count * sizeof *entries);
    const vz_bytes index = {old.data + (codecs->index_first ? 0 : old.size - size), size};
    bool ok = entries ? vz_shard_index_decode(codecs, index, old.size, entries, a->worker, err) : vz_fail_memory(err);
    for (uint64_t i = 0; ok && i < codecs->count; i++) {
        uint64_t chunk[VZ_MAX_RANK];
        if (entries[i].offset == UINT64_MAX)
            continue;
        vz_shard_corner(a->meta, level, corner, i, chunk);
        ok = take_entry(a, pending, level, (vz_bytes){old.data + entries[i].offset, (size_t)entries[i].size}, chunk,
                        err);
    }
    free(entries);
    return ok;
}

/* ---- putting together ---- */

/* Appends a shard (of that level, with that corner) to `out`, or nothing where none of its chunks is there. */
static bool append_shard(assembly *a, unsigned level, const uint64_t *corner, vz_buffer *out, bool *any, vz_error *err);

static bool append_entry(assembly *a, unsigned level, const uint64_t *chunk, vz_buffer *out, bool *any, vz_error *err)
{
    if (level + 1 < a->meta->shard_levels)
        return append_shard(a, level + 1, chunk, out, any, err);
    const vz_bytes *bytes = &a->chunks[vz_pending_place(a->meta, chunk)];
    *any = bytes->data != NULL;
    return !*any || vz_buffer_append(out, bytes->data, bytes->size, err);
}

/* The chunks of a shard, from the start of `out` on as it is now; their places go into `entries`. */
static bool append_entries(assembly *a, unsigned level, const uint64_t *corner, size_t start, vz_shard_entry *entries,
                           vz_buffer *out, bool *any, vz_error *err)
{
    for (uint64_t i = 0; i < a->levels[level].count; i++) {
        uint64_t chunk[VZ_MAX_RANK];
        const size_t at = out->size;
        bool there = false;
        vz_shard_corner(a->meta, level, corner, i, chunk);
        if (!append_entry(a, level, chunk, out, &there, err))
            return false;
        entries[i] = there ? (vz_shard_entry){at - start, out->size - at} : VZ_SHARD_MISSING;
        *any = *any || there;
    }
    return true;
}

/* A shard as it is before codecs work on it as a whole. */
static bool append_plain(assembly *a, unsigned level, const uint64_t *corner, vz_buffer *out, bool *any, vz_error *err)
{
    const vz_shard_codecs *codecs = &a->levels[level];
    const size_t start = out->size, size = codecs->index_size, room = codecs->index_first ? size : 0;
    vz_shard_entry *entries = malloc((size_t)codecs->count * sizeof *entries);
    vz_buffer index = {0};
    *any = false;
    bool ok = entries ? vz_buffer_reserve(out, start + room, err) : vz_fail_memory(err);
    if (ok) {
        out->size += room;
        ok = append_entries(a, level, corner, start, entries, out, any, err);
    }
    ok = ok && (!*any || vz_shard_index_encode(codecs, entries, &index, a->worker, err));
    if (ok && !*any)
        out->size = start;
    else if (ok && codecs->index_first)
        memcpy(out->data + start, index.data, size);
    else if (ok)
        ok = vz_buffer_append(out, index.data, size, err);
    vz_buffer_clear(&index);
    free(entries);
    return ok;
}

static bool append_shard(assembly *a, unsigned level, const uint64_t *corner, vz_buffer *out, bool *any, vz_error *err)
{
    const vz_chain *behind = &a->levels[level].behind;
    vz_buffer plain = {0}, coded = {0};
    if (behind->count == 0)
        return append_plain(a, level, corner, out, any, err);
    bool ok = append_plain(a, level, corner, &plain, any, err);
    if (ok && *any)
        ok = vz_chain_encode_bytes(behind, (vz_bytes){plain.data, plain.size}, &coded, a->worker, err) &&
             vz_buffer_append(out, coded.data, coded.size, err);
    vz_buffer_clear(&plain);
    vz_buffer_clear(&coded);
    return ok;
}

/* The shards that are written together. */
typedef struct writing {
    vz_array *array;
    vz_pending **list;
    size_t count;
    char **keys;
    vz_range nothing;     /* no range is read of what is replaced as a whole */
    vz_request *requests; /* for what the store has: request i for shard tag */
    vz_batch *batch;
} writing;

/* A shard that is being written, and what the store has at its key. */
typedef struct written {
    vz_array *array;
    vz_pending *pending;
    const char *key;
    vz_bytes old; /* to be merged with; none where all chunks wait */
    bool found;
    vz_version version;
    vz_buffer out;
} written;

/* Where another process has deleted the chunk, the rest of it is fill. */
static bool merge_unmet(assembly *a, const vz_pending *pending, vz_error *err)
{
    for (uint64_t i = 0; i < pending->count; i++) {
        const vz_waiting *waiting = &pending->chunks[i];
        if (a->met[i] || !waiting->change || vz_change_is_of(waiting->change, false, &a->version))
            continue;
        if (!merge_chunk(a, waiting, NULL, &a->chunks[i], err))
            return false;
    }
    return true;
}

static bool assemble(written *w, assembly *a, bool *any, vz_error *err)
{
    vz_pending *pending = w->pending;
    uint64_t corner[VZ_MAX_RANK];
    vz_pending_chunk(w->array->meta, pending->shard, 0, corner);
    for (uint64_t i = 0; i < pending->count; i++)
        a->chunks[i] = (vz_bytes){pending->chunks[i].data, pending->chunks[i].size};
    return (w->old.size == 0 || take_old(a, pending, 0, w->old, corner, err)) && merge_unmet(a, pending, err) &&
           append_shard(a, 0, corner, &w->out, any, err);
}

/* VZ_CHANGED: another process was faster. */
static bool put_shard(const written *w, bool any, vz_error *err)
{
    vz_request request = {.op = any ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = w->key,
                          .value = {w->out.data, w->out.size},
                          .when = w->found ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = w->version};
    return (!any && !w->found) || vz_request_do(w->array->store, &request, NULL, err);
}

static bool merge_and_put(written *w, unsigned worker, vz_error *err)
{
    assembly a = {.array = w->array,
                  .meta = w->array->meta,
                  .version = w->version,
                  .levels = w->array->shards->levels,
                  .chunks = calloc(w->pending->count, sizeof *a.chunks),
                  .met = calloc(w->pending->count, sizeof *a.met),
                  .worker = worker};
    bool any = false;
    const bool ok =
        ((a.chunks && a.met) || vz_fail_memory(err)) && assemble(w, &a, &any, err) && put_shard(w, any, err);
    free(a.chunks);
    free(a.met);
    vz_arena_clear(&a.old);
    vz_buffer_clear(&w->out);
    return ok;
}

static bool write_answered(writing *work, const vz_request *request, unsigned worker, vz_error *err)
{
    vz_pending *pending = work->list[request->tag];
    written w = {.array = work->array,
                 .pending = pending,
                 .key = request->key,
                 .old = request->found && !request->ranges ? request->bytes : (vz_bytes){0},
                 .found = request->found,
                 .version = request->version};
    vz_error failed = VZ_ERROR_NONE;
    if (request->failed != VZ_OK)
        return false; /* the batch has the error */
    pending->written = merge_and_put(&w, worker, &failed);
    vz_store_forget_held(work->array->store, request->key); /* others may replace it from here on */
    if (pending->written || failed.class == VZ_CHANGED)
        return true;
    vz_error_where(&failed, NULL, request->key);
    if (err->class == VZ_OK)
        *err = failed;
    return false;
}

/* One that fails does not keep the others from being written. */
static bool write_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    writing *work = context;
    vz_request *request;
    bool ok = true;
    (void)index;
    while ((request = vz_batch_next(work->batch, vz_pool_scratch(worker, VZ_SCRATCH_STORED))))
        ok = write_answered(work, request, worker, err) && ok;
    return ok || err->class == VZ_OK;
}

static bool is_complete(const vz_array *array, const vz_pending *pending)
{
    bool whole = pending->inside >= vz_pending_inside(array->meta, pending->shard);
    for (uint64_t i = 0; whole && i < pending->count; i++)
        whole = !pending->chunks[i].change;
    return whole;
}

/* What the store has is read where some of a shard's chunks do not wait. Other processes that do so wait meanwhile. */
static size_t make_requests(writing *work)
{
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++) {
        const vz_pending *pending = work->list[i];
        const bool complete = is_complete(work->array, pending);
        if (pending->written)
            continue;
        work->requests[count++] = (vz_request){
            .key = work->keys[i], .ranges = complete ? &work->nothing : NULL, .hold = VZ_HOLD_TO_REPLACE, .tag = i};
    }
    return count;
}

static bool write_round(writing *work, size_t *left, vz_error *err)
{
    const unsigned width = vz_pool_width();
    const size_t count = make_requests(work);
    work->batch = vz_batch_open(work->array->store, work->requests, count, err);
    bool ok = work->batch && vz_pool_run(write_task, work, count < width ? count : width, err);
    ok = work->batch && vz_batch_close(work->batch, ok ? err : NULL) && ok;
    *left = 0;
    for (size_t i = 0; i < work->count; i++)
        *left += !work->list[i]->written;
    return ok;
}

#define WRITE_ATTEMPTS 100 /* to be the one that makes a shard: each that fails is another writer that made it */

static bool write_all(writing *work, vz_error *err)
{
    size_t left = work->count;
    bool ok = true;
    for (unsigned attempt = 0; ok && left > 0 && attempt < WRITE_ATTEMPTS; attempt++)
        ok = write_round(work, &left, err);
    return ok && (left == 0 || vz_fail(err, VZ_BUSY, "other processes make and delete these shards all the time"));
}

static bool make_keys(writing *work, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    for (size_t i = 0; i < work->count; i++) {
        const vz_array *array = work->array;
        if (!vz_chunk_key(array->meta, array->prefix, work->list[i]->shard, key, sizeof key, err))
            return false;
        if (!(work->keys[i] = strdup(key)))
            return vz_fail_memory(err);
        work->list[i]->written = false;
    }
    return true;
}

static bool write_list(writing *work, vz_error *err)
{
    work->keys = calloc(work->count, sizeof *work->keys);
    work->requests = malloc(work->count * sizeof *work->requests);
    bool ok = (work->keys && work->requests) || vz_fail_memory(err);
    vz_store_hold(work->array->store);
    ok = ok && make_keys(work, err) && write_all(work, err);
    vz_store_release(work->array->store);
    for (size_t i = 0; work->keys && i < work->count; i++)
        free(work->keys[i]);
    free(work->keys);
    free(work->requests);
    return ok;
}

static bool is_due(const vz_array *array, const vz_pending *pending, bool all)
{
    return all || pending->inside >= vz_pending_inside(array->meta, pending->shard);
}

/* The list of shards to be written; *count of them. */
static vz_pending **collect(vz_array *array, bool all, size_t *count, vz_error *err)
{
    const size_t most = vz_strmap_count(array->shards->pending);
    vz_pending **list = malloc((most ? most : 1) * sizeof *list);
    size_t cursor = 0;
    const char *name;
    void *value;
    *count = 0;
    if (!list)
        vz_fail_memory(err);
    while (list && vz_strmap_next(array->shards->pending, &cursor, &name, &value))
        if (is_due(array, value, all))
            list[(*count)++] = value;
    return list;
}

/* What others had changed of a chunk is read when it is wanted. */
static void forget_merged(vz_array *array, const vz_pending *pending)
{
    uint64_t chunk[VZ_MAX_RANK];
    for (uint64_t i = 0; i < pending->count; i++) {
        if (!pending->chunks[i].change || !pending->chunks[i].change->merged)
            continue;
        vz_pending_chunk(array->meta, pending->shard, i, chunk);
        vz_cached *entry = vz_cache_find(&array->cache, chunk);
        if (entry && !entry->dirty && !entry->pinned)
            vz_cache_remove(&array->cache, entry);
    }
}

/* What was written does not wait any more. */
static void settle(vz_array *array, vz_pending *pending)
{
    char name[VZ_CHUNK_KEY_MAX];
    uint64_t touched = 0;
    for (uint64_t i = 0; i < pending->count; i++)
        touched += pending->chunks[i].touched;
    forget_merged(array, pending);
    array->shards->pending_bytes -= pending->bytes + touched * sizeof(vz_waiting);
    if (vz_chunk_key(array->meta, "", pending->shard, name, sizeof name, NULL))
        vz_strmap_remove(array->shards->pending, name);
    vz_pending_free(pending);
}

void vz_shards_reshaped(vz_array *array)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (array->shards && vz_strmap_next(array->shards->pending, &cursor, &name, &value)) {
        vz_pending *pending = value;
        uint64_t chunk[VZ_MAX_RANK];
        pending->inside = 0;
        for (uint64_t i = 0; i < pending->count; i++) {
            vz_pending_chunk(array->meta, pending->shard, i, chunk);
            pending->inside += pending->chunks[i].touched && vz_grid_inside(array->meta, chunk);
        }
    }
}

static void drop_outside(vz_array *array, vz_pending *pending)
{
    for (uint64_t i = 0; i < pending->count; i++) {
        vz_waiting *waiting = &pending->chunks[i];
        uint64_t chunk[VZ_MAX_RANK];
        vz_pending_chunk(array->meta, pending->shard, i, chunk);
        if (!waiting->touched || vz_grid_inside(array->meta, chunk))
            continue;
        array->shards->pending_bytes -= waiting->size + sizeof *waiting;
        pending->bytes -= waiting->size;
        vz_waiting_clear(waiting);
    }
}

void vz_shards_drop_outside(vz_array *array)
{
    size_t cursor = 0;
    const char *name;
    void *pending;
    vz_shards_reshaped(array);
    while (array->shards && vz_strmap_next(array->shards->pending, &cursor, &name, &pending))
        drop_outside(array, pending);
}

bool vz_shards_write(vz_array *array, bool all, vz_error *err)
{
    size_t count;
    if (!array->shards || vz_strmap_count(array->shards->pending) == 0)
        return true;
    vz_pending **list = collect(array, all, &count, err);
    if (!list)
        return false;
    writing work = {.array = array, .list = list, .count = count};
    for (size_t i = 0; i < count; i++)
        list[i]->written = false;
    const bool ok = count == 0 || write_list(&work, err);
    for (size_t i = 0; i < count; i++)
        if (list[i]->written)
            settle(array, list[i]);
    if (count > 0)
        vz_shards_forget(array);
    free(list);
    return ok;
}
