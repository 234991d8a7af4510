/* directory_entries.c - names in a directory, whichever call of the system gives them. */
#include "base/os/file.h"
#include <errno.h>

bool vz_os_list_next(vz_os_listing *listing, vz_os_entry *entry)
{
    while (!vz_os_list_within(listing, entry)) {
        const int more = vz_os_list_more(listing);
        if (more > 0)
            continue;
        errno = more == 0 || errno == ENOENT ? 0 : errno;
        return false;
    }
    return true;
}
