/* environment.c - variables of the environment; see process.h. */
#include "base/os/process.h"
#include <stdlib.h>
#include <unistd.h>

const char *vz_os_environment(const char *name)
{
    return getenv(name);
}

char *const *vz_os_environment_all(void)
{
    static char *const none[] = {NULL};
    return environ ? environ : none;
}

void vz_os_environment_unset(const char *name)
{
    unsetenv(name);
}
