/* parse_cache.c - see cache.h. */
#include "hierarchy/documents/cache.h"
#include <string.h>

#define TEXT_MAX 4096 /* bytes of a text that is kept */

static bool is_text(const vz_parse_cache *cache, const vz_spelling *spelling, const void *text, size_t size)
{
    return cache->spelling == spelling && cache->text.size == size && memcmp(cache->text.data, text, size) == 0;
}

bool vz_parse_cache_by_text(const vz_parse_cache *cache, const vz_spelling *spelling, const char *text, size_t size,
                            vz_json **document, vz_array_meta **meta)
{
    if (!cache->document || !is_text(cache, spelling, text, size) || !(*meta = vz_meta_copy(cache->meta, NULL)))
        return false;
    *document = vz_json_share(cache->document);
    return true;
}

static bool is_meta(const vz_parse_cache *cache, const vz_array_meta *meta)
{
    const vz_array_meta *known = cache->meta;
    return known->rank == meta->rank && memcmp(known->shape, meta->shape, meta->rank * sizeof *meta->shape) == 0 &&
           vz_meta_same_grid(known, meta) && vz_meta_same_fill(known, meta);
}

bool vz_parse_cache_by_meta(const vz_parse_cache *cache, const vz_spelling *spelling, const vz_array_meta *meta,
                            vz_buffer *text, vz_json **document)
{
    if (!cache->document || cache->spelling != spelling || !is_meta(cache, meta) ||
        !vz_buffer_append(text, cache->text.data, cache->text.size, NULL))
        return false;
    *document = vz_json_share(cache->document);
    return true;
}

void vz_parse_cache_note(vz_parse_cache *cache, const vz_spelling *spelling, vz_bytes text, vz_json *document,
                         const vz_array_meta *meta)
{
    if (is_text(cache, spelling, text.data, text.size)) {
        if (!cache->document && (cache->meta = vz_meta_copy(meta, NULL)))
            cache->document = vz_json_share(document);
        return;
    }
    vz_json_free(cache->document);
    vz_meta_free(cache->meta);
    cache->document = NULL;
    cache->meta = NULL;
    cache->spelling = NULL;
    cache->text.size = 0;
    if (text.size <= TEXT_MAX && vz_buffer_append(&cache->text, text.data, text.size, NULL))
        cache->spelling = spelling;
}

void vz_parse_cache_forget(vz_parse_cache *cache)
{
    vz_json_free(cache->document);
    vz_meta_free(cache->meta);
    vz_buffer_clear(&cache->text);
    *cache = (vz_parse_cache){0};
}
