/* source_profile.c - credentials that a profile leads to: a role, SSO, keys, or a program. */
#include "net/auth/auth_internal.h"
#include <stdio.h>

#define CHAIN_MAX 8 /* profiles that lead to each other */

/* The keys that stand in it. */
static vz_auth_source_result keys_of(const vz_auth_settings *s, const char *profile, vz_auth_keys *keys, vz_error *err)
{
    char who[VZ_NET_KEYS_SOURCE_SIZE];
    const char *access_key = vz_auth_settings_of(s, profile, "aws_access_key_id");
    const char *secret_key = vz_auth_settings_of(s, profile, "aws_secret_access_key");
    if (!access_key && !secret_key)
        return VZ_SOURCE_NONE;
    snprintf(who, sizeof who, "profile %.100s", profile);
    if (!access_key || !secret_key) {
        vz_fail(err, VZ_INVALID, "%s has no %s", who, access_key ? "aws_secret_access_key" : "aws_access_key_id");
        return VZ_SOURCE_FAILED;
    }
    return vz_auth_keys_set(keys, access_key, secret_key, vz_auth_settings_of(s, profile, "aws_session_token"), who,
                            err)
               ? VZ_SOURCE_FOUND
               : VZ_SOURCE_FAILED;
}

static vz_auth_source_result result_of(bool ok)
{
    return ok ? VZ_SOURCE_FOUND : VZ_SOURCE_FAILED;
}

static vz_auth_source_result resolve(const vz_auth_settings *s, const char *profile, unsigned depth, vz_auth_keys *keys,
                                     vz_error *err);

/* Those with which the role of a profile is asked for. */
static vz_auth_source_result keys_for_role(const vz_auth_settings *s, const char *profile, unsigned depth,
                                           vz_auth_keys *keys, vz_error *err)
{
    static const struct {
        const char *name;
        vz_auth_source_result (*ask)(const vz_auth_settings *, vz_auth_keys *, vz_error *);
    } sources[] = {{"Environment", vz_auth_source_environment},
                   {"EcsContainer", vz_auth_source_container},
                   {"Ec2InstanceMetadata", vz_auth_source_instance}};
    const char *other = vz_auth_settings_of(s, profile, "source_profile");
    const char *named = vz_auth_settings_of(s, profile, "credential_source");
    if (other && strcmp(other, profile) == 0)
        return keys_of(s, profile, keys, err);
    if (other && !vz_profiles_has(s->profiles, VZ_SECTION_PROFILE, other)) {
        vz_fail(err, VZ_NOT_FOUND, "profile %.100s: its source_profile %.100s is not there", profile, other);
        return VZ_SOURCE_FAILED;
    }
    if (other)
        return resolve(s, other, depth + 1, keys, err);
    for (size_t i = 0; named && i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i].name, named) == 0)
            return sources[i].ask(s, keys, err);
    return VZ_SOURCE_NONE;
}

static vz_auth_source_result assume(const vz_auth_settings *s, const char *profile, unsigned depth, vz_auth_keys *keys,
                                    vz_error *err)
{
    vz_auth_keys with = {0};
    if (vz_auth_settings_of(s, profile, "mfa_serial")) {
        vz_fail(err, VZ_UNSUPPORTED,
                "profile %.100s: roles that ask for a code (mfa_serial); credential_process with "
                "`aws configure export-credentials` gives keys for them",
                profile);
        return VZ_SOURCE_FAILED;
    }
    vz_auth_source_result result = keys_for_role(s, profile, depth, &with, err);
    if (result == VZ_SOURCE_FOUND)
        result = result_of(vz_sts_assume_role(s, profile, &with, keys, err));
    else if (result == VZ_SOURCE_NONE) {
        vz_fail(err, VZ_INVALID, "profile %.100s: a role_arn, and no source_profile or credential_source with keys",
                profile);
        result = VZ_SOURCE_FAILED;
    }
    vz_auth_keys_clear(&with);
    return result;
}

static vz_auth_source_result resolve(const vz_auth_settings *s, const char *profile, unsigned depth, vz_auth_keys *keys,
                                     vz_error *err)
{
    const char *role = vz_auth_settings_of(s, profile, "role_arn"), *command;
    const char *token_file = vz_auth_settings_of(s, profile, "web_identity_token_file");
    if (depth == CHAIN_MAX) {
        vz_fail(err, VZ_LIMIT, "profile %.100s: more than %d profiles lead to each other by source_profile", s->profile,
                CHAIN_MAX);
        return VZ_SOURCE_FAILED;
    }
    if (role && token_file)
        return result_of(
            vz_sts_web_identity(s, role, token_file, vz_auth_settings_of(s, profile, "role_session_name"), keys, err));
    if (role)
        return assume(s, profile, depth, keys, err);
    if (vz_auth_settings_of(s, profile, "sso_session") || vz_auth_settings_of(s, profile, "sso_start_url"))
        return result_of(vz_sso_role(s, profile, keys, err));
    const vz_auth_source_result result = keys_of(s, profile, keys, err);
    if (result != VZ_SOURCE_NONE || !(command = vz_auth_settings_of(s, profile, "credential_process")))
        return result;
    return result_of(vz_auth_process_run(command, keys, err));
}

vz_auth_source_result vz_auth_source_profile(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    const vz_auth_source_result result = resolve(s, s->profile, 0, keys, err);
    if (result == VZ_SOURCE_FOUND)
        snprintf(keys->source, sizeof keys->source, "profile %.100s", s->profile);
    return result;
}
