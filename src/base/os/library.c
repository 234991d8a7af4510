/* library.c - see library.h. */
#include "base/os/library.h"
#include <dlfcn.h>

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
