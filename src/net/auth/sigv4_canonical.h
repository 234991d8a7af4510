/* sigv4_canonical.h - the parts of a canonical request, for sigv4*.c and azure_shared_key.c alone. */
#ifndef VZ_AUTH_SIGV4_CANONICAL_H
#define VZ_AUTH_SIGV4_CANONICAL_H

#include "net/auth/sigv4.h"

/* The parts of a URL; they lie in its text. */
typedef struct vz_url_parts {
    bool secure;
    vz_bytes host; /* with a port, if there is one */
    vz_bytes path; /* may be empty */
    vz_bytes query;
} vz_url_parts;

bool vz_url_split(const char *url, vz_url_parts *parts);
/* Appends bytes percent-encoded but for letters, digits and -._~, and for slashes where they may stay. What is encoded
 * already is decoded before, so that it is encoded once, in the form that servers make of it. */
bool vz_sigv4_encode(vz_bytes text, bool keep_slashes, bool plus_is_blank, vz_buffer *out, vz_error *err);
/* Appends the bytes without percent-encoding; "+" is itself. */
bool vz_sigv4_decode(vz_bytes text, vz_buffer *out, vz_error *err);
/* Appends the parameters, in the order of their names and values as they are encoded. */
bool vz_sigv4_query(vz_bytes query, vz_buffer *out, vz_error *err);
/* Appends the lines "name:value\n", in the order of the names; `names` receives a;b;c. */
bool vz_sigv4_headers(const vz_sigv4_request *request, const vz_url_parts *url, vz_buffer *out, vz_buffer *names,
                      vz_error *err);

#endif
