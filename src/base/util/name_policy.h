/* name_policy.h - where a name may lead, and with whose credentials. A name is trusted as far as
 * the file that holds it. The user's own words lead anywhere with his credentials; words of a file
 * never carry them to a server. All names that come out of files are decided here, by one table. */
#ifndef VZ_UTIL_NAME_POLICY_H
#define VZ_UTIL_NAME_POLICY_H

#include "base/util/options.h"

/* The rows: who says the name. */
typedef enum vz_namer {
    VZ_NAMER_USER,              /* an argument, an option, the environment */
    VZ_NAMER_REDIRECT_FILE,     /* a redirect file */
    VZ_NAMER_LOCAL_FILE,        /* a link, virtual source, external storage or reference in a store
                                 * on this machine */
    VZ_NAMER_REMOTE_STORE,      /* such a name in a remote store */
    VZ_NAMER_HTTP_REDIRECT,     /* the answer of a server */
    VZ_NAMER_REFERENCE_FILE,    /* a reference file on this machine, of the bytes that chunks are */
    VZ_NAMER_REMOTE_REFERENCES, /* a reference file that a server sent */
} vz_namer;

/* The columns: where it leads. */
typedef enum vz_name_destination {
    VZ_TARGET_BELOW,   /* the directory (or prefix on the server) in which the one who says it lies,
                        * or below */
    VZ_TARGET_DISK,    /* elsewhere on this machine's file systems */
    VZ_TARGET_PUBLIC,  /* a server, as far as its address is public */
    VZ_TARGET_PRIVATE, /* a loopback, link-local or private address */
    VZ_TARGET_BUCKET,  /* a bucket, at the server that the user's own settings say */
} vz_name_destination;

typedef enum vz_reach {
    VZ_REACH_REFUSED,   /* nothing is asked */
    VZ_REACH_ANONYMOUS, /* it is asked without credentials */
    VZ_REACH_OWN,       /* with those of the user; below a remote store with those that it was
                         * opened with */
} vz_reach;

typedef struct vz_name_case {
    vz_namer by;
    /* A redirect file, a reference file on this machine: it is owned by the user. An HTTP
     * redirect: the first host had such an address, too. A remote reference file: the name is in
     * its own bucket, or on its own host and port. */
    bool trusted;
    vz_option_doorways doorways;
    vz_option_links links;
    vz_targets targets;
} vz_name_case;

vz_reach vz_name_decide(const vz_name_case *name, vz_name_destination target);

/* The option that allows what was refused, "links=anywhere"; NULL: none does. */
const char *vz_name_option(const vz_name_case *name, vz_name_destination target);

/* Which addresses may be connected to, once the name of a host was resolved. */
vz_option_hosts vz_name_hosts(const vz_name_case *name);

/* -- Allowed hosts --
 * which servers there can be, and whose credentials go to them. */
/* 1 to 63 letters, digits and '-': regions become part of hosts' names. */
bool vz_endpoint_region_valid(const char *region);

/* http(s)://host[:port][/path], where the host is a name or an address (IPv6 in brackets). There is
 * no user, password, query, blank or escape, so an endpoint is no secret. At most 1,023 bytes. */
bool vz_endpoint_valid(const char *endpoint);

/* Do two valid endpoints mean the same server, asked in the same way? Case of scheme and host, a
 * port that is the scheme's own and slashes at the end do not count. http is never https. */
bool vz_endpoint_same(const char *a, const char *b);

/* A file that names a remote store may come from anybody. Decides whether the name is followed, and
 * with which credentials:
 *
 *   no endpoint in the redirect file, or the user's own one   the policy's column of buckets
 *   another endpoint                                          the policy's column of servers
 *
 * `user`: the options as they were before the redirect file's. `settings_endpoint`: the endpoint
 * that counts where the option is empty (environment, profile), or NULL. `redirect_endpoint`: the
 * one in the redirect file, NULL or "" if there is none. An option `anonymous` on either side
 * leaves VZ_REACH_OWN without credentials, as ever. */
vz_reach vz_reach_of(const vz_options *user, const char *settings_endpoint, const char *redirect_endpoint,
                     bool owned_by_caller);

#endif
