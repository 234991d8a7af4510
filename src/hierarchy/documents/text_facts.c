/* text_facts.c - facts about texts that were printed here. See cache.h. */
#include "hierarchy/documents/cache_internal.h"

#define TEXTS_MAX ((size_t)1 << 17)
/* of a text, which stands deeper in consolidated metadata */
#define DEPTH_MAX (VZ_JSON_MAX_DEPTH / 2)

enum { READABLE = 1, ARRAY = 2, VALUES_SHIFT = 2 };

void vz_doc_cache_note_facts(vz_doc_cache *cache, const vz_zarr_format *zarr_format, uint64_t hash, vz_json_size size,
                             const vz_json *array)
{
    if (size.depth > DEPTH_MAX || cache->facts.count >= TEXTS_MAX || vz_nummap_find(&cache->facts, hash))
        return;
    const bool readable = array && zarr_format->readable(array);
    void **place = vz_nummap_put(&cache->facts, hash, NULL);
    if (place)
        *place = (void *)((uintptr_t)size.values << VALUES_SHIFT | (array ? ARRAY : 0) | (readable ? READABLE : 0));
}

vz_text_facts vz_doc_cache_facts(const vz_doc_cache *cache, uint64_t hash)
{
    void **place = vz_nummap_find(&cache->facts, hash);
    const uintptr_t facts = place ? (uintptr_t)*place : 0;
    return (vz_text_facts){.values = facts >> VALUES_SHIFT, .is_array = facts & ARRAY, .readable = facts & READABLE};
}
