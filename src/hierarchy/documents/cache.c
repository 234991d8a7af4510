/* cache.c - a document cache is made and freed. */
#include "hierarchy/documents/cache_internal.h"
#include <stdlib.h>

vz_doc_cache *vz_doc_cache_new(vz_error *err)
{
    vz_doc_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        vz_fail_memory(err);
    return cache;
}

void vz_doc_cache_free(vz_doc_cache *cache)
{
    if (!cache)
        return;
    vz_doc_equal_clear(&cache->last_parsed);
    vz_doc_equal_clear(&cache->last_printed);
    vz_nummap_clear(&cache->facts);
    vz_doc_cache_forget_written(cache);
    vz_doc_cache_drop_listings(cache);
    vz_doc_hint_free(cache->hint);
    free(cache);
}
