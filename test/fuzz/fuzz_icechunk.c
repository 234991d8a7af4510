/* fuzz_icechunk.c - the files of an Icechunk repository: opened at its branch main, listed and read. The input is the
 * files, behind each other: a line of "KEY SIZE", and so many bytes. */
#include "fuzz.h"
#include "store/icechunk/icechunk.h"
#include "store/store/store.h"

#define FILES_MAX 64

/* The next file; false: there are no more. */
static bool put_next(vz_store *store, vz_bytes *rest)
{
    char line[128];
    const uint8_t *end = memchr(rest->data, '\n', rest->size < sizeof line ? rest->size : sizeof line);
    if (!end)
        return false;
    memcpy(line, rest->data, (size_t)(end - rest->data));
    line[end - rest->data] = '\0';
    *rest = (vz_bytes){end + 1, rest->size - (size_t)(end + 1 - rest->data)};
    char *blank = strrchr(line, ' ');
    size_t size = blank ? strtoul(blank + 1, NULL, 10) : 0;
    if (!blank)
        return false;
    *blank = '\0';
    if (size > rest->size)
        size = rest->size;
    vz_store_put(store, line, (vz_bytes){rest->data, size}, NULL);
    *rest = (vz_bytes){rest->data + size, rest->size - size};
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_bytes rest = {data, size};
    vz_store *below = vz_store_new_memory(NULL);
    FUZZ_REQUIRE(below);
    for (unsigned i = 0; i < FILES_MAX && put_next(below, &rest); i++)
        ;
    bool is_it;
    vz_icechunk_is(below, &is_it, NULL);
    vz_store *store = vz_icechunk_over(below, "", NULL, &err);
    fuzz_check_error(store != NULL, &err);
    if (store)
        fuzz_read_all(store);
    vz_store_close(store);
    return 0;
}
