/* stored_name.h - a name that comes out of a store: of an external link, a virtual source, external
 * storage, a reference. Where it may lead, src/base/util/name_policy.h says. */
#ifndef VZ_STORE_STORED_NAME_H
#define VZ_STORE_STORED_NAME_H

#include "base/util/name_policy.h"
#include "base/util/options.h"

typedef struct vz_named {
    vz_namer by;           /* a file that lies here, or a remote one */
    bool trusted;          /* see vz_name_case */
    const char *name;      /* as it stands there, for messages */
    const char *store;     /* the path of the store: what lies below its directory is below */
    const char *prefix;    /* a directory, or prefix on a server, that the user named for such
                            * names; NULL: none */
    vz_option_links links; /* the option, */
    vz_targets targets;    /* and that for reference files */
    const vz_options *as;  /* how a remote store that says it is asked itself: what is below is
                            * asked so, too */
    vz_error *refused;     /* receives why the policy refuses a place, besides the error of the
                            * call; NULL: nobody */
} vz_named;

/* Where the row `by` leads to that column: with whose credentials, and to which addresses. False
 * with err set: it is refused. */
bool vz_named_decide(const vz_named *named, vz_name_destination target, vz_reach *reach, vz_option_hosts *hosts,
                     vz_error *err);

/* It is refused whatever the policy says; always false. */
bool vz_named_fail(const vz_named *named, vz_error *err, const char *why);
bool vz_named_may_leave(const vz_named *named); /* to anywhere on this machine's file systems */

/* May it lead to that path of the file system? Links on the way count as what they lead to.
 * False with err set: VZ_PERMISSION; VZ_NOT_FOUND where it would be refused, but nothing is
 * there, and it `creates` nothing. */
bool vz_named_check_path(const vz_named *named, const char *path, bool creates, vz_error *err);

#endif
