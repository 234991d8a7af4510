/* allowed_hosts.h - which servers there can be, and whose credentials go to them. */
#ifndef VZ_UTIL_ALLOWED_HOSTS_H
#define VZ_UTIL_ALLOWED_HOSTS_H

#include "base/util/name_policy.h"

/* 1 to 63 letters, digits and '-': regions become part of hosts' names. */
bool vz_region_valid(const char *region);
/* http(s)://host[:port][/path], where the host is a name or an address (IPv6 in brackets): no user, password, query,
 * blank or escape, so that an endpoint is no secret. At most 1,023 bytes. */
bool vz_endpoint_valid(const char *endpoint);
/* Do two valid endpoints mean the same server, asked in the same way? Case of scheme and host, a port that is the
 * scheme's own and slashes at the end do not count. http is never https. */
bool vz_endpoint_same(const char *a, const char *b);

/* A file that names a remote store may come from anybody. What it names is asked for, and with whose credentials:
 *
 *   no endpoint in the doorway, or the user's own one     the policy's column of buckets (name_policy.h)
 *   another endpoint                                      that of servers
 *
 * `user`: the options as they were before the doorway's. `settings_endpoint`: the endpoint that counts where the option
 * is empty (environment, profile), or NULL. `doorway_endpoint`: what the doorway says, NULL or "" if nothing. An option
 * `anonymous` on either side leaves VZ_REACH_OWN without credentials, as ever. */
vz_reach vz_reach_of(const vz_options *user, const char *settings_endpoint, const char *doorway_endpoint,
                     bool owned_by_caller);

#endif
