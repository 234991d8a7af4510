/* fuzz_options.c - the option string: what parses prints, and the print parses to the same options; its patterns take a
 * name or not. */
#include "fuzz.h"
#include "base/os/process.h"
#include "base/util/options_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_options options, again;
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text && vz_options_init(&options, vz_os_environment_all(), &err));
    again = options;
    memcpy(text, data, size);
    text[size] = '\0';
    const bool ok = vz_options_parse(&options, text, &err);
    FUZZ_REQUIRE(ok == (err.class == VZ_OK) && (ok || err.text[0]));
    if (ok) {
        vz_patterns_take(options.create, "a.zarr", &options.container);
        FUZZ_REQUIRE(options.container <= VZ_CONTAINER_FILE);
    }
    char *printed = ok ? vz_options_print(&options, &err) : NULL;
    if (ok) {
        FUZZ_REQUIRE(printed && vz_options_parse(&again, printed, &err));
        char *once_more = vz_options_print(&again, &err);
        FUZZ_REQUIRE(once_more && strcmp(printed, once_more) == 0);
        free(once_more);
    }
    free(printed);
    free(text);
    return 0;
}
