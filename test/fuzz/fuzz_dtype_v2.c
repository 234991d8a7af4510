/* fuzz_dtype_v2.c - dtypes and fill values of format 2: the input is what follows "dtype":, a comma and more members
 * with it. */
#include "metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_part(2,
              "{\"zarr_format\":2,\"shape\":[3],\"chunks\":[2],\"order\":\"C\",\"compressor\":null,"
              "\"filters\":[{\"id\":\"json2\"}],\"dtype\":",
              "}", data, size);
    return 0;
}
