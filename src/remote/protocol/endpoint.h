/* endpoint.h - where a store is: server, bucket, key prefix, account and options of its
 * requests. */
#ifndef VZ_PROTOCOL_ENDPOINT_H
#define VZ_PROTOCOL_ENDPOINT_H

#include "remote/protocol/service.h"
#include "store/store/store.h"
#include "base/util/options.h"
#include "base/os/thread.h"

/* -- Bucket facts -- shared by all stores of the process with one bucket at one endpoint. */
#define VZ_REGION_SIZE 64

typedef enum vz_site_fact { VZ_FACT_UNKNOWN, VZ_FACT_NO, VZ_FACT_YES } vz_site_fact;

typedef struct vz_site_facts {
    vz_os_mutex probing;             /* held while `conditions` is found out */
    vz_site_fact _Atomic conditions; /* does a PUT heed If-Match and If-None-Match? */
    vz_os_mutex lock;                /* of the members below */
    char region[VZ_REGION_SIZE];     /* of the bucket; "": unknown */
    struct vz_site_facts *next;
    char id[];
} vz_site_facts;

/* -- Endpoint -- */
typedef struct vz_site {
    vz_scheme scheme;
    const vz_service *service; /* NULL: a web server */
    char *bucket;              /* NULL: a web server */
    char *prefix;              /* of all keys, without a slash at its end: plain in a bucket,
                                * percent-encoded of http */
    bool is_with_slash;        /* of http: the prefix itself is asked for with one at its end */
    char *query;               /* of http: follows every key; "" */
    char *account;             /* of http: a header line that identifies the user; NULL: none */
    char *label;               /* what messages call the store */
    char *endpoint;            /* "https://host:port"; NULL: Amazon's, which depends on the
                                * region */
    bool is_virtual;           /* the bucket is a part of the host's name */
    const vz_net_functions *net;
    vz_net_options options;
    vz_net_account *owner; /* signs requests to a bucket; NULL: a web server */
    bool requester_pays;
    bool second_get; /* GETs may be hedged: vz_net_request.twice */
    vz_option_missing missing;
    vz_option_hosts hosts; /* addresses that may be connected to */
    vz_identity identity;
    vz_site_facts *facts; /* of a site with a bucket */
} vz_site;

/* Sends no request. `service`: vz_service_of the name's scheme. NULL with err set. */
vz_site *vz_site_open(const vz_remote_name *name, const vz_service *service, const vz_options *options, vz_error *err);
void vz_site_close(vz_site *site); /* NULL is fine */
static inline bool vz_site_has_bucket(const vz_site *site)
{
    return site->bucket != NULL;
}

/* Appends the whole key of a key relative to the prefix ("": the prefix itself), and a 0. */
bool vz_site_key(const vz_site *site, const char *key, vz_buffer *out, vz_error *err);

/* Appends the URL of a whole key ("": the bucket itself), and a 0. `query` may be NULL. */
bool vz_site_url(const vz_site *site, const char *whole_key, const char *query, vz_buffer *out, vz_error *err);

#endif
