/* rank_owners.c - several ranks write one array at once. Each rank stores whole chunks by
 * itself. A rank that has parts of a chunk (or shard) does not know who has the others. These
 * parts go to the owner of that chunk, and the owner stores them all at once. */
#include "array/array/array.h"
#include "array/array/ranks_internal.h"
#include "array/chunks/shard_state.h"
#include <stdlib.h>

/* bytes of chunks whose parts a rank gathers before it packs them */
#define SHARING_CACHE ((size_t)64 << 20)

bool vz_array_share_begin(vz_array *array, vz_comm *comm, vz_error *err)
{
    if (array->objects || array->sharing) /* one call may name an array twice */
        return true;
    vz_array_sharing *sharing = calloc(1, sizeof *sharing);
    vz_buffer *buffers = calloc(2 * (size_t)comm->size, sizeof *buffers);
    if (!sharing || !buffers) {
        free(sharing);
        free(buffers);
        return vz_fail_memory(err);
    }
    *sharing = (vz_array_sharing){.comm = comm,
                                  .gathers = true,
                                  .to = buffers,
                                  .from = buffers + comm->size,
                                  .budget_before = array->cache.budget};
    vz_os_mutex_init(&sharing->lock);
    array->sharing = sharing;
    if (array->cache.budget < SHARING_CACHE)
        array->cache.budget = SHARING_CACHE;
    return true;
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

/* ---- the end ---- */

/* A chunk of which only our part is known, and that could not be stored, is no chunk to read
 * from. */
static void drop_blind(vz_array *array)
{
    for (vz_cached *entry = array->cache.oldest, *next; entry; entry = next) {
        next = entry->newer;
        if (entry->dirty && entry->change.kind == VZ_CHANGE_PART && entry->change.base == VZ_BASE_UNKNOWN)
            vz_cache_remove(&array->cache, entry);
    }
}

/* To where other ranks read it. */
static bool write_out(vz_array *array, vz_error *err)
{
    return vz_array_flush(array, err) && vz_store_drain(array->store, err);
}

/* The work left after each rank stored its whole chunks: none, parts of chunks that it owns itself,
 * or parts that others own. */
enum { NOTHING, OWN_PARTS, PARCELS };

static int rest_of(const vz_array_sharing *sharing, bool keeps)
{
    const int own = sharing->comm->rank;
    for (int i = 0; i < sharing->comm->size; i++)
        if (i != own && sharing->to[i].size > 0)
            return PARCELS;
    return keeps || sharing->to[own].size > 0 ? OWN_PARTS : NOTHING;
}

/* This rank has written what it has. */
static bool write_own(vz_array *array, bool ok, int *rest, vz_error *err)
{
    vz_array_sharing *sharing = array->sharing;
    bool keeps = false;
    ok = ok && (!sharing || vz_owners_send_rest(array, false, &keeps, err));
    if (sharing)
        sharing->gathers = false;
    *rest = ok && sharing ? rest_of(sharing, keeps) : NOTHING;
    return ok && (keeps || write_out(array, err));
}

/* Of this rank's own parts no message is made. */
static void keep_own(vz_array_sharing *sharing)
{
    const int own = sharing->comm->rank;
    sharing->from[own] = sharing->to[own];
    sharing->to[own] = (vz_buffer){0};
}

static bool exchange(vz_array *array, int rest, vz_error *err)
{
    vz_array_sharing *sharing = array->sharing;
    bool keeps = false;
    /* Parts in the cache make room for parts that arrive, and are stored with them. */
    const bool moves = rest == PARCELS || sharing->to[sharing->comm->rank].size > 0;
    const bool ok = !moves || vz_owners_send_rest(array, true, &keeps, err);
    keep_own(sharing);
    const bool exchanged =
        rest != PARCELS || vz_comm_exchange(sharing->comm, sharing->to, sharing->from, ok ? err : NULL);
    for (int i = 0; i < sharing->comm->size; i++)
        vz_buffer_clear(&sharing->to[i]);
    return ok && exchanged;
}

static bool take(vz_array *array, vz_error *err)
{
    const bool ok = vz_owners_take(array, err);
    for (vz_cached *entry = array->cache.oldest; ok && entry; entry = entry->newer)
        vz_owners_complete(array, entry);
    return ok && write_out(array, err);
}

static bool share(vz_array *array, vz_comm *comm, bool ok, vz_error *err)
{
    int rest;
    ok = write_own(array, ok, &rest, err);
    if (!vz_comm_agree_on(comm, ok, &rest, 1, err))
        return false;
    return rest == NOTHING || vz_comm_agree(comm, exchange(array, rest, err) && take(array, err), err);
}

bool vz_array_share_end(vz_array *array, vz_comm *comm, bool ok, vz_error *err)
{
    const bool begun = array->sharing || vz_array_share_begin(array, comm, ok ? err : NULL);
    ok = share(array, comm, ok && begun, err);
    if (!ok && array->sharing)
        drop_blind(array);
    vz_owners_end(array);
    vz_cached_make_room(array, 0, NULL);
    return ok;
}
