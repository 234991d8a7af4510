/* digest.h - hashes, by the EVP interface that OpenSSL and AWS-LC share, and memory that held secrets. */
#ifndef VZ_HTTP_DIGEST_H
#define VZ_HTTP_DIGEST_H

#include "base/util/bytes.h"

#define VZ_SHA256_SIZE     32
#define VZ_SHA256_HEX_SIZE 65 /* with the 0 at its end */

/* False with err set when the library has no such hash (VZ_UNSUPPORTED: a FIPS mode refuses MD5) or no memory. */
bool vz_sha256(vz_bytes data, uint8_t out[VZ_SHA256_SIZE], vz_error *err);
bool vz_sha256_hex(vz_bytes data, char out[VZ_SHA256_HEX_SIZE], vz_error *err);
bool vz_hmac_sha256(vz_bytes key, vz_bytes data, uint8_t out[VZ_SHA256_SIZE], vz_error *err);
bool vz_sha1_hex(vz_bytes data, char out[41], vz_error *err);
/* Content-MD5, which some servers want with lists of keys to delete. */
bool vz_md5(vz_bytes data, uint8_t out[16], vz_error *err);

/* Appends the signature of a private key (PEM) over data: RSA, SHA-256, PKCS #1 v1.5. VZ_INVALID: no such key. rs256.c
 */
bool vz_rs256(vz_bytes pem, vz_bytes data, vz_buffer *out, vz_error *err);

/* Lower-case hexadecimal digits, and a 0. */
void vz_hex(const uint8_t *data, size_t size, char *out);

static inline vz_bytes vz_bytes_of(const char *text)
{
    return (vz_bytes){(const uint8_t *)text, strlen(text)};
}

/* Overwrites a secret, then frees it; NULL is fine. */
void vz_secret_free(char *secret);
/* The same for a buffer: what it grew out of on the way is not reached, so give it its room before. */
void vz_secret_clear(vz_buffer *buffer);

#endif
