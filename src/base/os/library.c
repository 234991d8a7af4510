/* library.c - shared libraries, as all systems have them; see library.h. */
#include "base/os/library.h"
#include <dlfcn.h>

void *vz_os_library_open(const char *file, unsigned how)
{
    const int loaded = how & VZ_OS_LIBRARY_LOADED ? RTLD_LAZY | RTLD_NOLOAD : RTLD_NOW;
    const int scope = how & VZ_OS_LIBRARY_GLOBAL ? RTLD_GLOBAL : RTLD_LOCAL;
    return dlopen(file, loaded | scope | (how & VZ_OS_LIBRARY_STAYS ? RTLD_NODELETE : 0));
}

void *vz_os_library_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

void vz_os_library_close(void *library)
{
    dlclose(library);
}

const char *vz_os_library_error(void)
{
    return dlerror();
}

const char *vz_os_library_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fname : NULL;
}
