/* directory_read.c - a directory of files: reading; one that nobody else knows, as that of a
 * staging area. Keys are paths relative to the root's descriptor. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* ---- reading ---- */

bool vz_directory_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                             bool *found, vz_error *err)
{
    vz_store_value value = {.file = -1};
    if (!vz_directory_open_value(store, key, VZ_VALUE_READ, &value, found, err))
        return false;
    if (!*found)
        return true;
    const bool ok = vz_directory_read_value(store, key, &value, ranges, count, out, err);
    vz_directory_close_value(store, &value);
    return ok;
}

bool vz_directory_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    struct stat status;
    struct vz_directory *directory = vz_directory_of(store);
    const uintptr_t before = directory->again.openings;
    *stamp = (vz_stamp){0};
    for (bool first = true, again = false; vz_os_stat_at(directory->root, key, &status) != 0; first = false) {
        if (!vz_directory_is_missing(errno))
            return vz_fail_errno(err, errno, "cannot stat");
        if (first && !vz_directory_look_again(directory, key, before, &again, err))
            return false;
        if (!first || !again)
            return true;
    }
    if (S_ISREG(status.st_mode))
        *stamp = vz_directory_stamp(&status);
    return true;
}

/* ---- a store that stages nothing ---- */

static bool put_parts(vz_store *store, const char *key, vz_parts value, vz_error *err)
{
    return vz_directory_put_hidden(store, key, value, NULL, err);
}

static bool put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return put_parts(store, key, vz_parts_of(&value), err);
}

static bool put_stamped(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    return vz_directory_put_hidden(store, key, vz_parts_of(&value), stamp, err);
}

static bool put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return vz_directory_check_absent(store, key, err) && vz_directory_put_new_beside(store, key, value, NULL, err);
}

static struct vz_pieces *begin_pieces(vz_store *store, const char *key, vz_error *err)
{
    return vz_directory_begin_pieces(store, key, NULL, err);
}

static bool list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return vz_directory_list_with(store, prefix, NULL, entries, count, err);
}

void vz_directory_close(vz_store *store)
{
    if (!store)
        return;
    vz_directory_leave_seen(vz_directory_of(store));
    vz_directory_leave_numbered(vz_directory_of(store));
    vz_os_close(vz_directory_of(store)->root);
    vz_directory_again_clear(&vz_directory_of(store)->again);
    free(store->path);
    free(store);
}

static const vz_store_class inner_class = {
    VZ_DIRECTORY_ROWS,      .put = put,
    .put_parts = put_parts, .put_stamped = put_stamped,
    .put_new = put_new,     .begin_pieces = begin_pieces,
    .list = list,           .close = vz_directory_close,
};

bool vz_directory_is_hidden(const vz_store *store)
{
    return store->class == &inner_class;
}

vz_store *vz_directory_with(const vz_store_class *class, int root, char *path, const struct stat *status, vz_error *err)
{
    struct stat looked;
    struct vz_directory *directory = calloc(1, sizeof *directory);
    if (!directory || (!status && vz_os_fstat(root, &looked) != 0)) {
        if (directory)
            vz_fail_errno(err, errno, "cannot stat");
        else
            vz_fail_memory(err);
        free(path);
        free(directory);
        vz_os_close(root);
        return NULL;
    }
    directory->root = root;
    atomic_init(&directory->unsynced, true);
    vz_directory_again_init(&directory->again);
    directory->base.class = class;
    directory->base.path = path;
    directory->base.capabilities = VZ_STORE_LIST | VZ_STORE_RENAME | VZ_STORE_CHEAP | VZ_STORE_SCATTERS;
    status = status ? status : &looked;
    directory->base.identity = (vz_identity){{(uint64_t)status->st_dev, (uint64_t)status->st_ino}};
    directory->base.descriptor = &directory->root;
    return &directory->base;
}

vz_store *vz_directory_over(int root, const char *path, const struct stat *status, bool writable, vz_error *err)
{
    char *absolute = vz_os_path_absolute(path, err);
    if (!absolute) {
        vz_os_close(root);
        return NULL;
    }
    vz_store *store = vz_directory_with(&inner_class, root, absolute, status, err);
    if (store && writable)
        store->capabilities |= VZ_STORE_WRITE;
    return store;
}
