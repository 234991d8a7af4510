/* zip_kind.c - zip files and one-file stores as kinds of stores. A path may go on inside of
 * them, as below a directory. */
#include "store/store/prefetch.h"
#include "store/store/kind.h"
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include "store/zip/central_internal.h"
#include <stdlib.h>

/* The key that is left of a path: without slashes at its ends. */
static char *key_of(const char *inside)
{
    size_t length = inside ? strlen(inside) : 0;
    while (length > 0 && inside[length - 1] == '/')
        length--;
    return strndup(inside ? inside : "", length);
}

static bool starts_as_zip(const vz_location_probe *probe)
{
    return memcmp(probe->start, "PK\3\4", 4) == 0 || memcmp(probe->start, "PK\5\6", 4) == 0;
}

/* Something may stand before the entries, a program that unpacks them for one, and a few bytes
 * behind them. */
static bool ends_as_zip(const vz_location_probe *probe)
{
    vz_byte_source source = vz_byte_source_over_file(probe->file);
    const uint64_t size = (uint64_t)probe->status.st_size;
    vz_zip_end end;
    bool found = false;
    return size >= VZ_ZIP_END_SIZE && vz_zip_end_near_end(&source, size, &end, &found, NULL) && found;
}

static bool is_file(const vz_location_probe *probe)
{
    return probe->source || (probe->file >= 0 && S_ISREG(probe->status.st_mode));
}

static bool take_byte_source(vz_location_probe *probe, vz_location *location, vz_error *err)
{
    vz_byte_source *source = probe->source;
    probe->source = NULL;
    location->identity = source->identity;
    location->store = vz_zip_over_byte_source(source, probe->path, &probe->signature, probe->writable, &location->why);
    return location->store || location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

/* The location is the store in the file that was looked at. */
static bool take(vz_location_probe *probe, vz_location *location, vz_error *err)
{
    if (probe->source)
        return take_byte_source(probe, location, err);
    char *path = strndup(probe->path, probe->length);
    location->inside = key_of(probe->inside);
    if (!path || !location->inside) {
        free(path);
        return vz_fail_memory(err);
    }
    const int file = probe->file;
    probe->file = -1;
    location->identity = (vz_identity){{(uint64_t)probe->status.st_dev, (uint64_t)probe->status.st_ino}};
    location->store = vz_zip_over(file, path, &probe->signature, false, &location->why);
    free(path);
    return location->store || location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static bool recognise_zip(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    if (!vz_location_probe_look(probe, err))
        return false;
    /* A file with HDF5's signature is HDF5's, also if a value that is a zip stands at its end. */
    *is_it = is_file(probe) && !probe->is_hdf5 && (starts_as_zip(probe) || ends_as_zip(probe));
    return !*is_it || take(probe, location, err);
}

static bool recognise_one_file(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    if (!vz_location_probe_look(probe, err))
        return false;
    *is_it = is_file(probe) && probe->signature.kind == VZ_SIGNATURE_STORE;
    return !*is_it || take(probe, location, err);
}

/* The next store of this file takes over the tree of the one that was looked into, and the bytes
 * that were read. */
static vz_store *open_to_write(vz_store *looked, const char *root, vz_error *err)
{
    const vz_identity identity = looked->identity;
    const vz_signature header = vz_zip_of(looked)->header;
    struct vz_prefetch_table *prefetched = looked->prefetched;
    looked->prefetched = NULL;
    vz_store_close(looked);
    vz_store *store = vz_zip_open(root, &header, true, err);
    if (store && vz_identity_equal(&store->identity, &identity))
        store->prefetched = prefetched;
    else
        vz_prefetch_table_free(prefetched);
    return store;
}

static vz_store *open_in_earnest(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    if (!looked)
        return vz_zip_open_path(root, writable, err);
    if (writable)
        return open_to_write(looked, root, err);
    return vz_store_with_path(looked, root, err);
}

static vz_store *create_zip(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    const vz_signature none = {.kind = VZ_SIGNATURE_NONE};
    (void)user_block;
    return vz_zip_make(path, how, &none, err);
}

static vz_store *create_one_file(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    const vz_signature header = {.kind = VZ_SIGNATURE_STORE, .base = user_block};
    return vz_zip_make(path, how, &header, err);
}

const vz_store_kind vz_zip_kind = {
    .name = "zip",
    .title = "zip file",
    .suffix = VZ_ZIP_SUFFIX,
    .replaces_file = true,
    .is_file = true,
    .recognise = recognise_zip,
    .open = open_in_earnest,
    .create = create_zip,
    .remove = vz_os_path_remove_file,
};

const vz_store_kind vz_zip_kind_file = {
    .name = "file",
    .title = "one-file store",
    .replaces_file = true,
    .has_user_block = true,
    .is_file = true,
    .recognise = recognise_one_file,
    .open = open_in_earnest,
    .create = create_one_file,
    .remove = vz_os_path_remove_file,
};
