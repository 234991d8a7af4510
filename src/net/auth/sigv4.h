/* sigv4.h - AWS Signature Version 4 in the headers of a request, as S3 wants it: the path is taken as it is, and no
 * step of it is resolved. */
#ifndef VZ_AUTH_SIGV4_H
#define VZ_AUTH_SIGV4_H

#include "base/util/bytes.h"
#include <time.h>

#define VZ_SIGV4_UNSIGNED "UNSIGNED-PAYLOAD"

/* What is signed. `url` is whole and percent-encoded, as it will be sent; `headers` are lines "Name: value", among them
 * all x-amz-... that will be sent. Host is taken from the URL, without a port that is the scheme's own, unless it is
 * among the headers. */
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
/* The canonical request, which is hashed and signed, and the names of the headers in it (a;b;c). Headers that proxies
 * and curl make or change (Connection, User-Agent, Accept-Encoding ...) are left out. VZ_INVALID: a URL without a host,
 * or a header that is none. */
bool vz_sigv4_canonical(const vz_sigv4_request *request, vz_buffer *out, vz_buffer *signed_headers, vz_error *err);
/* Appends the value of the header Authorization, without a 0. */
bool vz_sigv4_authorize(const vz_sigv4_request *request, const vz_sigv4_scope *scope, vz_buffer *out, vz_error *err);

#endif
