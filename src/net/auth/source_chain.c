/* source_chain.c - the sources of credentials in their order. */
#include "net/auth/auth_internal.h"
#include <stdio.h>

typedef vz_auth_source_result (*source)(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);

static vz_auth_source_result first_of(const source *sources, size_t count, const vz_auth_settings *settings,
                                      vz_auth_keys *keys, vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const vz_auth_source_result result = sources[i](settings, keys, err);
        if (result != VZ_SOURCE_NONE)
            return result;
    }
    return VZ_SOURCE_NONE;
}

#define FIRST_OF(sources) first_of(sources, sizeof(sources) / sizeof *(sources), settings, keys, err)

vz_auth_source_result vz_auth_source_chain(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err)
{
    static const source google[] = {vz_auth_source_google};
    static const source amazon[] = {vz_auth_source_environment, vz_auth_source_web_identity, vz_auth_source_profile,
                                    vz_auth_source_container, vz_auth_source_instance};
    /* A profile that the user asks for by the option counts before what is in the environment. */
    static const source profile[] = {vz_auth_source_profile, vz_auth_source_container, vz_auth_source_instance};
    if (settings->anonymous)
        return VZ_SOURCE_NONE;
    if (settings->service == VZ_NET_AZ)
        return vz_auth_source_azure(settings, keys, err);
    if (settings->service == VZ_NET_GS)
        return FIRST_OF(google);
    return settings->profile_asked ? FIRST_OF(profile) : FIRST_OF(amazon);
}

static const char *file_of(const vz_auth_settings *settings, const char *variable, const char *usual)
{
    const char *named = vz_auth_settings_get(settings, variable);
    return named ? named : usual;
}

void vz_auth_source_places(const vz_auth_settings *s, char *text, size_t size)
{
    if (s->service == VZ_NET_AZ) {
        snprintf(text, size, "in AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, nor in AZURE_STORAGE_CONNECTION_STRING");
        return;
    }
    if (s->service == VZ_NET_GS) {
        snprintf(text, size, "in GS_ACCESS_KEY_ID, GOOGLE_APPLICATION_CREDENTIALS, nor from %s",
                 vz_auth_settings_is_on(s, "NO_GCE_CHECK") ? "a metadata server (NO_GCE_CHECK is set)"
                                                           : "Google's metadata server");
        return;
    }
    snprintf(text, size, "%sin profile \"%.60s\" of %.80s and %.80s, in AWS_CONTAINER_CREDENTIALS_..._URI, nor from %s",
             s->profile_asked ? "" : "in AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE, ", s->profile,
             file_of(s, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
             file_of(s, "AWS_CONFIG_FILE", "~/.aws/config"),
             vz_auth_settings_is_on(s, "AWS_EC2_METADATA_DISABLED") ? "an instance (AWS_EC2_METADATA_DISABLED is set)"
                                                                    : "an instance's metadata");
}
