/* directory_entries_linux.c - names in a directory, by the kernel's own call: opendir would ask
 * for the directory's kind and flags first, and takes memory for each listing. */
#include "base/os/file.h"
#include "base/os/listing_internal.h"
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the kernel writes it. */
typedef struct kernel_entry {
    uint64_t number;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
} kernel_entry;

int vz_os_list_rewind(vz_os_listing *listing)
{
    listing->size = listing->at = 0;
    return lseek(listing->directory, 0, SEEK_SET) == 0 ? 0 : -1;
}

int vz_os_list_more(vz_os_listing *listing)
{
    const long size = syscall(SYS_getdents64, listing->directory, listing->batch, listing->room);
    listing->at = 0;
    listing->size = size > 0 ? (size_t)size : 0;
    return size < 0 ? -1 : size > 0;
}

static vz_os_kind kind_of(unsigned char type)
{
    return type == DT_REG       ? VZ_OS_KIND_FILE
           : type == DT_DIR     ? VZ_OS_KIND_DIRECTORY
           : type == DT_LNK     ? VZ_OS_KIND_LINK
           : type == DT_UNKNOWN ? VZ_OS_KIND_UNKNOWN
                                : VZ_OS_KIND_OTHER;
}

bool vz_os_list_within(vz_os_listing *listing, vz_os_entry *entry)
{
    while (listing->at < listing->size) {
        const kernel_entry *next = (const void *)((const uint8_t *)listing->batch + listing->at);
        listing->at += next->size;
        if (vz_os_is_dot(next->name))
            continue;
        *entry = (vz_os_entry){next->name, kind_of(next->type)};
        return true;
    }
    return false;
}

void vz_os_list_end(vz_os_listing *listing)
{
    *listing = (vz_os_listing){.directory = -1};
}
