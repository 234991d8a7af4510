/* directory_entries_posix.c - names in a directory, by readdir.
 *
 * A batch:  kind (1 byte), name, NUL;  kind, name, NUL;  ...
 */
#include "base/os/file.h"
#include "base/os/listing_internal.h"
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The names that the system gives. `held`: one for which the last batch had no room. It is valid
 * until the next one is read. `failed`: why no more came behind the names of the last batch. */
typedef struct stream {
    DIR *names;
    const struct dirent *held;
    int failed;
} stream;

/* The stream has a descriptor of its own, whose position is that of the caller's. */
static stream *open_stream(const vz_os_listing *listing)
{
    stream *made = calloc(1, sizeof *made);
    const int own = made ? fcntl(listing->directory, F_DUPFD_CLOEXEC, 0) : -1;
    if (own >= 0 && (made->names = fdopendir(own)))
        return made;
    if (own >= 0)
        close(own);
    free(made);
    return NULL;
}

static stream *stream_of(vz_os_listing *listing)
{
    if (!listing->stream)
        listing->stream = open_stream(listing);
    return listing->stream;
}

int vz_os_list_rewind(vz_os_listing *listing)
{
    stream *from = stream_of(listing);
    listing->size = listing->at = 0;
    if (!from)
        return -1;
    rewinddir(from->names);
    from->held = NULL;
    from->failed = 0;
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

static const struct dirent *next_entry(stream *from)
{
    const struct dirent *entry = from->held;
    from->held = NULL;
    errno = 0;
    return entry ? entry : readdir(from->names);
}

static int fill_batch(vz_os_listing *listing, stream *from)
{
    char *batch = listing->batch;
    for (const struct dirent *entry; (entry = next_entry(from));) {
        if (vz_os_is_dot(entry->d_name))
            continue;
        const size_t size = strlen(entry->d_name) + 1;
        if (listing->room - listing->size < size + 1) {
            from->held = entry;
            errno = listing->size ? 0 : ENAMETOOLONG;
            return listing->size ? 0 : -1;
        }
        batch[listing->size] = (char)kind_of(entry);
        memcpy(batch + listing->size + 1, entry->d_name, size);
        listing->size += size + 1;
    }
    return errno ? -1 : 0;
}

int vz_os_list_more(vz_os_listing *listing)
{
    stream *from = stream_of(listing);
    listing->at = listing->size = 0;
    if (!from)
        return -1;
    if (!from->failed && fill_batch(listing, from) != 0)
        from->failed = errno;
    errno = from->failed;
    return listing->size > 0 ? 1 : from->failed ? -1 : 0;
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
    stream *from = listing->stream;
    if (from)
        closedir(from->names);
    free(from);
    *listing = (vz_os_listing){.directory = -1};
}
