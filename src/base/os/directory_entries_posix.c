/* directory_entries_posix.c - names in a directory, by readdir.
 *
 * A batch:  kind (1 byte), name, NUL;  kind, name, NUL;  ...
 */
#include "base/os/file.h"
#include "base/os/listing_internal.h"
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The stream has a descriptor of its own, whose position is that of the caller's. */
static DIR *open_stream(vz_os_listing *listing)
{
    const int own = fcntl(listing->directory, F_DUPFD_CLOEXEC, 0);
    DIR *stream = own < 0 ? NULL : fdopendir(own);
    if (own >= 0 && !stream)
        close(own);
    listing->stream = stream;
    return stream;
}

int vz_os_list_rewind(vz_os_listing *listing)
{
    listing->size = listing->at = 0;
    if (!listing->stream && !open_stream(listing))
        return -1;
    rewinddir(listing->stream);
    return 0;
}

static vz_os_kind kind_of(const struct dirent *entry)
{
#if defined(DT_REG) /* not in POSIX, but in every system that has directories with types */
    return entry->d_type == DT_REG       ? VZ_OS_KIND_FILE
           : entry->d_type == DT_DIR     ? VZ_OS_KIND_DIRECTORY
           : entry->d_type == DT_LNK     ? VZ_OS_KIND_LINK
           : entry->d_type == DT_UNKNOWN ? VZ_OS_KIND_UNKNOWN
                                         : VZ_OS_KIND_OTHER;
#else
    (void)entry;
    return VZ_OS_KIND_UNKNOWN;
#endif
}

/* A position in the stream is kept, to take a name back for which the batch has no room. */
static int fill_batch(vz_os_listing *listing, DIR *stream)
{
    char *batch = listing->batch;
    for (;;) {
        const long before = telldir(stream);
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry)
            return errno ? -1 : 0;
        if (vz_os_is_dot(entry->d_name))
            continue;
        const size_t size = strlen(entry->d_name) + 1;
        if (listing->room - listing->size < size + 1) {
            seekdir(stream, before);
            errno = listing->size ? 0 : ENAMETOOLONG;
            return listing->size ? 0 : -1;
        }
        batch[listing->size] = (char)kind_of(entry);
        memcpy(batch + listing->size + 1, entry->d_name, size);
        listing->size += size + 1;
    }
}

int vz_os_list_more(vz_os_listing *listing)
{
    listing->at = listing->size = 0;
    if (!listing->stream && !open_stream(listing))
        return -1;
    if (fill_batch(listing, listing->stream) != 0 && listing->size == 0)
        return -1;
    return listing->size > 0;
}

bool vz_os_list_within(vz_os_listing *listing, vz_os_entry *entry)
{
    if (listing->at >= listing->size)
        return false;
    const char *next = (const char *)listing->batch + listing->at;
    *entry = (vz_os_entry){next + 1, (vz_os_kind)next[0]};
    listing->at += strlen(next + 1) + 2;
    return true;
}

void vz_os_list_end(vz_os_listing *listing)
{
    if (listing->stream)
        closedir(listing->stream);
    *listing = (vz_os_listing){.directory = -1};
}
