/* library_elf.c - shared libraries: what is not in POSIX, and the texts of loaders of ELF
 * files. */
#include "base/os/library.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CALLERS_MAX 32 /* frames: from H5Dclose to a callback of a connector there are some ten */

void *vz_os_library_open(const char *file, unsigned how)
{
    const int loaded = how & VZ_OS_LIBRARY_LOADED ? RTLD_LAZY | RTLD_NOLOAD : RTLD_NOW;
    const int scope = how & VZ_OS_LIBRARY_GLOBAL ? RTLD_GLOBAL : RTLD_LOCAL;
    return dlopen(file, loaded | scope | (how & VZ_OS_LIBRARY_STAYS ? RTLD_NODELETE : 0));
}

bool vz_os_library_says_missing(const char *error)
{
    return strstr(error, "cannot open shared object file: No such file") != NULL;
}

const char *vz_os_library_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fname : NULL;
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
