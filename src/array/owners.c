/* owners.c - several ranks write one array at once. Whole chunks each rank stores by itself; of a chunk (or shard) of
 * which it has parts it does not know who has the others: these go to the owner of that chunk, which any rank can tell
 * from its place, and the owner stores them all at once. */
#include "array/array_io.h"
#include "array/grid.h"
#include "array/shard_io.h"
#include "mpi/comm.h"
#include "util/strmap.h"
#include <stdlib.h>

#define SHARING_CACHE ((size_t)64 << 20) /* bytes of parts that a rank gathers; more are stored one by one */

/* What goes to an owner: this, the chunk's coordinates, a bit for each element of the chunk unless all of it is meant,
 * and `size` bytes: the written elements, or the stored form. */
typedef struct parcel {
    enum { PARCEL_ELEMENTS, PARCEL_STORED, PARCEL_MISSING } kind;
    uint32_t has_bits;
    uint64_t size;
} parcel;

typedef struct sharing {
    vz_array *array;
    vz_comm *comm;
    vz_buffer *to, *from; /* for each rank */
} sharing;

void vz_array_share_begin(vz_array *array)
{
    array->shares = !array->objects;
    array->budget_before = array->cache.budget;
    if (array->shares && array->cache.budget < SHARING_CACHE)
        array->cache.budget = array->refuses_parts ? SIZE_MAX / 2 : SHARING_CACHE;
}

void vz_array_refuse_parts(vz_array *array)
{
    array->refuses_parts = true;
}

void vz_array_drop_refused(vz_array *array)
{
    size_t cursor = 0;
    const char *name;
    void *pending;
    for (vz_cached *entry = array->cache.oldest, *next; array->refuses_parts && entry; entry = next) {
        next = entry->newer;
        if (entry->dirty && entry->change.kind == VZ_CHANGE_PART)
            vz_cache_remove(&array->cache, entry);
    }
    while (array->refuses_parts && array->shards && vz_strmap_next(array->shards->pending, &cursor, &name, &pending))
        vz_pending_forget(array, pending);
}

/* ---- sending ---- */

static int owner_of(const sharing *s, const uint64_t *chunk)
{
    const vz_array *array = s->array;
    uint64_t unit[VZ_MAX_RANK] = {0};
    const size_t size = array->meta->rank * sizeof *chunk;
    if (array->shards)
        vz_shard_of(array->meta, chunk, unit);
    else
        memcpy(unit, chunk, size);
    return (int)(vz_hash(unit, size, 0) % (uint64_t)s->comm->size);
}

static size_t bits_size(const vz_array *array)
{
    return (size_t)((array->meta->chunk_count + 63) / 64) * sizeof(uint64_t);
}

static bool send_head(sharing *s, int owner, const parcel *head, const uint64_t *chunk, const uint64_t *bits,
                      vz_error *err)
{
    vz_buffer *to = &s->to[owner];
    return vz_buffer_append(to, head, sizeof *head, err) &&
           vz_buffer_append(to, chunk, s->array->meta->rank * sizeof *chunk, err) &&
           (!bits || vz_buffer_append(to, bits, bits_size(s->array), err));
}

static uint64_t count_bits(const uint64_t *bits, size_t size)
{
    uint64_t count = 0;
    for (size_t i = 0; i < size / sizeof *bits; i++)
        count += (uint64_t)__builtin_popcountll(bits[i]);
    return count;
}

/* The elements that were written, one after the other. */
static bool send_elements(sharing *s, const vz_cached *entry, int owner, vz_error *err)
{
    const vz_array *array = s->array;
    const size_t element = array->meta->dtype->size;
    const uint64_t *bits = entry->change.kind == VZ_CHANGE_PART ? entry->change.written : NULL;
    const uint64_t count = bits ? count_bits(bits, bits_size(array)) : array->meta->chunk_count;
    const parcel head = {.kind = PARCEL_ELEMENTS, .has_bits = bits != NULL, .size = count * element};
    vz_buffer *to = &s->to[owner];
    if (!send_head(s, owner, &head, entry->chunk, bits, err))
        return false;
    if (!bits)
        return vz_buffer_append(to, entry->data, head.size, err);
    if (!vz_buffer_reserve(to, to->size + head.size, err))
        return false;
    for (uint64_t i = 0; i < array->meta->chunk_count; i++)
        if (bits[i / 64] >> i % 64 & 1) {
            memcpy(to->data + to->size, entry->data + i * element, element);
            to->size += element;
        }
    return true;
}

/* Whole chunks that have keys of their own are nobody else's business. */
static bool is_shared(const vz_array *array, const vz_cached *entry)
{
    return entry->dirty && entry->ready && (array->shards || entry->change.kind == VZ_CHANGE_PART);
}

static bool send_cached(sharing *s, bool *keeps, vz_error *err)
{
    vz_chunk_cache *cache = &s->array->cache;
    for (vz_cached *entry = cache->oldest, *next; entry; entry = next) {
        next = entry->newer;
        if (!is_shared(s->array, entry))
            continue;
        const int owner = owner_of(s, entry->chunk);
        *keeps = *keeps || owner == s->comm->rank;
        if (owner == s->comm->rank)
            continue;
        if (!send_elements(s, entry, owner, err))
            return false;
        vz_cache_remove(cache, entry);
    }
    return true;
}

static bool send_waiting(sharing *s, const vz_pending *pending, int owner, vz_error *err)
{
    for (uint64_t i = 0; i < pending->count; i++) {
        const vz_waiting *waiting = &pending->chunks[i];
        uint64_t chunk[VZ_MAX_RANK];
        if (!waiting->touched)
            continue;
        const uint64_t *bits = waiting->change ? waiting->change->written : NULL;
        const parcel head = {
            .kind = waiting->data ? PARCEL_STORED : PARCEL_MISSING, .has_bits = bits != NULL, .size = waiting->size};
        vz_pending_chunk(s->array->meta, pending->shard, i, chunk);
        if (!send_head(s, owner, &head, chunk, bits, err) ||
            !vz_buffer_append(&s->to[owner], waiting->data, waiting->size, err))
            return false;
    }
    return true;
}

static bool send_shards(sharing *s, bool *keeps, vz_error *err)
{
    vz_shards *shards = s->array->shards;
    size_t cursor = 0;
    const char *name;
    void *value;
    uint64_t chunk[VZ_MAX_RANK];
    while (shards && vz_strmap_next(shards->pending, &cursor, &name, &value)) {
        vz_pending *pending = value;
        vz_pending_chunk(s->array->meta, pending->shard, 0, chunk);
        const int owner = owner_of(s, chunk);
        *keeps = *keeps || owner == s->comm->rank;
        if (owner == s->comm->rank)
            continue;
        if (!send_waiting(s, pending, owner, err))
            return false;
        vz_pending_forget(s->array, pending);
    }
    return true;
}

/* ---- receiving ---- */

/* What lies outside of the array is nobody's, and so is written as it is: fill. */
static void mark_outside(const vz_array_meta *meta, const uint64_t *chunk, uint64_t *bits)
{
    const vz_layout layout = vz_layout_of(meta, NULL, meta->dtype->size);
    uint64_t low[VZ_MAX_RANK] = {0}, at[VZ_MAX_RANK] = {0}, high[VZ_MAX_RANK], inner[VZ_MAX_RANK];
    if (vz_grid_is_full(meta, chunk))
        return;
    for (unsigned d = 0; d < meta->rank; d++) {
        high[d] = meta->chunks[d];
        inner[d] = vz_grid_extent(meta, d, chunk[d]);
    }
    do {
        uint64_t place = 0;
        bool inside = true;
        for (unsigned d = 0; d < meta->rank; d++) {
            inside = inside && at[d] < inner[d];
            place += at[d] * (layout.steps[d] / meta->dtype->size);
        }
        if (!inside)
            bits[place / 64] |= (uint64_t)1 << place % 64;
    } while (vz_grid_next(meta->rank, low, high, at));
}

/* An entry of which nothing is known but what is put into it. */
static vz_cached *entry_for(sharing *s, const uint64_t *chunk, vz_error *err)
{
    vz_array *array = s->array;
    vz_cached *entry = vz_cache_find(&array->cache, chunk);
    if (entry)
        return entry;
    if (!vz_cached_make_room(array, vz_cache_cost(&array->cache), err) ||
        !(entry = vz_cache_add(&array->cache, chunk, err)))
        return NULL;
    entry->pinned = false;
    if (vz_cached_fill(array, entry, err))
        return entry;
    vz_cache_remove(&array->cache, entry);
    return NULL;
}

static void put_elements(const vz_array *array, vz_cached *entry, const uint64_t *bits, const uint8_t *elements)
{
    const size_t element = array->meta->dtype->size;
    for (uint64_t i = 0; i < array->meta->chunk_count; i++)
        if (!bits || (bits[i / 64] >> i % 64 & 1)) {
            memcpy(entry->data + i * element, elements, element);
            elements += element;
        }
}

static bool is_all(const uint64_t *bits, uint64_t count)
{
    for (uint64_t i = 0; i < count / 64; i++)
        if (bits[i] != UINT64_MAX)
            return false;
    return count % 64 == 0 || (~bits[count / 64] & (((uint64_t)1 << count % 64) - 1)) == 0;
}

/* Parts that make the whole are stored as one: nothing of what is there is read. */
static void complete(const vz_array *array, vz_cached *entry)
{
    vz_chunk_change *change = &entry->change;
    if (change->kind != VZ_CHANGE_PART)
        return;
    mark_outside(array->meta, entry->chunk, change->written);
    if (is_all(change->written, array->meta->chunk_count))
        vz_change_whole(change);
}

static bool take_elements(sharing *s, const uint64_t *chunk, uint64_t *bits, const uint8_t *elements, vz_error *err)
{
    vz_array *array = s->array;
    const vz_chunk_change more = {.kind = bits ? VZ_CHANGE_PART : VZ_CHANGE_WHOLE, .written = bits};
    vz_cached *entry = entry_for(s, chunk, err);
    if (!entry || !vz_change_add(&entry->change, &more, array->meta->chunk_count, err))
        return false;
    put_elements(array, entry, bits, elements);
    vz_cache_recount(&array->cache, entry, true);
    return true;
}

static bool take_stored(sharing *s, const uint64_t *chunk, uint64_t *bits, const parcel *head, const uint8_t *bytes,
                        vz_error *err)
{
    vz_chunk_change change = {.kind = VZ_CHANGE_PART, .written = bits};
    const vz_bytes value = {bytes, head->size};
    return s->array->source->store(s->array, chunk, head->kind == PARCEL_STORED ? &value : NULL, bits ? &change : NULL,
                                   0, err);
}

static bool has_right_size(const vz_array *array, const parcel *head, const uint64_t *bits)
{
    if (head->kind != PARCEL_ELEMENTS)
        return array->shards != NULL;
    const uint64_t count = bits ? count_bits(bits, bits_size(array)) : array->meta->chunk_count;
    return head->size == count * array->meta->dtype->size;
}

/* One parcel; *at moves behind it. */
static bool take_parcel(sharing *s, const vz_buffer *from, size_t *at, uint64_t *bits, vz_error *err)
{
    const vz_array *array = s->array;
    const size_t place = array->meta->rank * sizeof(uint64_t), left = from->size - *at;
    uint64_t chunk[VZ_MAX_RANK] = {0};
    parcel head;
    if (left < sizeof head + place)
        return vz_fail(err, VZ_CORRUPT, "what another rank sent ends early");
    const uint8_t *bytes = from->data + *at;
    memcpy(&head, bytes, sizeof head);
    memcpy(chunk, bytes + sizeof head, place);
    const size_t before = sizeof head + place + (head.has_bits ? bits_size(array) : 0);
    if (left < before || head.size > left - before || !vz_grid_inside(array->meta, chunk))
        return vz_fail(err, VZ_CORRUPT, "what another rank sent makes no sense");
    if (head.has_bits)
        memcpy(bits, bytes + sizeof head + place, bits_size(array));
    uint64_t *const given = head.has_bits ? bits : NULL;
    if (!has_right_size(array, &head, given))
        return vz_fail(err, VZ_CORRUPT, "what another rank sent makes no sense");
    *at += before + head.size;
    return head.kind == PARCEL_ELEMENTS ? take_elements(s, chunk, given, bytes + before, err)
                                        : take_stored(s, chunk, given, &head, bytes + before, err);
}

static bool take_all(sharing *s, vz_error *err)
{
    uint64_t *bits = malloc(bits_size(s->array) + 1);
    bool ok = bits || vz_fail_memory(err);
    for (int i = 0; ok && i < s->comm->size; i++)
        for (size_t at = 0; ok && at < s->from[i].size;)
            ok = take_parcel(s, &s->from[i], &at, bits, err);
    free(bits);
    for (vz_cached *entry = s->array->cache.oldest; ok && entry; entry = entry->newer)
        if (entry->dirty)
            complete(s->array, entry);
    return ok;
}

/* ---- all of it ---- */

static bool open_buffers(sharing *s, vz_error *err)
{
    const size_t size = (size_t)s->comm->size;
    s->to = calloc(2 * size, sizeof *s->to);
    s->from = s->to ? s->to + size : NULL;
    return s->to || vz_fail_memory(err);
}

static void close_buffers(sharing *s)
{
    for (int i = 0; s->to && i < 2 * s->comm->size; i++)
        vz_buffer_clear(&s->to[i]);
    free(s->to);
}

/* A chunk of which only our part is known, and that could not be stored, is no chunk to read from. */
static void drop_blind(vz_array *array)
{
    for (vz_cached *entry = array->cache.oldest, *next; entry; entry = next) {
        next = entry->newer;
        if (entry->dirty && entry->change.kind == VZ_CHANGE_PART && entry->change.base == VZ_BASE_UNKNOWN)
            vz_cache_remove(&array->cache, entry);
    }
}

static int rest_of(const sharing *s, bool keeps)
{
    enum { NOTHING, OWN_PARTS, PARCELS };
    for (int i = 0; i < s->comm->size; i++)
        if (s->to[i].size > 0)
            return PARCELS;
    return keeps ? OWN_PARTS : NOTHING;
}

/* To where other ranks read it. */
static bool write_out(vz_array *array, vz_error *err)
{
    return vz_array_flush(array, err) && vz_store_drain(array->store, err);
}

static bool share(sharing *s, bool ok, vz_error *err)
{
    vz_array *array = s->array;
    bool keeps = false;
    ok = ok && open_buffers(s, err) && (!array->shares || (send_cached(s, &keeps, err) && send_shards(s, &keeps, err)));
    int rest = ok ? rest_of(s, keeps) : 0;
    if (ok && !keeps)
        ok = write_out(array, err);
    if (!vz_comm_agree_on(s->comm, ok, &rest, 1, err))
        return false;
    if (rest == 0)
        return true;
    ok = rest == 1 || (vz_comm_exchange(s->comm, s->to, s->from, err) && take_all(s, err));
    return vz_comm_agree(s->comm, ok && write_out(array, err), err);
}

bool vz_array_share_end(vz_array *array, vz_comm *comm, bool ok, vz_error *err)
{
    sharing s = {.array = array, .comm = comm};
    ok = share(&s, ok, err);
    close_buffers(&s);
    if (!ok && array->shares)
        drop_blind(array);
    array->shares = false;
    array->cache.budget = array->budget_before;
    vz_cached_make_room(array, 0, NULL);
    return ok;
}
