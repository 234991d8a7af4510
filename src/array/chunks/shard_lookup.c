/* shard_lookup.c - one level of a lookup in shards: what is known of them, what has to be asked,
 * and the answers. */
#include "array/chunks/shard_state_internal.h"
#include "base/os/thread.h"
#include <stdlib.h>

/* ---- one round of requests ---- */

void vz_shard_round_blame(vz_shard_round *r, const char *key, const vz_version *version)
{
    if (r->failed_key)
        return;
    r->failed_key = key;
    r->failed_version = *version;
}

static void note_failure(vz_shard_round *r, const vz_request *request, const vz_error *error)
{
    vz_os_mutex_lock(&r->lock);
    r->changed = r->changed || request->failed == VZ_CHANGED;
    if (r->error.class == VZ_OK)
        r->error = *error;
    vz_shard_round_blame(r, request->key, &request->version);
    vz_os_mutex_unlock(&r->lock);
}

static vz_shard_known *read_found(const vz_shard_round *r, const vz_shard_search *s, vz_bytes bytes, unsigned worker,
                                  vz_error *err)
{
    vz_shard_fitted fitted;
    const vz_shard_codecs *codecs = vz_shard_codecs_at(r->array, r->level, s->chunk, &fitted, err);
    return codecs ? vz_shard_known_read(codecs, bytes, s->size, worker, err) : NULL;
}

void vz_shards_answer(vz_lookup *lookup, const vz_request *request, unsigned worker)
{
    vz_shard_round *r = lookup->state;
    vz_shard_need *n = &r->needs[request->tag];
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = request->failed == VZ_OK;
    if (ok && n->asked_about)
        n->known = n->asked_about;
    else if (ok && request->found)
        n->known = read_found(r, n->of, request->bytes, worker, &failed);
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

void vz_shard_round_ask(vz_shard_round *r)
{
    for (size_t i = 0; i < r->need_count; i++) {
        vz_shard_need *n = &r->needs[i];
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
bool vz_shard_round_keep(vz_shard_round *r, const vz_error *failure, vz_error *err)
{
    bool ok = r->error.class == VZ_OK;
    for (size_t i = 0; i < r->need_count; i++)
        ok = ok && r->needs[i].known;
    if (!ok)
        *err = r->error.class != VZ_OK ? r->error : *failure;
    if (!ok && err->class == VZ_OK)
        vz_fail(err, VZ_IO, "the index of a shard was not read");
    for (size_t i = 0; i < r->need_count; i++) {
        vz_shard_need *n = &r->needs[i];
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
static bool range_to_read(const vz_shard_round *r, const vz_shard_search *s, vz_range *range, vz_error *err)
{
    vz_shard_fitted fitted;
    const vz_shard_codecs *codecs = vz_shard_codecs_at(r->array, r->level, s->chunk, &fitted, err);
    if (!codecs)
        return false;
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
static bool read_at_hand(vz_shard_round *r, const vz_shard_search *s, vz_error *err)
{
    vz_shard_fitted fitted;
    const vz_shard_codecs *codecs = vz_shard_codecs_at(r->array, r->level, s->chunk, &fitted, err);
    if (!codecs)
        return false;
    const size_t size = codecs->index_size;
    vz_bytes bytes = s->bytes;
    if (codecs->behind.count == 0) {
        if (bytes.size < size)
            return vz_fail(err, VZ_CORRUPT, "a shard of %zu bytes is too short", bytes.size);
        bytes = (vz_bytes){bytes.data + (codecs->index_first ? 0 : bytes.size - size), size};
    }
    vz_shard_known *known = vz_shard_known_read(codecs, bytes, s->bytes.size, 0, err);
    if (!known)
        return false;
    known->version = s->version;
    known->transfer = r->array->shards->transfer;
    return vz_shard_known_put(r->array->shards, s->name, known, err);
}

/* Does the search need no request beside the chunk's own bytes? An index that was read in an
 * earlier transfer is confirmed by those bytes, which are demanded of its version. If no bytes are
 * to be read, because the chunk is missing or the shard was decoded, the version is asked for. */
bool vz_shard_round_knows(const vz_shard_round *r, const vz_shard_search *s, vz_shard_known **asked_about)
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

static bool add_need(vz_shard_round *r, vz_strmap *names, const vz_shard_search *s, vz_shard_known *asked_about,
                     vz_error *err)
{
    if (vz_strmap_get(names, s->name))
        return true;
    vz_shard_need *n = &r->needs[r->need_count];
    *n = (vz_shard_need){.name = s->name, .of = s, .asked_about = asked_about};
    if (!range_to_read(r, s, &n->range, err))
        return false;
    r->need_count++;
    return vz_strmap_put(names, s->name, n, err);
}

bool vz_shard_round_look_up(vz_shard_round *r, vz_error *err)
{
    vz_strmap *names = vz_strmap_new();
    bool ok = names != NULL || vz_fail_memory(err);
    r->need_count = 0;
    for (size_t i = 0; ok && i < r->count; i++) {
        vz_shard_search *s = &r->searches[i];
        vz_shard_known *asked_about;
        if (s->ended || vz_shard_round_knows(r, s, &asked_about))
            continue;
        ok = s->at_hand ? read_at_hand(r, s, err) : add_need(r, names, s, asked_about, err);
        if (!ok)
            vz_shard_round_blame(r, s->key, &s->version);
    }
    vz_strmap_free(names, NULL);
    return ok;
}
