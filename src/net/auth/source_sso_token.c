/* source_sso_token.c - the token that `aws sso login` left in its cache. One that runs out is
 * renewed by the refresh token beside it, as AWS's own programs do. The cache gets the new one,
 * since the old refresh token may not be used again. */
#include "net/auth/settings_internal.h"
#include "base/os/file.h"
#include "net/auth/auth_internal.h"
#include "base/util/json.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CACHE_FILE_MAX 65536
#define TIMEOUT_MS     10000
#define EARLY_S        900 /* before it expires a token is renewed */
#define BODY_MAX       32768
#define WHO            "SSO's token service"

/* The content of the cache. */
typedef struct cached {
    char *path;
    vz_json *document;
    const char *token;
    int64_t until;
} cached;

static void clear(cached *c)
{
    vz_json_free_secret(c->document);
    free(c->path);
    *c = (cached){0};
}

static bool read_document(cached *c, const char *profile, vz_error *err)
{
    const char *expires = vz_json_get_text(c->document, "expiresAt");
    c->token = vz_json_get_text(c->document, "accessToken");
    return (c->token && vz_auth_is_token(c->token) && expires && vz_auth_time_parse(expires, &c->until)) ||
           vz_fail(err, VZ_CORRUPT,
                   "profile %.100s: the cached SSO token cannot be read; `aws sso login` makes a new one", profile);
}

static bool read_cache(const vz_auth_settings *s, const char *profile, const char *cached_as, cached *c, vz_error *err)
{
    char hash[41];
    const char *home = vz_auth_settings_get(s, "HOME");
    vz_buffer text = {0};
    if (!vz_sha1_hex(vz_net_bytes_of(cached_as), hash, err))
        return false;
    if (asprintf(&c->path, "%s/.aws/sso/cache/%s.json", home ? home : "", hash) < 0) {
        c->path = NULL;
        return vz_fail_memory(err);
    }
    const vz_auth_secret_file result = vz_auth_secret_file_read(c->path, CACHE_FILE_MAX, &text, err);
    if (result == VZ_SECRET_FILE_ABSENT)
        vz_fail(err, VZ_PERMISSION, "profile %.100s: nobody is logged in to SSO; `aws sso login --profile %.100s` does",
                profile, profile);
    if (result == VZ_SECRET_FILE_READ)
        c->document = vz_json_parse((const char *)text.data, text.size, NULL);
    vz_secret_clear(&text);
    return result == VZ_SECRET_FILE_READ && read_document(c, profile, err);
}

/* ---- renewing ---- */

static bool may_renew(const cached *c)
{
    int64_t until;
    const char *registered = vz_json_get_text(c->document, "registrationExpiresAt");
    return vz_json_get_text(c->document, "refreshToken") && vz_json_get_text(c->document, "clientId") &&
           vz_json_get_text(c->document, "clientSecret") &&
           (!registered || (vz_auth_time_parse(registered, &until) && until > (int64_t)time(NULL)));
}

static bool print_body(const cached *c, vz_buffer *body, vz_error *err)
{
    vz_json *asked = vz_json_object(err);
    const bool ok = asked && vz_json_set_text(asked, "clientId", vz_json_get_text(c->document, "clientId"), err) &&
                    vz_json_set_text(asked, "clientSecret", vz_json_get_text(c->document, "clientSecret"), err) &&
                    vz_json_set_text(asked, "grantType", "refresh_token", err) &&
                    vz_json_set_text(asked, "refreshToken", vz_json_get_text(c->document, "refreshToken"), err) &&
                    vz_buffer_reserve(body, BODY_MAX, err) && vz_json_print(asked, 0, body, err);
    vz_json_free_secret(asked);
    return ok;
}

/* Asked once: a refresh token that was used, with its answer lost, is of no use any more. */
static vz_json *ask(const vz_auth_settings *s, const char *region, const cached *c, vz_error *err)
{
    static const char *const header = "Content-Type: application/json";
    const char *endpoint = vz_auth_settings_is_on(s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
                               ? NULL
                               : vz_auth_settings_get(s, "AWS_ENDPOINT_URL_SSO_OIDC");
    vz_buffer url = {0}, body = {0}, answer = {0};
    vz_json *document = NULL;
    int status = 0;
    bool ok = (endpoint ? vz_buffer_printf(&url, err, "%s/token", endpoint)
                        : vz_buffer_printf(&url, err, "https://oidc.%s.amazonaws.com%s/token", region,
                                           strncmp(region, "cn-", 3) == 0 ? ".cn" : "")) &&
              vz_buffer_append(&url, "", 1, err) && print_body(c, &body, err);
    const vz_auth_token_question question = {
        .who = WHO,
        .method = VZ_NET_POST,
        .url = (const char *)url.data,
        .headers = &header,
        .header_count = 1,
        .body = {body.data, body.size},
        .ca_bundle = s->ca_bundle,
        .timeout_ms = TIMEOUT_MS,
        .attempts = 1,
    };
    ok = ok && vz_auth_token_request(&question, &status, &answer, err) &&
         (status == 200 || vz_fail(err, VZ_PERMISSION, WHO " refused (%d)", status));
    if (ok && !(document = vz_json_parse((const char *)answer.data, answer.size, NULL)))
        vz_fail(err, VZ_CORRUPT, WHO ": the answer is no JSON");
    vz_buffer_clear(&url);
    vz_secret_clear(&body);
    vz_secret_clear(&answer);
    return document;
}

/* A file that a reader finds whole or not at all, with mode 0600. False: errno says why it is not
 * there. */
static bool put_file(const char *path, vz_bytes text)
{
    char *beside = NULL;
    if (asprintf(&beside, "%s.XXXXXX", path) < 0)
        return false;
    const int file = vz_os_mkstemp(beside);
    if (file < 0) {
        free(beside);
        return false;
    }
    errno = ENOSPC; /* what a write that is cut short means, which sets none */
    int why = vz_os_write(file, text.data, text.size) == (ssize_t)text.size ? 0 : errno;
    if (vz_os_close(file) != 0 && why == 0)
        why = errno;
    if (why == 0 && vz_os_rename(beside, path) != 0)
        why = errno;
    if (why != 0)
        vz_os_unlink(beside);
    free(beside);
    errno = why;
    return why == 0;
}

/* A failure matters to the next program, not to this one: the old refresh token may be used up. */
static void tell_not_kept(const char *path, int why)
{
    static atomic_flag is_reported = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_reported))
        fprintf(stderr,
                "vol-zarr: %s: the renewed SSO token could not be written (%s); other programs, and this one when it "
                "runs again, may need `aws sso login`\n",
                path, strerror(why));
}

static void keep(const cached *c)
{
    vz_buffer text = {0};
    if (!vz_buffer_reserve(&text, CACHE_FILE_MAX, NULL) || !vz_json_print(c->document, 0, &text, NULL))
        tell_not_kept(c->path, ENOMEM);
    else if (!put_file(c->path, (vz_bytes){text.data, text.size}))
        tell_not_kept(c->path, errno);
    vz_secret_clear(&text);
}

/* The document becomes what the cache shall hold. */
static bool take_answer(cached *c, const vz_json *answer, vz_error *err)
{
    char until[32];
    int64_t seconds = 0;
    struct tm parts;
    const char *token = vz_json_get_text(answer, "accessToken"), *refresh = vz_json_get_text(answer, "refreshToken");
    if (!token || !vz_auth_is_token(token) || !vz_json_get_int64(vz_json_get(answer, "expiresIn"), &seconds) ||
        seconds <= 0 || seconds > 1000000)
        return vz_fail(err, VZ_CORRUPT, WHO ": the answer has no token");
    c->until = (int64_t)time(NULL) + seconds;
    const time_t then = (time_t)c->until;
    strftime(until, sizeof until, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&then, &parts));
    return vz_json_set_text(c->document, "accessToken", token, err) &&
           vz_json_set_text(c->document, "expiresAt", until, err) &&
           (!refresh || vz_json_set_text(c->document, "refreshToken", refresh, err));
}

static bool renew(const vz_auth_settings *s, const char *region, cached *c, vz_error *err)
{
    vz_json *answer = ask(s, region, c, err);
    const bool ok = answer && take_answer(c, answer, err);
    vz_json_free_secret(answer);
    c->token = vz_json_get_text(c->document, "accessToken");
    if (ok)
        keep(c);
    return ok;
}

/* Another program may have renewed it meanwhile, with the same refresh token, which then was of no
 * use to us. */
static bool is_renewed_elsewhere(const vz_auth_settings *s, const char *profile, const char *cached_as, cached *c)
{
    cached again = {0};
    vz_error ignored = VZ_ERROR_NONE;
    const bool is_newer = read_cache(s, profile, cached_as, &again, &ignored) && again.until > (int64_t)time(NULL);
    if (!is_newer) {
        clear(&again);
        return false;
    }
    clear(c);
    *c = again;
    return true;
}

static bool make_valid(const vz_auth_settings *s, const char *profile, const char *cached_as, const char *region,
                       cached *c, vz_error *err)
{
    const int64_t left = c->until - (int64_t)time(NULL);
    vz_error why = VZ_ERROR_NONE;
    if (left > EARLY_S || (left > 0 && (!region || !may_renew(c))))
        return true;
    if (region && may_renew(c) && (renew(s, region, c, &why) || left > 0))
        return true;
    return is_renewed_elsewhere(s, profile, cached_as, c) ||
           vz_fail(err, VZ_PERMISSION,
                   "profile %.100s: the SSO token has expired%s%.150s; `aws sso login` makes a new one", profile,
                   why.class != VZ_OK ? ", and was not renewed: " : "", why.text);
}

char *vz_sso_token(const vz_auth_settings *s, const char *profile, const char *cached_as, const char *region,
                   vz_error *err)
{
    cached c = {0};
    char *token = NULL;
    if (read_cache(s, profile, cached_as, &c, err) && make_valid(s, profile, cached_as, region, &c, err) &&
        !(token = strdup(c.token)))
        vz_fail_memory(err);
    clear(&c);
    return token;
}
