/* icechunk_store.c - the store of one snapshot of a repository, made by those of kerchunk: each
 * value is bytes, or a range of a file. It can be read only, and what it holds never changes. */
#include "store/icechunk/icechunk_internal.h"
#include "base/os/file.h"
#include "store/layers/layer.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- values ---- */

static void leave(void *context, void *held)
{
    vz_icechunk_manifest_leave(&((vz_icechunk *)context)->manifests, held);
}

/* The manifest that the chunk lies in stays until the value is cleared. */
static void take_bytes(vz_icechunk *store, vz_icechunk_chunk *chunk, vz_kerchunk_value *value)
{
    value->is_inline = true;
    value->bytes = chunk->bytes;
    value->leave = leave;
    value->context = store;
    value->held = chunk->manifest;
    chunk->manifest = NULL;
}

static bool take_name(vz_icechunk_chunk *chunk, vz_kerchunk_value *value, vz_error *err)
{
    char key[16 + VZ_ICECHUNK_ID_LETTERS + 1] = "chunks/";
    value->offset = chunk->offset;
    value->size = chunk->size;
    value->modified = chunk->modified;
    if (chunk->kind == VZ_ICECHUNK_VIRTUAL) {
        value->name = chunk->name;
        value->etag = chunk->etag;
        chunk->name = chunk->etag = NULL;
        return true;
    }
    vz_icechunk_id_print(chunk->id, key + strlen(key));
    value->is_below = true;
    value->name = strdup(key);
    return value->name || vz_fail_memory(err);
}

static bool find(void *context, const char *key, vz_kerchunk_value *value, bool *found, vz_error *err)
{
    vz_icechunk *store = context;
    vz_icechunk_chunk chunk;
    const vz_icechunk_key parsed = vz_icechunk_key_parse(&store->snapshot, key);
    *found = parsed.node && parsed.is_document;
    if (*found) {
        value->is_inline = true;
        value->bytes = parsed.node->document;
    }
    if (*found || !parsed.node)
        return true;
    bool ok = vz_icechunk_chunk_find(store, &parsed, &chunk, err);
    *found = ok && chunk.kind != VZ_ICECHUNK_ABSENT;
    if (*found && chunk.kind == VZ_ICECHUNK_INLINE)
        take_bytes(store, &chunk, value);
    else if (*found)
        ok = take_name(&chunk, value, err);
    vz_icechunk_chunk_clear(store, &chunk);
    return ok;
}

static bool list(void *context, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return vz_icechunk_list(context, prefix, entries, count, err);
}

static bool is_at(const void *context, const char *path)
{
    return vz_store_is_at(((const vz_icechunk *)context)->below, path);
}

/* The store below is closed by the store of kerchunk. */
static void close_store(void *context)
{
    vz_icechunk *store = context;
    vz_icechunk_manifests_end(&store->manifests);
    vz_icechunk_containers_end(&store->containers);
    vz_icechunk_snapshot_clear(&store->snapshot);
    free(store);
}

static void expect(void *context, const vz_request *requests, size_t count)
{
    vz_icechunk_manifests_expect(context, requests, count);
}

static const vz_kerchunk_finder finder = {
    .kind = "icechunk", .find = find, .expect = expect, .list = list, .is_at = is_at, .close = close_store};

/* ---- opening ---- */

/* Another snapshot is another store. */
static void take_origin(const vz_icechunk *store, const uint8_t *id, vz_kerchunk_origin *origin)
{
    struct stat status;
    const uint64_t number = vz_hash(id, VZ_ICECHUNK_ID_SIZE, 0);
    const vz_identity *below = &store->below->identity;
    origin->path = store->below->path;
    origin->is_own = !origin->is_remote && vz_os_stat(origin->path, &status) == 0 && vz_os_is_own(&status);
    origin->stamp = (vz_stamp){.exists = true, .inode = number};
    origin->settled = true;
    origin->identity = (vz_identity){{below->part[0] ^ number, below->part[1]}};
}

static vz_store *finish(vz_icechunk *store, const vz_icechunk_ref *ref, vz_kerchunk_origin *origin, vz_error *err)
{
    char *label = NULL;
    vz_store *below = store->below;
    if (asprintf(&label, "%s|icechunk:%s", below->path, ref->text) < 0) {
        close_store(store);
        vz_store_close(below);
        vz_fail_memory(err);
        return NULL;
    }
    const bool asks = !(below->capabilities & VZ_STORE_CHEAP) || vz_icechunk_has_containers(below);
    take_origin(store, ref->id, origin);
    vz_store *result = vz_kerchunk_over_finder(&finder, store, below, origin, label, asks, err);
    free(label);
    return result;
}

static vz_store *fail(vz_icechunk *store, vz_store *below, const char *ref, const vz_error *why, vz_error *err)
{
    char *label = NULL;
    vz_error_set(err, why->class, "%s", why->text);
    if (asprintf(&label, "%s|icechunk:%s", below->path, ref) >= 0)
        vz_error_where(err, label, NULL);
    free(label);
    if (store)
        close_store(store);
    vz_store_close(below);
    return NULL;
}

vz_store *vz_icechunk_over(vz_store *below, const char *which, const vz_options *remote, vz_error *err)
{
    vz_icechunk_ref ref = {0};
    vz_error why = VZ_ERROR_NONE;
    vz_kerchunk_origin origin = {.is_remote = remote};
    if (!(below = vz_layer_for_use(below, false, err)))
        return NULL;
    if (remote)
        origin.options = *remote;
    origin.options.targets = vz_kerchunk_used_targets();
    vz_icechunk *store = calloc(1, sizeof *store);
    if (!store) {
        vz_fail_memory(&why);
        return fail(NULL, below, which, &why, err);
    }
    store->below = below;
    vz_icechunk_manifests_begin(&store->manifests);
    vz_icechunk_containers_begin(&store->containers);
    const bool ok = vz_icechunk_ref_find(below, which, &ref, &why) &&
                    vz_icechunk_snapshot_read(below, ref.id, &store->snapshot, &why);
    vz_store *result =
        ok ? finish(store, &ref, &origin, err) : fail(store, below, ref.text ? ref.text : which, &why, err);
    vz_icechunk_ref_clear(&ref);
    return result;
}
