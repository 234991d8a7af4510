/* partial.c - "<host>-<pid>-<n>.partial": names of what is not finished, by whom they tell whose they are. */
#include "store/partial.h"
#include "store/store.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUFFIX     ".partial"
#define HOST_MAX   64
#define DIGITS_MAX 18

/* The host's name as far as it may stand in a file name. */
static void host_name(char host[HOST_MAX + 1])
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0 || !name[0] || name[0] == '.')
        snprintf(name, sizeof name, "host");
    snprintf(host, HOST_MAX + 1, "%.*s", HOST_MAX, name);
    for (size_t i = 0; host[i]; i++)
        if (!strchr(allowed, host[i]))
            host[i] = '_';
}

bool vz_partial_name(char *name, size_t size, vz_error *err)
{
    /* Several copies of the module may live in one process: each counts from where it is loaded. */
    static atomic_uint_fast64_t count;
    const uint64_t n = (uint64_t)((uintptr_t)&count >> 12 & 0xFFFF) << 32 | (atomic_fetch_add(&count, 1) & UINT32_MAX);
    char host[HOST_MAX + 1];
    host_name(host);
    const int length = snprintf(name, size, "%s-%ld-%" PRIu64 SUFFIX, host, (long)getpid(), n);
    if (length < 0 || (size_t)length >= size)
        return vz_fail(err, VZ_INVALID, "no room for a partial name");
    return true;
}

/* The last "-digits" before `end`: where its '-' is, or NULL. */
static const char *dash_before(const char *name, const char *end)
{
    const char *p = end;
    while (p > name && p[-1] >= '0' && p[-1] <= '9')
        p--;
    const bool fits = p < end && end - p <= DIGITS_MAX;
    return fits && p > name && p[-1] == '-' ? p - 1 : NULL;
}

/* Where host and pid end in a partial name; false if it is none. */
static bool take_apart(const char *name, size_t *host_length, long *pid)
{
    const size_t length = strlen(name), suffix = strlen(SUFFIX);
    if (length <= suffix || strcmp(name + length - suffix, SUFFIX) != 0)
        return false;
    const char *before_count = dash_before(name, name + length - suffix);
    const char *before_pid = before_count ? dash_before(name, before_count) : NULL;
    if (!before_pid || before_pid == name || before_pid - name > HOST_MAX)
        return false;
    *host_length = (size_t)(before_pid - name);
    *pid = strtol(before_pid + 1, NULL, 10);
    return *pid > 0;
}

bool vz_is_partial_name(const char *name)
{
    size_t host_length;
    long pid;
    return take_apart(name, &host_length, &pid);
}

bool vz_is_dead_partial_name(const char *name)
{
    size_t host_length;
    long pid;
    if (!take_apart(name, &host_length, &pid))
        return false;
    char host[HOST_MAX + 1];
    host_name(host);
    if (strlen(host) != host_length || strncmp(host, name, host_length) != 0)
        return false;
    return (pid_t)pid == pid && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}
