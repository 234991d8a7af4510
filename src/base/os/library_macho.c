/* library_macho.c - shared libraries of macOS: which are loaded, and the texts of its loader. */
#include "base/os/library.h"
#include "base/os/library_internal.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <mach-o/dyld.h>
#include <stdio.h>
#include <string.h>

#define CALLERS_MAX 32 /* as in library_elf.c */

bool vz_os_library_says_missing(const char *error)
{
    return vz_os_dyld_says_missing(error);
}

bool vz_os_library_find(const char *name, char *path, size_t size)
{
    const uint32_t count = _dyld_image_count();
    for (uint32_t i = 0; i < count; i++) {
        const char *file = _dyld_get_image_name(i), *slash = file ? strrchr(file, '/') : NULL;
        if (slash && strcmp(slash + 1, name) == 0)
            return snprintf(path, size, "%s", file) < (int)size;
    }
    return false;
}

bool vz_os_is_called_by(const void *function)
{
    void *frames[CALLERS_MAX];
    const int count = backtrace(frames, CALLERS_MAX);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr(frames[i], &info) && info.dli_saddr == function)
            return true;
    }
    return false;
}
