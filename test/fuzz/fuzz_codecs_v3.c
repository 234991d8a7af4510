/* fuzz_codecs_v3.c - the list of codecs of format 3, with a chunk or the index of a shard. */
#include "metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"int32", "float64", "uint8", "string"};
    if (size == 0)
        return 0;
    char before[400];
    snprintf(before, sizeof before,
             "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[8,4],\"fill_value\":%s,\"data_type\":\"%s\","
             "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[8,4]}},"
             "\"chunk_key_encoding\":{\"name\":\"default\"},\"codecs\":",
             data[0] % 4 == 3 ? "\"\"" : "0", types[data[0] % 4]);
    fuzz_part(3, before, "}", data + 1, size - 1);
    return 0;
}
