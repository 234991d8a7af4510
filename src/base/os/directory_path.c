/* directory_path.c - the path of an open directory where the system does not tell: each directory
 * is looked for in the one above it, as getcwd does. */
#include "base/os/directory_path.h"
#include "base/os/file.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 256 /* directories below one another */

static bool find_name(int above, const struct stat *what, char name[NAME_MAX + 1])
{
    VZ_OS_BATCH(batch, 4096);
    vz_os_listing listing = {.directory = above, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    struct stat status;
    bool found = false;
    while (!found && vz_os_list_next(&listing, &entry)) {
        const size_t length = strlen(entry.name);
        found = length <= NAME_MAX && fstatat(above, entry.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                vz_os_file_is_same(&status, what);
        if (found)
            memcpy(name, entry.name, length + 1);
    }
    vz_os_list_end(&listing);
    return found;
}

/* Puts "/NAME" before what begins at `*at`. */
static bool put_before(char *path, size_t *at, const char *name)
{
    const size_t length = strlen(name) + 1;
    if (*at < length)
        return false;
    *at -= length;
    path[*at] = '/';
    memcpy(path + *at + 1, name, length - 1);
    return true;
}

/* Takes over `here`. */
static bool climb(int here, char *path, size_t *at)
{
    struct stat what, up;
    char name[NAME_MAX + 1];
    bool is_root = false, ok = true;
    for (unsigned depth = 0; ok && !is_root; depth++) {
        const int above = openat(here, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ok = depth < DEPTH_MAX && above >= 0 && fstat(here, &what) == 0 && fstat(above, &up) == 0;
        is_root = ok && vz_os_file_is_same(&what, &up);
        ok = ok && (is_root || (find_name(above, &what, name) && put_before(path, at, name)));
        close(here);
        here = above;
    }
    if (here >= 0)
        close(here);
    return ok;
}

ssize_t vz_os_path_of_directory(int directory, char *path, size_t size)
{
    size_t at = size;
    const int here = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (here < 0 || !climb(here, path, &at) || (at == size && !put_before(path, &at, ""))) {
        errno = ENOENT;
        return -1;
    }
    memmove(path, path + at, size - at);
    return (ssize_t)(size - at);
}
