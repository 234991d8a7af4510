/* fuzz_msgpack2.c - chunks of the codec "msgpack2". */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_objects("msgpack2", NULL, data, size);
    return 0;
}
