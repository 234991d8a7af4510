/* metadata.c - an array's document, its codecs and a chunk. */
#include "metadata.h"
#include "metadata/metadata/format_internal.h"
#include "array/chunks/shard_state_internal.h"
#include "array/selection/selection.h"

#define CHUNK_MOST ((size_t)1 << 20) /* of decoded chunks that are tried */

static void decode_chunk(const vz_meta *meta, const vz_chain *chain, vz_bytes stored)
{
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    uint8_t *chunk = calloc(1, meta->chunk_size + 1);
    const bool objects = meta->dtype->kind == VZ_DTYPE_OBJECT;
    const bool ok = objects ? vz_chain_decode_items(chain, stored, (vz_item *)chunk, meta->chunk_count, &arena, 0, &err)
                            : vz_chain_decode(chain, stored, chunk, meta->chunk_size, 0, &err);
    fuzz_check_error(ok, &err);
    vz_arena_clear(&arena);
    free(chunk);
}

/* False where a codec is not there. */
static bool open_chain(const vz_meta *meta, vz_chain *chain)
{
    vz_error err = VZ_ERROR_NONE;
    const vz_chain_chunk chunk = {.objects = meta->dtype->kind == VZ_DTYPE_OBJECT,
                                  .big_endian = meta->dtype->big_endian,
                                  .element_size = meta->dtype->size,
                                  .element_count = meta->chunk_count,
                                  .rank = meta->rank,
                                  .shape = meta->chunks};
    return vz_chain_open(chain, &meta->codecs, &chunk, &err);
}

static void try_chunk(const vz_meta *meta, vz_bytes stored)
{
    vz_chain chain;
    if (!open_chain(meta, &chain))
        return;
    if (meta->chunk_size <= CHUNK_MOST)
        decode_chunk(meta, &chain, stored);
    vz_chain_clear(&chain);
}

static void try_index(const vz_meta *meta, vz_bytes stored)
{
    vz_error err = VZ_ERROR_NONE;
    vz_shard_codecs codecs;
    bool ok = vz_shard_codecs_open(&codecs, meta, 0, &err);
    fuzz_check_error(ok, &err);
    if (ok && codecs.count <= CHUNK_MOST / sizeof(vz_shard_entry)) {
        vz_shard_entry *entries = calloc(codecs.count + 1, sizeof *entries);
        ok = vz_shard_index_decode(&codecs, stored, stored.size, entries, 0, &err);
        fuzz_check_error(ok, &err);
        free(entries);
    }
    vz_shard_codecs_clear(&codecs);
}

/* Each coordinate lies in a chunk, and each chunk in the room of the largest one. */
static void try_grid(const vz_meta *meta)
{
    uint64_t dims[VZ_MAX_RANK];
    vz_grid_dims(meta, meta->shape, dims);
    for (unsigned d = 0; d < meta->rank && meta->shape[d] > 0; d++)
        for (unsigned part = 0; part < 4; part++) {
            const uint64_t at = meta->shape[d] / 4 * part, chunk = vz_grid_at(meta, d, at);
            const uint64_t start = vz_grid_start(meta, d, chunk), edge = vz_grid_edge(meta, d, chunk);
            FUZZ_REQUIRE(start <= at && at - start < edge && edge <= meta->chunks[d] && chunk < dims[d]);
            FUZZ_REQUIRE(vz_grid_extent(meta, d, dims[d]) == 0 && vz_grid_extent(meta, d, UINT64_MAX) == 0);
        }
}

static void print_again(const vz_zarr_format *zarr_format, const vz_meta *meta)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *document = vz_json_object(&err);
    vz_meta *copy = vz_meta_copy(meta, &err);
    vz_chain chain;
    FUZZ_REQUIRE(document && copy && vz_dtype_equal(copy->dtype, meta->dtype));
    const bool is_known = open_chain(meta, &chain);
    if (zarr_format->write(copy, document, &err)) {
        vz_meta *again = zarr_format->load(document, &err);
        /* What is not known of codecs stands in no new document. */
        FUZZ_REQUIRE(!is_known || (again && again->rank == meta->rank && again->chunk_size == meta->chunk_size));
        vz_meta_free(again);
    }
    if (is_known)
        vz_chain_clear(&chain);
    vz_meta_free(copy);
    vz_json_free(document);
}

/* Of a document that was refused: its sizes must be good for HDF5 all the same. */
static void try_outline(const vz_zarr_format *zarr_format, const vz_json *document)
{
    vz_error err = VZ_ERROR_NONE;
    vz_meta *outline = zarr_format->outline(document, &err);
    fuzz_check_error(outline != NULL, &err);
    if (outline) {
        FUZZ_REQUIRE(outline->rank <= VZ_MAX_RANK && outline->dtype && outline->dtype->size <= VZ_DTYPE_MAX_SIZE);
        for (unsigned d = 0; d < outline->rank; d++)
            FUZZ_REQUIRE(outline->chunks[d] > 0 && outline->shape[d] <= INT64_MAX);
        FUZZ_REQUIRE(outline->chunk_size <= VZ_CHUNK_MAX_SIZE && outline->codecs.count == 0);
    }
    vz_meta_free(outline);
}

void fuzz_metadata(int format, const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    vz_json *document = vz_json_parse((const char *)data, length, &err);
    const vz_zarr_format *zarr_format = vz_zarr_format_of(format);
    vz_meta *meta = document ? zarr_format->load(document, &err) : NULL;
    fuzz_check_error(meta != NULL, &err);
    if (document && !meta)
        try_outline(zarr_format, document);
    const vz_bytes stored = end ? (vz_bytes){end + 1, size - length - 1} : (vz_bytes){data, 0};
    if (meta) {
        print_again(zarr_format, meta);
        try_grid(meta);
        try_chunk(meta, stored);
        if (meta->shard_levels > 0)
            try_index(meta, stored);
    }
    vz_meta_free(meta);
    vz_json_free(document);
}
