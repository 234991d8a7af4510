/* manifest_batch.c - the manifests that many chunks need, in one batch: each would be a round trip
 * of its own when its first chunk is looked up. */
#include "store/icechunk/icechunk_internal.h"
#include <stdlib.h>

#define AT_ONCE 64
/* Larger ones come one by one. */
#define SIZE_MAX_EACH ((size_t)4 << 20)

typedef struct wanted {
    uint8_t ids[AT_ONCE][VZ_ICECHUNK_ID_SIZE];
    size_t count;
} wanted;

static bool has(const wanted *w, const uint8_t *id)
{
    for (size_t i = 0; i < w->count; i++)
        if (memcmp(w->ids[i], id, VZ_ICECHUNK_ID_SIZE) == 0)
            return true;
    return false;
}

/* Those whose extents hold the chunk. */
static void want(vz_icechunk *store, const vz_icechunk_key *key, wanted *w)
{
    vz_icechunk_flat flat = {.all = {store->snapshot.content.data, store->snapshot.content.size}};
    for (uint32_t i = 0; i < key->node->manifests.count && w->count < AT_ONCE; i++) {
        vz_icechunk_part part;
        if (!vz_icechunk_part_read(&flat, key->node, i, &part))
            return; /* looking it up says why */
        if (!vz_icechunk_part_may_have(&flat, &part, key->at, key->rank) || has(w, part.id) ||
            vz_icechunk_manifest_is_known(&store->manifests, part.id))
            continue;
        memcpy(w->ids[w->count++], part.id, VZ_ICECHUNK_ID_SIZE);
    }
}

/* A failure is ignored: the manifest is read again where it is needed. */
static void take(vz_icechunk *store, const uint8_t *id, const vz_buffer *file)
{
    vz_icechunk_manifest *manifest = vz_icechunk_manifest_of(id, (vz_bytes){file->data, file->size}, NULL);
    if (manifest)
        vz_icechunk_manifest_add(&store->manifests, manifest);
}

static void fetch(vz_icechunk *store, const wanted *w)
{
    char keys[AT_ONCE][VZ_ICECHUNK_KEY_SIZE];
    vz_request requests[AT_ONCE] = {0};
    vz_buffer files[AT_ONCE] = {0};
    for (size_t i = 0; i < w->count; i++) {
        vz_icechunk_manifest_key(w->ids[i], keys[i]);
        requests[i] = (vz_request){.key = keys[i], .into = &files[i], .most = SIZE_MAX_EACH};
    }
    vz_requests_do(store->below, requests, w->count, NULL);
    for (size_t i = 0; i < w->count; i++) {
        if (requests[i].found && requests[i].failed == VZ_OK)
            take(store, w->ids[i], &files[i]);
        vz_buffer_clear(&files[i]);
    }
}

void vz_icechunk_manifests_expect(vz_icechunk *store, const vz_request *requests, size_t count)
{
    wanted *w = calloc(1, sizeof *w);
    for (size_t i = 0; w && i < count && w->count < AT_ONCE; i++) {
        const vz_icechunk_key key = vz_icechunk_key_parse(&store->snapshot, requests[i].key);
        if (requests[i].op == VZ_REQUEST_GET && key.node && !key.is_document && key.rank == key.node->rank)
            want(store, &key, w);
    }
    if (w && w->count > 1)
        fetch(store, w);
    free(w);
}
