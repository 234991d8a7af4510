/* source_container.c - the endpoint that gives a container (ECS, EKS) its credentials. The token
 * for it goes to this machine, to the addresses of ECS and EKS, or over https, and nowhere else. */
#include "net/auth/sign_internal.h"
#include "net/auth/settings_internal.h"
#include "net/auth/auth_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define ECS        "http://169.254.170.2"
#define TIMEOUT_MS 2000
#define ATTEMPTS   3
#define WHO        "the container's credentials"

/* The host of a URL is that one, whatever its port. */
static bool is_host(vz_bytes host, const char *name)
{
    const size_t size = strlen(name);
    return host.size >= size && strncasecmp((const char *)host.data, name, size) == 0 &&
           (host.size == size || host.data[size] == ':');
}

/* 127.anything, as four numbers. */
static bool is_loopback(vz_bytes host)
{
    char text[64];
    unsigned a, b, c, d;
    int end = 0;
    if (host.size >= sizeof text)
        return false;
    memcpy(text, host.data, host.size);
    text[host.size] = '\0';
    return sscanf(text, "%3u.%3u.%3u.%3u%n", &a, &b, &c, &d, &end) == 4 && a == 127 && b < 256 && c < 256 && d < 256 &&
           (!text[end] || text[end] == ':');
}

static bool is_allowed(const char *url)
{
    static const char *const hosts[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
    vz_auth_url_parts parts;
    if (!vz_auth_url_split(url, &parts) || memchr(parts.host.data, '@', parts.host.size))
        return false;
    if (parts.secure || is_loopback(parts.host))
        return true;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (is_host(parts.host, hosts[i]))
            return true;
    return false;
}

char *vz_auth_container_url(const vz_auth_settings *s, vz_error *err)
{
    const char *relative = vz_auth_settings_get(s, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *full = vz_auth_settings_get(s, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
    char *url = NULL;
    if (relative && *relative != '/')
        vz_fail(err, VZ_INVALID, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with /");
    else if (!relative && !is_allowed(full))
        vz_fail(err, VZ_PERMISSION,
                "AWS_CONTAINER_CREDENTIALS_FULL_URI leads to a host that gets no token: neither "
                "https, nor this machine, nor one of ECS's and EKS's");
    else if (asprintf(&url, "%s%s", relative ? ECS : "", relative ? relative : full) < 0) {
        url = NULL;
        vz_fail_memory(err);
    }
    return url;
}

/* The line that allows it, or an empty one; the caller's to free by vz_secret_free. NULL with err
 * set. */
static char *authorization(const vz_auth_settings *s, vz_error *err)
{
    const char *file = vz_auth_settings_get(s, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const char *variable = vz_auth_settings_get(s, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
    char *token = NULL, *line = NULL;
    if (file && !(token = vz_auth_secret_file_token(file, err)))
        return NULL;
    const char *value = token ? token : variable ? variable : "";
    if (value[strcspn(value, "\r\n")])
        vz_fail(err, VZ_INVALID, "AWS_CONTAINER_AUTHORIZATION_TOKEN has several lines");
    else if (asprintf(&line, "%s%s", *value ? "Authorization: " : "", value) < 0) {
        line = NULL;
        vz_fail_memory(err);
    }
    vz_secret_free(token);
    return line;
}

static bool ask(const vz_auth_settings *s, const char *url, const char *line, vz_auth_keys *keys, vz_error *err)
{
    static const vz_auth_keys_names names = {NULL, "AccessKeyId", "SecretAccessKey", "Token", "Expiration", false};
    const char *const headers[] = {"Accept: application/json", line};
    int status = 0;
    vz_buffer answer = {0};
    const vz_auth_token_question question = {
        .who = WHO,
        .method = VZ_NET_GET,
        .url = url,
        .headers = headers,
        .header_count = *line ? 2 : 1,
        .ca_bundle = s->ca_bundle,
        .timeout_ms = TIMEOUT_MS,
        .attempts = ATTEMPTS,
        .direct = true,
    };
    bool ok = vz_auth_token_request(&question, &status, &answer, err);
    if (ok && status != 200)
        ok = vz_fail(err, VZ_PERMISSION, WHO ": the endpoint answered %d", status);
    ok = ok && vz_auth_keys_from_json((vz_bytes){answer.data, answer.size}, &names, WHO, keys, err);
    vz_secret_clear(&answer);
    return ok;
}

vz_auth_source_result vz_auth_source_container(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    if (!vz_auth_settings_get(s, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") &&
        !vz_auth_settings_get(s, "AWS_CONTAINER_CREDENTIALS_FULL_URI"))
        return VZ_SOURCE_NONE;
    char *url = vz_auth_container_url(s, err), *line = url ? authorization(s, err) : NULL;
    const bool ok = line && ask(s, url, line, keys, err);
    snprintf(keys->source, sizeof keys->source, "the container");
    free(url);
    vz_secret_free(line);
    return ok ? VZ_SOURCE_FOUND : VZ_SOURCE_FAILED;
}
