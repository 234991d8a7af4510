/* settings.c - see settings.h. */
#include "remote/settings.h"
#include <stdio.h>
#include <stdlib.h>

static const char *first_of(const char *option, const char *const *names, size_t count)
{
    const char *value = option;
    for (size_t i = 0; !*value && i < count; i++) {
        value = getenv(names[i]);
        value = value ? value : "";
    }
    return value;
}

bool vz_settings_of(const vz_site *site, const vz_options *options, vz_settings *settings, vz_error *err)
{
    static const char *const endpoints[] = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"};
    static const char *const regions[] = {"AWS_REGION", "AWS_DEFAULT_REGION"};
    const bool is_google = site->scheme == VZ_SCHEME_GS;
    const char *endpoint = first_of(options->endpoint, endpoints, is_google ? 0 : 2);
    const char *region = first_of(options->region, regions, is_google ? 0 : 2);
    if (!*region)
        region = is_google ? "auto" : "us-east-1";
    if (*endpoint && !vz_endpoint_valid(endpoint))
        return vz_fail(err, VZ_INVALID, "an endpoint that is none: http(s)://host[:port] is wanted");
    if (!vz_region_valid(region))
        return vz_fail(err, VZ_INVALID, "a region with a name that none can have");
    snprintf(settings->endpoint, sizeof settings->endpoint, "%s", endpoint);
    snprintf(settings->region, sizeof settings->region, "%s", region);
    return true;
}

bool vz_settings_signer(vz_site *site, const vz_options *options, const vz_settings *settings, vz_error *err)
{
    (void)site, (void)options, (void)settings, (void)err;
    return true;
}

void vz_settings_close_signer(vz_site *site)
{
    (void)site;
}
