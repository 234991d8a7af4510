/* endpoint_internal.h - the part of endpoint.h that only this module uses. */
#ifndef VZ_PROTOCOL_ENDPOINT_INTERNAL_H
#define VZ_PROTOCOL_ENDPOINT_INTERNAL_H

#include "remote/protocol/endpoint.h"

/* Who signs requests to the bucket, where it is as far as known. NULL with err set. */
vz_net_signer *vz_site_signer(vz_site *site, vz_error *err);

/* The server says that the bucket is in that region: true if that was not known, and a request that failed for it may
 * succeed now. */
bool vz_site_learn_region(vz_site *site, const char *region);

#endif
