/* settings.c - the environment and the files with profiles, read once. Messages name a variable or
 * setting, and never say what it holds. */
#include "net/auth/settings_internal.h"
#include "base/util/name_policy.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

const char *vz_auth_settings_of(const vz_auth_settings *s, const char *profile, const char *setting)
{
    const char *value = vz_profiles_get(s->profiles, VZ_SECTION_PROFILE, profile, setting);
    return value && *value ? value : NULL;
}

/* ---- the files ---- */

/* A path that a variable names, or one below the home directory; the caller's to free. NULL without
 * err: none. */
static char *file_path(const vz_auth_settings *s, const char *variable, const char *below_home, vz_error *err)
{
    const char *named = vz_auth_settings_get(s, variable), *home = vz_auth_settings_get(s, "HOME");
    char *path = NULL;
    const bool tilde = named && strncmp(named, "~/", 2) == 0;
    if (named && !tilde) {
        vz_auth_settings_copy(named, &path, err);
        return path;
    }
    if (home && asprintf(&path, "%s/%s", home, tilde ? named + 2 : below_home) < 0) {
        path = NULL;
        vz_fail_memory(err);
    }
    return path;
}

static bool load_profiles(vz_auth_settings *s, vz_error *err)
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

static bool choose_profile(vz_auth_settings *s, const char *option, vz_error *err)
{
    const char *named = option && *option ? option : vz_auth_settings_get(s, "AWS_PROFILE");
    s->profile_asked = option && *option;
    s->profile_named = named != NULL;
    if (!vz_auth_settings_copy(named ? named : "default", &s->profile, err) || !load_profiles(s, err))
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
        return is_valid(value) ? vz_auth_settings_copy(value, out, err)
                               : vz_fail(err, VZ_INVALID, "%s: not a value that it can have", candidates[i].name);
    }
    return true;
}

static bool choose_region(vz_auth_settings *s, const char *option, vz_error *err)
{
    const bool gs = s->service == VZ_NET_GS;
    const candidate candidates[] = {
        {option, "option region"},
        {gs ? NULL : vz_auth_settings_get(s, "AWS_REGION"), "AWS_REGION"},
        {gs ? NULL : vz_auth_settings_get(s, "AWS_DEFAULT_REGION"), "AWS_DEFAULT_REGION"},
        {gs ? NULL : vz_auth_settings_of(s, s->profile, "region"), "region of the profile"},
    };
    return take_first(candidates, sizeof candidates / sizeof *candidates, vz_endpoint_region_valid, &s->region, err);
}

static bool choose_endpoint(vz_auth_settings *s, const char *option, vz_error *err)
{
    const bool ignored = s->service == VZ_NET_GS || vz_auth_settings_is_on(s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    const char *services = vz_auth_settings_of(s, s->profile, "services");
    const candidate candidates[] = {
        {option, "option endpoint"},
        {ignored ? NULL : vz_auth_settings_get(s, "AWS_ENDPOINT_URL_S3"), "AWS_ENDPOINT_URL_S3"},
        {ignored ? NULL : vz_auth_settings_get(s, "AWS_ENDPOINT_URL"), "AWS_ENDPOINT_URL"},
        {ignored || !services ? NULL : vz_profiles_get(s->profiles, VZ_SECTION_SERVICES, services, "s3.endpoint_url"),
         "endpoint_url of the profile's services"},
        {ignored ? NULL : vz_auth_settings_of(s, s->profile, "endpoint_url"), "endpoint_url of the profile"},
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

static bool identify(vz_auth_settings *s, vz_error *err)
{
    vz_buffer all = {0};
    size_t size = 4096;
    for (size_t i = 0; i < vz_auth_variable_count; i++)
        size += s->environment[i] ? strlen(s->environment[i]) + 24 : 24;
    const uint8_t flags[] = {(uint8_t)s->service, s->anonymous, s->profile_asked};
    bool ok = vz_buffer_reserve(&all, size, err) && vz_buffer_append(&all, flags, sizeof flags, err) &&
              add_text(&all, s->profile, err) && add_text(&all, s->region, err) && add_text(&all, s->ca_bundle, err) &&
              add_text(&all, s->account, err);
    for (size_t i = 0; i < vz_auth_variable_count && ok; i++)
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

/* Google's buckets have the options alone. */
static bool take_amazon(vz_auth_settings *s, const vz_net_account_options *options, vz_error *err)
{
    return choose_profile(s, options->profile, err) && choose_region(s, options->region, err) &&
           choose_endpoint(s, options->endpoint, err);
}

/* AWS's files are none of its business. */
static bool take_azure(vz_auth_settings *s, const vz_net_account_options *options, vz_error *err)
{
    s->profiles = vz_profiles_load(NULL, NULL, err);
    return s->profiles && vz_auth_settings_take_azure(s, options, err);
}

vz_auth_settings *vz_auth_settings_read(const vz_net_account_options *options, vz_error *err)
{
    vz_auth_settings *s = calloc(1, sizeof *s);
    if (!s) {
        vz_fail_memory(err);
        return NULL;
    }
    s->service = options->service;
    bool ok =
        vz_auth_settings_take_environment(s, err) && vz_auth_settings_copy(options->ca_bundle, &s->ca_bundle, err);
    if (ok) {
        static const char *const unsigned_by[] = {
            [VZ_NET_S3] = "AWS_NO_SIGN_REQUEST",
            [VZ_NET_GS] = "GS_NO_SIGN_REQUEST",
            [VZ_NET_AZ] = "AZURE_STORAGE_ANON",
        };
        s->anonymous = options->anonymous || vz_auth_settings_is_on(s, unsigned_by[s->service]);
        ok = (s->service == VZ_NET_AZ ? take_azure(s, options, err) : take_amazon(s, options, err)) && identify(s, err);
    }
    if (ok)
        return s;
    vz_auth_settings_free(s);
    return NULL;
}

void vz_auth_settings_free(vz_auth_settings *s)
{
    if (!s)
        return;
    vz_auth_settings_free_environment(s);
    vz_profiles_free(s->profiles);
    free(s->profile);
    free(s->account);
    vz_secret_free(s->account_key);
    vz_secret_free(s->sas);
    free(s->region);
    free(s->endpoint);
    free(s->ca_bundle);
    free(s);
}
