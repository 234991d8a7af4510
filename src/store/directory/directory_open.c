/* directory_open.c - directory stores as programs open and create them. */
#include "base/os/file.h"
#include "store/store/prefetch.h"
#include "store/directory/directory_internal.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void directory_close(vz_store *store)
{
    vz_staging_free(store->staging);
    vz_directory_close(store);
}

static vz_store *directory_above(vz_store *store, bool writable, vz_error *err);

static bool directory_put_later(vz_store *store, const char *key, vz_parts value, bool *done, vz_error *err)
{
    *done = false;
    return !store->staging || store->in_place || vz_staging_put(store->staging, key, value, done, err);
}

static bool directory_drain(vz_store *store, vz_error *err)
{
    return !store->staging || vz_staging_drain(store->staging, VZ_STAGED_ANY, err);
}

static bool directory_owes(vz_store *store, const char *prefix)
{
    return store->staging && vz_staging_has_unwritten(store->staging, prefix);
}

static const vz_store_class directory_class = {
    VZ_DIRECTORY_ROWS,
    .put = vz_directory_put_staged,
    .put_later = directory_put_later,
    .put_parts = vz_directory_put_parts_staged,
    .put_stamped = vz_directory_put_stamped_staged,
    .put_new = vz_directory_put_new_staged,
    .begin_pieces = vz_directory_begin_staged,
    .list = vz_directory_list_staged,
    .look_below = vz_directory_look_below,
    .each_entry = vz_directory_each_entry,
    .has = vz_directory_has,
    .above = directory_above,
    .above_may_have = vz_directory_above_may_have,
    .may_be_inside = vz_directory_may_be_inside,
    .is_own = vz_directory_is_own,
    .is_at = vz_directory_is_at,
    .open_lock = vz_directory_open_lock,
    .replaces_in_place = true,
    .each_leftover = vz_directory_each_leftover,
    .drain = directory_drain,
    .has_unwritten = directory_owes,
    .close = directory_close,
};

vz_store *vz_directory_new(int root, char *path, const struct stat *status, vz_error *err)
{
    vz_store *store = vz_directory_with(&directory_class, root, path, status, err);
    if (store)
        vz_directory_share(vz_directory_of(store));
    return store;
}

static vz_store *fail_to_open(const char *path, int sys_errno, const char *what, vz_error *err)
{
    vz_fail_errno(err, sys_errno, "%s", what);
    vz_error_where(err, path, NULL);
    return NULL;
}

static const vz_store_staging_class staging_class = {
    .store = vz_staging_store,
    .place = vz_staging_place,
    .wrote = vz_staging_wrote,
    .begin = vz_staging_begin,
    .publish = vz_staging_publish,
    .exchange = vz_staging_exchange,
    .rename = vz_staging_rename,
    .del_tree = vz_staging_del_tree,
    .give_way = vz_staging_give_way,
    .hides = vz_staging_hides,
    .names_collide = vz_staging_names_collide,
    .free = vz_staging_free,
};

/* made: of a root that was made a moment ago, else NULL. */
static vz_store *make_ready(vz_store *store, bool writable, const struct stat *made, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    const char *missing;
    for (unsigned i = 0; (missing = vz_directory_next_missing(directory, &i));)
        vz_store_know_missing(store, missing);
    vz_directory_leave_seen(directory);
    if (writable && !made && vz_os_may_write_at(directory->root, ".") != 0) {
        fail_to_open(store->path, errno, "cannot write to the directory", err);
        vz_store_close(store);
        return NULL;
    }
    if (!writable)
        return store;
    store->capabilities |= VZ_STORE_WRITE;
    store->staging = vz_staging_new(store, err);
    if (!store->staging) {
        vz_store_close(store);
        return NULL;
    }
    store->staging_operations = &staging_class;
    store->is_fresh = made != NULL;
    if (made)
        vz_staging_begin_new(store->staging, made);
    else
        vz_staging_sweep(store->staging);
    return store;
}

vz_store *vz_directory_ready(vz_store *store, bool writable, vz_error *err)
{
    return make_ready(store, writable, NULL, err);
}

static vz_store *open_path(const char *path, bool writable, bool is_new, vz_error *err)
{
    int root = is_new ? vz_os_path_open_real(path, O_RDONLY | O_DIRECTORY) : -1;
    const bool is_real = root >= 0;
    if (!is_real)
        root = vz_os_open(path, O_RDONLY | O_DIRECTORY);
    if (root < 0 && errno == EACCES) /* what lies below can be reached by name even if it cannot be
                                      * listed */
        root = vz_os_open(path, vz_os_place | O_DIRECTORY);
    if (root < 0)
        return fail_to_open(path, errno, "cannot open the directory", err);
    struct stat status;
    char *absolute = vz_os_path_absolute(path, err);
    const bool known = absolute && (vz_os_fstat(root, &status) == 0 || vz_fail_errno(err, errno, "cannot stat"));
    if (!known) {
        free(absolute);
        vz_os_close(root);
        return NULL;
    }
    vz_store *store = vz_directory_new(root, absolute, &status, err);
    if (store)
        vz_directory_of(store)->is_real = is_real;
    return store ? make_ready(store, writable, is_new ? &status : NULL, err) : NULL;
}

vz_store *vz_store_open_directory(const char *path, bool writable, vz_error *err)
{
    return open_path(path, writable, false, err);
}

/* The current directory may be another one than the store's. */
static char *path_above(const vz_store *store, int above, vz_error *err)
{
    char *path, *real;
    if (asprintf(&path, "%s/..", store->path) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    real = vz_os_path_of_descriptor(above, path, err);
    free(path);
    return real;
}

/* A directory that cannot be reached decides nothing. */
static vz_store *directory_above(vz_store *store, bool writable, vz_error *err)
{
    struct stat here, up;
    const int root = vz_directory_root(store);
    if (store->staging && vz_staging_knows_above(store->staging))
        return NULL;
    int above = vz_os_open_at(root, "..", O_RDONLY | O_DIRECTORY);
    if (above < 0 && errno == EACCES)
        above = vz_os_open_at(root, "..", vz_os_place | O_DIRECTORY);
    if (above < 0)
        return NULL;
    const bool known = vz_os_fstat(root, &here) == 0 && vz_os_fstat(above, &up) == 0;
    if (!known || vz_os_file_is_same(&here, &up)) {
        vz_os_close(above);
        return NULL;
    }
    char *path = writable ? path_above(store, above, err) : strdup("..");
    if (!path) {
        if (!writable)
            vz_fail_memory(err);
        vz_os_close(above);
        return NULL;
    }
    vz_store *opened = vz_directory_new(above, path, &up, err);
    return opened ? vz_directory_ready(opened, writable, err) : NULL;
}

vz_store *vz_store_create_directory(const char *path, bool exclusive, vz_error *err)
{
    const bool made = vz_os_mkdir(path, 0777) == 0;
    if (!made && (errno != EEXIST || exclusive))
        return fail_to_open(path, errno, "cannot create the directory", err);
    vz_store *store = open_path(path, true, made, err);
    if (!store && made)
        vz_os_rmdir(path);
    return store;
}
