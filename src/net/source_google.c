/* source_google.c - credentials for Google's storage: HMAC keys, or a token of the metadata server of the machine. */
#include "net/small_file.h"
#include "net/source.h"
#include "util/json.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMEOUT_MS 1000
#define WHO        "Google's metadata server"
#define PATH       "/computeMetadata/v1/instance/service-accounts/default/token"

static vz_source_result hmac_keys(const vz_net_settings *s, vz_net_keys *keys, vz_error *err)
{
    const char *access_key = vz_net_settings_get(s, "GS_ACCESS_KEY_ID");
    const char *secret_key = vz_net_settings_get(s, "GS_SECRET_ACCESS_KEY");
    if (!access_key && !secret_key)
        return VZ_SOURCE_NONE;
    if (!access_key || !secret_key) {
        vz_fail(err, VZ_INVALID, "%s is set, and %s is not", access_key ? "GS_ACCESS_KEY_ID" : "GS_SECRET_ACCESS_KEY",
                access_key ? "GS_SECRET_ACCESS_KEY" : "GS_ACCESS_KEY_ID");
        return VZ_SOURCE_FAILED;
    }
    snprintf(keys->source, sizeof keys->source, "the environment (GS_ACCESS_KEY_ID)");
    return vz_net_keys_set(keys, access_key, secret_key, NULL, "the environment", err) ? VZ_SOURCE_FOUND
                                                                                       : VZ_SOURCE_FAILED;
}

static bool take_token(const vz_buffer *answer, vz_net_keys *keys, vz_error *err)
{
    int64_t seconds = 0;
    size_t size = 0;
    vz_json *document = vz_json_parse((const char *)answer->data, answer->size, NULL);
    const char *token = vz_json_get_string(vz_json_get(document, "access_token"), &size);
    bool ok = token && strlen(token) == size && size <= 16384 && vz_is_token(token) &&
              vz_json_get_int64(vz_json_get(document, "expires_in"), &seconds) && seconds > 0 && seconds <= 1000000;
    if (!ok)
        vz_fail(err, VZ_CORRUPT, WHO ": the answer has no token");
    else if (!(keys->bearer = strdup(token)))
        ok = vz_fail_memory(err);
    keys->expires = (int64_t)time(NULL) + seconds;
    vz_json_free_secret(document);
    return ok;
}

/* host or host:port. */
static bool is_authority(const char *text)
{
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(".-:[]", *p))
            return false;
    return strlen(text) < 256;
}

/* Nobody there, or one that is not Google's: no failure. A machine without an account answers 404. */
static vz_source_result machine_token(const vz_net_settings *s, vz_net_keys *keys, vz_error *err)
{
    static const char *const header = "Metadata-Flavor: Google";
    const char *host = vz_net_settings_get(s, "GCE_METADATA_HOST");
    char url[400];
    int status = 0;
    vz_buffer answer = {0};
    vz_error silence = VZ_ERROR_NONE;
    if (host && !is_authority(host)) {
        vz_fail(err, VZ_INVALID, "GCE_METADATA_HOST: not a value that it can have");
        return VZ_SOURCE_FAILED;
    }
    /* By its address: a name is looked up for longer than the answer takes. */
    snprintf(url, sizeof url, "http://%s" PATH, host ? host : "169.254.169.254");
    const vz_question question = {
        .who = WHO,
        .method = VZ_NET_GET,
        .url = url,
        .headers = &header,
        .header_count = 1,
        .timeout_ms = TIMEOUT_MS,
        .attempts = 1,
        .direct = true,
    };
    const bool is_there = vz_ask(&question, &status, &answer, &silence) && status == 200;
    const bool ok = is_there && take_token(&answer, keys, err);
    vz_secret_clear(&answer);
    snprintf(keys->source, sizeof keys->source, "the machine's account");
    return !is_there ? VZ_SOURCE_NONE : ok ? VZ_SOURCE_FOUND : VZ_SOURCE_FAILED;
}

vz_source_result vz_source_google(const vz_net_settings *s, vz_net_keys *keys, vz_error *err)
{
    const vz_source_result result = hmac_keys(s, keys, err);
    if (result != VZ_SOURCE_NONE)
        return result;
    if (vz_net_settings_get(s, "GOOGLE_APPLICATION_CREDENTIALS")) {
        vz_fail(err, VZ_UNSUPPORTED,
                "GOOGLE_APPLICATION_CREDENTIALS: files of service accounts; HMAC keys do "
                "(GS_ACCESS_KEY_ID, GS_SECRET_ACCESS_KEY), and anonymous=1 for what is public");
        return VZ_SOURCE_FAILED;
    }
    return vz_net_settings_is_on(s, "NO_GCE_CHECK") ? VZ_SOURCE_NONE : machine_token(s, keys, err);
}
