/* directory_kind.c - directories as a kind of store: any directory can be one. Its necessary
 * content is not known here. */
#include "store/directory/directory_internal.h"
#include "store/store/kind.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdlib.h>

static bool recognise(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    if (!vz_location_probe_look(probe, err))
        return false;
    *is_it = probe->file >= 0 && S_ISDIR(probe->status.st_mode);
    if (!*is_it)
        return true;
    char *path = strdup(probe->path);
    const int root = probe->file;
    if (!path)
        return vz_fail_memory(err);
    probe->file = -1;
    if (!(location->store = vz_directory_new(root, path, &probe->status, &location->why)))
        return location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
    location->identity = location->store->identity;
    struct vz_directory *directory = vz_directory_of(location->store);
    vz_directory_see(directory, &probe->status,
                     vz_directory_is_of_one_kernel(directory) &&
                         vz_directory_is_settled(directory, &probe->status.st_ctim));
    return true;
}

static vz_store *open_in_earnest(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    if (!looked)
        return vz_store_open_directory(root, writable, err);
    looked = vz_store_with_path(looked, root, err);
    return looked ? vz_directory_ready(looked, writable, err) : NULL;
}

static vz_store *create(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    const bool exclusive = how != VZ_MAKE_OVER; /* the empty file went before */
    (void)user_block;
    vz_store *store = vz_store_create_directory(path, exclusive, err);
    if (store && vz_directory_of(store)->is_real)
        return store;
    char *real = store ? vz_os_path_of_descriptor(vz_directory_of(store)->root, path, err) : NULL;
    if (store && !real) {
        vz_store_close(store);
        if (exclusive) /* then nobody else made it */
            vz_os_rmdir(path);
        return NULL;
    }
    if (store) {
        free(store->path);
        store->path = real;
    }
    return store;
}

static bool remove_directory(const char *root, vz_error *err)
{
    return vz_os_rmdir(root) == 0 || vz_fail_errno(err, errno, "cannot remove the directory");
}

const vz_store_kind vz_kind_directory = {
    .name = "directory",
    .title = "directory",
    .recognise = recognise,
    .open = open_in_earnest,
    .create = create,
    .remove = remove_directory,
};
