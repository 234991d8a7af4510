/* written_texts.c - texts of documents that this process wrote. See cache.h. */
#include "hierarchy/documents/cache_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((uint64_t)64 << 20) /* of all texts */

struct written_text {
    vz_buffer text;
    uint64_t hash;
};

static void free_text(void *data)
{
    struct written_text *written = data;
    if (written)
        vz_buffer_clear(&written->text);
    free(written);
}

void vz_doc_cache_forget_written(vz_doc_cache *cache)
{
    if (cache->written)
        vz_strmap_free(cache->written, free_text);
    cache->written = NULL;
    cache->written_bytes = 0;
}

/* ---- taking note ---- */

static struct written_text *new_text(vz_doc_cache *cache, const char *key)
{
    struct written_text *written = calloc(1, sizeof *written);
    if (written && vz_strmap_put(cache->written, key, written, NULL))
        return written;
    free(written);
    return NULL;
}

void vz_doc_cache_wrote(vz_doc_cache *cache, vz_printed_document *printed, uint64_t hash, bool is_whole)
{
    if (!cache->written && !(cache->written = vz_strmap_new()))
        return;
    struct written_text *written = vz_strmap_get(cache->written, printed->key);
    cache->written_bytes -= written ? written->text.size : 0;
    if (cache->written_bytes + printed->text.size > BYTES_MAX || (!written && !is_whole)) {
        free_text(vz_strmap_remove(cache->written, printed->key));
        return;
    }
    if (!written && !(written = new_text(cache, printed->key)))
        return;
    cache->written_bytes += printed->text.size;
    vz_buffer_clear(&written->text);
    written->text = printed->text;
    written->hash = hash;
    printed->text = (vz_buffer){0};
}

/* ---- looking up ---- */

bool vz_doc_cache_take_written(vz_doc_cache *cache, const char *key, vz_buffer *text, uint64_t *hash)
{
    struct written_text *written = cache->written ? vz_strmap_remove(cache->written, key) : NULL;
    if (!written)
        return false;
    cache->written_bytes -= written->text.size;
    *text = written->text;
    *hash = written->hash;
    free(written);
    return true;
}

bool vz_doc_cache_next_written(const vz_doc_cache *cache, size_t *cursor, const char **key)
{
    void *text;
    return cache->written && vz_strmap_next(cache->written, cursor, key, &text);
}

/* ---- for consolidation ---- */

/* Beside the document of an array that was made here stands what was put here, and nothing else. */
static void know_rest(const vz_doc_cache *cache, vz_store *store, const vz_zarr_format *zarr_format, const char *key)
{
    const char *const others[] = {zarr_format->says ? NULL : zarr_format->group, zarr_format->attributes};
    const size_t length = strlen(key) - strlen(zarr_format->array);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        vz_buffer other = {0};
        if (others[i] && vz_buffer_printf(&other, NULL, "%.*s%s", (int)length, key, others[i]) &&
            vz_buffer_append(&other, "", 1, NULL) && !vz_strmap_get(cache->written, (const char *)other.data))
            vz_store_know_missing(store, (const char *)other.data);
        vz_buffer_clear(&other);
    }
}

bool vz_doc_cache_show_written(vz_doc_cache *cache, vz_store *store, const vz_zarr_format *zarr_format, vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *text;
    bool ok = true;
    if (!cache->written || !vz_prefetch_table_of(store))
        return true;
    while (ok && vz_strmap_next(cache->written, &cursor, &key, &text)) {
        const vz_version unknown = {0};
        ok = vz_prefetch_keep(store->prefetched, key, true, &unknown, &((struct written_text *)text)->text, err);
        const char *slash = strrchr(key, '/');
        if (ok && slash && strcmp(slash + 1, zarr_format->array) == 0)
            know_rest(cache, store, zarr_format, key);
    }
    vz_doc_cache_forget_written(cache); /* a second collection reads what others made of them */
    return ok;
}
