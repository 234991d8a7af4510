/* directory_class.c - a directory store that others write too: what is not finished stands in
 * its staging area, or under names that its lease tells of. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <stdio.h>

#define PLACE_ATTEMPTS 3 /* times a value is put in its place when its directory vanishes */

/* The name of the partial file beside `key`; the lease notes the directory. */
static bool name_partial(vz_store *store, const char *key, char name[VZ_PARTIAL_SIZE], vz_error *err)
{
    char path[PATH_MAX];
    const size_t directory = (size_t)(vz_directory_last_part(key) - key);
    if (directory >= sizeof path)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    memcpy(path, key, directory);
    path[directory ? directory - 1 : 0] = '\0';
    return vz_staging_name_partial(store->staging, path, name, VZ_PARTIAL_SIZE, err);
}

/* Into the key's directory, which is made if need be: 0, or an errno. */
static int rename_onto(const struct vz_directory *from, const char *name, const struct vz_directory *to,
                       const char *key, bool is_new, vz_error *err)
{
    int sys_errno = ENOENT;
    for (int attempt = 0; attempt < PLACE_ATTEMPTS && sys_errno == ENOENT; attempt++) {
        if (attempt && !vz_directory_make_parents(to, key, err))
            return -1;
        const int parent = vz_directory_borrow_parent(to, key);
        const bool ok =
            parent >= 0 && (is_new ? vz_os_rename_new(from->root, name, parent, vz_directory_last_part(key))
                                   : vz_os_rename_at(from->root, name, parent, vz_directory_last_part(key))) == 0;
        sys_errno = ok ? 0 : errno;
        vz_directory_leave(to, parent);
        if (parent < 0 && sys_errno != ENOENT) {
            vz_directory_fail(to, key, sys_errno, "cannot open the directory", err);
            return -1;
        }
    }
    return sys_errno;
}

/* done=false (and true returned): a file system is mounted between the two, or cannot rename so,
 * or there can be no stage. */
static bool put_through_staging(vz_store *store, const char *key, vz_parts value, bool is_new, bool *done,
                                vz_error *err)
{
    char name[VZ_PARTIAL_SIZE];
    struct vz_directory *directory = vz_directory_of(store);
    const vz_directory_partial_file partial = {.path = name, .size = sizeof name};
    vz_error failed = VZ_ERROR_NONE;
    vz_store *staging = vz_staging_store(store->staging, &failed);
    *done = false;
    if (!staging && failed.class == VZ_PERMISSION)
        return true;
    if (!staging && err && err->class == VZ_OK)
        *err = failed;
    if (!staging || !vz_directory_write_partial(vz_directory_of(staging), "document", value, &partial, err))
        return false;
    const int sys_errno = rename_onto(vz_directory_of(staging), name, directory, key, is_new, err);
    if (sys_errno)
        vz_os_unlink_at(vz_directory_of(staging)->root, name);
    *done = sys_errno == 0;
    if (*done)
        atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    if (*done && !strchr(key, '/'))
        atomic_store_explicit(&directory->named, store->writes, memory_order_relaxed);
    if (sys_errno == 0 || sys_errno == EXDEV || (is_new && vz_directory_cannot_rename_so(sys_errno)))
        return true;
    return sys_errno > 0 && vz_fail_errno(err, sys_errno, is_new ? "cannot create" : "cannot replace");
}

static bool put_stamped(vz_store *store, const char *key, vz_parts value, vz_stamp *stamp, vz_error *err)
{
    char name[VZ_PARTIAL_SIZE];
    if (vz_directory_is_hidden(store))
        return vz_directory_put_hidden(store, key, value, stamp, err);
    if (!store->staging)
        return vz_directory_put_beside(store, key, value, NULL, stamp, err);
    return name_partial(store, key, name, err) && vz_directory_put_beside(store, key, value, name, stamp, err);
}

bool vz_directory_put_stamped_staged(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    return put_stamped(store, key, vz_parts_of(&value), stamp, err);
}

bool vz_directory_put_parts_staged(vz_store *store, const char *key, vz_parts value, vz_error *err)
{
    bool done = false;
    if (store->staging && vz_directory_is_document(key) && !put_through_staging(store, key, value, false, &done, err))
        return false;
    return done || put_stamped(store, key, value, NULL, err);
}

bool vz_directory_put_staged(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return vz_directory_put_parts_staged(store, key, vz_parts_of(&value), err);
}

bool vz_directory_put_new_staged(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    char name[VZ_PARTIAL_SIZE];
    bool done = false;
    if (store->staging && vz_directory_is_document(key) &&
        !put_through_staging(store, key, vz_parts_of(&value), true, &done, err))
        return false;
    if (done || !vz_directory_check_absent(store, key, err))
        return done;
    if (!store->staging)
        return vz_directory_put_new_beside(store, key, value, NULL, err);
    return name_partial(store, key, name, err) && vz_directory_put_new_beside(store, key, value, name, err);
}

struct vz_pieces *vz_directory_begin_staged(vz_store *store, const char *key, vz_error *err)
{
    char name[VZ_PARTIAL_SIZE];
    if (store->staging && !name_partial(store, key, name, err))
        return NULL;
    return vz_directory_begin_pieces(store, key, store->staging ? name : NULL, err);
}

/* A leftover is nobody's: that it could not be removed is no reason to fail. */
static void sweep(vz_staging *staging, const vz_strmap *names)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(names, &cursor, &name, &value))
        vz_staging_sweep_inside(staging, name);
}

bool vz_directory_list_staged(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_strmap *stagings = store->staging && !*prefix ? vz_strmap_new() : NULL;
    if (store->staging && !*prefix && !stagings)
        return vz_fail_memory(err);
    const bool ok = vz_directory_list_with(store, prefix, stagings, entries, count, err);
    if (ok && stagings)
        sweep(store->staging, stagings);
    vz_strmap_free(stagings, NULL);
    return ok;
}
