/* digest.c - hashes by libcrypto, and memory that held secrets. */
#include "net/http/http.h"
#include "base/util/c_library.h"
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

static bool digest(const EVP_MD *kind, const char *name, vz_bytes data, uint8_t *out, vz_error *err)
{
    static const uint8_t nothing;
    if (kind && EVP_Digest(data.size ? data.data : &nothing, data.size, out, NULL, kind, NULL) == 1)
        return true;
    return vz_fail(err, VZ_UNSUPPORTED, "%s: the cryptographic library refuses it", name);
}

bool vz_sha256(vz_bytes data, uint8_t out[VZ_SHA256_SIZE], vz_error *err)
{
    return digest(EVP_sha256(), "SHA-256", data, out, err);
}

bool vz_sha256_hex(vz_bytes data, char out[VZ_SHA256_HEX_SIZE], vz_error *err)
{
    uint8_t hash[VZ_SHA256_SIZE];
    if (!vz_sha256(data, hash, err))
        return false;
    vz_hex(hash, sizeof hash, out);
    return true;
}

bool vz_hmac_sha256(vz_bytes key, vz_bytes data, uint8_t out[VZ_SHA256_SIZE], vz_error *err)
{
    static const uint8_t nothing;
    unsigned size = VZ_SHA256_SIZE;
    if (key.size <= INT32_MAX && HMAC(EVP_sha256(), key.size ? key.data : &nothing, (int)key.size,
                                      data.size ? data.data : &nothing, data.size, out, &size))
        return true;
    return vz_fail(err, VZ_UNSUPPORTED, "HMAC: the cryptographic library refuses it");
}

bool vz_sha1_hex(vz_bytes data, char out[41], vz_error *err)
{
    uint8_t hash[20];
    if (!digest(EVP_sha1(), "SHA-1", data, hash, err))
        return false;
    vz_hex(hash, sizeof hash, out);
    return true;
}

bool vz_md5(vz_bytes data, uint8_t out[16], vz_error *err)
{
    return digest(EVP_md5(), "MD5", data, out, err);
}

void vz_hex(const uint8_t *data, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *out++ = digits[data[i] >> 4];
        *out++ = digits[data[i] & 15];
    }
    *out = '\0';
}

void vz_secret_free(char *secret)
{
    if (secret)
        vz_wipe(secret, strlen(secret));
    free(secret);
}

void vz_secret_clear(vz_buffer *buffer)
{
    if (buffer->data)
        vz_wipe(buffer->data, buffer->capacity);
    vz_buffer_clear(buffer);
}
