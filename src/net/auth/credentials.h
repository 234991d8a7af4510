/* credentials.h - credentials, and what answers and files say of them. */
#ifndef VZ_AUTH_CREDENTIALS_H
#define VZ_AUTH_CREDENTIALS_H

#include "base/util/bytes.h"

#define VZ_NET_KEYS_SOURCE_SIZE 160

/* Zero-initialised: none. Texts are owned. */
typedef struct vz_net_keys {
    char *access_key, *secret_key;
    char *token;                          /* of a session; NULL: there is none */
    char *query;                          /* in the place of all others: goes behind every URL (Azure's SAS) */
    char *bearer;                         /* in the place of the two keys: sent as it is, so over https alone */
    int64_t expires;                      /* seconds since 1970; 0: never */
    char source[VZ_NET_KEYS_SOURCE_SIZE]; /* where they come from, for people */
} vz_net_keys;

void vz_net_keys_clear(vz_net_keys *keys); /* overwrites and frees */
/* Copies of texts, `token` may be NULL or empty. VZ_INVALID when one is no token fit for a header; `who` is for that
 * message. */
bool vz_net_keys_set(vz_net_keys *keys, const char *access_key, const char *secret_key, const char *token,
                     const char *who, vz_error *err);

/* The names that an answer in JSON uses. */
typedef struct vz_net_keys_names {
    const char *inside; /* the member in which the others stand; NULL: the document itself */
    const char *access_key, *secret_key, *token, *expires;
    bool milliseconds; /* the time is a number of them, else text */
} vz_net_keys_names;

/* Keys from a document of `who` (for messages, which never repeat what it says). VZ_CORRUPT: it is no such document;
 * VZ_PERMISSION: the keys have expired already. */
bool vz_net_keys_from_json(vz_bytes text, const vz_net_keys_names *names, const char *who, vz_net_keys *keys,
                           vz_error *err);
/* Likewise from an answer of AWS's STS. */
bool vz_net_keys_from_xml(vz_bytes text, const char *who, vz_net_keys *keys, vz_error *err);
/* A token from an answer of Google's, which lasts so many seconds from now on. */
bool vz_net_keys_take_bearer(vz_bytes text, const char *who, vz_net_keys *keys, vz_error *err);
/* The text of the first element of that name, of at most `size` - 1 bytes; false: there is none, or it is longer. */
bool vz_xml_text(vz_bytes xml, const char *name, char *out, size_t size);

/* A time as ISO 8601 and AWS write it: 2026-11-23T13:45:00Z, with a fraction, with +00:00 or UTC in the place of Z.
 * False: it is none. Seconds since 1970. */
bool vz_time_parse(const char *text, int64_t *out);

#endif
