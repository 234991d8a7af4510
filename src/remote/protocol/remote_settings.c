/* remote_settings.c - see remote.h. The engine's accounts know the settings of Amazon's, Google's
 * and Azure's own programs. */
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/remote.h"
#include <stdlib.h>

bool vz_settings_endpoint(const vz_service *service, const vz_options *options, char **endpoint, vz_error *err)
{
    const vz_net_functions *net = vz_remote_net(err);
    const vz_net_account_options asked = {
        .service = service->net,
        .endpoint = options->endpoint,
        .profile = options->profile,
        .account = options->account,
    };
    vz_net_account *account = net ? net->account_open(&asked, err) : NULL;
    *endpoint = NULL;
    if (!account && service->net == VZ_NET_AZ && net && (!err || err->class == VZ_INVALID)) {
        *err = VZ_ERROR_NONE; /* nobody says an account: there is no endpoint of the user's */
        return true;
    }
    if (!account)
        return false;
    const char *said = net->account_endpoint(account);
    *endpoint = said ? strdup(said) : NULL;
    net->account_close(account);
    return !said || *endpoint || vz_fail_memory(err);
}

bool vz_settings_of(vz_site *site, const char *named, const vz_options *options, char **endpoint, char **region,
                    vz_error *err)
{
    const vz_net_account_options asked = {
        .service = site->service->net,
        .endpoint = options->endpoint,
        .region = options->region,
        .profile = options->profile,
        .account = options->account,
        .named = named,
        .ca_bundle = options->ca_bundle,
        .anonymous = options->anonymous,
    };
    if (!(site->owner = site->net->account_open(&asked, err)))
        return false;
    const char *said = site->net->account_endpoint(site->owner), *where = site->net->account_region(site->owner);
    *endpoint = strdup(said ? said : "");
    *region = strdup(where ? where : site->service->region);
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
