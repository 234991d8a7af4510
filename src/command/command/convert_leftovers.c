/* convert_leftovers.c - what a conversion that was killed leaves beside its target, and how the
 * next one tells that: each has a lock file, locked as long as it lives, with a mark in its name
 * that everything it makes there has, too. */
#include "command/command/convert_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_WHILE_REMOVING 32 /* descriptors */
#define ATTEMPTS            16
#define MARK_START          ".h5zarr-"
#define MARK_CHANCE         8 /* hexadecimal digits behind the process's number */
#define LOCK_END            ".lock"

/* ---- removing ---- */

static int remove_entry(const char *path, const struct stat *is, int kind, struct FTW *where)
{
    (void)is, (void)kind, (void)where;
    return remove(path);
}

static bool remove_tree(const char *path)
{
    return nftw(path, remove_entry, OPEN_WHILE_REMOVING, FTW_DEPTH | FTW_PHYS) == 0;
}

/* A file of another user could be exchanged for something else while it is removed. */
static bool is_own(const char *path)
{
    struct stat is;
    return lstat(path, &is) == 0 && is.st_uid == geteuid();
}

static bool join(char path[PATH_MAX], const char *directory, const char *name)
{
    const int length = snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return length > 0 && length < PATH_MAX;
}

/* The lock file goes last: what of the rest could not be removed is found by it again. */
void vz_place_remove_marked(const char *directory, const char *mark)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    bool gone = true;
    snprintf(name, sizeof name, "%s" LOCK_END, mark);
    DIR *opened = opendir(directory);
    for (struct dirent *entry; opened && (entry = readdir(opened));)
        if (strstr(entry->d_name, mark) && strcmp(entry->d_name, name) != 0)
            gone &= join(path, directory, entry->d_name) && is_own(path) && remove_tree(path);
    if (opened)
        closedir(opened);
    if (gone && join(path, directory, name))
        unlink(path);
}

/* ---- the lock of a conversion ---- */

static char *make_mark(vz_error *err)
{
    unsigned chance = 0;
    char *mark;
    if (!vz_os_random(&chance, sizeof chance))
        chance = (unsigned)vz_process_id();
    if (asprintf(&mark, MARK_START "%ld-%0*x", vz_process_id(), MARK_CHANCE, chance) >= 0)
        return mark;
    vz_fail_memory(err);
    return NULL;
}

/* Another conversion may take it for a dead one's between these calls, and remove it: then it has
 * no name. */
static bool is_locked_and_named(int file)
{
    struct stat is;
    const bool locked = flock(file, LOCK_EX) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
    return locked && fstat(file, &is) == 0 && is.st_nlink > 0;
}

bool vz_place_lock(vz_convert_target *place, vz_error *err)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        free(place->mark);
        if (!(place->mark = make_mark(err)))
            return false;
        snprintf(name, sizeof name, "%s" LOCK_END, place->mark);
        if (!join(path, place->directory, name))
            return vz_fail_errno(err, ENAMETOOLONG, "nothing can be made in %.300s", place->directory);
        place->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (place->lock < 0)
            return vz_fail_errno(err, errno, "nothing can be made in %.300s", place->directory);
        if (is_locked_and_named(place->lock))
            return true;
        close(place->lock);
        place->lock = -1;
    }
    return vz_fail(err, VZ_BUSY, "other conversions are at work in %.300s", place->directory);
}

/* ---- those of others ---- */

/* The mark in the name of a lock file; heap; NULL: it is none. */
static char *mark_of(const char *name)
{
    const size_t length = strlen(name), start = strlen(MARK_START), end = strlen(LOCK_END);
    if (strncmp(name, MARK_START, start) != 0 || length <= start + end || strcmp(name + length - end, LOCK_END) != 0)
        return NULL;
    const char *at = name + start;
    const size_t digits = strspn(at, "0123456789");
    at += digits;
    const size_t chance = *at == '-' ? strspn(at + 1, "0123456789abcdef") : 0;
    return digits && chance == MARK_CHANCE && at + 1 + chance == name + length - end ? strndup(name, length - end)
                                                                                     : NULL;
}

/* Its lock was had here: nobody has it who lives. */
static bool is_dead(int file)
{
    struct stat is;
    return flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &is) == 0 && is.st_uid == geteuid() && is.st_nlink > 0;
}

void vz_place_remove_left(const char *directory, void (*tell)(const char *directory, const char *mark, bool removed))
{
    char path[PATH_MAX];
    DIR *opened = opendir(directory);
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        char *mark = mark_of(entry->d_name);
        const int file = mark && join(path, directory, entry->d_name)
                             ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
                             : -1;
        if (file >= 0 && is_dead(file)) {
            vz_place_remove_marked(directory, mark);
            tell(directory, mark, access(path, F_OK) != 0);
        }
        if (file >= 0)
            close(file);
        free(mark);
    }
    if (opened)
        closedir(opened);
}
