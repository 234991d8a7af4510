/* fuzz_icechunk.c - the files of an Icechunk repository: opened at its branch main, listed and read. The input is the
 * files, behind each other: a line of "KEY SIZE", and so many bytes. */
#include "fuzz.h"
#include "store/icechunk/icechunk.h"
#include "store/store/store.h"

#define DEPTH_MAX 8
#define FILES_MAX 64

static void read_all(vz_store *store, const char *prefix, unsigned depth)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    vz_error err = VZ_ERROR_NONE;
    const bool listed = vz_store_list(store, prefix, &entries, &count, &err);
    fuzz_check_error(listed, &err);
    for (size_t i = 0; i < count; i++) {
        vz_buffer key = {0}, value = {0};
        vz_error failed = VZ_ERROR_NONE;
        bool found = false;
        FUZZ_REQUIRE(vz_buffer_printf(&key, &failed, "%s%s%s", prefix, *prefix ? "/" : "", entries[i].name) &&
                     vz_buffer_append(&key, "", 1, &failed));
        fuzz_check_error(vz_store_get(store, (const char *)key.data, VZ_WHOLE, &value, &found, &failed), &failed);
        FUZZ_REQUIRE(found || value.size == 0);
        if (entries[i].is_prefix && depth < DEPTH_MAX)
            read_all(store, (const char *)key.data, depth + 1);
        vz_buffer_clear(&key);
        vz_buffer_clear(&value);
    }
    vz_entries_free(entries, count);
}

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
        read_all(store, "", 0);
    vz_store_close(store);
    return 0;
}
