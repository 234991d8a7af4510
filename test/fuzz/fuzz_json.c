/* fuzz_json.c - JSON documents: what is read prints, and reads again as the same. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *value = vz_json_parse((const char *)data, size, &err);
    fuzz_check_error(value != NULL, &err);
    for (int indent = 0; value && indent <= 4; indent += 4) {
        vz_buffer text = {0};
        FUZZ_REQUIRE(vz_json_print(value, indent, &text, &err));
        vz_json *again = vz_json_parse((const char *)text.data, text.size, &err);
        FUZZ_REQUIRE(again && vz_json_equal(value, again));
        vz_json_free(again);
        vz_buffer_clear(&text);
    }
    vz_json_free(value);
    return 0;
}
