/* fuzz_pickle_rows.c - chunks of the codec "pickle" in an array of rows. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_objects("pickle", "[[\"idx_start\",\"<i4\"],[\"count\",\"<i4\"],[\"timeseries\",\"|O\"]]", data, size);
    return 0;
}
