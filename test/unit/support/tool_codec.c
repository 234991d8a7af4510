/* tool_codec.c - a codec chain as a filter of standard input, for other languages' tests:
 *   tool_codec encode|decode FILTERS COMPRESSOR ELEMENT_SIZE ELEMENT_COUNT [SHAPE [RECORD]]
 * FILTERS, COMPRESSOR, SHAPE and RECORD (a dtype) are JSON as in Zarr v2's metadata. ELEMENT_SIZE 0: an array of
 * objects, whose decoded form here is, for each item, its size (8 bytes, little-endian) and its bytes. */
#include "codecs_json.h"
#include "base/os/thread.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct job {
    vz_chain chain;
    bool objects;
    size_t element_size, count;
    uint64_t shape[VZ_CODEC_MAX_RANK];
    vz_json *filters, *compressor, *shape_list, *record;
    vz_buffer in, out;
} job;

static bool read_input(vz_buffer *in, vz_error *err)
{
    char block[1 << 16];
    for (size_t got; (got = fread(block, 1, sizeof block, stdin)) > 0;)
        if (!vz_buffer_append(in, block, got, err))
            return false;
    return true;
}

static bool encode_items(job *j, vz_item *items, vz_error *err)
{
    const uint8_t *at = j->in.data, *end = at + j->in.size;
    for (size_t i = 0; i < j->count; i++) {
        if (end - at < 8 || (uint64_t)(end - at) - 8 < vz_bytes_load_le64(at))
            return vz_fail(err, VZ_INVALID, "the input ends within item %zu", i);
        items[i] = (vz_item){at + 8, vz_bytes_load_le64(at)};
        at += 8 + items[i].size;
    }
    return vz_chain_encode_items(&j->chain, items, j->count, &j->out, 0, err);
}

static bool decode_items(job *j, vz_item *items, vz_error *err)
{
    vz_arena arena = {0};
    bool ok = vz_chain_decode_items(&j->chain, (vz_bytes){j->in.data, j->in.size}, items, j->count, &arena, 0, err);
    for (size_t i = 0; ok && i < j->count; i++) {
        uint8_t size[8];
        vz_bytes_store_le64(size, items[i].size);
        ok = vz_buffer_append(&j->out, size, sizeof size, err) &&
             vz_buffer_append(&j->out, items[i].data, items[i].size, err);
    }
    vz_arena_clear(&arena);
    return ok;
}

static bool run_objects(job *j, bool encode, vz_error *err)
{
    vz_item *items = calloc(j->count + 1, sizeof *items);
    if (!items)
        return vz_fail_memory(err);
    const bool ok = encode ? encode_items(j, items, err) : decode_items(j, items, err);
    free(items);
    return ok;
}

static bool run_chunk(job *j, bool encode, vz_error *err)
{
    if (encode)
        return vz_chain_encode(&j->chain, j->in.data, j->in.size, &j->out, 0, err);
    const size_t size = j->element_size * j->count;
    if (!vz_buffer_reserve(&j->out, size, err) ||
        !vz_chain_decode(&j->chain, (vz_bytes){j->in.data, j->in.size}, j->out.data, size, 0, err))
        return false;
    j->out.size = size;
    return true;
}

static bool parse(vz_json **value, const char *text, vz_error *err)
{
    return (*value = vz_json_parse(text, strlen(text), err)) != NULL;
}

static bool open_chain(job *j, vz_error *err)
{
    vz_chain_chunk chunk = {.objects = j->objects,
                            .big_endian = getenv("BIG_ENDIAN") != NULL,
                            .element_size = j->objects ? sizeof(vz_item) : j->element_size,
                            .element_count = j->count,
                            .record = j->record};
    for (; chunk.rank < vz_json_length(j->shape_list); chunk.rank++)
        if (chunk.rank == VZ_CODEC_MAX_RANK ||
            !vz_json_get_uint64(vz_json_at(j->shape_list, chunk.rank), &j->shape[chunk.rank]))
            return vz_fail(err, VZ_INVALID, "SHAPE is no shape");
    chunk.shape = j->shape_list ? j->shape : NULL;
    return chain_open_json(&j->chain, j->filters, j->compressor, &chunk, err);
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc > 8) {
        fprintf(stderr, "usage: %s encode|decode FILTERS COMPRESSOR ELEMENT_SIZE ELEMENT_COUNT [SHAPE [RECORD]]\n",
                argv[0]);
        return 2;
    }
    const bool encode = strcmp(argv[1], "encode") == 0;
    vz_error err = VZ_ERROR_NONE;
    job j = {.element_size = strtoull(argv[4], NULL, 10), .count = strtoull(argv[5], NULL, 10)};
    j.objects = j.element_size == 0;
    bool ok = parse(&j.filters, argv[2], &err) && parse(&j.compressor, argv[3], &err) &&
              (argc < 7 || parse(&j.shape_list, argv[6], &err)) && (argc < 8 || parse(&j.record, argv[7], &err)) &&
              open_chain(&j, &err) && read_input(&j.in, &err) &&
              (j.objects ? run_objects(&j, encode, &err) : run_chunk(&j, encode, &err));
    if (ok)
        ok = fwrite(j.out.data, 1, j.out.size, stdout) == j.out.size && fflush(stdout) == 0;
    else
        fprintf(stderr, "%s\n", vz_error_message(&err, (char[1200]){0}, 1200));
    vz_chain_clear(&j.chain);
    vz_json_free(j.filters);
    vz_json_free(j.compressor);
    vz_json_free(j.shape_list);
    vz_json_free(j.record);
    vz_buffer_clear(&j.in);
    vz_buffer_clear(&j.out);
    vz_pool_stop();
    return ok ? 0 : 1;
}
