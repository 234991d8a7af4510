/* source_instance.c - the metadata of an EC2 instance (IMDSv2): a token, the name of the instance's
 * role, its keys. Where nobody answers there, this is no such machine, and that is no failure. */
#include "net/auth/settings_internal.h"
#include "net/auth/auth_internal.h"
#include "base/util/name_policy.h"
#include "base/util/bytes.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define TIMEOUT_S_MAX 60
#define WHO           "the instance's metadata"
#define ROLES         "/latest/meta-data/iam/security-credentials/"

typedef struct imds {
    const char *base, *ca_bundle;
    char *token_line;
    unsigned timeout_ms;
} imds;

/* AWS_METADATA_SERVICE_TIMEOUT is in seconds; one is the default. */
static unsigned timeout_of(const vz_auth_settings *s)
{
    const char *text = vz_auth_settings_get(s, "AWS_METADATA_SERVICE_TIMEOUT");
    const long seconds = text && isdigit((unsigned char)*text) ? strtol(text, NULL, 10) : 1;
    return 1000u * (unsigned)(seconds < 1 ? 1 : seconds > TIMEOUT_S_MAX ? TIMEOUT_S_MAX : seconds);
}

static const char *base_of(const vz_auth_settings *s)
{
    const char *endpoint = vz_auth_settings_get(s, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const char *mode = vz_auth_settings_get(s, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
    if (endpoint)
        return endpoint;
    return mode && strcasecmp(mode, "IPv6") == 0 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
}

static bool ask(const imds *from, vz_net_method method, const char *path, const char *header, int *status,
                vz_buffer *out, vz_error *err)
{
    char url[1400];
    const size_t size = strlen(from->base) - (from->base[strlen(from->base) - 1] == '/');
    snprintf(url, sizeof url, "%.*s%s", (int)size, from->base, path);
    const vz_auth_token_question question = {
        .who = WHO,
        .method = method,
        .url = url,
        .headers = &header,
        .header_count = 1,
        .ca_bundle = from->ca_bundle,
        .timeout_ms = from->timeout_ms,
        .attempts = 1,
        .direct = true,
    };
    return vz_auth_token_request(&question, status, out, err) && vz_buffer_append(out, "", 1, err);
}

/* False without err: no server gives one. */
static bool take_token(imds *from, vz_error *err)
{
    vz_buffer text = {0};
    vz_error silence = VZ_ERROR_NONE;
    int status = 0;
    const bool answered = ask(from, VZ_NET_PUT, "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 21600",
                              &status, &text, &silence);
    bool ok = answered && status == 200 && text.size <= 2048 && vz_auth_is_token((const char *)text.data);
    if (ok && asprintf(&from->token_line, "X-aws-ec2-metadata-token: %s", (const char *)text.data) < 0) {
        from->token_line = NULL;
        ok = vz_fail_memory(err);
    }
    vz_secret_clear(&text);
    return ok;
}

/* The first line, percent-encoded, behind the path. *none: the instance has no role. */
static bool take_role(const imds *from, char *path, size_t size, bool *none, vz_error *err)
{
    vz_buffer text = {0}, encoded = {0};
    int status = 0;
    bool ok = ask(from, VZ_NET_GET, ROLES, from->token_line, &status, &text, err);
    *none = ok && status == 404;
    if (ok && status != 200 && status != 404)
        ok = vz_fail(err, VZ_PERMISSION, WHO ": it answered %d when asked for its role", status);
    if (ok && !*none) {
        char *name = (char *)text.data;
        name[strcspn(name, "\r\n")] = '\0';
        ok = (strlen(name) <= 128 && vz_auth_is_token(name) && vz_percent_encode(&encoded, name, "", err)) ||
             vz_fail(err, VZ_CORRUPT, WHO ": the name of its role is none");
        if (ok)
            snprintf(path, size, ROLES "%.*s", (int)encoded.size, (const char *)encoded.data);
    }
    vz_buffer_clear(&text);
    vz_buffer_clear(&encoded);
    return ok;
}

static bool take_keys(const imds *from, const char *path, vz_auth_keys *keys, vz_error *err)
{
    static const vz_auth_keys_names names = {NULL, "AccessKeyId", "SecretAccessKey", "Token", "Expiration", false};
    vz_buffer text = {0};
    int status = 0;
    bool ok = ask(from, VZ_NET_GET, path, from->token_line, &status, &text, err);
    if (ok && status != 200)
        ok = vz_fail(err, VZ_PERMISSION, WHO ": it answered %d when asked for keys", status);
    ok = ok && vz_auth_keys_from_json((vz_bytes){text.data, text.size - 1}, &names, WHO, keys, err);
    vz_secret_clear(&text);
    return ok;
}

vz_auth_source_result vz_auth_source_instance(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    imds from = {.base = base_of(s), .ca_bundle = s->ca_bundle, .timeout_ms = timeout_of(s)};
    char path[1024];
    bool none = false;
    if (vz_auth_settings_is_on(s, "AWS_EC2_METADATA_DISABLED"))
        return VZ_SOURCE_NONE;
    if (!vz_endpoint_valid(from.base)) {
        vz_fail(err, VZ_INVALID, "AWS_EC2_METADATA_SERVICE_ENDPOINT: not a value that it can have");
        return VZ_SOURCE_FAILED;
    }
    vz_error failed = VZ_ERROR_NONE;
    const bool is_there = take_token(&from, &failed);
    const bool ok = is_there && take_role(&from, path, sizeof path, &none, &failed) &&
                    (none || take_keys(&from, path, keys, &failed));
    vz_secret_free(from.token_line);
    snprintf(keys->source, sizeof keys->source, "the instance");
    if (failed.class != VZ_OK)
        vz_error_set(err, failed.class, "%s", failed.text);
    return failed.class != VZ_OK ? VZ_SOURCE_FAILED : ok && !none ? VZ_SOURCE_FOUND : VZ_SOURCE_NONE;
}
