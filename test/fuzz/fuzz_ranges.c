/* fuzz_ranges.c - chunks of free parameters (test/unit/support/codec_ranges.h): the whole, ranges, parts and excerpts
 * agree. */
#include "../unit/support/codec_ranges.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ranges_check(data, size);
    return 0;
}
