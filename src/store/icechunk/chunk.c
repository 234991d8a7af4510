/* chunk.c - which node or chunk a key means, and where the bytes of a chunk are. */
#include "store/icechunk/icechunk_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#define DOCUMENT      "zarr.json"
#define DOCUMENT_SIZE (sizeof DOCUMENT - 1)

static const vz_icechunk_flat_field chunk_bytes = {"inline", 1, 1}, chunk_offset = {"offset", 2, 8},
                                    chunk_length = {"length", 3, 8}, chunk_id = {"chunk_id", 4, VZ_ICECHUNK_ID_SIZE},
                                    chunk_location = {"location", 5, 1}, chunk_etag = {"checksum_etag", 6, 1},
                                    chunk_modified = {"checksum_last_modified", 7, 4},
                                    chunk_packed_location = {"compressed_location", 8, 1};

/* ---- keys ---- */

/* A number as chunks' keys have it. */
static bool parse_number(const char *text, size_t size, uint32_t *number)
{
    uint64_t value = 0;
    if (size == 0 || size > 10 || (size > 1 && *text == '0'))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* The start of the last part of a key's first `size` bytes. */
static size_t last_part(const char *key, size_t size)
{
    while (size > 0 && key[size - 1] != '/')
        size--;
    return size;
}

static vz_bytes path_before(const char *key, size_t part)
{
    return (vz_bytes){(const uint8_t *)key, part > 0 ? part - 1 : 0};
}

/* "a/c/1/0": numbers from the end on, then a "c". */
static void parse_chunk(const vz_icechunk_snapshot *snapshot, const char *key, vz_icechunk_key *parsed)
{
    uint32_t number, reversed[VZ_ICECHUNK_RANK_MAX];
    size_t end = strlen(key), part = last_part(key, end);
    unsigned rank = 0;
    while (part > 0 && rank < VZ_ICECHUNK_RANK_MAX && parse_number(key + part, end - part, &number)) {
        reversed[rank++] = number;
        end = part - 1;
        part = last_part(key, end);
    }
    if (end - part != 1 || key[part] != 'c')
        return;
    const vz_icechunk_node *node = vz_icechunk_node_find(snapshot, path_before(key, part));
    if (!node || !node->is_array)
        return;
    parsed->node = node;
    parsed->rank = rank;
    for (unsigned d = 0; d < rank; d++)
        parsed->at[d] = reversed[rank - 1 - d];
}

vz_icechunk_key vz_icechunk_key_parse(const vz_icechunk_snapshot *snapshot, const char *key)
{
    vz_icechunk_key parsed = {0};
    const size_t size = strlen(key), part = last_part(key, size);
    parsed.is_document = size - part == DOCUMENT_SIZE && memcmp(key + part, DOCUMENT, DOCUMENT_SIZE) == 0;
    if (parsed.is_document)
        parsed.node = vz_icechunk_node_find(snapshot, path_before(key, part));
    else
        parse_chunk(snapshot, key, &parsed);
    return parsed;
}

/* ---- where a chunk is ---- */

/* Does a part of the array have that chunk? Extents of a scalar do not matter. */
bool vz_icechunk_part_may_have(const vz_icechunk_flat *flat, const vz_icechunk_part *part, const uint32_t *at,
                               unsigned rank)
{
    if (rank > 0 && part->extents.count != rank)
        return false;
    for (unsigned d = 0; d < rank; d++) {
        const uint8_t *extent = flat->all.data + part->extents.at + 8 * d;
        if (at[d] < vz_bytes_load_le32(extent) || at[d] >= vz_bytes_load_le32(extent + 4))
            return false;
    }
    return true;
}

/* The name of a file, or an ETag: a text without zeros. */
static char *copy_text(vz_bytes text, vz_error *err)
{
    char *copy = NULL;
    if (!vz_icechunk_name_is(text))
        vz_fail(err, VZ_CORRUPT, "damaged data: the name of a chunk's file is none");
    else if (!(copy = strndup((const char *)text.data, text.size)))
        vz_fail_memory(err);
    return copy;
}

static char *unpack_name(const vz_icechunk_manifest *manifest, vz_bytes packed, vz_error *err)
{
    uint8_t name[VZ_ICECHUNK_NAME_MAX];
    if (!manifest->has_packed_names)
        return copy_text(packed, err);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    size_t size = 0;
    if (context && manifest->dictionary)
        size = ZSTD_decompress_usingDDict(context, name, sizeof name, packed.data, packed.size, manifest->dictionary);
    else if (context)
        size = ZSTD_decompressDCtx(context, name, sizeof name, packed.data, packed.size);
    ZSTD_freeDCtx(context);
    if (!context)
        vz_fail_memory(err);
    else if (ZSTD_isError(size))
        vz_fail(err, VZ_CORRUPT, "damaged data: the name of a chunk's file: zstd: %s", ZSTD_getErrorName(size));
    else
        return copy_text((vz_bytes){name, size}, err);
    return NULL;
}

/* As a server sends it: with quotes, which the manifest may lack. */
static char *copy_etag(vz_bytes etag, vz_error *err)
{
    char *copy = NULL, *text = copy_text(etag, err);
    if (!text || *text == '"' || strncmp(text, "W/", 2) == 0)
        return text;
    if (asprintf(&copy, "\"%s\"", text) < 0) {
        copy = NULL;
        vz_fail_memory(err);
    }
    free(text);
    return copy;
}

static bool read_name(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table, const vz_icechunk_manifest *manifest,
                      vz_icechunk_chunk *chunk, vz_error *err)
{
    const vz_bytes name = vz_icechunk_flat_bytes(flat, table, &chunk_location);
    const vz_bytes packed = vz_icechunk_flat_bytes(flat, table, &chunk_packed_location);
    const vz_bytes etag = vz_icechunk_flat_bytes(flat, table, &chunk_etag);
    chunk->modified = vz_icechunk_flat_number(flat, table, &chunk_modified, 0);
    if (flat->wrong)
        return vz_icechunk_fail_flat(flat, err);
    chunk->name = packed.data ? unpack_name(manifest, packed, err) : copy_text(name, err);
    if (!chunk->name || (etag.size && !(chunk->etag = copy_etag(etag, err))))
        return false;
    return true;
}

/* One of them tells where the bytes are. */
static bool is_one(const vz_icechunk_chunk *chunk, bool has_name)
{
    return (chunk->id != NULL) + (chunk->bytes.data != NULL) + has_name == 1;
}

static bool read_chunk(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                       const vz_icechunk_manifest *manifest, vz_icechunk_chunk *chunk, vz_error *err)
{
    uint64_t end;
    chunk->offset = vz_icechunk_flat_number(flat, table, &chunk_offset, 0);
    chunk->size = vz_icechunk_flat_number(flat, table, &chunk_length, 0);
    chunk->id = vz_icechunk_flat_struct(flat, table, &chunk_id);
    chunk->bytes = vz_icechunk_flat_bytes(flat, table, &chunk_bytes);
    const bool has_name = vz_icechunk_flat_bytes(flat, table, &chunk_location).data ||
                          vz_icechunk_flat_bytes(flat, table, &chunk_packed_location).data;
    if (flat->wrong)
        return vz_icechunk_fail_flat(flat, err);
    if (!is_one(chunk, has_name) || !vz_add(chunk->offset, chunk->size, &end) || end > INT64_MAX)
        return vz_fail(err, VZ_CORRUPT, "damaged data: a chunk at no place in a file");
    chunk->kind = chunk->id ? VZ_ICECHUNK_NATIVE : has_name ? VZ_ICECHUNK_VIRTUAL : VZ_ICECHUNK_INLINE;
    if (chunk->kind == VZ_ICECHUNK_INLINE)
        chunk->size = chunk->bytes.size;
    return !has_name || read_name(flat, table, manifest, chunk, err);
}

/* A scalar's chunk may be written with one coordinate, 0. */
static bool find_in(const vz_icechunk_manifest *manifest, const vz_icechunk_key *key, vz_icechunk_chunk *chunk,
                    vz_error *err)
{
    vz_icechunk_flat flat = vz_icechunk_manifest_flat(manifest);
    const vz_icechunk_flat_vector chunks = vz_icechunk_manifest_chunks(&flat, manifest, key->node->id);
    const uint32_t zero = 0;
    const bool is_scalar = key->rank == 0;
    const uint32_t index = vz_icechunk_chunk_bound(&flat, &chunks, is_scalar ? &zero : key->at, key->rank, false);
    uint32_t coordinate = 0;
    unsigned rank = 0;
    bool is_it = index < chunks.count;
    for (unsigned d = 0; is_it && d < key->rank; d++)
        is_it = vz_icechunk_chunk_coordinate(&flat, &chunks, index, d, &rank, &coordinate) && coordinate == key->at[d];
    if (is_it && is_scalar)
        is_it = !vz_icechunk_chunk_coordinate(&flat, &chunks, index, 0, &rank, &coordinate) || coordinate == 0;
    is_it = is_it && (rank == key->rank || (is_scalar && rank == 1));
    if (flat.wrong)
        return vz_icechunk_fail_flat(&flat, err);
    if (!is_it)
        return true;
    const vz_icechunk_flat_table table = vz_icechunk_flat_item(&flat, &chunks, index);
    return read_chunk(&flat, &table, manifest, chunk, err);
}

bool vz_icechunk_chunk_find(vz_icechunk *store, const vz_icechunk_key *key, vz_icechunk_chunk *chunk, vz_error *err)
{
    vz_icechunk_flat flat = {.all = {store->snapshot.content.data, store->snapshot.content.size}};
    *chunk = (vz_icechunk_chunk){0};
    if (key->rank != key->node->rank)
        return true;
    for (uint32_t i = 0; i < key->node->manifests.count && chunk->kind == VZ_ICECHUNK_ABSENT; i++) {
        vz_icechunk_part part;
        if (!vz_icechunk_part_read(&flat, key->node, i, &part))
            return vz_icechunk_fail_flat(&flat, err);
        if (!vz_icechunk_part_may_have(&flat, &part, key->at, key->rank))
            continue;
        chunk->manifest = vz_icechunk_manifest_use(&store->manifests, store->below, part.id, err);
        if (!chunk->manifest || !find_in(chunk->manifest, key, chunk, err) ||
            (chunk->name && !vz_icechunk_container_resolve(store, &chunk->name, err)))
            return false;
        if (chunk->kind == VZ_ICECHUNK_ABSENT)
            vz_icechunk_chunk_clear(store, chunk);
    }
    return true;
}

void vz_icechunk_chunk_clear(vz_icechunk *store, vz_icechunk_chunk *chunk)
{
    free(chunk->name);
    free(chunk->etag);
    if (chunk->manifest)
        vz_icechunk_manifest_leave(&store->manifests, chunk->manifest);
    *chunk = (vz_icechunk_chunk){0};
}
