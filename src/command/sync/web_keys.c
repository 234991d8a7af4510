/* web_keys.c - keys of a store on a web server, which lists nothing. Its consolidated metadata
 * names the documents, and the grids of its arrays name the chunks. Grids are those of the
 * documents themselves, since a copy of them may be old. */
#include "command/sync/web_internal.h"
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/documents/documents.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- which format, and what names the members ---- */

static const vz_buffer *root_of(const vz_sync_roots *roots, const char *name)
{
    const int i = name ? vz_sync_root_index(name) : -1;
    return i >= 0 && roots->found[i] ? &roots->text[i] : NULL;
}

static bool choose_format(vz_sync_web *web, const vz_sync_roots *roots, vz_error *err)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++) {
        const vz_zarr_format *f = vz_zarr_formats[i];
        if (!root_of(roots, f->array) && !root_of(roots, f->group) && !root_of(roots, f->consolidated))
            continue;
        if (web->zarr_format)
            return vz_fail(err, VZ_UNSUPPORTED,
                           "its root has documents of both Zarr formats, and a web server does not list the members "
                           "of either");
        web->zarr_format = f;
    }
    return web->zarr_format || vz_fail(err, VZ_INVALID, "there is no Zarr store: its root has no metadata");
}

static bool says_array(const vz_zarr_format *zarr_format, const char *name, vz_bytes text)
{
    if (strcmp(name, zarr_format->array) != 0)
        return false;
    if (!zarr_format->says)
        return true;
    vz_json *document = vz_json_parse((const char *)text.data, text.size, NULL);
    const bool says = document && zarr_format->says(document) == VZ_SAYS_ARRAY;
    vz_json_free(document);
    return says;
}

static bool take_documents(vz_sync_web *web, vz_sync_side *side, const vz_sync_roots *roots, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const char *name = web->zarr_format->array;
    const vz_buffer *root = root_of(roots, name);
    if (root && says_array(web->zarr_format, name, (vz_bytes){root->data, root->size})) {
        web->documents = vz_store_new_memory(err);
        return web->documents && vz_store_put(web->documents, name, (vz_bytes){root->data, root->size}, err);
    }
    web->documents = vz_consolidated_documents(side->store, &failed);
    if (web->documents)
        return true;
    if (failed.class == VZ_NOT_FOUND)
        vz_fail(err, VZ_UNSUPPORTED,
                "a web server does not list what it has, and the group has no consolidated metadata that names its "
                "members (h5zarr consolidate writes it, where the store lies)");
    else if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* ---- arrays, as the server has them now ---- */

typedef struct array_list {
    char **keys; /* of their documents */
    size_t count, capacity;
} array_list;

static bool add_array(array_list *list, char *key, vz_error *err)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        char **keys = realloc(list->keys, capacity * sizeof *keys);
        if (!keys)
            return vz_fail_memory(err);
        list->keys = keys;
        list->capacity = capacity;
    }
    list->keys[list->count++] = key;
    return true;
}

static bool find_arrays(const vz_sync_web *web, const char *prefix, unsigned depth, array_list *list, vz_error *err);

static bool find_in_entry(const vz_sync_web *web, const char *prefix, const vz_entry *entry, unsigned depth,
                          array_list *list, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false, is_array = false;
    char *key = vz_document_key_join(prefix, entry->name, err);
    bool ok = key != NULL;
    if (ok && entry->is_prefix)
        ok = find_arrays(web, key, depth + 1, list, err);
    else if (ok && strcmp(entry->name, web->zarr_format->array) == 0) {
        ok = vz_store_get(web->documents, key, VZ_WHOLE, &text, &found, err);
        is_array = ok && found && says_array(web->zarr_format, entry->name, (vz_bytes){text.data, text.size});
    }
    vz_buffer_clear(&text);
    if (is_array && add_array(list, key, err))
        return true;
    free(key);
    return ok && !is_array;
}

static bool find_arrays(const vz_sync_web *web, const char *prefix, unsigned depth, array_list *list, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth == VZ_SYNC_DEPTH_MAX)
        return vz_fail(err, VZ_LIMIT, "nested deeper than %d", VZ_SYNC_DEPTH_MAX);
    bool ok = vz_store_list(web->documents, prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = find_in_entry(web, prefix, &entries[i], depth, list, err);
    vz_entries_free(entries, count);
    return ok;
}

/* A list of references beside an array's document is a value, too. */
static bool add_references(const vz_sync_web *web, const char *prefix, const vz_meta *meta, vz_error *err)
{
    char *key = meta->is_referenced ? vz_document_key_join(prefix, VZ_META_REFERENCES_NAME, err) : NULL;
    const bool ok = !meta->is_referenced || (key && vz_store_put(web->documents, key, (vz_bytes){0}, err));
    free(key);
    return ok;
}

static bool take_array(vz_sync_web *web, const char *key, const vz_buffer *text, vz_error *err)
{
    char prefix[VZ_SYNC_KEY_MAX];
    const char *slash = strrchr(key, '/');
    vz_json *document = vz_json_parse((const char *)text->data, text->size, err);
    vz_meta *meta = document ? web->zarr_format->load(document, err) : NULL;
    vz_json_free(document);
    if (snprintf(prefix, sizeof prefix, "%.*s", slash ? (int)(slash - key) : 0, key) >= (int)sizeof prefix) {
        vz_meta_free(meta);
        return vz_fail(err, VZ_LIMIT, "a key of %zu bytes", strlen(key));
    }
    if (meta && vz_sync_web_check_grid(meta, err) && vz_strmap_put(web->arrays, prefix, meta, err))
        return add_references(web, prefix, meta, err);
    vz_meta_free(meta);
    return false;
}

static bool take_arrays(vz_sync_web *web, vz_sync_side *side, char **keys, size_t count, vz_error *err)
{
    vz_request requests[VZ_SYNC_LOOKS] = {0};
    vz_buffer texts[VZ_SYNC_LOOKS] = {0};
    for (size_t i = 0; i < count; i++) {
        texts[i].limit = VZ_SYNC_WHOLE_MAX;
        requests[i] = (vz_request){.op = VZ_REQUEST_GET, .key = keys[i], .into = &texts[i]};
    }
    bool ok = vz_requests_do(side->store, requests, count, err);
    for (size_t i = 0; ok && i < count; i++) {
        ok = requests[i].found ? take_array(web, keys[i], &texts[i], err) : vz_sync_web_fail_missing(err);
        if (!ok)
            vz_error_where(err, NULL, keys[i]);
    }
    for (size_t i = 0; i < count; i++)
        vz_buffer_clear(&texts[i]);
    return ok;
}

static bool load_arrays(vz_sync_web *web, vz_sync_side *side, vz_error *err)
{
    array_list list = {0};
    bool ok = find_arrays(web, "", 0, &list, err);
    for (size_t i = 0; ok && i < list.count; i += VZ_SYNC_LOOKS)
        ok =
            take_arrays(web, side, list.keys + i, list.count - i < VZ_SYNC_LOOKS ? list.count - i : VZ_SYNC_LOOKS, err);
    for (size_t i = 0; i < list.count; i++)
        free(list.keys[i]);
    free(list.keys);
    return ok;
}

bool vz_sync_web_fail_missing(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT,
                   "the metadata names it, and the server has no such value: consolidated metadata that is no longer "
                   "true (h5zarr consolidate writes it anew)");
}

/* ---- opening ---- */

static void free_meta(void *meta)
{
    vz_meta_free(meta);
}

void vz_sync_web_close(vz_sync_web *web)
{
    if (!web)
        return;
    if (web->documents)
        vz_store_close(web->documents);
    if (web->arrays)
        vz_strmap_free(web->arrays, free_meta);
    free(web);
}

vz_sync_web *vz_sync_web_open(vz_sync_side *side, vz_error *err)
{
    vz_sync_roots roots = {0};
    vz_sync_web *web = calloc(1, sizeof *web);
    bool ok = (web && (web->arrays = vz_strmap_new())) || vz_fail_memory(err);
    ok = ok && vz_sync_roots_read(&roots, side, err) && choose_format(web, &roots, err) &&
         take_documents(web, side, &roots, err) && load_arrays(web, side, err);
    vz_sync_roots_clear(&roots);
    if (ok)
        return web;
    vz_sync_web_close(web);
    return NULL;
}

bool vz_sync_web_needs(const vz_sync_web *web, const char *key)
{
    bool has = false;
    return vz_store_has(web->documents, key, &has, NULL) && has;
}
