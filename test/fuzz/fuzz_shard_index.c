/* fuzz_shard_index.c - the index of a shard, in each of its forms: what decodes lies within the shard, and encodes to
 * the same. */
#include "metadata.h"
#include "metadata/metadata/format_internal.h"
#include "array/chunks/shard_state_internal.h"

#define BYTES(endian) "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"" endian "\"}}"

static const struct {
    const char *location, *codecs;
} forms[] = {
    {"end", BYTES("little") ",{\"name\":\"crc32c\"}"},
    {"start", BYTES("little")},
    {"end", BYTES("big")},
    {"start", "{\"name\":\"transpose\",\"configuration\":{\"order\":[2,0,1]}}," BYTES("big") ",{\"name\":\"crc32c\"}"},
};

static vz_meta *sharded(size_t form)
{
    vz_error err = VZ_ERROR_NONE;
    char text[1000];
    const int length =
        snprintf(text, sizeof text,
                 "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[8,6],\"fill_value\":0,\"data_type\":\"int32\","
                 "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[4,6]}},"
                 "\"chunk_key_encoding\":{\"name\":\"default\"},\"codecs\":[{\"name\":\"sharding_indexed\","
                 "\"configuration\":{\"chunk_shape\":[2,2],\"codecs\":[" BYTES(
                     "little") "],\"index_location\":\"%s\",\"index_codecs\":[%s]}}]}",
                 forms[form].location, forms[form].codecs);
    vz_json *document = vz_json_parse(text, (size_t)length, &err);
    vz_meta *meta = document ? vz_meta_parse_v3(document, &err) : NULL;
    FUZZ_REQUIRE(meta);
    vz_json_free(document);
    return meta;
}

static void check_entries(const vz_shard_codecs *codecs, const vz_shard_entry *entries, uint64_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer printed = {0};
    vz_shard_entry *again = calloc(codecs->count, sizeof *again);
    for (uint64_t i = 0; i < codecs->count; i++) {
        if (entries[i].offset != UINT64_MAX || entries[i].size != UINT64_MAX)
            FUZZ_REQUIRE(entries[i].offset <= size && entries[i].size <= size - entries[i].offset);
    }
    FUZZ_REQUIRE(vz_shard_index_encode(codecs, entries, &printed, 0, &err));
    FUZZ_REQUIRE(vz_shard_index_decode(codecs, (vz_bytes){printed.data, printed.size}, size, again, 0, &err));
    FUZZ_REQUIRE(memcmp(entries, again, codecs->count * sizeof *again) == 0);
    vz_buffer_clear(&printed);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    vz_error err = VZ_ERROR_NONE;
    vz_shard_codecs codecs;
    vz_meta *meta = sharded(data[0] % (sizeof forms / sizeof *forms));
    const uint64_t shard = (uint64_t)data[0] << 4;
    FUZZ_REQUIRE(vz_shard_codecs_open(&codecs, meta, 0, &err));
    vz_shard_entry *entries = calloc(codecs.count, sizeof *entries);
    const bool ok = vz_shard_index_decode(&codecs, (vz_bytes){data + 1, size - 1}, shard, entries, 0, &err);
    fuzz_check_error(ok, &err);
    if (ok)
        check_entries(&codecs, entries, shard);
    free(entries);
    vz_shard_codecs_clear(&codecs);
    vz_meta_free(meta);
    return 0;
}
