/* fuzz_json.c - JSON documents: what is read prints, and reads again as the same; what is passed over ends at the same
 * place in one part and in two. */
#include "fuzz.h"

static void skip(const uint8_t *data, size_t size)
{
    vz_json_skip whole = {0}, parts = {0};
    const size_t length = vz_json_skip_on(&whole, data, size), first = size ? data[size - 1] % size : 0;
    FUZZ_REQUIRE(length <= size);
    size_t at = vz_json_skip_on(&parts, data, first);
    if (!parts.ends)
        at = first + vz_json_skip_on(&parts, data + first, size - first);
    FUZZ_REQUIRE(at == length && parts.ends == whole.ends);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    skip(data, size);
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
