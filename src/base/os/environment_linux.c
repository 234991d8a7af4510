/* environment_linux.c - the environment of a program with more rights than its user has. */
#include "base/os/process.h"
#include <stdlib.h>

const char *vz_os_environment_trusted(const char *name)
{
    return secure_getenv(name);
}
