/* fuzz_references.c - reference files, and LINDI's tar files with one: what is taken for one is listed and read; no
 * file of this machine is met, as there is no directory of that name. */
#include "fuzz.h"
#include "store/kerchunk/kerchunk.h"

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

static bool read_part(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    const vz_bytes *file = context;
    FUZZ_REQUIRE(offset <= file->size && size <= file->size - offset);
    return vz_buffer_append(out, file->data + offset, size, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer text = {0};
    vz_kerchunk_archive archive = {0};
    vz_bytes file = {data, size};
    const vz_kerchunk_reader reader = {read_part, &file, size};
    const vz_kerchunk_origin origin = {
        .path = "/nobody/has/this/x.json", .is_remote = size > 0 && data[size - 1] == ' ', .archive = &archive};
    const bool is_tar = vz_kerchunk_tar_is(file);
    vz_kerchunk_is(file);
    if (is_tar ? !vz_kerchunk_archive_read(&archive, &reader, origin.path, VZ_KERCHUNK_MAX_SIZE, &text, &err)
               : size > 0 && !vz_buffer_append(&text, data, size, &err)) {
        fuzz_check_error(false, &err);
        vz_kerchunk_archive_clear(&archive);
        vz_buffer_clear(&text);
        return 0;
    }
    vz_store *store = vz_kerchunk_over(&text, &origin, &err);
    fuzz_check_error(store != NULL, &err);
    if (store)
        read_all(store, "", 0);
    vz_store_close(store);
    return 0;
}
