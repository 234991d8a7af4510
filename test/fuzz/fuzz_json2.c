/* fuzz_json2.c - chunks of the codec "json2". */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_objects("json2", NULL, data, size);
    return 0;
}
