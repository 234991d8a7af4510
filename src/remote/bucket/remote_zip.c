/* remote_zip.c - a zip file or one-file store that is one remote value. Its directory is read when
 * it is opened. */
#include "remote/bucket/tree_internal.h"
#include "remote/bucket/task_internal.h"
#include "base/os/file.h"
#include "store/store/kind.h"
#include "store/store/call.h"
#include "store/zip/zip.h"
#include "store/zip/read.h"
#include "base/util/hash.h"
#include <stdlib.h>

static vz_bucket_zip *file_of(vz_store *store)
{
    return (vz_bucket_zip *)store;
}

static bool get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err)
{
    vz_request request = {.key = key, .ranges = ranges, .range_count = count, .into = out};
    const bool ok = vz_request_do(store, &request, NULL, err);
    *found = ok && request.found;
    return ok;
}

static bool get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return get_ranges(store, key, &range, 1, out, found, err);
}

static bool stat_value(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    return vz_store_stat(file_of(store)->zip, key, stamp, err);
}

static bool list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return vz_store_list(file_of(store)->zip, prefix, entries, count, err);
}

static void claims(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own)
{
    vz_store_claims(file_of(store)->zip, has, values, own);
}

static bool is_at(const vz_store *store, const char *path)
{
    const vz_store *remote = &((const vz_bucket_zip *)store)->remote->base;
    return remote->class->is_at(remote, path);
}

static void close_store(vz_store *store)
{
    vz_bucket_zip *f = file_of(store);
    vz_store_close(f->zip);
    vz_store_close(&f->remote->base);
    free(store->path);
    free(f);
}

static const vz_store_class class = {
    .kind = "remote file",
    .get = get,
    .get_ranges = get_ranges,
    .stat = stat_value,
    .list = list,
    .is_at = is_at,
    .claims = claims,
    .batches = &vz_bucket_zip_batches,
    .close = close_store,
};

bool vz_bucket_is_file_store(const vz_store *store)
{
    return store->class == &class;
}

static vz_store *make(vz_bucket *remote, vz_bucket_file_bytes *bytes, const vz_signature *header, vz_error *err)
{
    vz_bucket_zip *f = calloc(1, sizeof *f);
    char *path = f ? strdup(remote->base.path) : NULL;
    if (!path) {
        free(f);
        vz_bucket_file_bytes_close(bytes);
        vz_fail_memory(err);
        return NULL;
    }
    f->size = bytes->size;
    f->version = bytes->version;
    /* which closed the bytes */
    f->bytes = bytes;
    if (!(f->zip = vz_zip_over_byte_source(&bytes->base, path, header, false, err))) {
        free(path);
        free(f);
        return NULL;
    }
    f->remote = remote;
    f->base.class = &class;
    f->base.path = path;
    f->base.capabilities = VZ_STORE_LIST;
    f->base.in_flight = VZ_REMOTE_IN_FLIGHT;
    f->base.identity = remote->base.identity;
    return &f->base;
}

vz_store *vz_bucket_file_store(vz_bucket *remote, const vz_options *options, vz_byte_source **hdf5, vz_error *err)
{
    vz_bucket_file_bytes *bytes;
    vz_signature header;
    bool found, is_zip;
    *hdf5 = NULL;
    if (!vz_bucket_file_bytes_open(remote, &bytes, &found, err) || !found)
        return NULL;
    if (!vz_bucket_file_bytes_look(bytes, &header, &is_zip, err)) {
        vz_bucket_file_bytes_close(bytes);
        return NULL;
    }
    if (is_zip || header.kind == VZ_SIGNATURE_STORE)
        return make(remote, bytes, &header, err);
    if (header.kind == VZ_SIGNATURE_HDF5)
        *hdf5 = vz_bucket_hdf5(remote, bytes, err);
    vz_store *references = header.kind == VZ_SIGNATURE_NONE ? vz_bucket_references(remote, bytes, options, err) : NULL;
    vz_bucket_file_bytes_close(bytes);
    if (references || header.kind == VZ_SIGNATURE_HDF5 || (err && err->class != VZ_OK))
        return references;
    vz_fail(err, VZ_INVALID, "%s",
            header.kind == VZ_SIGNATURE_REDIRECT
                ? "a redirect file, which is followed only where it lies in the file system"
                : "a file, but neither a zip file nor a one-file store nor a reference file");
    return NULL;
}
