/* source_environment.c - the keys of the environment. */
#include "net/auth/auth_internal.h"
#include <stdio.h>

vz_auth_source_result vz_auth_source_environment(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err)
{
    const char *access_key = vz_auth_settings_get(settings, "AWS_ACCESS_KEY_ID");
    const char *secret_key = vz_auth_settings_get(settings, "AWS_SECRET_ACCESS_KEY");
    if (!access_key && !secret_key)
        return VZ_SOURCE_NONE;
    if (!access_key || !secret_key) {
        vz_fail(err, VZ_INVALID, "%s is set, and %s is not", access_key ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                access_key ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
        return VZ_SOURCE_FAILED;
    }
    snprintf(keys->source, sizeof keys->source, "the environment");
    return vz_auth_keys_set(keys, access_key, secret_key, vz_auth_settings_get(settings, "AWS_SESSION_TOKEN"),
                            "the environment", err)
               ? VZ_SOURCE_FOUND
               : VZ_SOURCE_FAILED;
}
