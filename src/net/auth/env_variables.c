/* env_variables.c - the variables of the environment that settings are made of, read once. */
#include "net/auth/settings_internal.h"
#include "base/os/process.h"
#include <stdlib.h>
#include <strings.h>

static const char *const variables[] = {
    "HOME",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL_STS",
    "AWS_ENDPOINT_URL_SSO",
    "AWS_ENDPOINT_URL_SSO_OIDC",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_NO_SIGN_REQUEST",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
    "AWS_METADATA_SERVICE_TIMEOUT",
    "GS_ACCESS_KEY_ID",
    "GS_SECRET_ACCESS_KEY",
    "GS_NO_SIGN_REQUEST",
    "GCE_METADATA_HOST",
    "NO_GCE_CHECK",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_STORAGE_SERVICE_ENDPOINT",
    "AZURE_STORAGE_ANON",
};
#define VARIABLE_COUNT (sizeof variables / sizeof *variables)
const size_t vz_auth_variable_count = VARIABLE_COUNT;

bool vz_auth_settings_copy(const char *text, char **copy, vz_error *err)
{
    if (!text || !*text)
        return true;
    char *own = strdup(text);
    if (!own)
        return vz_fail_memory(err);
    vz_secret_free(*copy);
    *copy = own;
    return true;
}

bool vz_auth_settings_take_environment(vz_auth_settings *s, vz_error *err)
{
    s->environment = calloc(VARIABLE_COUNT, sizeof *s->environment);
    if (!s->environment)
        return vz_fail_memory(err);
    bool ok = true;
    for (size_t i = 0; i < VARIABLE_COUNT && ok; i++)
        ok = vz_auth_settings_copy(vz_os_environment(variables[i]), &s->environment[i], err);
    return ok;
}

const char *vz_auth_settings_get(const vz_auth_settings *s, const char *variable)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i], variable) == 0)
            return s->environment[i];
    return NULL;
}

bool vz_auth_settings_is_on(const vz_auth_settings *s, const char *variable)
{
    static const char *const words[] = {"true", "yes", "on", "1"};
    const char *value = vz_auth_settings_get(s, variable);
    for (size_t i = 0; value && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

void vz_auth_settings_free_environment(vz_auth_settings *s)
{
    for (size_t i = 0; s->environment && i < VARIABLE_COUNT; i++)
        vz_secret_free(s->environment[i]);
    free(s->environment);
    s->environment = NULL;
}
