/* fuzz_decoders.c - every codec with arbitrary bytes. The input: which codec, the size of an element, their number (2
 * bytes), then what is stored. Whole, in part, and as HDF5's filters have it. */
#include "codec/codec/blosc_internal.h"
#include "fuzz.h"
#include "../unit/support/codecs_json.h"

#define HEAD_SIZE 4

static const struct {
    const char *filters;
    bool objects;
} chains[] = {
    {"[{\"id\":\"blosc\"}]", false},
    {"[{\"id\":\"zstd\"}]", false},
    {"[{\"id\":\"zlib\"}]", false},
    {"[{\"id\":\"gzip\"}]", false},
    {"[{\"id\":\"lz4\"}]", false},
    {"[{\"id\":\"bz2\"}]", false},
    {"[{\"id\":\"lzma\",\"format\":1}]", false},
    {"[{\"id\":\"lzma\",\"format\":2}]", false},
    {"[{\"id\":\"lzma\",\"format\":3,\"filters\":[{\"id\":33,\"preset\":1}]}]", false},
    {"[{\"id\":\"shuffle\",\"elementsize\":3}]", false},
    {"[{\"id\":\"delta\",\"dtype\":\"<i4\",\"astype\":\"<i2\"}]", false},
    {"[{\"id\":\"fletcher32\"}]", false},
    {"[{\"id\":\"crc32c\"}]", false},
    {"[{\"id\":\"crc32\"}]", false},
    {"[{\"id\":\"adler32\"}]", false},
    {"[{\"id\":\"jenkins_lookup3\"}]", false},
    {"[{\"id\":\"astype\",\"encode_dtype\":\"<i2\",\"decode_dtype\":\"<f8\"}]", false},
    {"[{\"id\":\"fixedscaleoffset\",\"scale\":3,\"offset\":1,\"dtype\":\"<f8\",\"astype\":\"|u1\"}]", false},
    {"[{\"id\":\"quantize\",\"digits\":2,\"dtype\":\"<f8\",\"astype\":\"<f4\"}]", false},
    {"[{\"id\":\"bitround\",\"keepbits\":5}]", false},
    {"[{\"id\":\"packbits\"}]", false},
    {"[{\"id\":\"categorize\",\"labels\":[\"a\",\"b\"],\"dtype\":\"<U1\",\"astype\":\"|u1\"}]", false},
    {"[{\"id\":\"base64\"}]", false},
    {"[{\"id\":\"shuffle\",\"elementsize\":4},{\"id\":\"zlib\"},{\"id\":\"fletcher32\"}]", false},
    {"[{\"id\":\"fletcher32\"},{\"id\":\"shuffle\",\"elementsize\":8},{\"id\":\"lz4\"}]", false},
    {"[{\"id\":\"vlen-utf8\"}]", true},
    {"[{\"id\":\"vlen-bytes\"}]", true},
    {"[{\"id\":\"vlen-array\",\"dtype\":\"<i4\"}]", true},
    {"[{\"id\":\"json2\"}]", true},
    {"[{\"id\":\"msgpack2\"}]", true},
    {"[{\"id\":\"pickle\"}]", true},
    {"[{\"id\":\"vlen-utf8\"},{\"id\":\"zstd\"},{\"id\":\"crc32c\"}]", true},
    {"[{\"id\":\"categorize\",\"labels\":[\"a\",\"b\"],\"dtype\":\"|O\",\"astype\":\"|u1\"}]", true},
    {"[{\"id\":\"zfpy\"}]", false},
    {"[{\"id\":\"hdf5_lz4\"}]", false},
    {"[{\"id\":\"hdf5_bitshuffle\",\"elementsize\":3,\"blocksize\":16}]", false},
    {"[{\"id\":\"hdf5_bitshuffle\",\"elementsize\":4,\"compressor\":\"lz4\"}]", false},
    {"[{\"id\":\"hdf5_bitshuffle\",\"elementsize\":8,\"compressor\":\"zstd\"}]", false},
    {"[{\"id\":\"scale_offset\",\"dtype\":\"<i4\",\"scale\":-3,\"offset\":7}]", false},
    {"[{\"id\":\"cast_value\",\"dtype\":\"<f8\",\"astype\":\"<i2\",\"out_of_range\":\"clamp\","
     "\"scalar_map\":{\"decode\":[[0,\"NaN\"]]}}]",
     false},
    {"[{\"id\":\"cast_value\",\"dtype\":\"|i1\",\"astype\":\"<f4\",\"rounding\":\"nearest-away\"}]", false},
    {"[{\"id\":\"zarr.packbits\",\"bits\":4,\"signed\":true,\"padding_encoding\":\"first_byte\"}]", false},
    {"[{\"id\":\"zarr.packbits\",\"bits\":32,\"first_bit\":3,\"last_bit\":29,\"padding_encoding\":\"last_byte\"}]",
     false},
};

static void decode_items(const vz_chain *chain, vz_bytes stored, size_t count)
{
    vz_error err = VZ_ERROR_NONE;
    vz_arena arena = {0};
    vz_item *items = calloc(count + 1, sizeof *items);
    fuzz_check_error(vz_chain_decode_items(chain, stored, items, count, &arena, 0, &err), &err);
    vz_arena_clear(&arena);
    free(items);
}

static bool read_part(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    const vz_bytes *stored = context;
    if (offset > stored->size || size > stored->size - offset)
        return vz_fail(err, VZ_CORRUPT, "%zu bytes are too few", stored->size);
    return vz_buffer_append(out, stored->data + offset, size, err);
}

/* Of which only parts are read. `expected`: of a chunk that decodes as a whole. */
static void read_range(const vz_chain *chain, vz_bytes stored, size_t offset, size_t size, uint8_t *part,
                       const uint8_t *expected)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer scratch = {0};
    const vz_stored of = {read_part, &stored};
    const bool ok = vz_chain_read_range(chain, &of, offset, size, &scratch, part, &err);
    fuzz_check_error(ok, &err);
    FUZZ_REQUIRE(!expected || (ok && memcmp(part, expected, size) == 0));
    vz_buffer_clear(&scratch);
}

/* Several parts of a chunk: what the whole has there, if `chunk` is it. */
static void decode_parts(const vz_chain *chain, vz_bytes stored, size_t size, size_t element, const uint8_t *chunk)
{
    enum { COUNT = 4 };
    vz_codec_part parts[COUNT];
    uint8_t *into = calloc(1, size + 1);
    const size_t stride = size / COUNT / element;
    size_t count = 0;
    for (size_t i = 0; i < COUNT && stride; i++)
        parts[count++] = (vz_codec_part){i * stride * element, (1 + stride / (i + 2)) * element};
    const bool ok = count && vz_chain_decode_parts(chain, stored, parts, count, into, 0);
    for (size_t i = 0; ok && chunk && i < count; i++)
        FUZZ_REQUIRE(memcmp(into + parts[i].offset, chunk + parts[i].offset, parts[i].size) == 0);
    free(into);
}

/* What is stored of a chunk that was decoded decodes in parts, too. */
static void encode_again(const vz_chain *chain, const uint8_t *chunk, size_t size, size_t element)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer stored = {0};
    FUZZ_REQUIRE(vz_chain_encode(chain, chunk, size, &stored, 0, &err));
    decode_parts(chain, (vz_bytes){stored.data, stored.size}, size, element, chunk);
    vz_buffer_clear(&stored);
}

static void decode(const vz_chain *chain, vz_bytes stored, size_t size, size_t element)
{
    vz_error err = VZ_ERROR_NONE;
    uint8_t *chunk = calloc(1, size + 1), *part = calloc(1, size + 1);
    const bool whole = vz_chain_decode(chain, stored, chunk, size, 0, &err);
    fuzz_check_error(whole, &err);
    err = VZ_ERROR_NONE;
    /* Bytes that are no chunk may still hold a part of one; a part of a chunk is what the whole has there. */
    const bool ranged = vz_chain_decode_range(chain, stored, size / 3, size / 2, part, 0, &err);
    fuzz_check_error(ranged, &err);
    /* A damaged stream of LZ4 that refers to what it did not write yet may decode to anything. */
    const bool in_parts = vz_chain_has_parts(chain), same = whole && !(in_parts && vz_blosc_parts_memory(stored));
    FUZZ_REQUIRE(!whole || ranged);
    FUZZ_REQUIRE(!same || memcmp(part, chunk + size / 3, size / 2) == 0);
    if (vz_chain_reads_range(chain))
        read_range(chain, stored, size / 3, size / 8, part, same ? chunk + size / 3 : NULL);
    if (in_parts)
        decode_parts(chain, stored, size, element, NULL);
    if (in_parts && whole)
        encode_again(chain, chunk, size, element);
    free(part);
    free(chunk);
}

static void reframe(const vz_chain *chain, vz_bytes stored)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer filtered = {0}, back = {0};
    fuzz_check_error(vz_chain_to_filters(chain, stored, &filtered, &err), &err);
    err = VZ_ERROR_NONE;
    fuzz_check_error(vz_chain_from_filters(chain, stored, &back, &err), &err);
    vz_buffer_clear(&back);
    vz_buffer_clear(&filtered);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_SIZE)
        return 0;
    vz_error err = VZ_ERROR_NONE;
    const size_t number = data[0] % (sizeof chains / sizeof *chains), count = data[2] | (size_t)data[3] << 8;
    const vz_bytes stored = {data + HEAD_SIZE, size - HEAD_SIZE};
    const bool objects = chains[number].objects;
    const vz_chain_chunk chunk = {.objects = objects,
                                  .element_size = objects ? sizeof(vz_item) : (size_t)1 << data[1] % 5,
                                  .element_count = count};
    vz_json *filters = vz_json_parse(chains[number].filters, strlen(chains[number].filters), &err);
    FUZZ_REQUIRE(filters);
    vz_chain chain;
    const bool ok = chain_open_json(&chain, filters, NULL, &chunk, &err);
    fuzz_check_error(ok, &err);
    if (ok && objects) {
        decode_items(&chain, stored, count);
    } else if (ok) {
        decode(&chain, stored, chunk.element_size * count, chunk.element_size);
        reframe(&chain, stored);
    }
    if (ok)
        vz_chain_clear(&chain);
    vz_json_free(filters);
    return 0;
}
