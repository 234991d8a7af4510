/* fetch_retry.c - chunks that somebody changed while they were looked up or read: which are fetched
 * once more. */
#include "array/chunks/fetch_internal.h"
#include "base/util/hash.h"

unsigned vz_fetch_attempts(const vz_array *array)
{
    return array->store->capabilities & VZ_STORE_CHEAP ? VZ_FETCH_ATTEMPTS : VZ_FETCH_ATTEMPTS_FAR;
}

static const vz_chunk_source *source_of(const vz_fetch_part *p)
{
    return p->list->array->source;
}

bool vz_fetch_goes_on(const vz_fetch_part *p)
{
    return source_of(p)->moved != NULL;
}

/* Keys of what failed because somebody changed it. NULL: something failed that stays as it is. */
static vz_strmap *find_moved(vz_fetch_part *p)
{
    vz_strmap *keys = source_of(p)->moved ? vz_strmap_new() : NULL;
    bool any = false;
    for (size_t i = 0; keys && i < p->count; i++) {
        const vz_chunk_place *place = &p->places[i];
        if (!p->failed[i])
            continue;
        any = true;
        if (place->key && (vz_strmap_get(keys, place->key) ||
                           (source_of(p)->moved(p->list->array, place) && vz_strmap_put(keys, place->key, keys, NULL))))
            continue;
        vz_strmap_free(keys, NULL);
        return NULL;
    }
    if (any)
        return keys;
    vz_strmap_free(keys, NULL);
    return NULL;
}

/* All chunks under a key that was changed are fetched once more, so that they are of one version.
 * They go to the end of the window, which begins there then. */
bool vz_fetch_restart_window(vz_fetch_part *p)
{
    vz_strmap *keys = find_moved(p);
    size_t back = 0;
    if (!keys)
        return false;
    size_t *numbers = p->needed + p->first;
    const uint64_t **chunks = p->chunks + p->first;
    for (size_t i = p->count; i-- > 0;) {
        const bool again = p->places[i].key && vz_strmap_get(keys, p->places[i].key);
        if (!again)
            continue;
        const size_t last = p->count - 1 - back++;
        const size_t number = numbers[last];
        const uint64_t *chunk = chunks[last];
        const vz_chunk_place place = p->places[last];
        numbers[last] = numbers[i], chunks[last] = chunks[i], p->places[last] = p->places[i];
        numbers[i] = number, chunks[i] = chunk, p->places[i] = place;
    }
    p->first += p->count - back;
    vz_strmap_free(keys, NULL);
    return true;
}

bool vz_fetch_may_move(vz_fetch_part *p)
{
    for (size_t i = 0; vz_fetch_goes_on(p) && i < p->count; i++)
        if (p->failed[i])
            return source_of(p)->moved(p->list->array, &p->places[i]);
    return false;
}
