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
    if (!*is_it)
        return true;
    if (!read_to(bytes, size, text, err))
        return false;
    *is_it = vz_kerchunk_is((vz_bytes){text->data, text->size});
    return !*is_it || bytes->size <= VZ_KERCHUNK_REMOTE_MAX_SIZE ||
           vz_fail(err, VZ_LIMIT, "a reference file of %llu bytes, more than the %zu that are read from a server",
                   (unsigned long long)bytes->size, VZ_KERCHUNK_REMOTE_MAX_SIZE);
}

vz_store *vz_bucket_references(vz_bucket *remote, vz_bucket_file_bytes *bytes, const vz_options *options, vz_error *err)
{
    vz_buffer text = {0};
    bool is_it;
    if (!look(bytes, &text, &is_it, err) || !is_it || !read_to(bytes, (size_t)bytes->size, &text, err)) {
        vz_buffer_clear(&text);
        return NULL;
    }
    const vz_kerchunk_origin origin = {
        .path = remote->site->label,
        .is_remote = true,
        .options = *options,
        .stamp = vz_remote_version_stamp(&bytes->version, bytes->size),
        .settled = bytes->version.lasts,
        .identity = remote->base.identity,
    };
    vz_store *store = vz_kerchunk_over(&text, &origin, err);
    if (store)
        vz_store_close(&remote->base);
    return store;
}
