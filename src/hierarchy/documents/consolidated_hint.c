/* consolidated_hint.c - prefixes that consolidated metadata listed. See cache.h. */
#include "hierarchy/documents/cache_internal.h"
#include "base/util/bytes.h"
#include "store/store/prefetch.h"
#include <stdlib.h>
#include <string.h>

#define NODES_MAX  100000
#define PREFIX_MAX 900 /* a key has at most 1,024 bytes */

struct vz_hint {
    const vz_zarr_format *zarr_format;
    vz_strmap *nodes; /* prefix -> group or array */
    uint64_t names;   /* number of changes of names when the hint was made */
    bool is_apart;    /* consolidated metadata has a document of its own, not looked for since */
};

static char group, array;

/* A store may come from anybody: such a key would be refused. */
static bool is_prefix(const char *text, size_t size)
{
    for (size_t at = 0, length; at <= size; at += length + 1) {
        length = 0;
        while (at + length < size && text[at + length] != '/')
            length++;
        if (length == 0 || (length <= 2 && strncmp(text + at, "..", length) == 0))
            return false;
    }
    return size <= PREFIX_MAX && vz_utf8_valid(text, size);
}

static bool add(struct vz_hint *hint, const char *text, size_t size, bool is_group)
{
    if (!is_prefix(text, size) || vz_strmap_count(hint->nodes) >= NODES_MAX)
        return true;
    char *prefix = strndup(text, size);
    const bool ok = prefix && vz_strmap_put(hint->nodes, prefix, is_group ? &group : &array, NULL);
    free(prefix);
    return ok;
}

/* ---- a document of its own ---- */

static bool take_key(void *context, const char *key, vz_bytes value, vz_error *err)
{
    struct vz_hint *hint = context;
    const char *slash = strrchr(key, '/');
    (void)value;
    if (!slash ||
        (strcmp(slash + 1, hint->zarr_format->group) != 0 && strcmp(slash + 1, hint->zarr_format->array) != 0))
        return true;
    return add(hint, key, (size_t)(slash - key), strcmp(slash + 1, hint->zarr_format->group) == 0) ||
           vz_fail_memory(err);
}

static bool take_metadata(void *hint, const char *key, vz_bytes value, vz_error *err)
{
    return strcmp(key, "metadata") != 0 || vz_json_each_member(value, take_key, hint, err);
}

static void read_apart(struct vz_hint *hint, vz_store *store)
{
    bool found = false;
    vz_bytes text;
    if (!vz_store_has_prefetched(store, hint->zarr_format->consolidated, &found, &text) || !found)
        return;
    hint->is_apart = true;
    vz_json_each_member(text, take_metadata, hint, NULL);
}

/* ---- a member of the root's document ---- */

void vz_doc_cache_add_hint(vz_doc_cache *cache, const vz_json *consolidated, uint64_t names)
{
    struct vz_hint *hint = cache->hint;
    const vz_json *metadata = vz_json_get(consolidated, "metadata");
    const char *path;
    vz_json *node;
    if (!hint || !hint->zarr_format->says)
        return;
    hint->names = names;
    for (size_t i = 0; vz_json_member(metadata, i, &path, &node); i++)
        if (!add(hint, path, strlen(path), hint->zarr_format->says(node) == VZ_SAYS_GROUP))
            return;
}

/* ---- for everybody ---- */

void vz_doc_hint_free(struct vz_hint *hint)
{
    if (!hint)
        return;
    if (hint->nodes)
        vz_strmap_free(hint->nodes, NULL);
    free(hint);
}

void vz_doc_cache_read_hint(vz_doc_cache *cache, vz_store *store, const vz_zarr_format *zarr_format, uint64_t names)
{
    struct vz_hint *hint = calloc(1, sizeof *hint);
    if (!hint || !(hint->nodes = vz_strmap_new())) {
        free(hint);
        return;
    }
    hint->zarr_format = zarr_format;
    hint->names = names;
    if (zarr_format->consolidated)
        read_apart(hint, store);
    vz_doc_hint_free(cache->hint);
    cache->hint = hint;
}

bool vz_doc_cache_take_consolidated(vz_doc_cache *cache)
{
    const bool is_apart = vz_doc_cache_has_consolidated(cache);
    if (is_apart)
        cache->hint->is_apart = false;
    return is_apart;
}

bool vz_doc_cache_has_consolidated(const vz_doc_cache *cache)
{
    return cache->hint && cache->hint->is_apart;
}

static bool is_valid(const vz_doc_cache *cache, uint64_t names)
{
    return cache->hint && cache->hint->names == names;
}

bool vz_doc_cache_next_hint(const vz_doc_cache *cache, uint64_t names, size_t *cursor, const char **prefix,
                            bool *is_group)
{
    void *kind;
    if (!is_valid(cache, names) || !vz_strmap_next(cache->hint->nodes, cursor, prefix, &kind))
        return false;
    *is_group = kind == &group;
    return true;
}

bool vz_doc_cache_has_hint(const vz_doc_cache *cache, uint64_t names, const char *prefix)
{
    return is_valid(cache, names) && vz_strmap_get(cache->hint->nodes, prefix);
}
