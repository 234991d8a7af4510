/* leftovers.c - what a conversion that was killed leaves beside its target, and how the next one
 * tells that. Each conversion has a lock file, locked as long as it lives. Everything that it
 * makes there has the mark in the lock file's name. */
#include "command/target/target_internal.h"
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "base/os/process.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_FLAGS  (O_RDONLY | O_DIRECTORY | O_NONBLOCK)
#define ATTEMPTS    16
#define MARK_START  ".h5zarr-"
#define MARK_CHANCE 8 /* hexadecimal digits behind the process's number */
#define LOCK_END    ".lock"

/* ---- removing ---- */

/* A file of another user could be exchanged for something else while it is removed. */
static bool is_own(const char *path)
{
    struct stat is;
    return vz_os_lstat(path, &is) == 0 && vz_os_is_own(&is);
}

static bool join(char path[PATH_MAX], const char *directory, const char *name)
{
    const int length = snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return length > 0 && length < PATH_MAX;
}

/* The lock file goes last: what of the rest could not be removed, or not be seen, is found by it
 * again. */
void vz_made_remove_marked(const char *directory, const char *mark)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    VZ_OS_BATCH(batch, VZ_OS_BATCH_SIZE);
    vz_os_listing listing = {.directory = vz_os_open(directory, LIST_FLAGS), .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    bool gone = listing.directory >= 0;
    snprintf(name, sizeof name, "%s" LOCK_END, mark);
    while (listing.directory >= 0 && vz_os_list_next(&listing, &entry))
        if (strstr(entry.name, mark) && strcmp(entry.name, name) != 0)
            gone &= join(path, directory, entry.name) && is_own(path) && vz_os_remove_tree(path);
    gone = gone && errno == 0;
    if (listing.directory >= 0)
        vz_os_close(listing.directory);
    vz_os_list_end(&listing);
    if (gone && join(path, directory, name))
        vz_os_unlink(path);
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
    const bool locked = vz_os_lock_waiting(file, VZ_OS_LOCK_EXCLUSIVE) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
    return locked && vz_os_fstat(file, &is) == 0 && is.st_nlink > 0;
}

bool vz_made_lock(vz_made *place, vz_error *err)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        free(place->mark);
        if (!(place->mark = make_mark(err)))
            return false;
        snprintf(name, sizeof name, "%s" LOCK_END, place->mark);
        if (!join(path, place->directory, name))
            return vz_fail_errno(err, ENAMETOOLONG, "nothing can be made in %.300s", place->directory);
        place->lock = vz_os_create(path, O_RDWR | O_EXCL | O_NOFOLLOW, 0600);
        if (place->lock < 0)
            return vz_fail_errno(err, errno, "nothing can be made in %.300s", place->directory);
        if (is_locked_and_named(place->lock))
            return true;
        vz_os_close(place->lock);
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
    return vz_os_lock(file, VZ_OS_LOCK_EXCLUSIVE) == 0 && vz_os_fstat(file, &is) == 0 && vz_os_is_own(&is) &&
           is.st_nlink > 0;
}

void vz_made_remove_left(const char *directory, void (*tell)(const char *directory, const char *mark, bool removed))
{
    char path[PATH_MAX];
    VZ_OS_BATCH(batch, VZ_OS_BATCH_SIZE);
    vz_os_listing listing = {.directory = vz_os_open(directory, LIST_FLAGS), .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    while (listing.directory >= 0 && vz_os_list_next(&listing, &entry)) {
        char *mark = mark_of(entry.name);
        const int file =
            mark && join(path, directory, entry.name) ? vz_os_open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW) : -1;
        if (file >= 0 && is_dead(file)) {
            vz_made_remove_marked(directory, mark);
            tell(directory, mark, vz_os_access(path, F_OK) != 0);
        }
        if (file >= 0)
            vz_os_close(file);
        free(mark);
    }
    if (listing.directory >= 0)
        vz_os_close(listing.directory);
    vz_os_list_end(&listing);
}
