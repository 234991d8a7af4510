/* settings.c - see settings.h. The engine's accounts know the settings of Amazon's and Google's own programs. */
#include "remote/settings.h"
#include <stdlib.h>

#define REGION        "us-east-1" /* where nobody says one: other servers do not mind, and Amazon's tell the right one */
#define GOOGLE_REGION "auto"

bool vz_settings_endpoint(vz_scheme scheme, const vz_options *options, char **endpoint, vz_error *err)
{
    const vz_net_functions *net = vz_remote_net(err);
    const vz_net_account_options asked = {
        .service = scheme == VZ_SCHEME_GS ? VZ_NET_GS : VZ_NET_S3,
        .endpoint = options->endpoint,
        .profile = options->profile,
    };
    vz_net_account *account = net ? net->account_open(&asked, err) : NULL;
    if (!account)
        return false;
    const char *said = net->account_endpoint(account);
    *endpoint = said ? strdup(said) : NULL;
    net->account_close(account);
    return !said || *endpoint || vz_fail_memory(err);
}

bool vz_settings_of(vz_site *site, const vz_options *options, char **endpoint, char **region, vz_error *err)
{
    const bool is_google = site->scheme == VZ_SCHEME_GS;
    const vz_net_account_options asked = {
        .service = is_google ? VZ_NET_GS : VZ_NET_S3,
        .endpoint = options->endpoint,
        .region = options->region,
        .profile = options->profile,
        .ca_bundle = options->ca_bundle,
        .anonymous = options->anonymous,
    };
    if (!(site->owner = site->net->account_open(&asked, err)))
        return false;
    const char *said = site->net->account_endpoint(site->owner), *where = site->net->account_region(site->owner);
    *endpoint = strdup(said ? said : "");
    *region = strdup(where ? where : is_google ? GOOGLE_REGION : REGION);
    return (*endpoint && *region) || vz_fail_memory(err);
}

vz_net_signer *vz_settings_signer(vz_site *site, const char *region, vz_error *err)
{
    return site->net->account_signer(site->owner, region, err);
}

void vz_settings_close(vz_site *site)
{
    if (site->owner)
        site->net->account_close(site->owner);
}
