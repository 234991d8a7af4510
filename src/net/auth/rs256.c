/* rs256.c - RSA signatures over SHA-256 (PKCS #1 v1.5), which Google's accounts sign with. */
#include "net/http/http.h"
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

/* No passphrase is asked for on the terminal. */
static int no_passphrase(char *text, int size, int is_new, void *context)
{
    (void)text, (void)size, (void)is_new, (void)context;
    return -1;
}

static bool sign(EVP_PKEY *key, vz_bytes data, vz_buffer *out, vz_error *err)
{
    size_t size = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool ok = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
              EVP_DigestSign(context, NULL, &size, data.data, data.size) == 1;
    if (ok && !vz_buffer_reserve(out, out->size + size, err)) {
        EVP_MD_CTX_free(context);
        return false;
    }
    ok = ok && EVP_DigestSign(context, out->data + out->size, &size, data.data, data.size) == 1;
    EVP_MD_CTX_free(context);
    out->size += ok ? size : 0;
    return ok || vz_fail(err, VZ_UNSUPPORTED, "the library does not sign with that key");
}

bool vz_rs256(vz_bytes pem, vz_bytes data, vz_buffer *out, vz_error *err)
{
    BIO *text = pem.size <= INT32_MAX ? BIO_new_mem_buf(pem.data, (int)pem.size) : NULL;
    EVP_PKEY *key = text ? PEM_read_bio_PrivateKey(text, NULL, no_passphrase, NULL) : NULL;
    const bool ok = key && EVP_PKEY_base_id(key) == EVP_PKEY_RSA
                        ? sign(key, data, out, err)
                        : vz_fail(err, VZ_INVALID, "the private key is no RSA key");
    EVP_PKEY_free(key);
    BIO_free(text);
    return ok;
}
