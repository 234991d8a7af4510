/* staging_name.c - the name of a staging area's directory, the directory that it lies in, and
 * those that a lease notes. */
#include "base/os/file.h"
#include "store/directory/directory_internal.h"
#include "store/directory/staging_internal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SUFFIX    ".partial"
#define ID_LENGTH (VZ_LEASE_ID_SIZE - 1)

bool vz_staging_name_slot(const vz_store *outer, unsigned slot, char name[NAME_MAX + 1])
{
    const char *last = vz_directory_last_part(outer->path);
    char number[16] = "";
    if (slot)
        snprintf(number, sizeof number, "-%u", slot);
    return *last && snprintf(name, NAME_MAX + 1, ".%s%s%s", last, number, SUFFIX) <= NAME_MAX;
}

bool vz_staging_is_at(int directory, const char *name)
{
    struct stat status;
    return vz_os_lstat_at(directory, name, &status) == 0;
}

int vz_staging_enter_above(vz_store *outer)
{
    struct stat root, above;
    const int here = vz_directory_of(outer)->root;
    const int directory = vz_os_open_at(here, "..", vz_os_place | O_DIRECTORY);
    const bool known = directory >= 0 && vz_os_fstat(here, &root) == 0 && vz_os_fstat(directory, &above) == 0;
    const int sys_errno = known ? 0 : errno;
    if (known && !vz_os_file_is_same(&root, &above))
        return directory;
    if (directory >= 0)
        vz_os_close(directory);
    errno = sys_errno;
    return -1;
}

bool vz_staging_may_lie_in(int directory)
{
    return !vz_staging_is_at(directory, ".zgroup") && !vz_staging_is_at(directory, "zarr.json");
}

int vz_staging_open_above(vz_store *outer)
{
    const int directory = vz_staging_enter_above(outer);
    if (directory < 0 || vz_staging_may_lie_in(directory))
        return directory;
    vz_os_close(directory);
    errno = 0;
    return -1;
}

void vz_staging_name_inside(unsigned slot, char name[NAME_MAX + 1])
{
    snprintf(name, NAME_MAX + 1, "%0*x%s", ID_LENGTH, slot, SUFFIX);
}

int vz_staging_open_noted(int root, const char *path)
{
    char *copy = strdup(path), *rest = copy, *part;
    int here = copy ? vz_os_dup(root) : -1, sys_errno = copy ? errno : ENOMEM;
    while (here >= 0 && (part = strsep(&rest, "/"))) {
        const bool is_step = *part && strcmp(part, "..") != 0;
        const int below = is_step ? vz_os_open_at(here, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) : -1;
        sys_errno = is_step ? errno : ENOENT;
        vz_os_close(here);
        here = below;
    }
    free(copy);
    errno = sys_errno;
    return here;
}
