/* manifest.c - a manifest: the chunks of arrays, both in an order in which they are looked up in
 * place. */
#include "store/icechunk/icechunk_internal.h"
#include <stdlib.h>
#include <zstd.h>

const vz_icechunk_flat_field vz_icechunk_chunk_index = {"index", 0, 4};
static const vz_icechunk_flat_field manifest_id = {"id", 0, VZ_ICECHUNK_ID_SIZE}, manifest_arrays = {"arrays", 1, 4},
                                    manifest_dictionary = {"location_dictionary", 2, 1},
                                    manifest_packing = {"compression_algorithm", 3, 1},
                                    array_node = {"node_id", 0, VZ_ICECHUNK_NODE_ID_SIZE},
                                    array_chunks = {"refs", 1, 4};

/* ---- reading ---- */

static int compare_index(const vz_icechunk_flat *flat, const vz_icechunk_flat_vector *a,
                         const vz_icechunk_flat_vector *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        const uint32_t x = vz_bytes_load_le32(flat->all.data + a->at + 4 * i);
        const uint32_t y = vz_bytes_load_le32(flat->all.data + b->at + 4 * i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (a->count > b->count) - (a->count < b->count);
}

/* A chunk out of order would be taken for one that is not there. */
static bool check_chunks(vz_icechunk_flat *flat, const vz_icechunk_flat_table *array, vz_error *err)
{
    const vz_icechunk_flat_vector chunks = vz_icechunk_flat_items(flat, array, &array_chunks);
    vz_icechunk_flat_vector before = {0};
    for (uint32_t i = 0; i < chunks.count && !flat->wrong; i++) {
        const vz_icechunk_flat_table chunk = vz_icechunk_flat_item(flat, &chunks, i);
        const vz_icechunk_flat_vector index = vz_icechunk_flat_items(flat, &chunk, &vz_icechunk_chunk_index);
        if (!index.at || index.count > VZ_ICECHUNK_RANK_MAX)
            return flat->wrong ? vz_icechunk_fail_flat(flat, err)
                               : vz_fail(err, VZ_CORRUPT, "damaged data: a chunk without coordinates");
        if (i > 0 && compare_index(flat, &before, &index) >= 0)
            return vz_fail(err, VZ_CORRUPT, "damaged data: its chunks are not in order");
        before = index;
    }
    return !flat->wrong || vz_icechunk_fail_flat(flat, err);
}

static bool check_arrays(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *arrays, vz_error *err)
{
    const uint8_t *before = NULL;
    for (uint32_t i = 0; i < arrays->count && !flat->wrong; i++) {
        const vz_icechunk_flat_table array = vz_icechunk_flat_item(flat, arrays, i);
        const uint8_t *id = vz_icechunk_flat_struct(flat, &array, &array_node);
        if (!id || (before && memcmp(before, id, VZ_ICECHUNK_NODE_ID_SIZE) >= 0))
            return vz_fail(err, VZ_CORRUPT, "damaged data: its arrays are not in order");
        if (!check_chunks(flat, &array, err))
            return false;
        before = id;
    }
    return !flat->wrong || vz_icechunk_fail_flat(flat, err);
}

static bool check(vz_icechunk_manifest *manifest, vz_error *err)
{
    vz_icechunk_flat flat = vz_icechunk_manifest_flat(manifest);
    const vz_icechunk_flat_table root = vz_icechunk_flat_root(&flat);
    const uint8_t *id = vz_icechunk_flat_struct(&flat, &root, &manifest_id);
    manifest->arrays = vz_icechunk_flat_items(&flat, &root, &manifest_arrays);
    const vz_bytes dictionary = vz_icechunk_flat_bytes(&flat, &root, &manifest_dictionary);
    manifest->has_packed_names = vz_icechunk_flat_number(&flat, &root, &manifest_packing, 1) == 1;
    if (flat.wrong)
        return vz_icechunk_fail_flat(&flat, err);
    if (!id || memcmp(id, manifest->id, VZ_ICECHUNK_ID_SIZE) != 0)
        return vz_fail(err, VZ_CORRUPT, "damaged data: it is another manifest");
    /* It is prepared once: that takes as long as unpacking thousands of names. */
    if (dictionary.size && !(manifest->dictionary = ZSTD_createDDict(dictionary.data, dictionary.size)))
        return vz_fail(err, VZ_CORRUPT, "damaged data: its dictionary of names is none");
    return check_arrays(&flat, &manifest->arrays, err);
}

void vz_icechunk_manifest_free(vz_icechunk_manifest *manifest)
{
    ZSTD_freeDDict(manifest->dictionary);
    vz_buffer_clear(&manifest->content);
    free(manifest);
}

void vz_icechunk_manifest_key(const uint8_t *id, char key[VZ_ICECHUNK_KEY_SIZE])
{
    strcpy(key, "manifests/");
    vz_icechunk_id_print(id, key + strlen(key));
}

static vz_icechunk_manifest *manifest_new(const uint8_t *id, vz_error *err)
{
    vz_icechunk_manifest *manifest = calloc(1, sizeof *manifest);
    if (manifest)
        memcpy(manifest->id, id, VZ_ICECHUNK_ID_SIZE);
    else
        vz_fail_memory(err);
    return manifest;
}

vz_icechunk_manifest *vz_icechunk_manifest_of(const uint8_t *id, vz_bytes file, vz_error *err)
{
    vz_icechunk_manifest *manifest = manifest_new(id, err);
    if (!manifest ||
        (vz_icechunk_file_unpack(file, VZ_ICECHUNK_MANIFEST, &manifest->content, err) && check(manifest, err)))
        return manifest;
    vz_icechunk_manifest_free(manifest);
    return NULL;
}

vz_icechunk_manifest *vz_icechunk_manifest_read(vz_store *below, const uint8_t *id, vz_error *err)
{
    char key[VZ_ICECHUNK_KEY_SIZE];
    vz_error why = VZ_ERROR_NONE;
    vz_icechunk_manifest *manifest = manifest_new(id, err);
    if (!manifest)
        return NULL;
    vz_icechunk_manifest_key(id, key);
    if (!vz_icechunk_file_read(below, key, VZ_ICECHUNK_MANIFEST, &manifest->content, &why))
        vz_fail(err, why.class == VZ_NOT_FOUND ? VZ_IO : why.class, "%s", why.text);
    else if (!check(manifest, &why))
        vz_icechunk_fail_in(key, &why, err);
    else
        return manifest;
    vz_icechunk_manifest_free(manifest);
    return NULL;
}

/* ---- looking up ---- */

vz_icechunk_flat vz_icechunk_manifest_flat(const vz_icechunk_manifest *manifest)
{
    return (vz_icechunk_flat){.all = {manifest->content.data, manifest->content.size}};
}

vz_icechunk_flat_vector vz_icechunk_manifest_chunks(vz_icechunk_flat *flat, const vz_icechunk_manifest *manifest,
                                                    const uint8_t node_id[VZ_ICECHUNK_NODE_ID_SIZE])
{
    uint32_t low = 0, high = manifest->arrays.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const vz_icechunk_flat_table array = vz_icechunk_flat_item(flat, &manifest->arrays, middle);
        const uint8_t *id = vz_icechunk_flat_struct(flat, &array, &array_node);
        const int order = id ? memcmp(id, node_id, VZ_ICECHUNK_NODE_ID_SIZE) : 0;
        if (order == 0)
            return vz_icechunk_flat_items(flat, &array, &array_chunks);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return (vz_icechunk_flat_vector){0};
}

uint32_t vz_icechunk_chunk_bound(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *chunks, const uint32_t *at,
                                 unsigned rank, bool behind)
{
    uint32_t low = 0, high = chunks->count;
    while (low < high && !flat->wrong) {
        const uint32_t middle = low + (high - low) / 2;
        const vz_icechunk_flat_table chunk = vz_icechunk_flat_item(flat, chunks, middle);
        const vz_icechunk_flat_vector index = vz_icechunk_flat_items(flat, &chunk, &vz_icechunk_chunk_index);
        int order = 0;
        for (unsigned d = 0; d < rank && order == 0; d++) {
            const uint32_t x = d < index.count ? vz_bytes_load_le32(flat->all.data + index.at + 4 * d) : 0;
            order = d >= index.count ? -1 : (x > at[d]) - (x < at[d]);
        }
        if (order < 0 || (behind && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool vz_icechunk_chunk_coordinate(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *chunks, uint32_t index,
                                  unsigned axis, unsigned *rank, uint32_t *coordinate)
{
    const vz_icechunk_flat_table chunk = vz_icechunk_flat_item(flat, chunks, index);
    const vz_icechunk_flat_vector at = vz_icechunk_flat_items(flat, &chunk, &vz_icechunk_chunk_index);
    *rank = at.count;
    if (flat->wrong || axis >= at.count)
        return false;
    *coordinate = vz_bytes_load_le32(flat->all.data + at.at + 4 * axis);
    return true;
}
