/* directory_sync.c - a directory of files: onto the disk, and its time. */
#include "store/directory/directory_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory that may not be listed was opened as a place only, which cannot be synced; a new file
 * in it can. Failures to write other files back were reported when each was synced. */
static int sync_through_file(int root)
{
    const int file = openat(root, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    const int sys_errno = file >= 0 && syncfs(file) == 0 ? 0 : errno;
    if (file >= 0)
        close(file);
    return sys_errno;
}

/* The whole file system at once: chunks, the directories they were renamed in, and what their
 * parents are. The root's own descriptor, because it remembers errors of writing back since it
 * was opened. */
bool vz_directory_sync(vz_store *store, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    if (!atomic_exchange(&directory->unsynced, false) || syncfs(directory->root) == 0)
        return true;
    const int sys_errno = errno == EBADF ? sync_through_file(directory->root) : errno;
    if (sys_errno == 0)
        return true;
    atomic_store(&directory->unsynced, true);
    return vz_fail_errno(err, sys_errno, "cannot sync");
}

/* Where the time cannot be set, nothing is lost by it. Where the last change was one of a name
 * in the root, that set it. */
void vz_directory_touch(vz_store *store)
{
    if (atomic_load_explicit(&vz_directory_of(store)->named, memory_order_relaxed) != store->writes)
        (void)!futimens(vz_directory_of(store)->root, NULL);
}
