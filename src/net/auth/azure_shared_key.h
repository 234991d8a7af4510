/* azure_shared_key.h - signatures of Azure's storage with an account's key (the scheme "Shared Key" of its versions from
 * 2015-02-21 on). */
#ifndef VZ_AUTH_AZURE_SHARED_KEY_H
#define VZ_AUTH_AZURE_SHARED_KEY_H

#include "base/util/bytes.h"

typedef struct vz_shared_key_request {
    const char *method, *url;
    const char *const *headers; /* "Name: value": all that are sent, with x-ms-date; without Content-Length */
    size_t header_count;
    size_t body_size; /* bytes */
} vz_shared_key_request;

/* Appends the text that is signed, without a 0. VZ_INVALID: a URL or header that cannot be signed. */
bool vz_shared_key_text(const vz_shared_key_request *request, const char *account, vz_buffer *out, vz_error *err);
/* Appends the value of the header Authorization, without a 0. The key is in base64. */
bool vz_shared_key_authorize(const vz_shared_key_request *request, const char *account, const char *key, vz_buffer *out,
                             vz_error *err);

#endif
