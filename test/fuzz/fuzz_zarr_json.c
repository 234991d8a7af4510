/* fuzz_zarr_json.c - "zarr.json" of an array of format 3, with a chunk or the index of a shard. */
#include "metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_metadata(3, data, size);
    return 0;
}
