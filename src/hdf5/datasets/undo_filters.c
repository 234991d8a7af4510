/* undo_filters.c - undoes filters that a program applied itself: those of a pipeline, except the
 * ones that it left out. */
#include "hdf5/datasets/pipeline_internal.h"
#include "codec/chain/chain.h"
#include "base/os/thread.h"

/* The codecs of the filters applied; *undone=false: one has none. */
static bool applied_codecs(const vz_meta *meta, const vz_pipeline_shown *shown, uint32_t mask, vz_codecs *codecs,
                           bool *undone, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < shown->count; i++) {
        const vz_pipeline_filter *filter = &shown->filters[i];
        const vz_pipeline_filter_rule *rule = vz_pipeline_filter_rule_by_id(filter->id);
        if (mask >> i & 1)
            continue;
        *undone = rule != NULL;
        const bool sized = filter->id == H5Z_FILTER_SHUFFLE && filter->value_count > 0;
        vz_json *made = rule ? rule->to_codec(filter, sized ? filter->values[0] : meta->dtype->size, err) : NULL;
        ok = made && vz_codecs_append(codecs, rule->codec, made, err);
    }
    return ok;
}

typedef struct undo {
    const vz_chain *chain;
    vz_bytes chunk;
    vz_buffer *elements;
} undo;

/* A task because the chain works in a worker's scratch. */
static bool decode(void *context, size_t index, unsigned worker, vz_error *err)
{
    const undo *u = context;
    const size_t size = u->chain->chunk_size;
    vz_buffer stored = {0};
    vz_bytes chunk = u->chunk;
    (void)index;
    bool ok = true;
    if (vz_chain_is_reframed(u->chain)) {
        ok = vz_chain_from_filters(u->chain, chunk, &stored, err);
        chunk = (vz_bytes){stored.data, stored.size};
    }
    ok = ok && vz_buffer_reserve(u->elements, size, err) &&
         vz_chain_decode(u->chain, chunk, u->elements->data, size, worker, err);
    u->elements->size = ok ? size : 0;
    vz_buffer_clear(&stored);
    return ok;
}

bool vz_pipeline_undo(const vz_meta *meta, const vz_pipeline_shown *shown, uint32_t mask, vz_bytes chunk,
                      vz_buffer *elements, bool *undone, vz_error *err)
{
    *undone = true;
    vz_codecs codecs = {0};
    if (!applied_codecs(meta, shown, mask, &codecs, undone, err)) {
        vz_codecs_clear(&codecs);
        return !*undone;
    }
    vz_chain chain;
    const vz_chain_chunk form = {.big_endian = meta->dtype->big_endian,
                                 .element_size = meta->dtype->size,
                                 .element_count = meta->chunk_count,
                                 .as_filters = true};
    bool ok = vz_chain_open(&chain, &codecs, &form, err);
    if (ok) {
        undo u = {&chain, chunk, elements};
        ok = vz_pool_run(decode, &u, 1, err);
        vz_chain_clear(&chain);
    }
    vz_codecs_clear(&codecs);
    return ok;
}
