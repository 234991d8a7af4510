/* equal_documents.c - arrays with equal documents: parsed or printed once. See cache.h. */
#include "hierarchy/documents/cache_internal.h"
#include <string.h>

#define TEXT_MAX 4096 /* bytes of a text that is kept */

void vz_doc_equal_clear(vz_doc_equal *equal)
{
    vz_json_free(equal->document);
    vz_meta_free(equal->meta);
    vz_buffer_clear(&equal->text);
    *equal = (vz_doc_equal){0};
}

/* ---- looking up ---- */

static bool is_text(const vz_doc_equal *equal, const vz_zarr_format *zarr_format, vz_bytes text)
{
    return equal->zarr_format == zarr_format && equal->text.size == text.size &&
           memcmp(equal->text.data, text.data, text.size) == 0;
}

bool vz_doc_cache_find_parsed(const vz_doc_cache *cache, const vz_zarr_format *zarr_format, vz_bytes text,
                              vz_json **document, vz_meta **meta)
{
    const vz_doc_equal *equal = &cache->last_parsed;
    if (!equal->document || !is_text(equal, zarr_format, text) || !(*meta = vz_meta_copy(equal->meta, NULL)))
        return false;
    *document = vz_json_share(equal->document);
    return true;
}

static bool is_meta(const vz_doc_equal *equal, const vz_meta *meta)
{
    const vz_meta *known = equal->meta;
    return known->rank == meta->rank && memcmp(known->shape, meta->shape, meta->rank * sizeof *meta->shape) == 0 &&
           vz_meta_same_grid(known, meta) && vz_meta_same_fill(known, meta);
}

bool vz_doc_cache_find_printed(const vz_doc_cache *cache, const vz_zarr_format *zarr_format, const vz_meta *meta,
                               vz_printed_document *printed, vz_json **document)
{
    const vz_doc_equal *equal = &cache->last_printed;
    if (!equal->document || equal->zarr_format != zarr_format || !is_meta(equal, meta) ||
        !vz_buffer_append(&printed->text, equal->text.data, equal->text.size, NULL))
        return false;
    printed->size = equal->size;
    *document = vz_json_share(equal->document);
    return true;
}

/* ---- taking note ---- */

static void note(vz_doc_equal *equal, const vz_zarr_format *zarr_format, vz_bytes text, vz_json *document,
                 const vz_meta *meta)
{
    if (is_text(equal, zarr_format, text)) {
        if (!equal->document && (equal->meta = vz_meta_copy(meta, NULL)))
            equal->document = vz_json_share(document);
        return;
    }
    vz_json_free(equal->document);
    vz_meta_free(equal->meta);
    equal->document = NULL;
    equal->meta = NULL;
    equal->zarr_format = NULL;
    equal->text.size = 0;
    if (text.size <= TEXT_MAX && vz_buffer_append(&equal->text, text.data, text.size, NULL))
        equal->zarr_format = zarr_format;
}

void vz_doc_cache_note_parsed(vz_doc_cache *cache, const vz_zarr_format *zarr_format, vz_bytes text, vz_json *document,
                              const vz_meta *meta)
{
    note(&cache->last_parsed, zarr_format, text, document, meta);
}

void vz_doc_cache_note_printed(vz_doc_cache *cache, const vz_zarr_format *zarr_format,
                               const vz_printed_document *printed, vz_json *document, const vz_meta *meta)
{
    note(&cache->last_printed, zarr_format, (vz_bytes){printed->text.data, printed->text.size}, document, meta);
    cache->last_printed.size = printed->size;
}
