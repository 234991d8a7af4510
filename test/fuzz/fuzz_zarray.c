/* fuzz_zarray.c - ".zarray" of format 2, with a chunk. */
#include "metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_metadata(2, data, size);
    return 0;
}
