/* environment.c - variables of the environment; see process.h. */
#include "base/os/process_internal.h"
#include "base/os/process.h"
#include <stdlib.h>

const char *vz_os_environment(const char *name)
{
    return getenv(name);
}

char *const *vz_os_environment_all(void)
{
    static char *const none[] = {NULL};
    char **all = vz_os_environ();
    return all ? all : none;
}

void vz_os_environment_unset(const char *name)
{
    unsetenv(name);
}
