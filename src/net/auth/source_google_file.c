/* source_google_file.c - the file that GOOGLE_APPLICATION_CREDENTIALS names: of a service account,
 * whose key signs for a token, or of a user (`gcloud auth application-default login`), whose
 * refresh token gives one. */
#include "net/auth/settings_internal.h"
#include "net/auth/auth_internal.h"
#include "base/util/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define VARIABLE   "GOOGLE_APPLICATION_CREDENTIALS"
#define WHO        "Google's token service"
#define TOKEN_URI  "https://oauth2.googleapis.com/token"
#define SCOPE      "https://www.googleapis.com/auth/devstorage.read_write"
#define FILE_MAX   65536
#define BODY_MAX   32768
#define TIMEOUT_MS 10000
#define ATTEMPTS   3
#define LASTS_S    3600 /* of what a service account signs; Google allows no more */

/* Empty text counts as missing. */
static const char *text_of(const vz_json *document, const char *name)
{
    const char *text = vz_json_get_text(document, name);
    return text && *text ? text : NULL;
}

/* Secrets go over https alone, but to this machine. */
static bool is_fit(const char *uri)
{
    return strlen(uri) < 1000 && (strncmp(uri, "https://", 8) == 0 || strncmp(uri, "http://127.0.0.1:", 17) == 0) &&
           vz_auth_is_token(uri);
}

/* ---- what is sent for a token ---- */

static bool print_user(const vz_json *file, vz_buffer *body, vz_error *err)
{
    static const char *const names[] = {"client_id", "client_secret", "refresh_token"};
    bool ok = vz_auth_form_add(body, "grant_type", "refresh_token", err);
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        const char *value = text_of(file, names[i]);
        ok = value ? vz_auth_form_add(body, names[i], value, err)
                   : vz_fail(err, VZ_INVALID, VARIABLE ": no \"%s\"", names[i]);
    }
    return ok;
}

/* As JWTs have it: other signs for two, and none at the end. */
static bool add_base64(vz_buffer *out, vz_bytes data, vz_error *err)
{
    char *text = vz_base64_encode(data.data, data.size, err);
    if (!text)
        return false;
    for (char *p = text; *p; p++)
        *p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
    const bool ok = vz_buffer_append(out, text, strcspn(text, "="), err);
    free(text);
    return ok;
}

static bool add_json(vz_buffer *out, const vz_json *document, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok = vz_json_print(document, 0, &text, err) && add_base64(out, (vz_bytes){text.data, text.size}, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool add_claims(vz_buffer *out, const char *account, const char *key_id, const char *uri, vz_error *err)
{
    const int64_t now = (int64_t)time(NULL);
    vz_json *header = vz_json_object(err), *claims = vz_json_object(err);
    const bool ok =
        header && claims && vz_json_set_text(header, "alg", "RS256", err) &&
        vz_json_set_text(header, "typ", "JWT", err) && (!key_id || vz_json_set_text(header, "kid", key_id, err)) &&
        vz_json_set_text(claims, "iss", account, err) && vz_json_set_text(claims, "scope", SCOPE, err) &&
        vz_json_set_text(claims, "aud", uri, err) && vz_json_set(claims, "iat", vz_json_int64(now, err), err) &&
        vz_json_set(claims, "exp", vz_json_int64(now + LASTS_S, err), err) && add_json(out, header, err) &&
        vz_buffer_append(out, ".", 1, err) && add_json(out, claims, err);
    vz_json_free(header);
    vz_json_free(claims);
    return ok;
}

static bool print_service(const vz_json *file, const char *uri, vz_buffer *body, vz_error *err)
{
    vz_buffer token = {0}, signature = {0};
    const char *account = text_of(file, "client_email"), *key = text_of(file, "private_key");
    if (!account || !key)
        return vz_fail(err, VZ_INVALID, VARIABLE ": no \"%s\"", account ? "private_key" : "client_email");
    vz_error why = VZ_ERROR_NONE;
    bool ok = add_claims(&token, account, text_of(file, "private_key_id"), uri, err);
    if (ok && !vz_rs256(vz_net_bytes_of(key), (vz_bytes){token.data, token.size}, &signature, &why))
        ok = vz_fail(err, why.class, VARIABLE ": %.200s", why.text);
    ok = ok && vz_buffer_append(&token, ".", 1, err) &&
         add_base64(&token, (vz_bytes){signature.data, signature.size}, err) && vz_buffer_append(&token, "", 1, err) &&
         vz_auth_form_add(body, "grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer", err) &&
         vz_auth_form_add(body, "assertion", (const char *)token.data, err);
    vz_secret_clear(&token);
    vz_secret_clear(&signature);
    return ok;
}

/* ---- asking ---- */

static bool ask(const vz_auth_settings *s, const char *uri, vz_bytes body, vz_auth_keys *keys, vz_error *err)
{
    static const char *const header = "Content-Type: application/x-www-form-urlencoded";
    int status = 0;
    vz_buffer answer = {0};
    const vz_auth_token_question question = {
        .who = WHO,
        .method = VZ_NET_POST,
        .url = uri,
        .headers = &header,
        .header_count = 1,
        .body = body,
        .ca_bundle = s->ca_bundle,
        .timeout_ms = TIMEOUT_MS,
        .attempts = ATTEMPTS,
    };
    const bool ok = vz_auth_token_request(&question, &status, &answer, err) &&
                    (status == 200 || vz_fail(err, VZ_PERMISSION, WHO " refused (%d)", status)) &&
                    vz_auth_keys_take_bearer((vz_bytes){answer.data, answer.size}, WHO, keys, err);
    vz_secret_clear(&answer);
    return ok;
}

static bool token_of(const vz_auth_settings *s, const vz_json *file, vz_auth_keys *keys, vz_error *err)
{
    vz_buffer body = {0};
    const char *type = text_of(file, "type"), *uri = text_of(file, "token_uri");
    if (!type)
        return vz_fail(err, VZ_INVALID, VARIABLE ": it is no file with credentials");
    const bool is_user = strcmp(type, "authorized_user") == 0;
    if (!is_user && strcmp(type, "service_account") != 0)
        return vz_fail(err, VZ_UNSUPPORTED, VARIABLE ": credentials of type \"%.60s\"", type);
    if (!uri)
        uri = TOKEN_URI;
    const bool ok = (is_fit(uri) || vz_fail(err, VZ_INVALID, VARIABLE ": its token_uri is no place for secrets")) &&
                    vz_buffer_reserve(&body, BODY_MAX, err) &&
                    (is_user ? print_user(file, &body, err) : print_service(file, uri, &body, err)) &&
                    ask(s, uri, (vz_bytes){body.data, body.size}, keys, err);
    vz_secret_clear(&body);
    snprintf(keys->source, sizeof keys->source, "the file of " VARIABLE);
    return ok;
}

vz_auth_source_result vz_auth_source_google_file(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    const char *path = vz_auth_settings_get(s, VARIABLE);
    vz_buffer text = {0};
    bool ok = false;
    if (!path)
        return VZ_SOURCE_NONE;
    const vz_auth_secret_file result = vz_auth_secret_file_read(path, FILE_MAX, &text, err);
    if (result == VZ_SECRET_FILE_ABSENT)
        vz_fail(err, VZ_NOT_FOUND, VARIABLE ": there is no file %.200s", path);
    if (result == VZ_SECRET_FILE_READ) {
        vz_json *file = vz_json_parse((const char *)text.data, text.size, NULL);
        ok = token_of(s, file, keys, err);
        vz_json_free_secret(file);
    }
    vz_secret_clear(&text);
    return ok ? VZ_SOURCE_FOUND : VZ_SOURCE_FAILED;
}
