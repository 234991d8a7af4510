/* fuzz_pickle.c - chunks of the codec "pickle". */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_objects("pickle", NULL, data, size);
    return 0;
}
