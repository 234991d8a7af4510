/* fuzz_dtype_v3.c - data types and fill values of format 3: the input is what follows "data_type":, a comma and more
 * members with it. */
#include "metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_part(3,
              "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[3],\"chunk_key_encoding\":{\"name\":\"default\"},"
              "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2]}},"
              "\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}],\"data_type\":",
              "}", data, size);
    return 0;
}
