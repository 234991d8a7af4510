/* shard_build.c - putting a shard together: the chunks that wait, for the others what the store
 * has, and the indexes. */
#include "array/chunks/shard_state_internal.h"
#include <stdlib.h>

/* Stored bytes of one chunk of a shard that is written, by its place; NULL: it is missing. */
typedef struct assembly {
    vz_array *array;
    const vz_meta *meta;
    vz_version version;                    /* of the old shard */
    const vz_shard_codecs *outer, *levels; /* of this shard; of those in it */
    vz_bytes *chunks;
    bool *met;    /* in the old shard */
    vz_arena old; /* shards that had to be decoded */
    unsigned worker;
} assembly;

static const vz_shard_codecs *codecs_of(const assembly *a, unsigned level)
{
    return level == 0 ? a->outer : &a->levels[level];
}

/* ---- what the store has ---- */

/* Takes the chunks of one old shard, in bytes, that are not there anew. `corner` is the first chunk
 * in it. */
static bool add_old(assembly *a, vz_pending *pending, unsigned level, vz_bytes old, const uint64_t *corner,
                    vz_error *err);

/* Our part of the chunk goes over what is there by now. */
static bool merge_chunk(assembly *a, const vz_shard_waiting_chunk *waiting, const vz_bytes *theirs, vz_bytes *chunk,
                        vz_error *err)
{
    const vz_bytes ours = {waiting->data, waiting->size};
    vz_buffer merged = {0};
    bool ok =
        vz_change_merge(a->array, NULL, waiting->change, waiting->data ? &ours : NULL, theirs, &merged, a->worker, err);
    if (ok) {
        *chunk = (vz_bytes){vz_arena_copy(&a->old, merged.data, merged.size, err), merged.size};
        ok = chunk->data != NULL;
        waiting->change->merged = true;
    }
    vz_buffer_clear(&merged);
    return ok;
}

static bool add_entry(assembly *a, vz_pending *pending, unsigned level, vz_bytes part, const uint64_t *chunk,
                      vz_error *err)
{
    if (level + 1 < a->meta->shard_levels)
        return add_old(a, pending, level + 1, part, chunk, err);
    const uint64_t place = vz_pending_place(a->meta, chunk);
    const vz_shard_waiting_chunk *waiting = &pending->chunks[place];
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
    const vz_shard_codecs *codecs = codecs_of(a, level);
    vz_buffer bytes = {0};
    if (codecs->behind.count == 0)
        return true;
    bool ok = vz_chain_decode_bytes(&codecs->behind, *old, &bytes, a->worker, err);
    if (ok)
        *old = (vz_bytes){vz_arena_copy(&a->old, bytes.data, bytes.size, err), bytes.size};
    vz_buffer_clear(&bytes);
    return ok && old->data;
}

static bool add_old(assembly *a, vz_pending *pending, unsigned level, vz_bytes old, const uint64_t *corner,
                    vz_error *err)
{
    const vz_shard_codecs *codecs = codecs_of(a, level);
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
        ok =
            add_entry(a, pending, level, (vz_bytes){old.data + entries[i].offset, (size_t)entries[i].size}, chunk, err);
    }
    free(entries);
    return ok;
}

/* ---- putting together ---- */

/* Appends a shard (of that level, with that corner) to `out`, or nothing where none of its chunks
 * is there. */
static bool append_shard(assembly *a, unsigned level, const uint64_t *corner, vz_buffer *out, bool *any, vz_error *err);

static bool append_entry(assembly *a, unsigned level, const uint64_t *chunk, vz_buffer *out, bool *any, vz_error *err)
{
    if (level + 1 < a->meta->shard_levels)
        return append_shard(a, level + 1, chunk, out, any, err);
    const vz_bytes *bytes = &a->chunks[vz_pending_place(a->meta, chunk)];
    *any = bytes->data != NULL;
    return !*any || vz_buffer_append(out, bytes->data, bytes->size, err);
}

/* The chunks of a shard, behind the room for an index that is first; their places in the shard go
 * into `entries`. */
static bool append_entries(assembly *a, unsigned level, const uint64_t *corner, vz_shard_entry *entries, vz_buffer *out,
                           bool *any, vz_error *err)
{
    const vz_shard_codecs *codecs = codecs_of(a, level);
    const size_t start = out->size - (codecs->index_first ? codecs->index_size : 0);
    for (uint64_t i = 0; i < codecs->count; i++) {
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
    const vz_shard_codecs *codecs = codecs_of(a, level);
    const size_t start = out->size, size = codecs->index_size, room = codecs->index_first ? size : 0;
    vz_shard_entry *entries = malloc((size_t)codecs->count * sizeof *entries);
    vz_buffer index = {0};
    *any = false;
    bool ok = entries ? vz_buffer_reserve(out, start + room, err) : vz_fail_memory(err);
    if (ok) {
        out->size += room;
        ok = append_entries(a, level, corner, entries, out, any, err);
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
    const vz_chain *behind = &codecs_of(a, level)->behind;
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

/* ---- all of it ---- */

/* Where another process has deleted the chunk, the rest of it is fill. */
static bool merge_unmet(assembly *a, const vz_pending *pending, vz_error *err)
{
    for (uint64_t i = 0; i < pending->count; i++) {
        const vz_shard_waiting_chunk *waiting = &pending->chunks[i];
        if (a->met[i] || !waiting->change || vz_change_is_of(waiting->change, false, &a->version))
            continue;
        if (!merge_chunk(a, waiting, NULL, &a->chunks[i], err))
            return false;
    }
    return true;
}

static bool assemble(assembly *a, vz_pending *pending, vz_bytes old, vz_buffer *out, bool *any, vz_error *err)
{
    uint64_t corner[VZ_MAX_RANK];
    vz_shard_fitted fitted;
    vz_pending_chunk(a->meta, pending->shard, 0, corner);
    if (!(a->outer = vz_shard_codecs_at(a->array, 0, corner, &fitted, err)))
        return false;
    for (uint64_t i = 0; i < pending->count; i++)
        a->chunks[i] = (vz_bytes){pending->chunks[i].data, pending->chunks[i].size};
    /* Memory that grows would be there twice for a moment. */
    return vz_buffer_reserve(out, old.size + (size_t)pending->bytes + a->outer->index_size, err) &&
           (old.size == 0 || add_old(a, pending, 0, old, corner, err)) && merge_unmet(a, pending, err) &&
           append_shard(a, 0, corner, out, any, err);
}

bool vz_shard_assemble(vz_array *array, vz_pending *pending, const vz_request *met, vz_buffer *out, bool *any,
                       unsigned worker, vz_error *err)
{
    const vz_bytes old = met->found && !met->ranges ? met->bytes : (vz_bytes){0};
    assembly a = {.array = array,
                  .meta = array->meta,
                  .version = met->version,
                  .levels = array->shards->levels,
                  .chunks = calloc(pending->count, sizeof *a.chunks),
                  .met = calloc(pending->count, sizeof *a.met),
                  .worker = worker};
    *any = false;
    const bool ok = ((a.chunks && a.met) || vz_fail_memory(err)) && assemble(&a, pending, old, out, any, err);
    free(a.chunks);
    free(a.met);
    vz_arena_clear(&a.old);
    return ok;
}
