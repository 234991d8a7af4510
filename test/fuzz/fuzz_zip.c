/* fuzz_zip.c - zip files: what a directory claims is listed, and read where it is. */
#include "fuzz.h"
#include "store/zip/zip.h"

#include <unistd.h>

#define DEPTH_MAX   4
#define VALUE_LIMIT ((size_t)1 << 20)

static void visit(vz_store *store, const char *prefix, unsigned depth);

static void visit_entry(vz_store *store, const char *prefix, const vz_entry *entry, unsigned depth)
{
    char key[4096];
    const int length = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "/" : "", entry->name);
    if (length < 0 || (size_t)length >= sizeof key)
        return;
    if (entry->is_prefix) {
        visit(store, key, depth + 1);
        return;
    }
    vz_error err = VZ_ERROR_NONE;
    vz_buffer value = {.limit = VALUE_LIMIT};
    bool found;
    fuzz_check_error(vz_store_get(store, key, VZ_WHOLE, &value, &found, &err), &err);
    vz_buffer_clear(&value);
}

static void visit(vz_store *store, const char *prefix, unsigned depth)
{
    vz_error err = VZ_ERROR_NONE;
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth > DEPTH_MAX || !vz_store_list(store, prefix, &entries, &count, &err))
        return;
    for (size_t i = 0; i < count; i++)
        visit_entry(store, prefix, &entries[i], depth);
    vz_entries_free(entries, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    vz_error err = VZ_ERROR_NONE;
    if (!*path)
        snprintf(path, sizeof path, P_tmpdir "/vz_fuzz_%ld.zip", (long)getpid());
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    vz_store *store = vz_zip_open_path(path, false, &err);
    fuzz_check_error(store != NULL, &err);
    if (store) {
        visit(store, "", 0);
        vz_store_close(store);
    }
    unlink(path);
    return 0;
}
