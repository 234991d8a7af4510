/* shard_locate.c - finding chunks in shards: from the outermost shard to the innermost chunk, for many chunks at once.
 * The indexes that are not known are asked for in rounds, one for each level. */
#include "util/pool.h"
#include "array/fetch.h"
#include "array/shard_io.h"
#include <stdio.h>
#include <stdlib.h>

/* On the way to one chunk: the shard that was reached. */
typedef struct search {
    const uint64_t *chunk;
    const char *name; /* of the shard: the key of the outermost one without prefix, and places in those within */
    const char *key;  /* of the value that it lies in */
    vz_version version;
    bool confirmed;        /* the version is there now */
    uint64_t offset, size; /* of the shard in the value; size UINT64_MAX: all of it */
    bool at_hand;          /* it lies in a shard that was decoded: */
    vz_bytes bytes;
    bool ended; /* it is found, or missing */
    bool missing;
} search;

/* A shard that has to be read. */
typedef struct need {
    const char *name;
    const search *of; /* who met it first */
    vz_range range;
    vz_shard_known *asked_about; /* is known, if its version is still there: only that is asked; NULL: it is read */
    vz_shard_known *known;       /* what was read, or asked_about again */
} need;

/* A lookup: at each level one round of requests for what is not known. */
typedef struct round {
    vz_array *array;
    unsigned level;
    bool asked;     /* the requests of this level were made */
    bool confirmed; /* what was read in earlier transfers has to be asked about */
    search *searches;
    size_t count;
    vz_arena *arena;
    need *needs;
    size_t need_count;
    vz_request *requests;
    pthread_mutex_t lock; /* of what workers note: */
    vz_error error;
    bool changed;           /* somebody changed what was asked for */
    const char *failed_key; /* of what failed first */
    vz_version failed_version;
} round;

/* ---- one round of requests ---- */

static void blame(round *r, const char *key, const vz_version *version)
{
    if (r->failed_key)
        return;
    r->failed_key = key;
    r->failed_version = *version;
}

static void note_failure(round *r, const vz_request *request, const vz_error *error)
{
    pthread_mutex_lock(&r->lock);
    r->changed = r->changed || request->failed == VZ_CHANGED;
    if (r->error.class == VZ_OK)
        r->error = *error;
    blame(r, request->key, &request->version);
    pthread_mutex_unlock(&r->lock);
}

void vz_shards_answer(vz_lookup *lookup, const vz_request *request, unsigned worker)
{
    round *r = lookup->state;
    need *n = &r->needs[request->tag];
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = request->failed == VZ_OK;
    if (ok && n->asked_about)
        n->known = n->asked_about;
    else if (ok && request->found)
        n->known = vz_shard_known_read(r->array->shards, r->level, request->bytes, n->of->size, worker, &failed);
    else if (ok)
        n->known = vz_shard_known_missing(&failed);
    if (!n->known) {
        vz_error_where(&failed, NULL, request->key);
        note_failure(r, request, &failed); /* of a request that failed the round has the error */
        return;
    }
    if (!n->asked_about)
        n->known->version = request->version;
    n->known->transfer = r->array->shards->transfer;
}

static void make_requests(round *r)
{
    for (size_t i = 0; i < r->need_count; i++) {
        need *n = &r->needs[i];
        /* Of a shard that is known, or one within a shard whose index was read. */
        const vz_version *version = n->asked_about ? &n->asked_about->version : &n->of->version;
        r->requests[i] = (vz_request){.key = n->of->key,
                                      .ranges = &n->range,
                                      .range_count = n->asked_about ? 0 : 1,
                                      .hold = VZ_HOLD_TO_READ,
                                      .when = version->size > 0 ? VZ_WHEN_VERSION : VZ_WHEN_ANY,
                                      .version = *version,
                                      .most = VZ_CHAIN_PAYLOAD_MAX,
                                      .tag = i};
    }
}

/* A need without an answer is one whose request failed, or was never sent: the round tells why. */
static bool keep_what_was_read(round *r, const vz_error *failure, vz_error *err)
{
    bool ok = r->error.class == VZ_OK;
    for (size_t i = 0; i < r->need_count; i++)
        ok = ok && r->needs[i].known;
    if (!ok)
        *err = r->error.class != VZ_OK ? r->error : *failure;
    if (!ok && err->class == VZ_OK)
        vz_fail(err, VZ_IO, "the index of a shard was not read");
    for (size_t i = 0; i < r->need_count; i++) {
        need *n = &r->needs[i];
        if (n->asked_about)
            continue;
        if (ok)
            ok = vz_shard_known_put(r->array->shards, n->name, n->known, err);
        else if (n->known)
            vz_shard_known_free(n->known);
    }
    r->need_count = 0;
    return ok;
}

/* ---- what to read ---- */

/* Where the index of a shard lies, or all of it where codecs work on it as a whole. */
static bool range_to_read(const round *r, const search *s, vz_range *range, vz_error *err)
{
    const vz_shard_codecs *codecs = &r->array->shards->levels[r->level];
    const bool all = s->size == UINT64_MAX, whole = codecs->behind.count > 0;
    const uint64_t size = codecs->index_size;
    if (!all && !whole && s->size < size)
        return vz_fail(err, VZ_CORRUPT, "a shard of %llu bytes is too short", (unsigned long long)s->size);
    if (whole)
        *range = all ? VZ_WHOLE : (vz_range){VZ_RANGE_AT, s->offset, s->size};
    else if (codecs->index_first)
        *range = (vz_range){VZ_RANGE_AT, s->offset, size};
    else
        *range = all ? (vz_range){VZ_RANGE_SUFFIX, 0, size} : (vz_range){VZ_RANGE_AT, s->offset + s->size - size, size};
    return true;
}

/* A shard that lies in a decoded one is read at once. */
static bool read_at_hand(round *r, const search *s, vz_error *err)
{
    const vz_shard_codecs *codecs = &r->array->shards->levels[r->level];
    const size_t size = codecs->index_size;
    vz_bytes bytes = s->bytes;
    if (codecs->behind.count == 0) {
        if (bytes.size < size)
            return vz_fail(err, VZ_CORRUPT, "a shard of %zu bytes is too short", bytes.size);
        bytes = (vz_bytes){bytes.data + (codecs->index_first ? 0 : bytes.size - size), size};
    }
    vz_shard_known *known = vz_shard_known_read(r->array->shards, r->level, bytes, s->bytes.size, 0, err);
    if (!known)
        return false;
    known->version = s->version;
    known->transfer = r->array->shards->transfer;
    return vz_shard_known_put(r->array->shards, s->name, known, err);
}

/* Is what is known of its shard all that a search has to ask for? What was read in an earlier transfer is asked about
 * by the chunk's own bytes, which are demanded of its version; where none are to be read, because the chunk is missing
 * or the shard was decoded, that has to be asked. */
static bool is_known(const round *r, const search *s, vz_shard_known **asked_about)
{
    vz_shard_known *known = vz_shard_known_get(r->array->shards, s->name, r->confirmed);
    *asked_about = NULL;
    if (!known || known->transfer == r->array->shards->transfer)
        return known != NULL;
    if (s->version.size > 0 && !vz_version_equal(&known->version, &s->version))
        return false;
    if (s->at_hand) /* what it lies in was read, or asked about */
        return true;
    *asked_about = known->whole ? known : NULL;
    return !known->whole && known->entries[vz_shard_place(r->array->meta, r->level, s->chunk)].offset != UINT64_MAX;
}

static bool add_need(round *r, vz_strmap *names, const search *s, vz_shard_known *asked_about, vz_error *err)
{
    if (vz_strmap_get(names, s->name))
        return true;
    need *n = &r->needs[r->need_count];
    *n = (need){.name = s->name, .of = s, .asked_about = asked_about};
    if (!range_to_read(r, s, &n->range, err))
        return false;
    r->need_count++;
    return vz_strmap_put(names, s->name, n, err);
}

static bool look_up(round *r, vz_error *err)
{
    vz_strmap *names = vz_strmap_new();
    bool ok = names != NULL || vz_fail_memory(err);
    r->need_count = 0;
    for (size_t i = 0; ok && i < r->count; i++) {
        search *s = &r->searches[i];
        vz_shard_known *asked_about;
        if (s->ended || is_known(r, s, &asked_about))
            continue;
        ok = s->at_hand ? read_at_hand(r, s, err) : add_need(r, names, s, asked_about, err);
        if (!ok)
            blame(r, s->key, &s->version);
    }
    vz_strmap_free(names, NULL);
    return ok;
}

/* ---- steps inwards ---- */

static bool enter(round *r, search *s, const vz_shard_known *known, vz_error *err)
{
    const uint64_t place = vz_shard_place(r->array->meta, r->level, s->chunk);
    char name[VZ_SHARD_NAME_MAX];
    if (!known->found || known->entries[place].offset == UINT64_MAX) {
        s->ended = s->missing = true;
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
static bool step(round *r, vz_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        search *s = &r->searches[i];
        if (!s->ended && !enter(r, s, vz_strmap_get(r->array->shards->known, s->name), err)) {
            blame(r, s->key, &s->version);
            return false;
        }
    }
    r->level++;
    r->asked = false;
    return true;
}

/* ---- all of it ---- */

/* A chunk that waits is at hand. */
static bool begin_search(round *r, search *s, const uint64_t *chunk, vz_chunk_place *place, vz_error *err)
{
    const vz_array *array = r->array;
    uint64_t shard[VZ_MAX_RANK];
    char name[VZ_SHARD_NAME_MAX], key[VZ_CHUNK_KEY_MAX];
    *s = (search){.chunk = chunk, .size = UINT64_MAX};
    vz_shard_of(array->meta, chunk, shard);
    if (!vz_chunk_key(array->meta, "", shard, name, sizeof name, err) || !vz_chunk_key_of(array, shard, key, err) ||
        !(s->name = vz_arena_copy(r->arena, name, strlen(name) + 1, err)) ||
        !(s->key = vz_arena_copy(r->arena, key, strlen(key) + 1, err)))
        return false;
    const vz_waiting *waiting = vz_shard_waiting(array, name, chunk);
    *place = (vz_chunk_place){.kind = VZ_PLACE_MISSING, .key = s->key};
    s->ended = waiting != NULL;
    if (waiting && waiting->data) {
        place->kind = VZ_PLACE_AT_HAND;
        place->bytes = (vz_bytes){waiting->data, waiting->size};
    }
    return true;
}

/* Begins as many as may be looked at together; *count of them. */
static bool begin_searches(round *r, vz_lookup *lookup, vz_error *err)
{
    const size_t held = lookup->most && lookup->most < VZ_STORE_HELD_MAX ? lookup->most : VZ_STORE_HELD_MAX;
    const size_t most =
        r->array->store->capabilities & VZ_STORE_CHEAP && r->array->shards->most > held ? held : r->array->shards->most;
    vz_strmap *names = vz_strmap_new();
    bool ok = names != NULL || vz_fail_memory(err);
    for (r->count = 0; ok && r->count < lookup->count; r->count++) {
        search *s = &r->searches[r->count];
        vz_shard_known *asked_about;
        ok = begin_search(r, s, lookup->chunks[r->count], &lookup->places[r->count], err);
        if (!ok || s->ended || vz_strmap_get(names, s->name) || is_known(r, s, &asked_about))
            continue;
        if (vz_strmap_count(names) == most)
            break;
        ok = vz_strmap_put(names, s->name, s, err);
    }
    lookup->count = r->count;
    vz_strmap_free(names, NULL);
    return ok;
}

static void set_place(const search *s, vz_chunk_place *place)
{
    if (s->ended)
        return;
    place->kind = s->at_hand ? VZ_PLACE_AT_HAND : VZ_PLACE_RANGE;
    place->bytes = s->bytes;
    place->offset = s->offset;
    place->size = s->size;
    place->version = s->version;
}

/* Forgets what is known, and asks the store: can it be another version than the one that made no sense? */
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
static void explain(const round *r, vz_error *failed)
{
    const bool wrong = failed->class == VZ_CORRUPT || failed->class == VZ_LIMIT || r->changed;
    vz_error_where(failed, NULL, r->failed_key);
    if (wrong && r->failed_key && (may_be_changed(r->array, r->failed_key, &r->failed_version) || r->changed))
        failed->class = VZ_CHANGED;
}

bool vz_shards_look(vz_lookup *lookup)
{
    vz_shards *shards = lookup->array->shards;
    round *r = lookup->state = calloc(1, sizeof *r);
    if (!r)
        return vz_fail_memory(&lookup->error);
    *r = (round){.array = lookup->array, .confirmed = lookup->confirmed, .arena = lookup->arena};
    pthread_mutex_init(&r->lock, NULL);
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
    round *r = lookup->state;
    vz_error *err = &lookup->error;
    if (r->asked && (!keep_what_was_read(r, &lookup->round_failed, err) || !step(r, err)))
        return false;
    while (r->level < r->array->meta->shard_levels) {
        if (!look_up(r, err))
            return false;
        if (r->need_count > 0)
            break;
        if (!step(r, err)) /* all is known */
            return false;
    }
    r->asked = r->level < r->array->meta->shard_levels;
    if (r->asked)
        make_requests(r);
    lookup->requests = r->requests;
    lookup->request_count = r->asked ? r->need_count : 0;
    return true;
}

bool vz_shards_looked(vz_lookup *lookup)
{
    round *r = lookup->state;
    if (!r)
        return false;
    for (size_t i = 0; lookup->error.class == VZ_OK && i < lookup->count; i++)
        set_place(&r->searches[i], &lookup->places[i]);
    if (lookup->error.class != VZ_OK)
        explain(r, &lookup->error);
    pthread_mutex_destroy(&r->lock);
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
