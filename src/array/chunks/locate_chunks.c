/* locate_chunks.c - where chunks are: the rounds of the lookups of several arrays are asked
 * together. */
#include "array/chunks/array_state.h"
#include "array/chunks/chunks_internal.h"
#include <stdlib.h>

static const vz_chunk_source *source_of(const vz_lookup *lookup)
{
    return lookup->array->source;
}

static bool take(void *context, size_t list, const vz_request *request, unsigned worker)
{
    vz_lookup *lookups = context;
    source_of(&lookups[list])->answer(&lookups[list], request, worker);
    return true;
}

/* Collects the next request of each lookup. Returns the bytes of all answers, about; 0: no lookup
 * asks. */
static uint64_t next_round(vz_lookup *lookups, size_t count, vz_fetch_batch_list *lists)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        vz_lookup *lookup = &lookups[i];
        lookup->request_count = 0;
        if (lookup->error.class != VZ_OK || !source_of(lookup)->ask || !source_of(lookup)->ask(lookup))
            lookup->request_count = 0;
        lists[i] = (vz_fetch_batch_list){lookup->array->store, lookup->requests, lookup->request_count};
        bytes += vz_chunks_bytes(lookup->array, lookup->request_count);
    }
    return bytes;
}

static void run_rounds(vz_lookup *lookups, size_t count, vz_fetch_batch_list *lists)
{
    uint64_t bytes;
    while ((bytes = next_round(lookups, count, lists)) > 0) {
        const vz_fetch_batch ask = {.lists = lists, .count = count, .context = lookups, .take = take, .bytes = bytes};
        vz_error failed = VZ_ERROR_NONE;
        vz_fetch_batch_run(&ask, &failed);
        for (size_t i = 0; i < count; i++)
            lookups[i].round_failed = failed;
    }
}

bool vz_lookups_run(vz_lookup *lookups, size_t count)
{
    vz_fetch_batch_list one, *lists = count > 1 ? malloc(count * sizeof *lists) : &one;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        if (!lists)
            vz_fail_memory(&lookups[i].error);
        source_of(&lookups[i])->begin(&lookups[i]);
    }
    if (lists)
        run_rounds(lookups, count, lists);
    for (size_t i = 0; i < count; i++) {
        if (source_of(&lookups[i])->end)
            source_of(&lookups[i])->end(&lookups[i]);
        ok = lookups[i].error.class == VZ_OK && ok;
    }
    if (count > 1)
        free(lists);
    return ok;
}

bool vz_lookup_now(vz_array *array, const uint64_t *const *chunks, size_t *count, vz_chunk_place *places,
                   vz_arena *arena, vz_error *err)
{
    for (unsigned attempt = 1;; attempt++) {
        vz_lookup lookup;
        vz_lookup_begin(&lookup, array, chunks, *count, places, arena);
        lookup.confirmed = true;
        if (vz_lookups_run(&lookup, 1)) {
            *count = lookup.count;
            return true;
        }
        if (lookup.error.class == VZ_CHANGED && attempt < vz_fetch_attempts(array))
            continue;
        if (err && err->class == VZ_OK)
            *err = lookup.error;
        return false;
    }
}
