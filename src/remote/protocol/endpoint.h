/* endpoint.h - where a store is: the server, how it is asked, and whose requests they are. */
#ifndef VZ_PROTOCOL_ENDPOINT_H
#define VZ_PROTOCOL_ENDPOINT_H

#include "remote/protocol/remote_internal.h"
#include "remote/protocol/service.h"
#include "store/store/store.h"
#include "base/util/options.h"

typedef struct vz_site {
    vz_scheme scheme;
    const vz_service *service; /* NULL: there are no buckets */
    char *bucket;              /* NULL: there are none */
    char *prefix;    /* of all keys, without a slash at its end: in a bucket as it is, of http percent-encoded */
    char *query;     /* of http: behind every key; "" */
    char *account;   /* of http: a header line by which the server knows the user; NULL: none */
    char *label;     /* what messages call the store */
    char *endpoint;  /* "https://host:port"; NULL: Amazon's, which goes by the region */
    bool is_virtual; /* the bucket is a part of the host's name */
    const vz_net_functions *net;
    vz_net_options options;
    vz_net_account *owner; /* whose requests to a bucket they are; NULL: there is no bucket */
    bool requester_pays;
    bool second_get; /* values whose answers are late are asked for once more */
    vz_missing missing;
    vz_hosts hosts; /* which addresses it may be asked at */
    vz_identity identity;
    vz_known *known; /* of a site with a bucket */
} vz_site;

/* Without asking anybody. `service`: vz_service_of the name's scheme. NULL with err set. */
vz_site *vz_site_open(const vz_remote_name *name, const vz_service *service, const vz_options *options, vz_error *err);
void vz_site_close(vz_site *site); /* NULL is fine */
static inline bool vz_site_has_bucket(const vz_site *site)
{
    return site->bucket != NULL;
}

/* The whole key of one that counts from the prefix ("": the prefix itself), appended with a 0 behind it. */
bool vz_site_key(const vz_site *site, const char *key, vz_buffer *out, vz_error *err);

/* Where a whole key ("": the bucket itself) is asked for, with a 0 behind it; `query` may be NULL. */
bool vz_site_url(const vz_site *site, const char *whole_key, const char *query, vz_buffer *out, vz_error *err);

#endif
