/* zip_kind.c - zip files and one-file stores as kinds of stores. A path may go on inside of them, as below a directory.
 */
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

static bool starts_as_zip(const vz_sight *sight)
{
    return memcmp(sight->start, "PK\3\4", 4) == 0 || memcmp(sight->start, "PK\5\6", 4) == 0;
}

/* Something may stand before the entries, a program that unpacks them for one, and a few bytes behind them. */
static bool ends_as_zip(const vz_sight *sight)
{
    vz_medium medium = vz_medium_over_file(sight->file);
    const uint64_t size = (uint64_t)sight->status.st_size;
    vz_zip_end end;
    bool found = false;
    return size >= VZ_ZIP_END_SIZE && vz_zip_end_near_end(&medium, size, &end, &found, NULL) && found;
}

static bool is_file(const vz_sight *sight)
{
    return sight->medium || (sight->file >= 0 && S_ISREG(sight->status.st_mode));
}

static bool take_medium(vz_sight *sight, vz_location *location, vz_error *err)
{
    vz_medium *medium = sight->medium;
    sight->medium = NULL;
    location->identity = medium->identity;
    location->store = vz_zip_over_medium(medium, sight->path, &sight->header, sight->writable, &location->why);
    return location->store || location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

/* The location is the store in the file that was looked at. */
static bool take(vz_sight *sight, vz_location *location, vz_error *err)
{
    if (sight->medium)
        return take_medium(sight, location, err);
    char *path = strndup(sight->path, sight->length);
    location->inside = key_of(sight->inside);
    if (!path || !location->inside) {
        free(path);
        return vz_fail_memory(err);
    }
    const int file = sight->file;
    sight->file = -1;
    location->identity = (vz_identity){{(uint64_t)sight->status.st_dev, (uint64_t)sight->status.st_ino}};
    location->store = vz_zip_over(file, path, &sight->header, false, &location->why);
    free(path);
    return location->store || location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static bool recognise_zip(vz_sight *sight, vz_location *location, bool *is_it, vz_error *err)
{
    if (!vz_sight_look(sight, err))
        return false;
    /* A file with HDF5's signature is HDF5's, also if a value that is a zip stands at its end. */
    *is_it = is_file(sight) && !sight->is_hdf5 && (starts_as_zip(sight) || ends_as_zip(sight));
    return !*is_it || take(sight, location, err);
}

static bool recognise_one_file(vz_sight *sight, vz_location *location, bool *is_it, vz_error *err)
{
    if (!vz_sight_look(sight, err))
        return false;
    *is_it = is_file(sight) && sight->header.kind == VZ_HEADER_STORE;
    return !*is_it || take(sight, location, err);
}

/* The tree of the store that was looked into is taken over by the next one of the same file, and so is what was read.
 */
static vz_store *open_to_write(vz_store *looked, const char *root, vz_error *err)
{
    const vz_identity identity = looked->identity;
    const vz_header header = vz_zip_of(looked)->header;
    struct vz_values_ahead *ahead = looked->ahead;
    looked->ahead = NULL;
    vz_store_close(looked);
    vz_store *store = vz_zip_open(root, &header, true, err);
    if (store && vz_identity_equal(&store->identity, &identity))
        store->ahead = ahead;
    else
        vz_values_ahead_free(ahead);
    return store;
}

static vz_store *open_in_earnest(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    if (!looked)
        return vz_store_open_zip(root, writable, err);
    if (writable)
        return open_to_write(looked, root, err);
    return vz_store_with_path(looked, root, err);
}

static vz_store *create_zip(const char *path, vz_make how, uint64_t user_block, vz_error *err)
{
    const vz_header none = {.kind = VZ_HEADER_NONE};
    (void)user_block;
    return vz_zip_make(path, how, &none, err);
}

static vz_store *create_one_file(const char *path, vz_make how, uint64_t user_block, vz_error *err)
{
    const vz_header header = {.kind = VZ_HEADER_STORE, .base = user_block};
    return vz_zip_make(path, how, &header, err);
}

const vz_store_kind vz_kind_zip = {
    .name = "zip",
    .title = "zip file",
    .suffix = VZ_ZIP_SUFFIX,
    .replaces_file = true,
    .is_file = true,
    .recognise = recognise_zip,
    .open = open_in_earnest,
    .create = create_zip,
    .remove = vz_path_remove_file,
};

const vz_store_kind vz_kind_file = {
    .name = "file",
    .title = "one-file store",
    .replaces_file = true,
    .has_user_block = true,
    .is_file = true,
    .recognise = recognise_one_file,
    .open = open_in_earnest,
    .create = create_one_file,
    .remove = vz_path_remove_file,
};
