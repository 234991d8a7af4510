/* fuzz_references.c - reference files, and LINDI's tar files with one: what is taken for one is listed and read; no
 * file of this machine is met, as there is no directory of that name. */
#include "fuzz.h"
#include "store/kerchunk/kerchunk.h"

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
        fuzz_read_all(store);
    vz_store_close(store);
    return 0;
}
