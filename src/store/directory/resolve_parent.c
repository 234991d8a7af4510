/* resolve_parent.c - the directories that keys lie in, for who changes something there. Anyone who
 * may write somewhere in the store can lay a symbolic link there. Nobody changes a place behind a
 * link that leads out of the root. */
#include "base/os/directory_path.h"
#include "base/os/file.h"
#include "store/directory/directory_internal.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define ENTER_FLAGS (vz_os_place | O_DIRECTORY)

/* ---- staying inside ---- */

bool vz_directory_is_undecided(int sys_errno)
{
    return sys_errno == EXDEV || sys_errno == ENOSYS || sys_errno == EPERM || sys_errno == EAGAIN ||
           sys_errno == EINVAL || sys_errno == E2BIG;
}

/* Is the directory the root, or below it? It climbs, so that links do not matter. False with errno:
 * EXDEV where it is outside, else why nobody can say. */
static bool is_inside(const struct vz_directory *store, int directory)
{
    struct stat root, at, above = {0};
    int here = vz_os_dup(directory), sys_errno = EXDEV;
    bool inside = false, go_on = here >= 0 && vz_os_fstat(store->root, &root) == 0 && vz_os_fstat(here, &at) == 0;
    if (!go_on)
        sys_errno = errno;
    for (unsigned depth = 0; go_on && !inside && depth < VZ_STORE_DEPTH_MAX; depth++) {
        inside = vz_os_file_is_same(&at, &root);
        const int up = inside ? -1 : vz_os_open_at(here, "..", ENTER_FLAGS);
        const bool is_known = inside || (up >= 0 && vz_os_fstat(up, &above) == 0);
        if (!is_known)
            sys_errno = errno;
        go_on = !inside && is_known && !vz_os_file_is_same(&above, &at);
        if (up >= 0) {
            vz_os_close(here);
            here = up;
            at = above;
        }
    }
    if (here >= 0)
        vz_os_close(here);
    errno = sys_errno;
    return inside;
}

/* Follows all links, then looks where it is. */
static int enter_by_looking(const struct vz_directory *store, const char *path)
{
    const int directory = vz_os_open_at(store->root, path, ENTER_FLAGS);
    if (directory < 0 || is_inside(store, directory))
        return directory;
    const int sys_errno = errno;
    vz_os_close(directory);
    errno = sys_errno;
    return -1;
}

int vz_directory_enter(const struct vz_directory *store, const char *path)
{
    path = *path ? path : ".";
    if (store->base.follow_links)
        return vz_os_open_at(store->root, path, ENTER_FLAGS);
    const int directory = vz_os_open_beneath(store->root, path, ENTER_FLAGS, 0);
    return directory < 0 && vz_directory_is_undecided(errno) ? enter_by_looking(store, path) : directory;
}

const char *vz_directory_last_part(const char *key)
{
    const char *slash = strrchr(key, '/');
    return slash ? slash + 1 : key;
}

int vz_directory_look_at(int directory, const char *name)
{
    struct stat status;
    return vz_os_lstat_at(directory, name, &status) == 0 ? 0 : errno;
}

int vz_directory_enter_parent(const struct vz_directory *store, const char *key)
{
    char path[PATH_MAX];
    const char *last = vz_directory_last_part(key);
    const size_t length = last > key ? (size_t)(last - key) - 1 : 0;
    if (length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path, key, length);
    path[length] = '\0';
    return vz_directory_enter(store, path);
}

int vz_directory_borrow_parent(const struct vz_directory *store, const char *key)
{
    return strchr(key, '/') ? vz_directory_enter_parent(store, key) : store->root;
}

void vz_directory_leave(const struct vz_directory *store, int parent)
{
    if (parent >= 0 && parent != store->root)
        vz_os_close(parent);
}

/* ---- saying why ---- */

/* The first part of the path that is a link out of the store, if there is one. */
static bool find_way_out(const struct vz_directory *store, char *path, char *target, size_t size)
{
    for (char *slash = strchr(path, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        const ssize_t length = vz_os_readlink_at(store->root, path, target, size - 1);
        const int directory = length > 0 ? enter_by_looking(store, path) : -1;
        if (length > 0 && directory < 0) {
            target[length] = '\0';
            return true;
        }
        if (directory >= 0)
            vz_os_close(directory);
        if (!slash)
            return false;
        *slash = '/';
    }
}

bool vz_directory_fail(const struct vz_directory *store, const char *key, int sys_errno, const char *what,
                       vz_error *err)
{
    char target[PATH_MAX];
    char *path = sys_errno == EXDEV && !store->base.follow_links ? strdup(key) : NULL;
    if (path && find_way_out(store, path, target, sizeof target))
        vz_fail(err, VZ_PERMISSION,
                "\"%.100s\" is a symbolic link that leads out of the store, to \"%.150s\": nothing behind it is "
                "changed (option follow_links)",
                path, target);
    else
        vz_fail_errno(err, sys_errno, "%s", what);
    free(path);
    return false;
}

/* ---- for the hierarchy ---- */

bool vz_directory_check_change(vz_store *store, const char *prefix, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    if (store->follow_links || !*prefix)
        return true;
    const int place = vz_directory_enter(directory, prefix);
    if (place >= 0)
        vz_os_close(place);
    return place >= 0 || vz_directory_is_missing(errno) ||
           vz_directory_fail(directory, prefix, errno, "cannot open the directory", err);
}

bool vz_directory_look(vz_store *store, const char *key, vz_store_key_kind *kind, vz_error *err)
{
    struct stat status;
    *kind = VZ_STORE_NOTHING;
    if (vz_os_lstat_at(vz_directory_of(store)->root, key, &status) != 0)
        return vz_directory_is_missing(errno) || vz_fail_errno(err, errno, "cannot stat");
    *kind = S_ISLNK(status.st_mode)   ? VZ_STORE_LINK
            : S_ISDIR(status.st_mode) ? VZ_STORE_PREFIX
            : S_ISREG(status.st_mode) ? VZ_STORE_VALUE
                                      : VZ_STORE_OTHER;
    return true;
}

/* ---- names ---- */

static bool is_listed(int directory, const char *name)
{
    VZ_OS_BATCH(batch, VZ_OS_BATCH_SIZE);
    const int copy = vz_os_open_at(directory, ".", O_RDONLY | O_DIRECTORY);
    if (copy < 0)
        return true; /* it cannot be reported */
    vz_os_listing listing = {.directory = copy, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    bool found = false, more;
    while ((more = vz_os_list_next(&listing, &entry)) && !found)
        found = strcmp(entry.name, name) == 0;
    found = found || (!more && errno);
    vz_os_list_end(&listing);
    vz_os_close(copy);
    return found;
}

bool vz_directory_names_collide(const struct vz_directory *store, const char *key)
{
    struct stat status;
    const int parent = vz_directory_enter_parent(store, key);
    if (parent < 0)
        return false;
    const char *name = vz_directory_last_part(key);
    const bool otherwise = vz_os_lstat_at(parent, name, &status) == 0 && !is_listed(parent, name);
    vz_os_close(parent);
    return otherwise;
}

/* ---- moving a link ---- */

bool vz_directory_is_one_place(const char *a, const char *b)
{
    const size_t length = (size_t)(vz_directory_last_part(a) - a);
    return (size_t)(vz_directory_last_part(b) - b) == length && memcmp(a, b, length) == 0;
}

/* Does `name`, seen from a directory, lead to as the link did? */
static bool leads_to(int directory, const char *name, const struct stat *wanted)
{
    struct stat status;
    return vz_os_stat_at(directory, name, &status) == 0 && vz_os_file_is_same(&status, wanted);
}

/* From the directory of `to` up to the root, and down to the directory of `from`: NULL: no room. */
static const char *way_back(const char *from, const char *to, const char *target, char *path, size_t size)
{
    const size_t length = (size_t)(vz_directory_last_part(from) - from);
    size_t used = 0;
    for (const char *slash = strchr(to, '/'); slash; slash = strchr(slash + 1, '/'))
        used += (size_t)snprintf(path + used, used < size ? size - used : 0, "../");
    const int rest = used < size ? snprintf(path + used, size - used, "%.*s%s", (int)length, from, target) : -1;
    return rest >= 0 && used + (size_t)rest < size ? path : NULL;
}

bool vz_directory_path_of(int directory, char *path, size_t size)
{
    ssize_t length = vz_os_path_of(directory, path, size - 1);
    if (length < 0)
        length = vz_os_path_of_directory(directory, path, size - 1);
    if (length > 0)
        path[length] = '\0';
    return length > 0;
}

/* Where a link leads, as an absolute path. */
static bool whole_way(int directory, const char *name, char *path, size_t size)
{
    const int target = vz_os_open_at(directory, name, vz_os_place);
    const bool ok = target >= 0 && vz_directory_path_of(target, path, size);
    if (target >= 0)
        vz_os_close(target);
    return ok;
}

int vz_directory_move_link(int from_directory, const char *from, int to_directory, const char *to, bool *is_link)
{
    char target[PATH_MAX], fresh[PATH_MAX];
    struct stat wanted;
    const char *old = vz_directory_last_part(from), *new = vz_directory_last_part(to);
    *is_link = false;
    if (vz_directory_is_one_place(from, to))
        return 0;
    const ssize_t length = vz_os_readlink_at(from_directory, old, target, sizeof target - 1);
    *is_link = length > 0 && target[0] != '/';
    if (!*is_link)
        return 0;
    target[length] = '\0';
    /* A link that leads nowhere is moved as it is. */
    *is_link = vz_os_stat_at(from_directory, old, &wanted) == 0;
    if (!*is_link)
        return 0;
    const char *way = way_back(from, to, target, fresh, sizeof fresh);
    if (!way || vz_os_symlink_at(way, to_directory, new) != 0) {
        if (way)
            return errno;
    } else if (leads_to(to_directory, new, &wanted)) {
        return vz_os_unlink_at(from_directory, old) == 0 ? 0 : errno;
    } else {
        vz_os_unlink_at(to_directory, new);
    }
    if (!whole_way(from_directory, old, fresh, sizeof fresh))
        return ENAMETOOLONG;
    if (vz_os_symlink_at(fresh, to_directory, new) != 0)
        return errno;
    return vz_os_unlink_at(from_directory, old) == 0 ? 0 : errno;
}

bool vz_directory_is_missing(int sys_errno)
{
    return sys_errno == ENOENT || sys_errno == ENOTDIR || sys_errno == ENAMETOOLONG;
}

bool vz_directory_is_document(const char *key)
{
    const char *last = vz_directory_last_part(key);
    return strncmp(last, ".z", 2) == 0 || strcmp(last, "zarr.json") == 0;
}

bool vz_directory_cannot_rename_so(int sys_errno)
{
    return sys_errno == EINVAL || sys_errno == ENOSYS || sys_errno == EOPNOTSUPP || sys_errno == EPERM;
}
