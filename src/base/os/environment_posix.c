/* environment_posix.c - the environment of a program with more rights than its user has. */
#include "base/os/process_internal.h"
#include "base/os/process.h"
#include <stdlib.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <crt_externs.h>
#endif

const char *vz_os_environment_trusted(const char *name)
{
#if defined(__APPLE__)
    if (issetugid())
        return NULL;
#endif
    return getuid() == geteuid() && getgid() == getegid() ? getenv(name) : NULL;
}

char **vz_os_environ(void)
{
#if defined(__APPLE__)
    return *_NSGetEnviron();
#else
    extern char **environ;
    return environ;
#endif
}
