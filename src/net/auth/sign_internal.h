/* sign_internal.h - signatures: Azure's Shared Key, AWS Signature Version 4. */
#ifndef VZ_AUTH_SIGN_INTERNAL_H
#define VZ_AUTH_SIGN_INTERNAL_H

#include "base/util/bytes.h"
#include <time.h>

/* -- Azure Shared Key -- signatures with an account's key, for versions of Azure's storage from
 * 2015-02-21 on. */
typedef struct vz_auth_shared_key_request {
    const char *method, *url;
    const char *const *headers; /* "Name: value": all that are sent, with x-ms-date; without
                                 * Content-Length */
    size_t header_count;
    size_t body_size; /* bytes */
} vz_auth_shared_key_request;

/* Appends the text that is signed, without a 0. VZ_INVALID: a URL or header that cannot be
 * signed. */
bool vz_auth_shared_key_text(const vz_auth_shared_key_request *request, const char *account, vz_buffer *out,
                             vz_error *err);
/* Appends the value of the header Authorization, without a 0. The key is in base64. */
bool vz_auth_shared_key_authorize(const vz_auth_shared_key_request *request, const char *account, const char *key,
                                  vz_buffer *out, vz_error *err);

/* -- AWS Signature Version 4 -- in the headers of a request, in S3's form: no step of the path is
 * resolved. */
#define VZ_SIGV4_UNSIGNED "UNSIGNED-PAYLOAD"

/* A request to sign. `url` is whole and percent-encoded, as it will be sent; `headers` are lines
 * "Name: value", among them all x-amz-... that will be sent. Host is taken from the URL, without a
 * port that is the scheme's own, unless it is among the headers. */
typedef struct vz_sigv4_request {
    const char *method, *url;
    const char *const *headers;
    size_t header_count;
    const char *payload; /* hexadecimal SHA-256 of the body, or VZ_SIGV4_UNSIGNED */
} vz_sigv4_request;

typedef struct vz_sigv4_scope {
    const char *access_key, *secret_key, *region, *service;
    char time[17]; /* 20150830T123600Z, as x-amz-date says it */
} vz_sigv4_scope;

/* The time as x-amz-date has it. */
void vz_sigv4_time(time_t now, char out[17]);
/* The canonical request, which is hashed and signed, and the names of the headers in it (a;b;c).
 * Headers that proxies and curl make or change (Connection, User-Agent, Accept-Encoding ...) are
 * left out. VZ_INVALID: a URL without a host, or a header that is none. */
bool vz_sigv4_canonical(const vz_sigv4_request *request, vz_buffer *out, vz_buffer *signed_headers, vz_error *err);
/* Appends the value of the header Authorization, without a 0. */
bool vz_sigv4_authorize(const vz_sigv4_request *request, const vz_sigv4_scope *scope, vz_buffer *out, vz_error *err);

/* -- Canonical requests -- for sigv4*.c and azure_shared_key.c alone. */
/* The parts of a URL; they lie in its text. */
typedef struct vz_auth_url_parts {
    bool secure;
    vz_bytes host; /* with a port, if there is one */
    vz_bytes path; /* may be empty */
    vz_bytes query;
} vz_auth_url_parts;

bool vz_auth_url_split(const char *url, vz_auth_url_parts *parts);
/* Appends bytes percent-encoded but for letters, digits and -._~, and for slashes where they may
 * stay. Text that is encoded already is decoded first, so that it is encoded once, in the form that
 * servers make of it. */
bool vz_sigv4_encode(vz_bytes text, bool keep_slashes, bool plus_is_blank, vz_buffer *out, vz_error *err);
/* Appends the bytes without percent-encoding; "+" is itself. */
bool vz_sigv4_decode(vz_bytes text, vz_buffer *out, vz_error *err);
/* Appends the parameters, in the order of their names and values as they are encoded. */
bool vz_sigv4_query(vz_bytes query, vz_buffer *out, vz_error *err);
/* Appends the lines "name:value\n", in the order of the names; `names` receives a;b;c. */
bool vz_sigv4_headers(const vz_sigv4_request *request, const vz_auth_url_parts *url, vz_buffer *out, vz_buffer *names,
                      vz_error *err);

#endif
