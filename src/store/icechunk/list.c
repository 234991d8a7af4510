/* list.c - what lies directly below a key: nodes, documents, and the coordinates of chunks. */
#include "store/icechunk/icechunk_internal.h"
#include <stdlib.h>

typedef struct listing {
    vz_entry *entries;
    size_t count, room;
} listing;

static bool add(listing *l, const char *name, size_t length, bool is_prefix, vz_error *err)
{
    return vz_kerchunk_append_entry(&l->entries, &l->count, &l->room, name, length, is_prefix, err);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const vz_entry *)a)->name, ((const vz_entry *)b)->name);
}

/* Sorted, and each name once. */
static void sort_once(listing *l)
{
    size_t kept = 0;
    if (l->count > 1)
        qsort(l->entries, l->count, sizeof *l->entries, compare);
    for (size_t i = 0; i < l->count; i++) {
        if (kept > 0 && strcmp(l->entries[kept - 1].name, l->entries[i].name) == 0) {
            l->entries[kept - 1].is_prefix |= l->entries[i].is_prefix;
            free(l->entries[i].name);
        } else {
            l->entries[kept++] = l->entries[i];
        }
    }
    l->count = kept;
}

/* ---- nodes ---- */

/* Nodes below a path follow each other, and those below a member of it, too. */
static bool list_nodes(listing *l, const vz_icechunk_snapshot *snapshot, vz_bytes path, vz_error *err)
{
    const size_t skip = path.size ? path.size + 1 : 0, end = vz_icechunk_node_bound(snapshot, path, true);
    size_t at = vz_icechunk_node_bound(snapshot, path, false);
    while (at < end) {
        const vz_bytes below = snapshot->nodes[at].path;
        if (below.size <= path.size) {
            at++;
            continue;
        }
        const uint8_t *name = below.data + skip, *slash = memchr(name, '/', below.size - skip);
        const size_t length = slash ? (size_t)(slash - name) : below.size - skip;
        if (!add(l, (const char *)name, length, true, err))
            return false;
        at = vz_icechunk_node_bound(snapshot, (vz_bytes){below.data, skip + length}, true);
    }
    return true;
}

/* ---- chunks ---- */

static bool add_coordinate(listing *l, uint32_t coordinate, bool is_prefix, vz_error *err)
{
    char text[VZ_DECIMAL_SIZE];
    return add(l, text, vz_decimal(coordinate, text), is_prefix, err);
}

/* The chunks whose first coordinates are those of the key follow each other. */
static bool list_manifest(listing *l, const vz_icechunk_manifest *manifest, const vz_icechunk_key *key, vz_error *err)
{
    vz_icechunk_flat flat = vz_icechunk_manifest_flat(manifest);
    const vz_icechunk_flat_vector chunks = vz_icechunk_manifest_chunks(&flat, manifest, key->node->id);
    const uint32_t end = vz_icechunk_chunk_bound(&flat, &chunks, key->at, key->rank, true);
    uint32_t at = vz_icechunk_chunk_bound(&flat, &chunks, key->at, key->rank, false), next[VZ_ICECHUNK_RANK_MAX];
    unsigned rank = 0;
    memcpy(next, key->at, sizeof next);
    while (at < end && vz_icechunk_chunk_coordinate(&flat, &chunks, at, key->rank, &rank, &next[key->rank])) {
        if (!add_coordinate(l, next[key->rank], key->rank + 1 < rank, err))
            return false;
        at = vz_icechunk_chunk_bound(&flat, &chunks, next, key->rank + 1, true);
    }
    return !flat.wrong || vz_icechunk_fail_flat(&flat, err);
}

static bool list_chunks(vz_icechunk *store, listing *l, const vz_icechunk_key *key, vz_error *err)
{
    if (key->rank >= key->node->rank || key->rank >= VZ_ICECHUNK_RANK_MAX)
        return true;
    vz_icechunk_flat flat = {.all = {store->snapshot.content.data, store->snapshot.content.size}};
    bool ok = true;
    for (uint32_t i = 0; ok && i < key->node->manifests.count; i++) {
        vz_icechunk_part part;
        if (!vz_icechunk_part_read(&flat, key->node, i, &part))
            return vz_icechunk_fail_flat(&flat, err);
        vz_icechunk_manifest *manifest = vz_icechunk_manifest_use(&store->manifests, store->below, part.id, err);
        ok = manifest && list_manifest(l, manifest, key, err);
        if (manifest)
            vz_icechunk_manifest_leave(&store->manifests, manifest);
    }
    return ok;
}

bool vz_icechunk_list(vz_icechunk *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    listing l = {0};
    const vz_bytes path = {(const uint8_t *)prefix, strlen(prefix)};
    const vz_icechunk_node *node = vz_icechunk_node_find(&store->snapshot, path);
    bool ok = list_nodes(&l, &store->snapshot, path, err);
    if (ok && node)
        ok = add(&l, "zarr.json", 9, false, err) &&
             /* of a scalar the chunk itself */
             (!node->manifests.count || add(&l, "c", 1, node->rank > 0, err));
    const vz_icechunk_key key = vz_icechunk_key_parse(&store->snapshot, prefix);
    if (ok && !node && key.node && !key.is_document)
        ok = list_chunks(store, &l, &key, err);
    sort_once(&l);
    if (!ok) {
        vz_entries_free(l.entries, l.count);
        return false;
    }
    *entries = l.entries;
    *count = l.count;
    return true;
}
