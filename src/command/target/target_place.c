/* target_place.c - making something under another name, and putting it into its place. */
#include "command/target/target_internal.h"
#include "base/os/file.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/path.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* ---- is it a place? ---- */

static bool is_below(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool check_apart(const char *source, const char *target, const char *directory, vz_error *err)
{
    char *from = vz_os_realpath(source, NULL);
    const int sys_errno = from ? 0 : errno;
    char *to = vz_os_realpath(target, NULL), *in = vz_os_realpath(directory, NULL);
    bool ok = true;
    if (!from) /* on a server: it was looked at before */
        ok = sys_errno == ENOENT || vz_fail_errno(err, sys_errno, "cannot be read");
    else if (to && strcmp(from, to) == 0)
        ok = vz_fail(err, VZ_INVALID, "the source and the target are the same");
    else if (in && is_below(in, from))
        ok = vz_fail(err, VZ_INVALID, "the target would lie in the source");
    else if (to && is_below(from, to))
        ok = vz_fail(err, VZ_INVALID, "the source lies in what would be replaced");
    free(from);
    free(to);
    free(in);
    return ok;
}

/* Nothing is removed that is not known for what it is. */
static bool check_replaceable(const char *target, vz_error *err)
{
    vz_path_result found;
    bool ok = vz_path_result_look(target, &found, err);
    if (ok && found.sys_errno)
        ok = vz_fail_errno(err, found.sys_errno, "cannot be looked at");
    else if (ok && found.kind == VZ_PATH_ZARR && (*found.at.inside || found.is_implicit))
        ok = vz_fail(err, VZ_EXISTS, "a part of a store, so not replaced");
    else if (ok && found.kind == VZ_PATH_ZARR)
        ok = vz_location_is_file(&found.at) || vz_delete_check_all_is_zarr(found.at.store, err);
    else if (ok && found.kind != VZ_PATH_HDF5 && found.kind != VZ_PATH_EMPTY_FILE &&
             found.kind != VZ_PATH_EMPTY_DIRECTORY)
        ok = vz_fail(err, VZ_EXISTS, "neither an HDF5 file nor a Zarr store, so not replaced");
    vz_path_result_clear(&found);
    return ok;
}

static bool check_target(vz_made *place, const char *target, bool overwrite, vz_error *err)
{
    struct stat is;
    place->replaces = vz_os_lstat(target, &is) == 0;
    place->target = place->replaces ? vz_os_realpath(target, NULL) : strdup(target);
    if (!place->target)
        return place->replaces ? vz_fail_errno(err, errno, "a link that cannot be followed") : vz_fail_memory(err);
    if (place->replaces && !overwrite)
        return vz_fail_errno(err, EEXIST, "is there already (--overwrite replaces it)");
    return !place->replaces || check_replaceable(place->target, err);
}

static bool name_partial(vz_made *place, const char *suffix, vz_error *err)
{
    if (!vz_made_lock(place, err))
        return false;
    if (asprintf(&place->partial, "%s/%s%s", place->directory, place->mark, suffix) >= 0)
        return true;
    place->partial = NULL;
    return vz_fail_memory(err);
}

bool vz_made_begin(vz_made *place, const char *source, const char *target, const char *suffix, bool overwrite,
                   vz_error *err)
{
    *place = (vz_made){.lock = -1};
    size_t length = strlen(target);
    while (length > 1 && target[length - 1] == '/')
        length--;
    char *plain = strndup(target, length), *directory = plain ? directory_of(plain) : NULL;
    bool ok = directory != NULL || vz_fail_memory(err);
    ok = ok && vz_made_begin_far(place, source, plain, overwrite, err);
    ok = ok &&
         (place->is_far || (check_apart(source, plain, directory, err) && check_target(place, plain, overwrite, err)));
    free(directory);
    free(plain);
    if (!ok || place->is_far)
        return ok;
    place->directory = directory_of(place->target);
    if (!place->directory)
        return vz_fail_memory(err);
    if (vz_os_access(place->directory, W_OK | X_OK) != 0)
        return vz_fail_errno(err, errno, "nothing can be made in %.300s", place->directory);
    return !suffix || name_partial(place, suffix, err);
}

void vz_made_clear(vz_made *place)
{
    free(place->target);
    free(place->directory);
    free(place->partial);
    free(place->mark);
    if (place->lock >= 0)
        vz_os_close(place->lock);
    *place = (vz_made){.lock = -1};
}

/* The connector keeps what is not finished beside a store, under names made of the store's. */
bool vz_made_abandon(const vz_made *place, bool made, vz_error *err)
{
    if (place->mark)
        vz_made_remove_marked(place->directory, place->mark);
    return !place->is_far || !made || vz_delete_hierarchy(place->target, err);
}

/* ---- putting into its place ---- */

static bool finish_new(const vz_made *place, vz_error *err)
{
    if (vz_os_rename_new(AT_FDCWD, place->partial, AT_FDCWD, place->target) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return vz_fail_errno(err, errno, "what was made cannot be given its name");
    struct stat is; /* a file system that cannot look and rename in one step */
    if (vz_os_lstat(place->target, &is) == 0)
        return vz_fail_errno(err, EEXIST, "somebody made it meanwhile");
    return vz_os_rename(place->partial, place->target) == 0 ||
           vz_fail_errno(err, errno, "what was made cannot be given its name");
}

static bool is_directory(const char *path)
{
    struct stat is;
    return vz_os_lstat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

/* Where two names cannot change places, the old one steps aside for a moment. */
static bool step_aside(const vz_made *place, const char *aside, vz_error *err)
{
    if (vz_os_rename(place->target, aside) != 0)
        return vz_fail_errno(err, errno, "what was there cannot be moved away");
    if (vz_os_rename(place->partial, place->target) == 0)
        return true;
    const int sys_errno = errno;
    vz_os_rename(aside, place->target);
    return vz_fail_errno(err, sys_errno, "what was made cannot be given its name");
}

static bool remove_old(const char *path, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const bool removed =
        !is_directory(path) ? vz_os_unlink(path) == 0 : vz_os_rmdir(path) == 0 || vz_delete_hierarchy(path, &failed);
    char why[sizeof failed.text];
    return removed || vz_fail(err, VZ_IO, "is written, but what was there before is still at %.200s: %.200s", path,
                              failed.class ? vz_error_message(&failed, why, sizeof why) : strerror(errno));
}

bool vz_made_finish(vz_made *place, vz_error *err)
{
    if (place->is_far)
        return true;
    if (!place->replaces)
        return finish_new(place, err);
    if (!is_directory(place->target) && !is_directory(place->partial))
        return vz_os_rename(place->partial, place->target) == 0 ||
               vz_fail_errno(err, errno, "what was made cannot be given its name");
    char old[PATH_MAX];
    const int length = snprintf(old, sizeof old, "%s/%s.old", place->directory, place->mark);
    if (length < 0 || (size_t)length >= sizeof old)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot be replaced");
    if (vz_os_exchange(AT_FDCWD, place->partial, AT_FDCWD, place->target) == 0)
        return remove_old(place->partial, err);
    return step_aside(place, old, err) && remove_old(old, err);
}
