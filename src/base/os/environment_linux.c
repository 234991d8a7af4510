/* environment_linux.c - the environment of a program with more rights than its user has. */
#include "base/os/process_internal.h"
#include "base/os/process.h"
#include <stdlib.h>
#include <unistd.h>

const char *vz_os_environment_trusted(const char *name)
{
    return secure_getenv(name);
}

char **vz_os_environ(void)
{
    return environ;
}
