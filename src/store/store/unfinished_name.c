/* unfinished_name.c - "<id>-<n>.partial": names of what is not finished. The id is that of the
 * writer's lease (lease.h), which tells whether it lives. Versions without leases had
 * "<host>-<pid>-<n>.partial", which tells nothing in another container; those are old, or stay. */
#include "store/store/lease.h"
#include "base/os/file.h"
#include "base/os/network.h"
#include "base/os/process.h"
#include "store/store/store.h"
#include <stdio.h>
#include <stdlib.h>

#define SUFFIX     ".partial"
#define HOST_MAX   64
#define DIGITS_MAX 18
#define DEAD_AGE   ((time_t)7 * 24 * 60 * 60) /* s: nobody writes so long at one value */

/* The host's name as far as it may stand in a file name. */
static void host_name(char host[HOST_MAX + 1])
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    char name[256];
    if (!vz_os_host_name(name, sizeof name) || name[0] == '.')
        snprintf(name, sizeof name, "host");
    snprintf(host, HOST_MAX + 1, "%.*s", HOST_MAX, name);
    for (size_t i = 0; host[i]; i++)
        if (!strchr(allowed, host[i]))
            host[i] = '_';
}

bool vz_partial_name(char *name, size_t size, vz_error *err)
{
    static atomic_uint_fast64_t count;
    static _Thread_local char id[VZ_LEASE_ID_SIZE]; /* of a thread: no lock, and no other has it */
    static _Thread_local long owner;
    if (owner != vz_process_id())
        vz_lease_make_id(id);
    owner = vz_process_id();
    char digits[VZ_DECIMAL_SIZE];
    const size_t length = strlen(id), digit_count = vz_decimal(atomic_fetch_add(&count, 1), digits);
    if (length + 1 + digit_count + sizeof SUFFIX > size)
        return vz_fail(err, VZ_INVALID, "no room for a partial name");
    memcpy(name, id, length);
    name[length] = '-';
    memcpy(name + length + 1, digits, digit_count);
    memcpy(name + length + 1 + digit_count, SUFFIX, sizeof SUFFIX);
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
static bool parse_name(const char *name, size_t *host_length, long *pid)
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

/* Names that begin with a lease's id: "<id>-<n>.partial", and "<id>.partial", the staging area. */
static bool is_of_lease(const char *name)
{
    const char *rest = name + VZ_LEASE_ID_SIZE - 1;
    if (strspn(name, "0123456789abcdef") != VZ_LEASE_ID_SIZE - 1)
        return false;
    if (*rest == '-') {
        const size_t digits = strspn(rest + 1, "0123456789");
        if (digits == 0)
            return false;
        rest += digits + 1;
    }
    return strcmp(rest, SUFFIX) == 0;
}

/* Of the names in a store nearly none ends so: who lists one looks no further. */
static bool has_suffix(const char *name)
{
    const size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && memcmp(name + length - suffix, SUFFIX, suffix) == 0;
}

bool vz_partial_is_name(const char *name)
{
    size_t host_length;
    long pid;
    if (!has_suffix(name))
        return false;
    return is_of_lease(name) || parse_name(name, &host_length, &pid);
}

static bool is_old(int directory, const char *name)
{
    struct stat status;
    return vz_os_lstat_at(directory, name, &status) == 0 && vz_os_date_s() - status.st_mtim.tv_sec > DEAD_AGE;
}

/* Of versions without leases: a process of this host that does not run here. */
static bool has_no_process(const char *name)
{
    size_t host_length;
    long pid;
    char host[HOST_MAX + 1];
    if (!parse_name(name, &host_length, &pid))
        return false;
    host_name(host);
    if (strlen(host) != host_length || strncmp(host, name, host_length) != 0)
        return false;
    return !vz_process_is_there(pid);
}

bool vz_partial_is_dead(int directory, const char *name)
{
    return (is_of_lease(name) || has_no_process(name)) && is_old(directory, name);
}

bool vz_partial_is_chunk_part(const char *name, size_t length)
{
    const size_t first = length > 0 && *name == 'c';
    if (length == 0 || (!first && (*name < '0' || *name > '9'))) /* above all, no "." and ".." */
        return false;
    return strspn(name + first, "0123456789.") >= length - first;
}

bool vz_partial_is_staging(const char *name)
{
    return strspn(name, "0123456789abcdef") == VZ_LEASE_ID_SIZE - 1 && strcmp(name + VZ_LEASE_ID_SIZE - 1, SUFFIX) == 0;
}
