/* remote_settings.h - whose requests they are, and what options, environment and profiles say of a site with a bucket. */
#ifndef VZ_PROTOCOL_REMOTE_SETTINGS_H
#define VZ_PROTOCOL_REMOTE_SETTINGS_H

#include "remote/protocol/endpoint.h"

/* Opens site->owner, and takes from it the endpoint ("": the service's own) and the region where they are said. named:
 * the account, or its host, that the store's name says; NULL: none. */
bool vz_settings_of(vz_site *site, const char *named, const vz_options *options, char **endpoint, char **region,
                    vz_error *err);
/* The signer of requests to that region, which the account keeps. NULL with err set. */
vz_net_signer *vz_settings_signer(vz_site *site, const char *region, vz_error *err);
void vz_settings_close(vz_site *site);

/* The endpoint that those options and the user's settings lead to; *endpoint is the caller's, NULL: the service's own.
 */
bool vz_settings_endpoint(const vz_service *service, const vz_options *options, char **endpoint, vz_error *err);

#endif
