/* settings.c - the environment and the files with profiles, read once. Messages name a variable or setting, and never
 * say what it holds. */
#include "net/settings.h"
#include "util/reach.h"
#include <stdio.h>
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
};
#define VARIABLE_COUNT (sizeof variables / sizeof *variables)

static bool copy_text(const char *text, char **copy, vz_error *err)
{
    if (!text || !*text)
        return true;
    *copy = strdup(text);
    return *copy || vz_fail_memory(err);
}

static bool take_environment(vz_net_settings *s, vz_error *err)
{
    s->environment = calloc(VARIABLE_COUNT, sizeof *s->environment);
    if (!s->environment)
        return vz_fail_memory(err);
    bool ok = true;
    for (size_t i = 0; i < VARIABLE_COUNT && ok; i++)
        ok = copy_text(getenv(variables[i]), &s->environment[i], err);
    return ok;
}

const char *vz_net_settings_get(const vz_net_settings *s, const char *variable)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i], variable) == 0)
            return s->environment[i];
    return NULL;
}

bool vz_net_settings_is_on(const vz_net_settings *s, const char *variable)
{
    static const char *const words[] = {"true", "yes", "on", "1"};
    const char *value = vz_net_settings_get(s, variable);
    for (size_t i = 0; value && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

const char *vz_net_settings_of(const vz_net_settings *s, const char *profile, const char *setting)
{
    const char *value = vz_profiles_get(s->profiles, VZ_SECTION_PROFILE, profile, setting);
    return value && *value ? value : NULL;
}

/* ---- the files ---- */

/* A path that a variable names, or one below the home directory; the caller's to free. NULL without err: none. */
static char *file_path(const vz_net_settings *s, const char *variable, const char *below_home, vz_error *err)
{
    const char *named = vz_net_settings_get(s, variable), *home = vz_net_settings_get(s, "HOME");
    char *path = NULL;
    const bool tilde = named && strncmp(named, "~/", 2) == 0;
    if (named && !tilde) {
        copy_text(named, &path, err);
        return path;
    }
    if (home && asprintf(&path, "%s/%s", home, tilde ? named + 2 : below_home) < 0) {
        path = NULL;
        vz_fail_memory(err);
    }
    return path;
}

static bool load_profiles(vz_net_settings *s, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *credentials = file_path(s, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", &failed);
    char *config = file_path(s, "AWS_CONFIG_FILE", ".aws/config", &failed);
    if (failed.class == VZ_OK)
        s->profiles = vz_profiles_load(credentials, config, &failed);
    free(credentials);
    free(config);
    if (!s->profiles)
        vz_error_set(err, failed.class, "%s", failed.text);
    return s->profiles;
}

static bool choose_profile(vz_net_settings *s, const char *option, vz_error *err)
{
    const char *named = option && *option ? option : vz_net_settings_get(s, "AWS_PROFILE");
    s->profile_asked = option && *option;
    s->profile_named = named != NULL;
    if (!copy_text(named ? named : "default", &s->profile, err) || !load_profiles(s, err))
        return false;
    if (s->profile_named && !vz_profiles_has(s->profiles, VZ_SECTION_PROFILE, s->profile) && !s->anonymous)
        return vz_fail(err, VZ_NOT_FOUND, "there is no profile \"%.100s\" (%s) in AWS's files", s->profile,
                       s->profile_asked ? "option profile" : "AWS_PROFILE");
    return true;
}

/* ---- region and endpoint ---- */

typedef struct candidate {
    const char *value, *name; /* where it stands, for messages */
} candidate;

/* The first that says something must be right. */
static bool take_first(const candidate *candidates, size_t count, bool (*is_valid)(const char *), char **out,
                       vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = candidates[i].value;
        if (!value || !*value)
            continue;
        return is_valid(value) ? copy_text(value, out, err)
                               : vz_fail(err, VZ_INVALID, "%s: not a value that it can have", candidates[i].name);
    }
    return true;
}

static bool choose_region(vz_net_settings *s, const char *option, vz_error *err)
{
    const bool gs = s->service == VZ_NET_GS;
    const candidate candidates[] = {
        {option, "option region"},
        {gs ? NULL : vz_net_settings_get(s, "AWS_REGION"), "AWS_REGION"},
        {gs ? NULL : vz_net_settings_get(s, "AWS_DEFAULT_REGION"), "AWS_DEFAULT_REGION"},
        {gs ? NULL : vz_net_settings_of(s, s->profile, "region"), "region of the profile"},
    };
    return take_first(candidates, sizeof candidates / sizeof *candidates, vz_region_valid, &s->region, err);
}

static bool choose_endpoint(vz_net_settings *s, const char *option, vz_error *err)
{
    const bool ignored = s->service == VZ_NET_GS || vz_net_settings_is_on(s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    const char *services = vz_net_settings_of(s, s->profile, "services");
    const candidate candidates[] = {
        {option, "option endpoint"},
        {ignored ? NULL : vz_net_settings_get(s, "AWS_ENDPOINT_URL_S3"), "AWS_ENDPOINT_URL_S3"},
        {ignored ? NULL : vz_net_settings_get(s, "AWS_ENDPOINT_URL"), "AWS_ENDPOINT_URL"},
        {ignored || !services ? NULL : vz_profiles_get(s->profiles, VZ_SECTION_SERVICES, services, "s3.endpoint_url"),
         "endpoint_url of the profile's services"},
        {ignored ? NULL : vz_net_settings_of(s, s->profile, "endpoint_url"), "endpoint_url of the profile"},
    };
    return take_first(candidates, sizeof candidates / sizeof *candidates, vz_endpoint_valid, &s->endpoint, err);
}

/* ---- whole ---- */

/* Each text with its length before it, so that no two lists make the same bytes. */
static bool add_text(vz_buffer *all, const char *text, vz_error *err)
{
    return vz_buffer_printf(all, err, "%zd:", text ? (ssize_t)strlen(text) : -1) &&
           vz_buffer_append(all, text ? text : "", text ? strlen(text) : 0, err);
}

static bool identify(vz_net_settings *s, vz_error *err)
{
    vz_buffer all = {0};
    size_t size = 4096;
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        size += s->environment[i] ? strlen(s->environment[i]) + 24 : 24;
    const uint8_t flags[] = {(uint8_t)s->service, s->anonymous, s->profile_asked};
    bool ok = vz_buffer_reserve(&all, size, err) && vz_buffer_append(&all, flags, sizeof flags, err) &&
              add_text(&all, s->profile, err) && add_text(&all, s->region, err) && add_text(&all, s->ca_bundle, err);
    for (size_t i = 0; i < VARIABLE_COUNT && ok; i++)
        ok = add_text(&all, s->environment[i], err);
    uint8_t hashes[VZ_SHA256_SIZE + VZ_PROFILES_IDENTITY_SIZE];
    ok = ok && vz_sha256((vz_bytes){all.data, all.size}, hashes, err);
    if (ok) {
        memcpy(hashes + VZ_SHA256_SIZE, vz_profiles_identity(s->profiles), VZ_PROFILES_IDENTITY_SIZE);
        ok = vz_sha256((vz_bytes){hashes, sizeof hashes}, s->identity, err);
    }
    vz_secret_clear(&all);
    return ok;
}

vz_net_settings *vz_net_settings_read(const vz_net_account_options *options, vz_error *err)
{
    vz_net_settings *s = calloc(1, sizeof *s);
    if (!s) {
        vz_fail_memory(err);
        return NULL;
    }
    s->service = options->service;
    bool ok = take_environment(s, err) && copy_text(options->ca_bundle, &s->ca_bundle, err);
    if (ok) {
        const char *unsigned_by = s->service == VZ_NET_GS ? "GS_NO_SIGN_REQUEST" : "AWS_NO_SIGN_REQUEST";
        s->anonymous = options->anonymous || vz_net_settings_is_on(s, unsigned_by);
        ok = choose_profile(s, options->profile, err) && choose_region(s, options->region, err) &&
             choose_endpoint(s, options->endpoint, err) && identify(s, err);
    }
    if (ok)
        return s;
    vz_net_settings_free(s);
    return NULL;
}

void vz_net_settings_free(vz_net_settings *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->environment && i < VARIABLE_COUNT; i++)
        vz_secret_free(s->environment[i]);
    free(s->environment);
    vz_profiles_free(s->profiles);
    free(s->profile);
    free(s->region);
    free(s->endpoint);
    free(s->ca_bundle);
    free(s);
}
