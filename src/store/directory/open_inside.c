/* open_inside.c - files that keys lead to, opened so that no link leads out of the root. Where the
 * kernel does not see to that, the directory is entered first, and a link at the end is followed
 * by hand. */
#include "base/os/file.h"
#include "store/directory/directory_internal.h"
#include <errno.h>
#include <limits.h>
#include <string.h>

#define LINKS_MAX 40 /* followed one behind the other, as Linux does */

/* Puts where the link at the end of the path leads into its place. False: it is no link, or leads
 * outside. */
static bool follow(int parent, char path[PATH_MAX])
{
    char target[PATH_MAX];
    const char *name = vz_directory_last_part(path);
    const size_t before = (size_t)(name - path);
    const int sys_errno = errno;
    ssize_t length = vz_os_readlink_at(parent, name, target, sizeof target);
    while (length > 1 && target[length - 1] == '/')
        length--;
    if (length <= 0) {
        errno = sys_errno;
        return false;
    }
    if (target[0] == '/' || before + (size_t)length >= PATH_MAX) {
        errno = target[0] == '/' ? EXDEV : ENAMETOOLONG;
        return false;
    }
    memcpy(path + before, target, (size_t)length);
    path[before + (size_t)length] = '\0';
    return true;
}

/* The last part of the path, unless that is a link. *parent: the directory that it lies in, the
 * caller's to close; -1: it cannot be entered. */
static int open_last(const struct vz_directory *store, const char *path, int flags, int *parent)
{
    const char *name = vz_directory_last_part(path);
    const bool is_step = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    *parent = is_step ? vz_directory_enter(store, path) : vz_directory_enter_parent(store, path);
    return *parent < 0 ? -1 : vz_os_open_at(*parent, is_step ? "." : name, flags | O_NOFOLLOW);
}

static int open_by_steps(const struct vz_directory *store, const char *key, int flags)
{
    char path[PATH_MAX];
    if (strlen(key) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(path, key);
    for (unsigned i = 0; i < LINKS_MAX; i++) {
        int parent;
        const int file = open_last(store, path, flags, &parent);
        const bool again = file < 0 && parent >= 0 && follow(parent, path);
        const int sys_errno = errno;
        if (parent >= 0)
            vz_os_close(parent);
        errno = sys_errno;
        if (!again)
            return file;
    }
    errno = ELOOP;
    return -1;
}

static int make_in_parent(const struct vz_directory *store, const char *key, int flags, mode_t mode)
{
    const int parent = vz_directory_enter_parent(store, key);
    if (parent < 0)
        return -1;
    const int file = vz_os_create_at(parent, vz_directory_last_part(key), flags, mode);
    const int sys_errno = errno;
    vz_os_close(parent);
    errno = sys_errno;
    return file;
}

int vz_directory_open_new(const struct vz_directory *store, const char *key, int flags, mode_t mode)
{
    flags |= O_CREAT | O_EXCL | O_NOCTTY;
    if (store->base.follow_links)
        return vz_os_create_at(store->root, key, flags, mode);
    const int file = vz_os_open_beneath(store->root, key, flags, mode);
    return file < 0 && vz_directory_is_undecided(errno) ? make_in_parent(store, key, flags, mode) : file;
}

int vz_directory_open_to_read(const struct vz_directory *store, const char *key, int flags)
{
    const int file = vz_os_open_beneath(store->root, key, flags, 0);
    return file < 0 && vz_directory_is_undecided(errno) ? open_by_steps(store, key, flags) : file;
}

int vz_directory_open_inside(const struct vz_directory *store, const char *path, int flags)
{
    return store->base.follow_links ? vz_os_open_at(store->root, path, flags)
                                    : vz_directory_open_to_read(store, path, flags);
}
