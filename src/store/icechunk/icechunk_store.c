/* icechunk_store.c - the class of stores that are one snapshot of a repository. They can be read
 * only, and what they hold never changes. */
#include "store/icechunk/icechunk_internal.h"
#include "base/os/file.h"
#include "store/layers/layer.h"
#include <stdio.h>
#include <stdlib.h>

static bool fail_at(const vz_icechunk *store, const char *key, vz_error *err)
{
    vz_error_where(err, store->label, key);
    return false;
}

/* ---- values ---- */

static bool read_bytes(vz_bytes bytes, const vz_range *ranges, size_t count, vz_buffer *out, vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t first;
        size_t size;
        if (!vz_os_range_resolve(bytes.size, ranges[i], &first, &size, err))
            return false;
        uint8_t *place = vz_os_range_room(&out[i], size, err);
        if (!place)
            return false;
        if (size > 0)
            memcpy(place, bytes.data + first, size);
        out[i].size += size;
    }
    return true;
}

/* Ranges of a chunk as ranges of the file that it lies in. */
static bool place_ranges(const vz_icechunk_chunk *chunk, const vz_range *ranges, size_t count, vz_range *parts,
                         vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t first;
        size_t size;
        if (!vz_os_range_resolve(chunk->size, ranges[i], &first, &size, err))
            return false;
        parts[i] = (vz_range){.kind = VZ_RANGE_AT, .offset = chunk->offset + first, .size = size};
    }
    return true;
}

/* A file that is not there is no chunk that is not there. */
static bool read_native(vz_icechunk *store, const vz_icechunk_chunk *chunk, const vz_range *ranges, size_t count,
                        vz_buffer *out, vz_error *err)
{
    char key[16 + VZ_ICECHUNK_ID_LETTERS + 1] = "chunks/";
    vz_error why = VZ_ERROR_NONE;
    bool found = false;
    vz_range *parts = calloc(count + 1, sizeof *parts);
    vz_icechunk_id_print(chunk->id, key + strlen(key));
    const bool ok = (parts || vz_fail_memory(&why)) && place_ranges(chunk, ranges, count, parts, &why) &&
                    vz_store_get_ranges(store->below, key, parts, count, out, &found, &why) &&
                    (found || vz_fail(&why, VZ_IO, "there is no such file"));
    free(parts);
    return ok || vz_icechunk_fail_in(key, &why, err);
}

static bool read_chunk(vz_icechunk *store, const vz_icechunk_key *key, const vz_range *ranges, size_t count,
                       vz_buffer *out, bool *found, vz_error *err)
{
    vz_icechunk_chunk chunk;
    bool ok = vz_icechunk_chunk_find(store, key, &chunk, err);
    *found = ok && chunk.kind != VZ_ICECHUNK_ABSENT;
    if (ok && chunk.kind == VZ_ICECHUNK_INLINE)
        ok = read_bytes(chunk.bytes, ranges, count, out, err);
    else if (ok && chunk.kind == VZ_ICECHUNK_NATIVE)
        ok = read_native(store, &chunk, ranges, count, out, err);
    vz_icechunk_chunk_clear(store, &chunk);
    return ok;
}

static bool get_ranges(vz_store *base, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err)
{
    vz_icechunk *store = vz_icechunk_of(base);
    const vz_icechunk_key parsed = vz_icechunk_key_parse(&store->snapshot, key);
    *found = parsed.node && parsed.is_document;
    if (!parsed.node)
        return true;
    const bool ok = parsed.is_document ? read_bytes(parsed.node->document, ranges, count, out, err)
                                       : read_chunk(store, &parsed, ranges, count, out, found, err);
    return ok || fail_at(store, key, err);
}

static bool get(vz_store *base, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return get_ranges(base, key, &range, 1, out, found, err);
}

/* ---- what is known of them ---- */

static bool stat_value(vz_store *base, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_icechunk *store = vz_icechunk_of(base);
    const vz_icechunk_key parsed = vz_icechunk_key_parse(&store->snapshot, key);
    *stamp = (vz_stamp){0};
    if (!parsed.node)
        return true;
    vz_icechunk_chunk chunk = {0};
    const bool ok = parsed.is_document || vz_icechunk_chunk_find(store, &parsed, &chunk, err);
    if (ok && (parsed.is_document || chunk.kind != VZ_ICECHUNK_ABSENT))
        *stamp = (vz_stamp){.exists = true,
                            .size = parsed.is_document ? parsed.node->document.size : chunk.size,
                            .inode = store->number};
    vz_icechunk_chunk_clear(store, &chunk);
    return ok || fail_at(store, key, err);
}

static bool open_value(vz_store *base, const char *key, vz_value_use use, vz_store_value *value, bool *found,
                       vz_error *err)
{
    (void)use;
    if (!stat_value(base, key, &value->stamp, err))
        return false;
    *found = value->stamp.exists;
    value->settled = true;
    return true;
}

static bool list(vz_store *base, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_icechunk *store = vz_icechunk_of(base);
    return vz_icechunk_list(store, prefix, entries, count, err) || fail_at(store, prefix, err);
}

static bool is_at(const vz_store *base, const char *path)
{
    return vz_store_is_at(((const vz_icechunk *)base)->below, path);
}

static void close_store(vz_store *base)
{
    vz_icechunk *store = vz_icechunk_of(base);
    vz_icechunk_manifests_end(&store->manifests);
    vz_icechunk_snapshot_clear(&store->snapshot);
    vz_store_close(store->below);
    free(store->label);
    free(base->path);
    free(store);
}

static const vz_store_class class = {
    .kind = "icechunk",
    .get = get,
    .get_ranges = get_ranges,
    .open_value = open_value,
    .stat = stat_value,
    .list = list,
    .is_at = is_at,
    .close = close_store,
};

/* ---- opening ---- */

/* Another snapshot is another store. */
static void take_identity(vz_icechunk *store, const uint8_t *id)
{
    const vz_identity *below = &store->below->identity;
    store->number = vz_hash(id, VZ_ICECHUNK_ID_SIZE, 0);
    store->base.identity = (vz_identity){{below->part[0] ^ store->number, below->part[1]}};
}

static bool take_path(vz_icechunk *store, const char *ref, vz_error *err)
{
    store->base.path = strdup(store->below->path);
    if (asprintf(&store->label, "%s|icechunk:%s", store->below->path, ref) < 0)
        store->label = NULL;
    return (store->base.path && store->label) || vz_fail_memory(err);
}

vz_store *vz_icechunk_over(vz_store *below, const char *which, vz_error *err)
{
    vz_icechunk *store = (below = vz_layer_for_use(below, false, err)) ? calloc(1, sizeof *store) : NULL;
    if (!store) {
        vz_store_close(below);
        vz_fail_memory(err);
        return NULL;
    }
    vz_icechunk_ref ref;
    vz_error why = VZ_ERROR_NONE;
    const bool is_cheap = below->capabilities & VZ_STORE_CHEAP;
    store->below = below;
    store->base.class = &class;
    store->base.capabilities = VZ_STORE_LIST | (is_cheap ? VZ_STORE_CHEAP : VZ_STORE_AT_HAND);
    vz_icechunk_manifests_begin(&store->manifests);
    const bool found = vz_icechunk_ref_find(below, which, &ref, &why);
    bool ok = ref.text && take_path(store, ref.text, &why) && found &&
              vz_icechunk_snapshot_read(below, ref.id, &store->snapshot, &why);
    take_identity(store, ref.id);
    vz_icechunk_ref_clear(&ref);
    if (ok)
        return &store->base;
    vz_fail(err, why.class, "%s", why.text);
    fail_at(store, "", err);
    close_store(&store->base);
    return NULL;
}
