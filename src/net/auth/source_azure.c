/* source_azure.c - the key or the SAS of an account of Azure's storage, as the settings have it. */
#include "net/auth/auth_internal.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define SAS_MAX 8192 /* bytes */

/* Text that may stand behind a URL, and is signed. */
static bool is_sas(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isgraph((unsigned char)*c) || strchr("#\"<>\\^`{|}", *c))
            return false;
    return strlen(text) <= SAS_MAX && (strncmp(text, "sig=", 4) == 0 || strstr(text, "&sig="));
}

static bool is_key(const char *text)
{
    vz_buffer key = {0};
    const bool ok =
        vz_buffer_reserve(&key, strlen(text), NULL) && vz_base64_decode(text, strlen(text), &key, NULL) && key.size > 0;
    vz_secret_clear(&key);
    return ok;
}

vz_auth_source_result vz_auth_source_azure(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    bool ok = true;
    if (!s->account_key && !s->sas)
        return VZ_SOURCE_NONE;
    snprintf(keys->source, sizeof keys->source, "%s", s->account_source);
    if (s->account_key) {
        ok = (is_key(s->account_key) || vz_fail(err, VZ_INVALID, "%s: the key is not base64", s->account_source)) &&
             vz_auth_keys_set(keys, s->account, s->account_key, NULL, s->account_source, err);
    } else {
        const char *sas = s->sas + (*s->sas == '?');
        ok = is_sas(sas) || vz_fail(err, VZ_INVALID, "%s: that is no SAS", s->account_source);
        ok = ok && ((keys->query = strdup(sas)) || vz_fail_memory(err));
    }
    return ok ? VZ_SOURCE_FOUND : VZ_SOURCE_FAILED;
}
