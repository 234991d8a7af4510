/* sub_batch.c - see layer.h. */
#include "store/layers/layer.h"
#include <stdlib.h>

bool vz_sub_batch_open(vz_sub_batch *part, vz_store *store, vz_request *all, const size_t *chosen, size_t count,
                       vz_error *err)
{
    *part = (vz_sub_batch){.all = all};
    if (chosen && !(part->copies = malloc((count + 1) * sizeof *part->copies)))
        return vz_fail_memory(err);
    for (size_t i = 0; chosen && i < count; i++) {
        part->copies[i] = all[chosen[i]];
        part->copies[i].tag = chosen[i];
    }
    part->batch = vz_batch_open(store, chosen ? part->copies : all, count, err);
    if (part->batch)
        return true;
    free(part->copies);
    part->copies = NULL;
    return false;
}

vz_request *vz_sub_batch_next(vz_sub_batch *part, vz_buffer *scratch)
{
    vz_request *request = part->batch ? vz_batch_next(part->batch, scratch) : NULL;
    if (!request || !part->copies)
        return request;
    vz_request *original = &part->all[request->tag];
    const size_t tag = original->tag;
    *original = *request;
    original->tag = tag;
    return original;
}

void vz_sub_batch_stop(vz_sub_batch *part)
{
    if (part->batch)
        vz_batch_stop(part->batch);
}

static void forget(vz_sub_batch *part)
{
    free(part->copies);
    *part = (vz_sub_batch){0};
}

bool vz_sub_batch_close(vz_sub_batch *part, vz_error *err)
{
    const bool ok = !part->batch || vz_batch_close(part->batch, err);
    forget(part);
    return ok;
}

void vz_sub_batch_drop(vz_sub_batch *part)
{
    if (part->batch)
        vz_batch_drop(part->batch);
    forget(part);
}
