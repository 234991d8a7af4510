/* directory_sync.c - a directory of files: onto the disk, and its time. */
#include "store/directory/directory_internal.h"
#include "base/os/file_system.h"
#include "base/os/file.h"

/* The whole file system at once: chunks, the directories they were renamed in, and what their
 * parents are. The root's own descriptor, because it remembers errors of writing back since it
 * was opened. */
bool vz_directory_sync(vz_store *store, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    if (!atomic_exchange(&directory->unsynced, false))
        return true;
    const int sys_errno = vz_os_sync_file_system(directory->root);
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
        vz_os_futimens(vz_directory_of(store)->root, NULL);
}
