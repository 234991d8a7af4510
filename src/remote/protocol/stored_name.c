/* stored_name.c - see remote.h. */
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/remote.h"
#include "base/os/file.h"
#include "base/os/network.h"
#include "base/util/bytes.h"
#include <stdlib.h>

vz_name_destination vz_remote_target(const vz_remote_name *name)
{
    if (vz_scheme_has_buckets(name->scheme))
        return VZ_TARGET_BUCKET;
    const char *end = name->place + strcspn(name->place, *name->place == '[' ? "]" : ":");
    const size_t size = (size_t)(end - name->place) + (*end == ']');
    return vz_address_of_host(name->place, size) == VZ_ADDRESS_PUBLIC ? VZ_TARGET_PUBLIC : VZ_TARGET_PRIVATE;
}

/* Servers may take "%2e%2e" for a step up. */
static bool steps_up(const char *key)
{
    char *decoded = strdup(key);
    const bool up = !decoded || (vz_remote_url_decode(decoded, false), vz_os_path_has_parent_step(decoded));
    free(decoded);
    return up;
}

/* Does it lie below a prefix of the same server, asked by the same user? `of`: below that which
 * `text` lies in. */
static bool is_within(const vz_remote_name *name, const char *text, bool of)
{
    vz_remote_name prefix = {0};
    vz_error wrong = VZ_ERROR_NONE;
    bool ok = text && vz_remote_name_is(text) && vz_remote_name_parse(text, &prefix, &wrong);
    if (ok && of) {
        prefix.key[vz_os_directory_length(prefix.key)] = '\0';
        for (size_t size = strlen(prefix.key); size > 0 && prefix.key[size - 1] == '/';)
            prefix.key[--size] = '\0';
        *prefix.account = '\0';
    }
    ok = ok && name->scheme == prefix.scheme && strcmp(name->place, prefix.place) == 0 &&
         strcmp(name->account, prefix.account) == 0 && !*name->query && !*prefix.query &&
         vz_key_is_within(name->key, prefix.key) && !steps_up(name->key);
    vz_remote_name_clear(&prefix);
    return ok;
}

/* Names below a remote store are asked for with its settings. */
static void take_settings(const vz_options *as, vz_options *options)
{
    options->endpoint = as->endpoint;
    options->region = as->region;
    options->profile = as->profile;
    options->account = as->account;
    options->anonymous = as->anonymous;
    options->requester_pays = as->requester_pays;
    options->addressing = as->addressing;
    options->hosts = as->hosts;
}

/* Is it in the bucket, or on the host and port, of the remote reference file that says it? */
static bool is_beside(const vz_named *named, const vz_remote_name *name)
{
    vz_remote_name file = {0};
    vz_error wrong = VZ_ERROR_NONE;
    const bool same = named->by == VZ_NAMER_REMOTE_REFERENCES && vz_remote_name_is(named->store) &&
                      vz_remote_name_parse(named->store, &file, &wrong) && name->scheme == file.scheme &&
                      strcmp(name->place, file.place) == 0;
    vz_remote_name_clear(&file);
    return same;
}

static bool is_remote_namer(vz_namer by)
{
    return by == VZ_NAMER_REMOTE_STORE || by == VZ_NAMER_REMOTE_REFERENCES;
}

bool vz_remote_take_named(const vz_named *named, const vz_remote_name *name, bool by_redirect, vz_options *options,
                          vz_error *why)
{
    vz_reach reach;
    vz_option_hosts hosts;
    if (!by_redirect && is_within(name, named->prefix, false))
        return true;
    if (!by_redirect && is_remote_namer(named->by) && is_within(name, named->store, true)) {
        take_settings(named->as, options);
        return true;
    }
    vz_named said = *named;
    said.trusted |= is_beside(named, name);
    if (!vz_named_decide(&said, vz_remote_target(name), &reach, &hosts, why))
        return false;
    if (*name->account || *name->query)
        return vz_named_fail(named, why, "a user, a password or a query is not followed out of a file");
    if (reach == VZ_REACH_OWN && is_remote_namer(named->by))
        take_settings(named->as, options);
    options->anonymous |= reach == VZ_REACH_ANONYMOUS;
    options->hosts = hosts > options->hosts ? hosts : options->hosts;
    return true;
}

bool vz_remote_check_named(const char *text, const vz_named *named, vz_error *err)
{
    vz_remote_name name;
    vz_options options = {0};
    bool ok = vz_remote_name_parse(text, &name, err) && vz_remote_take_named(named, &name, false, &options, err);
    vz_remote_name_clear(&name);
    if (ok && options.hosts != VZ_HOSTS_ANY)
        ok = vz_named_fail(named, err, "HDF5 would open it as the user's own name; the user can do so himself");
    return ok;
}
