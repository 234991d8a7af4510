/* shard_stream.c - streams a shard into the store, if a batch stores all of its chunks and the
 * store can do that. The chunks go in their order, behind each other, and the index when the
 * last one is there. Chunks whose turn has not come wait as others do. After a failure all of its
 * chunks wait. Then the shard is put as a whole, or its chunks that are there, and that put reports
 * the error. */
#include "array/selection/selection.h"
#include "array/chunks/shard_state_internal.h"
#include <stdlib.h>

enum {
    SHARD_MIN = 1 << 18, /* bytes of a shard, before codecs, that is worth it */
    PIECE_MIN = 1 << 16  /* bytes that are written at once; fewer wait for the next ones */
};

/* ---- beginning ---- */

/* Nothing works on the shard as a whole, and the entries of its index are in the order of its
 * chunks. */
static bool is_flat(const vz_array *array)
{
    const vz_shards *shards = array->shards;
    bool flat = shards->level_count == 1 && shards->levels[0].behind.count == 0;
    for (unsigned d = 0; flat && d < array->meta->rank; d++)
        flat = array->meta->shards[0].axes[d] == d;
    return flat;
}

/* Nothing comes for places outside of the array, and chunks that are to be missing have no
 * bytes. */
static void pass_empty(const vz_array *array, vz_pending *pending)
{
    vz_shard_stream *stream = pending->stream;
    uint64_t chunk[VZ_MAX_RANK];
    for (; stream->next < pending->count; stream->next++) {
        const vz_shard_waiting_chunk *waiting = &pending->chunks[stream->next];
        vz_pending_chunk(array->meta, pending->shard, stream->next, chunk);
        if (waiting->touched ? waiting->data || waiting->change : vz_grid_inside(array->meta, chunk))
            return;
    }
}

static const vz_shard_codecs *codecs_of(const vz_array *array, const vz_pending *pending, vz_shard_fitted *fitted)
{
    uint64_t corner[VZ_MAX_RANK];
    vz_pending_chunk(array->meta, pending->shard, 0, corner);
    return vz_shard_codecs_at(array, 0, corner, fitted, NULL);
}

void vz_stream_begin(vz_array *array, vz_pending *pending)
{
    const vz_shard_codecs *codecs;
    vz_shard_fitted fitted;
    if (pending->stream || !array->store->class->begin_pieces || !is_flat(array) || !vz_pending_is_empty(pending) ||
        pending->awaited * array->meta->chunk_size < SHARD_MIN || !(codecs = codecs_of(array, pending, &fitted)))
        return;
    vz_shard_stream *stream = calloc(1, sizeof *stream + (size_t)pending->count * sizeof *stream->entries);
    if (!stream)
        return;
    for (uint64_t i = 0; i < pending->count; i++)
        stream->entries[i] = VZ_SHARD_MISSING;
    stream->end = codecs->index_first ? codecs->index_size : 0;
    pending->stream = stream;
    pass_empty(array, pending);
}

/* ---- chunks; under the lock unless a comment says otherwise ---- */

/* The file is made for the first bytes. */
static bool is_open(vz_array *array, vz_pending *pending)
{
    char key[VZ_CHUNK_KEY_MAX];
    vz_shard_stream *stream = pending->stream;
    if (!stream->pieces && !stream->failed) {
        if (vz_meta_chunk_key(array->meta, array->prefix, pending->shard, key, sizeof key, NULL))
            stream->pieces = vz_pieces_begin(array->store, key);
        stream->failed = !stream->pieces;
    }
    return !stream->failed;
}

static void give_place(vz_shard_stream *stream, uint64_t place, uint64_t size)
{
    stream->entries[place] = (vz_shard_entry){stream->end, size};
    stream->end += size;
}

static bool take(vz_array *array, vz_pending *pending, uint64_t place, const vz_bytes *bytes)
{
    vz_shard_stream *stream = pending->stream;
    if (stream->next != place || !bytes || bytes->size < PIECE_MIN || !is_open(array, pending))
        return false;
    give_place(stream, place, bytes->size);
    pending->chunks[place].touched = true;
    pending->inside++;
    array->shards->pending_bytes += sizeof(vz_shard_waiting_chunk);
    stream->next++;
    pass_empty(array, pending);
    return true;
}

static void fail_chunk(vz_array *array, vz_pending *pending, uint64_t place)
{
    pending->stream->failed = true;
    pending->stream->entries[place] = VZ_SHARD_MISSING;
    pending->chunks[place].touched = false;
    pending->inside--;
    array->shards->pending_bytes -= sizeof(vz_shard_waiting_chunk);
}

/* In a worker, without the lock. */
bool vz_stream_take(vz_array *array, vz_pending *pending, uint64_t place, const vz_bytes *bytes)
{
    vz_os_mutex *lock = &array->shards->lock;
    if (!pending->stream)
        return false;
    vz_os_mutex_lock(lock);
    const bool taken = take(array, pending, place, bytes);
    const vz_shard_entry entry = pending->stream->entries[place];
    vz_os_mutex_unlock(lock);
    if (!taken || vz_pieces_write(array->store, pending->stream->pieces, entry.offset, *bytes, NULL))
        return taken;
    vz_os_mutex_lock(lock);
    fail_chunk(array, pending, place);
    vz_os_mutex_unlock(lock);
    return false;
}

/* ---- chunks that wait, and whose turn it is ---- */

typedef struct run {
    uint64_t from, to; /* places; of those that have no data nothing is written */
    uint64_t offset;
    size_t size;
} run;

/* Those that wait at the front, if they are so many bytes. */
static bool take_run(vz_array *array, vz_pending *pending, size_t least, run *taken)
{
    vz_shard_stream *stream = pending->stream;
    uint64_t chunk[VZ_MAX_RANK];
    pass_empty(array, pending);
    *taken = (run){.from = stream->next, .to = stream->next, .offset = stream->end};
    for (; taken->to < pending->count; taken->to++) {
        const vz_shard_waiting_chunk *waiting = &pending->chunks[taken->to];
        vz_pending_chunk(array->meta, pending->shard, taken->to, chunk);
        if (waiting->change || (!waiting->touched && vz_grid_inside(array->meta, chunk)))
            break;
        taken->size += waiting->size;
    }
    if (taken->to == taken->from || taken->size < least || !is_open(array, pending))
        return false;
    for (uint64_t i = taken->from; i < taken->to; i++)
        if (pending->chunks[i].data)
            give_place(stream, i, pending->chunks[i].size);
    stream->next = taken->to;
    return true;
}

/* Without the lock. */
static bool write_run(vz_array *array, const vz_pending *pending, const run *taken)
{
    vz_buffer bytes = {0};
    bool ok = vz_buffer_reserve(&bytes, taken->size, NULL);
    for (uint64_t i = taken->from; ok && i < taken->to; i++)
        ok = vz_buffer_append(&bytes, pending->chunks[i].data, pending->chunks[i].size, NULL);
    ok = ok && vz_pieces_write(array->store, pending->stream->pieces, taken->offset, (vz_bytes){bytes.data, bytes.size},
                               NULL);
    vz_buffer_clear(&bytes);
    return ok;
}

static void end_run(vz_array *array, vz_pending *pending, const run *taken, bool written)
{
    pending->stream->failed = pending->stream->failed || !written;
    for (uint64_t i = taken->from; i < taken->to; i++) {
        vz_shard_waiting_chunk *waiting = &pending->chunks[i];
        if (!written)
            pending->stream->entries[i] = VZ_SHARD_MISSING;
        if (!written || !waiting->data)
            continue;
        array->shards->pending_bytes -= waiting->size;
        pending->bytes -= waiting->size;
        free(waiting->data);
        waiting->data = NULL;
        waiting->size = 0;
    }
}

static void write_front(vz_array *array, vz_pending *pending, size_t least)
{
    vz_os_mutex *lock = &array->shards->lock;
    run taken;
    vz_os_mutex_lock(lock);
    while (!pending->stream->failed && take_run(array, pending, least, &taken)) {
        vz_os_mutex_unlock(lock);
        const bool written = write_run(array, pending, &taken);
        vz_os_mutex_lock(lock);
        end_run(array, pending, &taken, written);
    }
    vz_os_mutex_unlock(lock);
}

void vz_stream_go_on(vz_array *array, vz_pending *pending)
{
    if (pending->stream)
        write_front(array, pending, PIECE_MIN);
}

/* ---- the end; nobody else stores chunks of it any more ---- */

static bool write_index(vz_array *array, const vz_pending *pending, unsigned worker, vz_error *err)
{
    const vz_shard_stream *stream = pending->stream;
    vz_shard_fitted fitted;
    const vz_shard_codecs *codecs = codecs_of(array, pending, &fitted);
    vz_buffer index = {0};
    const bool ok = codecs && vz_shard_index_encode(codecs, stream->entries, &index, worker, err) &&
                    vz_pieces_write(array->store, stream->pieces, codecs->index_first ? 0 : stream->end,
                                    (vz_bytes){index.data, index.size}, err);
    vz_buffer_clear(&index);
    return ok;
}

bool vz_stream_finish(vz_array *array, vz_pending *pending, const char *key, unsigned worker, vz_error *err)
{
    vz_shard_stream *stream = pending->stream;
    if (!stream)
        return false;
    write_front(array, pending, 1);
    return !stream->failed && stream->pieces && stream->next == pending->count &&
           write_index(array, pending, worker, err) && vz_shard_put_pieces(array, key, stream->pieces, err);
}

static bool read_back(vz_array *array, vz_pending *pending, uint64_t place, vz_error *err)
{
    const vz_shard_entry *entry = &pending->stream->entries[place];
    const size_t size = (size_t)entry->size;
    uint8_t *data = malloc(size ? size : 1);
    vz_buffer into = vz_buffer_borrow(data, size);
    if (!data || !vz_pieces_read(pending->stream->pieces, entry->offset, size, &into, err)) {
        free(data);
        return data != NULL ? false : vz_fail_memory(err);
    }
    vz_os_mutex_lock(&array->shards->lock);
    pending->chunks[place].data = data;
    pending->chunks[place].size = size;
    pending->bytes += size;
    array->shards->pending_bytes += size;
    vz_os_mutex_unlock(&array->shards->lock);
    return true;
}

bool vz_stream_give_back(vz_array *array, vz_pending *pending, vz_error *err)
{
    bool ok = true;
    for (uint64_t i = 0; ok && pending->stream && i < pending->count; i++)
        if (pending->stream->entries[i].offset != UINT64_MAX)
            ok = read_back(array, pending, i, err);
    vz_pending_end_stream(pending);
    return ok;
}
