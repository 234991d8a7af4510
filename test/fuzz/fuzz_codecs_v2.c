/* fuzz_codecs_v2.c - configurations of codecs, "filters" and "compressor" as [filters, compressor] without the
 * brackets, with a chunk. */
#include "metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const dtypes[] = {"<i4", "<f8", "|u1", "|O"};
    if (size == 0)
        return 0;
    char before[200];
    snprintf(
        before, sizeof before,
        "{\"zarr_format\":2,\"shape\":[8,4],\"chunks\":[8,4],\"order\":\"C\",\"fill_value\":null,\"dtype\":\"%s\",",
        dtypes[data[0] % 4]);
    fuzz_part(2, before, "}", data + 1, size - 1);
    return 0;
}
