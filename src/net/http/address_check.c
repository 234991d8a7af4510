/* address_check.c - which addresses a transfer may be connected to. They are looked at when a
 * socket is opened, after the name was resolved. They are looked at again before each request goes
 * out, since a connection may be one that was kept. Behind a proxy the address is the proxy's:
 * there the names of hosts are all that can be looked at. */
#include "net/http/engine_internal.h"
#include "base/util/c_library.h"
#include "base/os/network.h"
#include "base/util/name_policy.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HOST_SHOWN 40

static long redirects_of(const vz_net_job *job)
{
    long count = 0;
    curl_easy_getinfo(job->attempt.easy, CURLINFO_REDIRECT_COUNT, &count);
    return count;
}

/* The host in the URL that is asked now, without its port. */
static const char *host_of(const vz_net_job *job, size_t *size)
{
    const char *url = NULL;
    curl_easy_getinfo(job->attempt.easy, CURLINFO_EFFECTIVE_URL, &url);
    const char *host = url ? strstr(url, "://") : NULL;
    if (!host) {
        *size = 0;
        return "";
    }
    host += 3;
    const size_t authority = strcspn(host, "/?#\\");
    const char *at = vz_find_last(host, '@', authority), *end = host + authority;
    host = at ? at + 1 : host;
    const char *stop = *host == '[' ? memchr(host, ']', (size_t)(end - host)) : memchr(host, ':', (size_t)(end - host));
    *size = (size_t)((stop ? stop + (*host == '[') : end) - host);
    return host;
}

/* As libcurl reads the list: names with commas or blanks between them, each of a host or of all
 * below it. */
static bool is_in_list(const char *list, const char *host, size_t size)
{
    for (const char *name = list; *name; name += strcspn(name, ", ")) {
        name += strspn(name, ", .");
        const size_t length = strcspn(name, ", ");
        if (length == 1 && *name == '*')
            return true;
        if (length > 0 && length <= size && strncasecmp(host + size - length, name, length) == 0 &&
            (length == size || host[size - length - 1] == '.'))
            return true;
    }
    return false;
}

static bool is_behind_proxy(const vz_net_job *job)
{
    const vz_net_set *set = job->set;
    const bool https = strncasecmp(job->host->origin, "https", 5) == 0;
    const char *proxy = https ? set->proxy_https : set->proxy_http;
    size_t size;
    const char *host = host_of(job, &size);
    return proxy && *proxy && !is_in_list(set->no_proxy ? set->no_proxy : "", host, size);
}

/* The error also has the URL that was asked first. */
static bool refuse(vz_net_job *job, bool redirected)
{
    struct vz_net_attempt *attempt = &job->attempt;
    size_t size;
    const char *host = host_of(job, &size);
    attempt->refused = VZ_PERMISSION;
    if (redirected)
        snprintf(attempt->why, sizeof attempt->why,
                 "it redirects to %.*s, of this machine or a private network: not followed",
                 size < HOST_SHOWN ? (int)size : HOST_SHOWN, host);
    else if (job->request->hosts == VZ_HOSTS_PUBLIC)
        snprintf(attempt->why, sizeof attempt->why,
                 "its address is of this machine or a private network (option %s, for what a reference file says "
                 "%s, allows that)",
                 vz_name_option(&(vz_name_case){.by = VZ_NAMER_REDIRECT_FILE}, VZ_TARGET_PRIVATE),
                 vz_name_option(&(vz_name_case){.by = VZ_NAMER_REFERENCE_FILE}, VZ_TARGET_PRIVATE));
    else
        snprintf(attempt->why, sizeof attempt->why,
                 "its address is where a cloud's machine asks for credentials: no file leads there");
    return false;
}

static bool may_have(vz_net_job *job, vz_address address)
{
    const vz_option_hosts hosts = job->request->hosts;
    const bool redirected = redirects_of(job) > 0;
    const vz_name_case redirect = {.by = VZ_NAMER_HTTP_REDIRECT, .trusted = job->attempt.began_private};
    const vz_name_destination target = address == VZ_ADDRESS_PUBLIC ? VZ_TARGET_PUBLIC : VZ_TARGET_PRIVATE;
    if (hosts == VZ_HOSTS_PUBLIC ? address != VZ_ADDRESS_PUBLIC
                                 : hosts == VZ_HOSTS_NOT_METADATA && address == VZ_ADDRESS_METADATA)
        return refuse(job, false);
    if (redirected && (address == VZ_ADDRESS_METADATA || vz_name_decide(&redirect, target) == VZ_REACH_REFUSED))
        return refuse(job, true);
    return true;
}

static vz_address of_name(const vz_net_job *job)
{
    size_t size;
    const char *host = host_of(job, &size);
    return vz_address_of_host(host, size);
}

bool vz_net_may_connect(vz_net_job *job, const struct sockaddr *address)
{
    return may_have(job, of_name(job)) && (is_behind_proxy(job) || may_have(job, vz_address_of(address)));
}

bool vz_net_may_send(vz_net_job *job, const char *address)
{
    const vz_address of_host = of_name(job);
    const vz_address now = is_behind_proxy(job) ? of_host : vz_address_of_host(address, strlen(address));
    if (redirects_of(job) == 0)
        job->attempt.began_private = now != VZ_ADDRESS_PUBLIC;
    return may_have(job, of_host) && may_have(job, now);
}
