/* shard_locate.c - finding chunks in shards: from the outermost shard to the innermost chunk, for
 * many chunks at once. The indexes that are not known are asked for in rounds, one for each
 * level. */
#include "array/chunks/array_state_internal.h"
#include "array/chunks/shard_state_internal.h"
#include "base/os/thread.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- steps inwards ---- */

static bool enter(vz_shard_round *r, vz_shard_search *s, const vz_shard_known *known, vz_error *err)
{
    const uint64_t place = vz_shard_place(r->array->meta, r->level, s->chunk);
    char name[VZ_SHARD_NAME_MAX];
    if (!known->found || known->entries[place].offset == UINT64_MAX) {
        s->ended = true;
        return true;
    }
    const vz_shard_entry entry = known->entries[place];
    s->version = known->version;
    if (known->whole) {
        s->at_hand = true;
        s->bytes = (vz_bytes){known->bytes.data + entry.offset, (size_t)entry.size};
    } else if (s->at_hand) {
        s->bytes = (vz_bytes){s->bytes.data + entry.offset, (size_t)entry.size};
    } else if (!vz_add(s->offset, entry.offset, &s->offset)) {
        return vz_fail(err, VZ_CORRUPT, "a chunk beyond the end of its shard");
    }
    s->size = entry.size;
    snprintf(name, sizeof name, "%s|%llu", s->name, (unsigned long long)place);
    return (s->name = vz_arena_copy(r->arena, name, strlen(name) + 1, err)) != NULL;
}

/* All searches go one level inwards. */
static bool step(vz_shard_round *r, vz_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        vz_shard_search *s = &r->searches[i];
        if (!s->ended && !enter(r, s, vz_strmap_get(r->array->shards->known, s->name), err)) {
            vz_shard_round_blame(r, s->key, &s->version);
            return false;
        }
    }
    r->level++;
    r->asked = false;
    return true;
}

/* ---- all of it ---- */

/* A chunk that waits is at hand. */
static bool begin_search(vz_shard_round *r, vz_shard_search *s, const uint64_t *chunk, vz_chunk_place *place,
                         vz_error *err)
{
    const vz_array *array = r->array;
    uint64_t shard[VZ_MAX_RANK];
    char name[VZ_SHARD_NAME_MAX], key[VZ_CHUNK_KEY_MAX];
    *s = (vz_shard_search){.chunk = chunk, .size = UINT64_MAX};
    vz_shard_of(array->meta, chunk, shard);
    if (!vz_meta_chunk_key(array->meta, "", shard, name, sizeof name, err) ||
        !vz_chunk_key_of(array, shard, key, err) || !(s->name = vz_arena_copy(r->arena, name, strlen(name) + 1, err)) ||
        !(s->key = vz_arena_copy(r->arena, key, strlen(key) + 1, err)))
        return false;
    const vz_shard_waiting_chunk *waiting = vz_shard_waiting(array, name, chunk);
    *place = (vz_chunk_place){.kind = VZ_PLACE_MISSING, .key = s->key};
    s->ended = waiting != NULL;
    if (waiting && waiting->data) {
        place->kind = VZ_PLACE_AT_HAND;
        place->bytes = (vz_bytes){waiting->data, waiting->size};
    }
    return true;
}

/* Begins as many as may be looked at together; *count of them. */
static bool begin_searches(vz_shard_round *r, vz_lookup *lookup, vz_error *err)
{
    const size_t held = lookup->most && lookup->most < VZ_STORE_HELD_MAX ? lookup->most : VZ_STORE_HELD_MAX;
    const size_t most =
        r->array->store->capabilities & VZ_STORE_CHEAP && r->array->shards->most > held ? held : r->array->shards->most;
    vz_strmap *names = vz_strmap_new();
    bool ok = names != NULL || vz_fail_memory(err);
    for (r->count = 0; ok && r->count < lookup->count; r->count++) {
        vz_shard_search *s = &r->searches[r->count];
        vz_shard_known *asked_about;
        ok = begin_search(r, s, lookup->chunks[r->count], &lookup->places[r->count], err);
        if (!ok || s->ended || vz_strmap_get(names, s->name) || vz_shard_round_knows(r, s, &asked_about))
            continue;
        if (vz_strmap_count(names) == most)
            break;
        ok = vz_strmap_put(names, s->name, s, err);
    }
    lookup->count = r->count;
    vz_strmap_free(names, NULL);
    return ok;
}

static void set_place(const vz_shard_search *s, vz_chunk_place *place)
{
    if (s->ended)
        return;
    place->kind = s->at_hand ? VZ_PLACE_AT_HAND : VZ_PLACE_RANGE;
    place->bytes = s->bytes;
    place->offset = s->offset;
    place->size = s->size;
    place->version = s->version;
}

/* Forgets what is known, and asks the store: can it be another version than the one that made no
 * sense? */
static bool may_be_changed(vz_array *array, const char *key, const vz_version *version)
{
    vz_request request = {.key = key, .ranges = &VZ_WHOLE, .range_count = 0};
    vz_buffer unused = {0};
    vz_store_forget_held(array->store, key);
    vz_shard_known_forget(array->shards);
    const bool ok = vz_request_do(array->store, &request, &unused, NULL);
    vz_buffer_clear(&unused);
    return !ok || !request.version.lasts || !vz_version_equal(&request.version, version);
}

/* A shard that makes no sense may have been overwritten while it was read. */
static void explain(const vz_shard_round *r, vz_error *failed)
{
    const bool wrong = failed->class == VZ_CORRUPT || failed->class == VZ_LIMIT || r->changed;
    vz_error_where(failed, NULL, r->failed_key);
    if (wrong && r->failed_key && (may_be_changed(r->array, r->failed_key, &r->failed_version) || r->changed))
        failed->class = VZ_CHANGED;
}

bool vz_shards_look(vz_lookup *lookup)
{
    vz_shards *shards = lookup->array->shards;
    vz_shard_round *r = lookup->state = calloc(1, sizeof *r);
    if (!r)
        return vz_fail_memory(&lookup->error);
    *r = (vz_shard_round){.array = lookup->array, .confirmed = lookup->confirmed, .arena = lookup->arena};
    vz_os_mutex_init(&r->lock);
    if (!shards->in_transfer)
        shards->transfer++;
    vz_shard_known_trim(shards);
    r->searches = malloc(lookup->count * sizeof *r->searches);
    r->needs = malloc(lookup->count * sizeof *r->needs);
    r->requests = malloc(lookup->count * sizeof *r->requests);
    if (!r->searches || !r->needs || !r->requests)
        return vz_fail_memory(&lookup->error);
    return begin_searches(r, lookup, &lookup->error);
}

bool vz_shards_ask(vz_lookup *lookup)
{
    vz_shard_round *r = lookup->state;
    vz_error *err = &lookup->error;
    if (r->asked && (!vz_shard_round_keep(r, &lookup->round_failed, err) || !step(r, err)))
        return false;
    while (r->level < r->array->meta->shard_levels) {
        if (!vz_shard_round_look_up(r, err))
            return false;
        if (r->need_count > 0)
            break;
        if (!step(r, err)) /* all is known */
            return false;
    }
    r->asked = r->level < r->array->meta->shard_levels;
    if (r->asked)
        vz_shard_round_ask(r);
    lookup->requests = r->requests;
    lookup->request_count = r->asked ? r->need_count : 0;
    return true;
}

bool vz_shards_looked(vz_lookup *lookup)
{
    vz_shard_round *r = lookup->state;
    if (!r)
        return false;
    for (size_t i = 0; lookup->error.class == VZ_OK && i < lookup->count; i++)
        set_place(&r->searches[i], &lookup->places[i]);
    if (lookup->error.class != VZ_OK)
        explain(r, &lookup->error);
    vz_os_mutex_destroy(&r->lock);
    free(r->searches);
    free(r->needs);
    free(r->requests);
    free(r);
    return lookup->error.class == VZ_OK;
}

bool vz_shards_moved(vz_array *array, const vz_chunk_place *place)
{
    return may_be_changed(array, place->key, &place->version);
}

bool vz_shards_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err)
{
    vz_arena arena = {0};
    vz_chunk_place place;
    size_t count = 1;
    const bool ok = vz_lookup_now(array, &chunk, &count, &place, &arena, err);
    *found = ok && place.kind != VZ_PLACE_MISSING;
    *size = !*found ? 0 : place.kind == VZ_PLACE_AT_HAND ? place.bytes.size : place.size;
    vz_arena_clear(&arena);
    return ok;
}
