/* store.c - a store whose listing and values an input made. */
#include "fuzz.h"
#include "store/store/store.h"

#define DEPTH_MAX 8

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

void fuzz_read_all(vz_store *store)
{
    read_all(store, "", 0);
}
