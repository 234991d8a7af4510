/* check_names.c - a file system that takes "A" for "a" has one value where the source has two. No
 * put fails there: the second one replaces the first. So the names are compared at the end. */
#include "base/os/file.h"
#include "command/sync/sync_internal.h"
#include <limits.h>
#include <stdio.h>

/* The marker is there. Is it by another name, too? */
static bool folds(const vz_sync_side *target)
{
    char path[PATH_MAX];
    struct stat marker, other;
    const char *root = target->raw->path;
    const int length = snprintf(path, sizeof path, "%s/%s", root, vz_sync_root_names[0]);
    if (length < 0 || (size_t)length >= sizeof path || vz_os_stat(path, &marker) != 0)
        return false;
    snprintf(path, sizeof path, "%s/ZARR.JSON", root);
    return vz_os_stat(path, &other) == 0 && vz_os_file_is_same(&marker, &other);
}

/* Each key of the source is a name in the target. */
static bool compare(vz_sync *run, vz_sync_walk *source, vz_sync_walk *target, vz_error *err)
{
    const vz_sync_value *from = NULL, *to = NULL;
    if (!vz_sync_walk_next(target, &to, err))
        return false;
    for (;;) {
        if (!vz_sync_walk_next(source, &from, err))
            return false;
        if (!from)
            return true;
        while (to && strcmp(to->key, from->key) < 0)
            if (!vz_sync_walk_next(target, &to, err))
                return false;
        if (vz_sync_root_index(from->key) >= 0 || (to && strcmp(to->key, from->key) == 0))
            continue;
        vz_fail(err, VZ_EXISTS,
                "the file system takes this name and another one for the same, as they differ in case only");
        vz_error_where(err, run->target.name, from->key);
        return false;
    }
}

bool vz_sync_check_names(vz_sync *run, vz_error *err)
{
    if (!run->target.is_directory || !folds(&run->target))
        return true;
    vz_sync_walk *source = vz_sync_walk_open(&run->source, &run->target, err);
    vz_sync_walk *target = source ? vz_sync_walk_open(&run->target, NULL, err) : NULL;
    const bool ok = target && compare(run, source, target, err);
    vz_sync_walk_close(source);
    vz_sync_walk_close(target);
    return ok;
}
