/* chunk_prefetch.c - the chunks that a read of an array will ask for, found out from the document
 * that was fetched before. */
#include "hierarchy/consolidated/array_prefetch_internal.h"
#include "array/selection/selection.h"
#include "hierarchy/documents/documents.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

enum { CHUNKS_MAX = 64 /* of one read */, KEY_SIZE = 2048 };

static vz_meta *meta_of(const vz_tree_wanted *array)
{
    const vz_zarr_format *zarr_format = array->zarr_format;
    char *key = vz_document_key_join(array->places[array->count - 1].prefix, zarr_format->array, NULL);
    bool found = false;
    vz_bytes text;
    vz_json *document = key && vz_store_has_prefetched(array->store, key, &found, &text) && found
                            ? vz_document_parse(zarr_format->array, (const char *)text.data, text.size, NULL)
                            : NULL;
    const bool is_array = document && (!zarr_format->says || zarr_format->says(document) == VZ_SAYS_ARRAY);
    vz_meta *meta = is_array ? zarr_format->load(document, NULL) : NULL;
    vz_json_free(document);
    free(key);
    return meta;
}

/* Chunks with keys of their own, in the store of the array. */
static bool is_plain(const vz_meta *meta)
{
    return !meta->shard_levels && !meta->edges && !meta->is_referenced && meta->rank <= VZ_MAX_RANK;
}

typedef struct grid {
    uint64_t low[VZ_MAX_RANK], high[VZ_MAX_RANK], count; /* low <= chunk < high */
} grid;

/* False: there are none, or too many. */
static bool find_chunks(const vz_meta *meta, const vz_tree_box *box, grid *g)
{
    if (!box->is_whole && box->rank != meta->rank)
        return false;
    g->count = 1;
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t last = box->is_whole ? UINT64_MAX : box->last[d];
        if (meta->shape[d] == 0 || (!box->is_whole && box->first[d] >= meta->shape[d]))
            return false;
        g->low[d] = box->is_whole ? 0 : box->first[d] / meta->chunks[d];
        g->high[d] = (last < meta->shape[d] ? last : meta->shape[d] - 1) / meta->chunks[d] + 1;
        if (g->high[d] <= g->low[d] || !vz_mul(g->count, g->high[d] - g->low[d], &g->count) || g->count > CHUNKS_MAX)
            return false;
    }
    return true;
}

static bool add_chunks(const vz_meta *meta, const char *prefix, const grid *g, vz_tree_keys *chunks)
{
    char key[KEY_SIZE];
    uint64_t place[VZ_MAX_RANK];
    memcpy(place, g->low, sizeof place);
    do {
        if (vz_meta_chunk_key(meta, prefix, place, key, sizeof key, NULL) && !vz_tree_keys_add(chunks, strdup(key)))
            return false;
    } while (vz_grid_next(meta->rank, g->low, g->high, place));
    return true;
}

bool vz_tree_wanted_chunks(const vz_tree_wanted *array, const vz_tree_box *box, vz_tree_keys *chunks, uint64_t *bytes)
{
    grid g;
    uint64_t size;
    bool ok = true;
    vz_meta *meta = array->count > 0 ? meta_of(array) : NULL;
    if (meta && is_plain(meta) && find_chunks(meta, box, &g) && vz_mul(g.count, meta->chunk_size, &size) &&
        size <= *bytes) {
        *bytes -= size;
        ok = add_chunks(meta, array->places[array->count - 1].prefix, &g, chunks);
    }
    vz_meta_free(meta);
    return ok;
}
