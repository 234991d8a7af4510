/* directory.c - a directory of files: opening and reading. Keys are paths relative to the root's descriptor. */
#include "store/directory.h"
#include "store/ahead.h"
#include "store/path.h"
#include "store/stage.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool vz_directory_is_missing(int sys_errno)
{
    return sys_errno == ENOENT || sys_errno == ENOTDIR || sys_errno == ENAMETOOLONG;
}

bool vz_directory_is_document(const char *key)
{
    const char *last = vz_directory_last_part(key);
    return strncmp(last, ".z", 2) == 0 || strcmp(last, "zarr.json") == 0;
}

/* ---- reading ---- */

static bool directory_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
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

static bool directory_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return directory_get_ranges(store, key, &range, 1, out, found, err);
}

static bool directory_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    struct stat status;
    struct vz_directory *directory = vz_directory_of(store);
    const uintptr_t before = directory->again.openings;
    *stamp = (vz_stamp){0};
    for (bool first = true, again = false; fstatat(directory->root, key, &status, 0) != 0; first = false) {
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

/* ---- opening ---- */

static void directory_close(vz_store *store)
{
    vz_stage_free(store->stage);
    vz_directory_leave_seen(vz_directory_of(store));
    close(vz_directory_of(store)->root);
    vz_directory_again_clear(&vz_directory_of(store)->again);
    free(store->path);
    free(store);
}

static vz_store *directory_above(vz_store *store, bool writable, vz_error *err);

static const vz_store_class directory_class = {
    .kind = "directory",
    .key_max = PATH_MAX - 1,
    .get = directory_get,
    .get_ranges = directory_get_ranges,
    .open_value = vz_directory_open_value,
    .read_value = vz_directory_read_value,
    .value_changed = vz_directory_value_changed,
    .close_value = vz_directory_close_value,
    .stat = directory_stat,
    .put = vz_directory_put,
    .put_told = vz_directory_put_told,
    .put_new = vz_directory_put_new,
    .del = vz_directory_del,
    .del_tree = vz_directory_del_tree,
    .rename_tree = vz_directory_rename_tree,
    .exchange_trees = vz_directory_exchange_trees,
    .list = vz_directory_list,
    .check_change = vz_directory_check_change,
    .look = vz_directory_look,
    .each_entry = vz_directory_each_entry,
    .has = vz_directory_has,
    .above = directory_above,
    .may_belong = vz_directory_may_belong,
    .is_own = vz_directory_is_own,
    .is_at = vz_directory_is_at,
    .open_lock = vz_directory_open_lock,
    .replaces_in_place = true,
    .sync = vz_directory_sync,
    .touch = vz_directory_touch,
    .renew = vz_directory_renew,
    .close = directory_close,
};

vz_store *vz_directory_new(int root, char *path, bool writable, vz_error *err)
{
    struct stat status;
    struct vz_directory *directory = calloc(1, sizeof *directory);
    if (!directory || fstat(root, &status) != 0) {
        if (directory)
            vz_fail_errno(err, errno, "cannot stat");
        else
            vz_fail_memory(err);
        free(path);
        free(directory);
        close(root);
        return NULL;
    }
    directory->root = root;
    atomic_init(&directory->unsynced, true);
    vz_directory_again_init(&directory->again);
    directory->base.class = &directory_class;
    directory->base.path = path;
    directory->base.capabilities = VZ_STORE_LIST | VZ_STORE_RENAME | VZ_STORE_CHEAP;
    if (writable)
        directory->base.capabilities |= VZ_STORE_WRITE;
    directory->base.identity = (vz_identity){{(uint64_t)status.st_dev, (uint64_t)status.st_ino}};
    directory->base.descriptor = &directory->root;
    return &directory->base;
}

vz_store *vz_directory_over(int root, const char *path, bool writable, vz_error *err)
{
    char *absolute = vz_path_absolute(path, err);
    if (absolute)
        return vz_directory_new(root, absolute, writable, err);
    close(root);
    return NULL;
}

static vz_store *fail_to_open(const char *path, int sys_errno, const char *what, vz_error *err)
{
    vz_fail_errno(err, sys_errno, "%s", what);
    vz_error_where(err, path, NULL);
    return NULL;
}

vz_store *vz_directory_ready(vz_store *store, bool writable, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    const char *missing;
    for (unsigned i = 0; (missing = vz_directory_next_missing(directory, &i));)
        vz_store_know_missing(store, missing);
    vz_directory_leave_seen(directory);
    if (writable && faccessat(directory->root, ".", W_OK, AT_EACCESS) != 0) {
        fail_to_open(store->path, errno, "cannot write to the directory", err);
        vz_store_close(store);
        return NULL;
    }
    vz_directory_share(directory);
    if (!writable)
        return store;
    store->capabilities |= VZ_STORE_WRITE;
    if ((store->stage = vz_stage_new(store, err))) {
        vz_stage_sweep(store->stage);
        return store;
    }
    vz_store_close(store);
    return NULL;
}

vz_store *vz_store_open_directory(const char *path, bool writable, vz_error *err)
{
    int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 && errno == EACCES) /* what lies below can be reached by name even if it cannot be listed */
        root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return fail_to_open(path, errno, "cannot open the directory", err);
    vz_store *store = vz_directory_over(root, path, false, err);
    return store ? vz_directory_ready(store, writable, err) : NULL;
}

/* What cannot be reached decides nothing. */
static vz_store *directory_above(vz_store *store, bool writable, vz_error *err)
{
    struct stat here, up;
    const int root = vz_directory_root(store);
    int above = openat(root, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (above < 0 && errno == EACCES)
        above = openat(root, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (above < 0)
        return NULL;
    const bool known = fstat(root, &here) == 0 && fstat(above, &up) == 0;
    if (!known || (here.st_dev == up.st_dev && here.st_ino == up.st_ino)) {
        close(above);
        return NULL;
    }
    char *path = writable ? vz_path_of_descriptor(above, "..", err) : strdup("..");
    if (!path) {
        if (!writable)
            vz_fail_memory(err);
        close(above);
        return NULL;
    }
    vz_store *opened = vz_directory_new(above, path, false, err);
    return opened ? vz_directory_ready(opened, writable, err) : NULL;
}

vz_store *vz_store_create_directory(const char *path, bool exclusive, vz_error *err)
{
    const bool made = mkdir(path, 0777) == 0;
    if (!made && (errno != EEXIST || exclusive))
        return fail_to_open(path, errno, "cannot create the directory", err);
    vz_store *store = vz_store_open_directory(path, true, err);
    if (!store && made)
        rmdir(path);
    return store;
}
