/* library_elf.c - shared libraries: what is not in POSIX, and the texts of loaders of ELF
 * files. */
#include "base/os/library.h"
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else
#include <unwind.h>
#endif

#define CALLERS_MAX 32 /* frames: from H5Dclose to a callback of a connector there are some ten */

/* glibc's words, and musl's. */
bool vz_os_library_says_missing(const char *error)
{
    return strstr(error, "cannot open shared object file: No such file") ||
           (strncmp(error, "Error loading shared library ", 29) == 0 && strstr(error, ": No such file"));
}

typedef struct search {
    const char *name;
    char *path;
    size_t size;
} search;

static int compare_name(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    const search *s = context;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (!slash || strcmp(slash + 1, s->name) != 0)
        return 0;
    return snprintf(s->path, s->size, "%s", info->dlpi_name) < (int)s->size;
}

bool vz_os_library_find(const char *name, char *path, size_t size)
{
    search s = {.name = name, .path = path, .size = size};
    return dl_iterate_phdr(compare_name, &s);
}

#if !__has_include(<execinfo.h>)
typedef struct frames_found {
    void **frames;
    int count, room;
} frames_found;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *context)
{
    frames_found *found = context;
    if (found->count == found->room)
        return _URC_END_OF_STACK;
    found->frames[found->count++] = (void *)_Unwind_GetIP(frame);
    return _URC_NO_REASON;
}

static int backtrace(void **frames, int room)
{
    frames_found found = {.frames = frames, .room = room};
    _Unwind_Backtrace(add_frame, &found);
    return found.count;
}
#endif

/* Return addresses tell the function, by the names that its library exports. */
bool vz_os_is_called_by(const void *function)
{
    void *frames[CALLERS_MAX];
    const int count = backtrace(frames, CALLERS_MAX);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr(frames[i], &info) && info.dli_saddr && (uintptr_t)info.dli_saddr == (uintptr_t)function)
            return true;
    }
    return false;
}
