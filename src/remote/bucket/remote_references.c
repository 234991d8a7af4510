/* remote_references.c - see tree_internal.h. All of the file is read; what it names is asked for
 * when it is wanted. */
#include "base/os/file.h"
#include "remote/bucket/tree_internal.h"
#include "store/kerchunk/kerchunk.h"

static bool read_to(vz_bucket_file_bytes *bytes, size_t size, vz_buffer *text, vz_error *err)
{
    const size_t from = text->size;
    uint8_t *place = size > from ? vz_os_range_room(text, size - from, err) : text->data;
    if (size <= from)
        return true;
    if (!place || !vz_byte_source_read(&bytes->base, from, place, size - from, err))
        return false;
    text->size = size;
    return true;
}

/* The start says whether the rest is worth reading. */
static bool look(vz_bucket_file_bytes *bytes, vz_buffer *text, bool *is_it, vz_error *err)
{
    const size_t size = bytes->size < VZ_KERCHUNK_LOOK ? (size_t)bytes->size : VZ_KERCHUNK_LOOK;
    const vz_bytes start = vz_bucket_file_bytes_start(bytes);
    *is_it = start.size >= 2 && vz_kerchunk_may_begin(start.data, start.size);
    if (!*is_it || vz_kerchunk_tar_is(start))
        return true;
    if (!read_to(bytes, size, text, err))
        return false;
    *is_it = vz_kerchunk_is((vz_bytes){text->data, text->size});
    return !*is_it || bytes->size <= VZ_KERCHUNK_REMOTE_MAX_SIZE ||
           vz_fail(err, VZ_LIMIT, "a reference file of %llu bytes, more than the %zu that are read from a server",
                   (unsigned long long)bytes->size, VZ_KERCHUNK_REMOTE_MAX_SIZE);
}

static bool read_part(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    vz_bucket_file_bytes *bytes = context;
    uint8_t *place = vz_os_range_room(out, size, err);
    if (!place || (size > 0 && !vz_byte_source_read(&bytes->base, offset, place, size, err)))
        return false;
    out->size += size;
    return true;
}

/* All of the file, or of a tar file what is no chunk. */
static bool read_text(vz_bucket_file_bytes *bytes, const char *path, vz_kerchunk_archive *archive, vz_buffer *text,
                      vz_error *err)
{
    const vz_kerchunk_reader reader = {read_part, bytes, bytes->size};
    return vz_kerchunk_tar_is(vz_bucket_file_bytes_start(bytes))
               ? vz_kerchunk_archive_read(archive, &reader, path, VZ_KERCHUNK_REMOTE_MAX_SIZE, text, err)
               : read_to(bytes, (size_t)bytes->size, text, err);
}

vz_store *vz_bucket_references(vz_bucket *remote, vz_bucket_file_bytes *bytes, const vz_options *options, vz_error *err)
{
    vz_buffer text = {0};
    vz_kerchunk_archive archive = {0};
    bool is_it;
    if (!look(bytes, &text, &is_it, err) || !is_it || !read_text(bytes, remote->site->label, &archive, &text, err)) {
        vz_buffer_clear(&text);
        vz_kerchunk_archive_clear(&archive);
        return NULL;
    }
    const vz_kerchunk_origin origin = {
        .path = remote->site->label,
        .is_remote = true,
        .options = *options,
        .stamp = vz_remote_version_stamp(&bytes->version, bytes->size),
        .settled = bytes->version.lasts,
        .identity = remote->base.identity,
        .archive = &archive,
    };
    vz_store *store = vz_kerchunk_over(&text, &origin, err);
    if (store)
        vz_store_close(&remote->base);
    return store;
}
