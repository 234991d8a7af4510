/* path.c - paths of the file system: what is asked about them beside stores. */
#include "base/os/file.h"
#include "base/util/bytes.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DELETED " (deleted)" /* what Linux adds to the name of what has none any more */

enum { MAX_LINKS = 40 }; /* as Linux */

bool vz_os_path_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

bool vz_os_path_is_taken(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

bool vz_os_path_is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *vz_os_path_resolve(const char *path, vz_error *err)
{
    char *real = realpath(path, NULL);
    if (!real)
        vz_fail_errno(err, errno, "cannot find where the path leads");
    return real;
}

bool vz_os_path_has_parent_step(const char *path)
{
    for (const char *step = path; step; step = strchr(step, '/')) {
        step += *step == '/';
        if (strncmp(step, "..", 2) == 0 && (step[2] == '/' || !step[2]))
            return true;
    }
    return false;
}

char *vz_os_path_resolve_what_is_there(const char *path, vz_error *err)
{
    char *copy = strdup(path), *real = NULL, *whole = NULL;
    size_t length = copy ? strlen(copy) : 0;
    if (!copy)
        vz_fail_memory(err);
    while (copy && !(real = realpath(copy, NULL)) && (errno == ENOENT || errno == ENOTDIR) && length > 1) {
        while (length > 1 && copy[length - 1] == '/')
            length--;
        while (length > 1 && copy[length - 1] != '/')
            length--;
        copy[length] = '\0';
    }
    const char *rest = path + length + strspn(path + length, "/");
    if (copy && !real)
        vz_fail_errno(err, errno, "cannot find where it leads");
    else if (real && vz_os_path_has_parent_step(rest))
        vz_fail_errno(err, ENOENT, "cannot find where it leads");
    else if (real && asprintf(&whole, "%s%s%s", real, *rest && strcmp(real, "/") != 0 ? "/" : "", rest) < 0) {
        whole = NULL;
        vz_fail_memory(err);
    }
    free(copy);
    free(real);
    return whole;
}

bool vz_os_path_is_below(const char *path, const char *directory)
{
    const char *rest = vz_key_below(path, strcmp(directory, "/") == 0 ? "" : directory);
    return rest && rest[0] == '/' && rest[1];
}

size_t vz_os_directory_length(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    return end;
}

char *vz_os_path_of_descriptor(int descriptor, const char *path, vz_error *err)
{
    char real[PATH_MAX];
    const ssize_t length = vz_os_path_of(descriptor, real, sizeof real);
    const size_t added = sizeof DELETED - 1;
    const bool is_named = length > 0 && (size_t)length < sizeof real && *real == '/' &&
                          ((size_t)length <= added || memcmp(real + length - added, DELETED, added) != 0);
    if (!is_named)
        return vz_os_path_resolve(path, err);
    char *copy = strndup(real, (size_t)length);
    if (!copy)
        vz_fail_memory(err);
    return copy;
}

char *vz_os_path_absolute(const char *path, vz_error *err)
{
    char *absolute = NULL;
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (path[0] != '/' && !here) {
        vz_fail_errno(err, errno, "no current directory");
        return NULL;
    }
    if (asprintf(&absolute, "%s%s%s", here ? here : "", here ? "/" : "", path) < 0) {
        absolute = NULL;
        vz_fail_memory(err);
    }
    free(here);
    if (!absolute)
        return NULL;
    for (size_t length = strlen(absolute); length > 1 && absolute[length - 1] == '/'; length--)
        absolute[length - 1] = '\0';
    return absolute;
}

char *vz_os_path_absolute_if_known(const char *path)
{
    char *absolute = vz_os_path_absolute(path, NULL);
    return absolute ? absolute : strdup(path);
}

char *vz_os_path_directory(const char *path, vz_error *err)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    while (end > 1 && path[end - 1] == '/')
        end--;
    char *directory = end ? strndup(path, end) : strdup(".");
    if (!directory)
        vz_fail_memory(err);
    return directory;
}

char *vz_os_path_end_of_links(const char *path, vz_error *err)
{
    char *at = strdup(path), target[PATH_MAX];
    ssize_t length;
    for (unsigned i = 0; at && (length = readlink(at, target, sizeof target)) >= 0; i++) {
        vz_buffer next = {0};
        const char *slash = strrchr(at, '/');
        const size_t directory = slash && *target != '/' ? (size_t)(slash - at) + 1 : 0;
        if (i == MAX_LINKS || length == sizeof target) {
            vz_fail_errno(err, ELOOP, "cannot follow the link");
            free(at);
            return NULL;
        }
        const bool ok = vz_buffer_append(&next, at, directory, err) &&
                        vz_buffer_append(&next, target, (size_t)length, err) && vz_buffer_append(&next, "", 1, err);
        free(at);
        at = ok ? strdup((char *)next.data) : NULL;
        vz_buffer_clear(&next);
    }
    if (!at)
        vz_fail_memory(err);
    return at;
}

void vz_os_path_unlink(const char *path)
{
    unlink(path);
}

bool vz_os_path_check_replaceable(const char *path, bool locks, vz_error *err)
{
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return vz_fail_errno(err, errno, "cannot replace the file");
    const bool is_locked = locks && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return !is_locked || vz_fail_errno(err, EWOULDBLOCK, "cannot replace the file: somebody has locked it");
}

bool vz_os_path_remove_file(const char *path, vz_error *err)
{
    return unlink(path) == 0 || vz_fail_errno(err, errno, "cannot remove the file");
}

bool vz_os_path_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && vz_os_file_is_same(&first, &second);
}
