/* credentials.c - credentials, and what answers and files say of them. */
#include "net/auth/settings_internal.h"
#include "base/util/c_library.h"
#include "net/http/http.h"
#include "base/util/json.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define KEY_MAX    1024  /* bytes of a key */
#define TOKEN_MAX  16384 /* bytes of a token */
#define ANSWER_MAX 64    /* values in a document */

void vz_auth_keys_clear(vz_auth_keys *keys)
{
    vz_secret_free(keys->access_key);
    vz_secret_free(keys->secret_key);
    vz_secret_free(keys->token);
    vz_secret_free(keys->query);
    vz_secret_free(keys->bearer);
    *keys = (vz_auth_keys){0};
}

static bool copy_token(const char *text, size_t most, char **out, const char *what, const char *who, vz_error *err)
{
    if (!vz_auth_is_token(text) || strlen(text) > most)
        return vz_fail(err, VZ_INVALID, "%s: the %s is none", who, what);
    *out = strdup(text);
    return *out || vz_fail_memory(err);
}

bool vz_auth_keys_set(vz_auth_keys *keys, const char *access_key, const char *secret_key, const char *token,
                      const char *who, vz_error *err)
{
    return copy_token(access_key, KEY_MAX, &keys->access_key, "access key", who, err) &&
           copy_token(secret_key, KEY_MAX, &keys->secret_key, "secret key", who, err) &&
           (!token || !*token || copy_token(token, TOKEN_MAX, &keys->token, "session token", who, err));
}

/* ---- times ---- */

/* `count` digits at *at. */
static bool take_number(const char **at, int count, int *out)
{
    *out = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (!isdigit((unsigned char)**at))
            return false;
        *out = 10 * *out + (**at - '0');
    }
    return true;
}

static bool take_char(const char **at, const char *any)
{
    if (!**at || !strchr(any, **at))
        return false;
    (*at)++;
    return true;
}

/* Z, UTC or +hh:mm; in seconds. */
static bool take_zone(const char **at, int *offset)
{
    int hours, minutes;
    *offset = 0;
    if (strcmp(*at, "UTC") == 0 || strcasecmp(*at, "Z") == 0)
        return true;
    const int sign = **at == '-' ? -1 : 1;
    if (!take_char(at, "+-") || !take_number(at, 2, &hours))
        return false;
    take_char(at, ":");
    if (!take_number(at, 2, &minutes) || **at)
        return false;
    *offset = sign * (hours * 3600 + minutes * 60);
    return true;
}

bool vz_auth_time_parse(const char *text, int64_t *out)
{
    struct tm t = {0};
    int offset;
    if (!take_number(&text, 4, &t.tm_year) || !take_char(&text, "-") || !take_number(&text, 2, &t.tm_mon) ||
        !take_char(&text, "-") || !take_number(&text, 2, &t.tm_mday) || !take_char(&text, "Tt ") ||
        !take_number(&text, 2, &t.tm_hour) || !take_char(&text, ":") || !take_number(&text, 2, &t.tm_min) ||
        !take_char(&text, ":") || !take_number(&text, 2, &t.tm_sec))
        return false;
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text);)
            text++;
    if (!take_zone(&text, &offset) || t.tm_year < 1970 || t.tm_mon < 1 || t.tm_mon > 12 || t.tm_mday < 1 ||
        t.tm_mday > 31 || t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60)
        return false;
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    *out = (int64_t)timegm(&t) - offset;
    return true;
}

static bool take_expiry(const char *text, const char *who, vz_auth_keys *keys, vz_error *err)
{
    if (!vz_auth_time_parse(text, &keys->expires))
        return vz_fail(err, VZ_CORRUPT, "%s: the time at which the credentials expire is none", who);
    return true;
}

/* Fresh keys that are over already: one of the clocks is wrong, or old keys were kept too long. */
static bool still_holds(const vz_auth_keys *keys, const char *who, vz_error *err)
{
    if (keys->expires == 0 || keys->expires > (int64_t)time(NULL))
        return true;
    return vz_fail(err, VZ_PERMISSION, "%s: the credentials that it gave have expired already", who);
}

/* ---- JSON ---- */

static bool take_document(const vz_json *document, const vz_auth_keys_names *names, const char *who, vz_auth_keys *keys,
                          vz_error *err)
{
    const vz_json *object = names->inside ? vz_json_get(document, names->inside) : document;
    const char *access_key = vz_json_get_text(object, names->access_key),
               *secret_key = vz_json_get_text(object, names->secret_key);
    if (!access_key || !secret_key)
        return vz_fail(err, VZ_CORRUPT, "%s: an answer without \"%s\" or \"%s\"", who, names->access_key,
                       names->secret_key);
    if (!vz_auth_keys_set(keys, access_key, secret_key, vz_json_get_text(object, names->token), who, err))
        return false;
    const vz_json *expires = vz_json_get(object, names->expires);
    if (names->milliseconds) {
        if (!vz_json_get_int64(expires, &keys->expires) || keys->expires <= 0)
            return vz_fail(err, VZ_CORRUPT, "%s: the time at which the credentials expire is none", who);
        keys->expires /= 1000;
    } else if (expires && vz_json_kind_of(expires) != VZ_JSON_NULL) {
        const char *text = vz_json_get_text(object, names->expires);
        if (!take_expiry(text ? text : "", who, keys, err))
            return false;
    }
    return still_holds(keys, who, err);
}

bool vz_auth_keys_from_json(vz_bytes text, const vz_auth_keys_names *names, const char *who, vz_auth_keys *keys,
                            vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_json *document = vz_json_parse_within((const char *)text.data, text.size, ANSWER_MAX, &why);
    if (!document && why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    const bool ok = document ? take_document(document, names, who, keys, err)
                             : vz_fail(err, VZ_CORRUPT, "%s: the answer is no JSON with credentials", who);
    vz_json_free_secret(document);
    if (!ok)
        vz_auth_keys_clear(keys);
    return ok;
}

bool vz_auth_keys_take_bearer(vz_bytes text, const char *who, vz_auth_keys *keys, vz_error *err)
{
    int64_t seconds = 0;
    vz_json *document = vz_json_parse((const char *)text.data, text.size, NULL);
    const char *token = vz_json_get_text(document, "access_token");
    bool ok = token && strlen(token) <= TOKEN_MAX && vz_auth_is_token(token) &&
              vz_json_get_int64(vz_json_get(document, "expires_in"), &seconds) && seconds > 0 && seconds <= 1000000;
    if (!ok)
        vz_fail(err, VZ_CORRUPT, "%s: the answer has no token", who);
    else if (!(keys->bearer = strdup(token)))
        ok = vz_fail_memory(err);
    keys->expires = (int64_t)time(NULL) + seconds;
    vz_json_free_secret(document);
    return ok;
}

/* ---- XML ---- */

static const uint8_t *find(const uint8_t *from, const uint8_t *end, const char *text)
{
    return from < end ? memmem(from, (size_t)(end - from), text, strlen(text)) : NULL;
}

/* The character that an entity at `from` means; how long it is, or 0. */
static size_t entity(const uint8_t *from, const uint8_t *end, char *out)
{
    static const struct {
        const char *name, meaning;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        const size_t size = strlen(entities[i].name);
        if ((size_t)(end - from) >= size && memcmp(from, entities[i].name, size) == 0) {
            *out = entities[i].meaning;
            return size;
        }
    }
    return 0;
}

bool vz_auth_xml_text(vz_bytes xml, const char *name, char *out, size_t size)
{
    char opening[64];
    if ((size_t)snprintf(opening, sizeof opening, "<%s>", name) >= sizeof opening || !xml.size)
        return false;
    const uint8_t *end = xml.data + xml.size, *from = find(xml.data, end, opening);
    if (!from)
        return false;
    from += strlen(opening);
    const uint8_t *stop = find(from, end, "<");
    size_t used = 0;
    while (stop && from < stop) {
        char c = (char)*from;
        const size_t taken = c == '&' ? entity(from, stop, &c) : 1;
        if (!taken || !c || used + 1 >= size)
            return false;
        out[used++] = c;
        from += taken;
    }
    out[used] = '\0';
    return stop && used > 0;
}

bool vz_auth_keys_from_xml(vz_bytes text, const char *who, vz_auth_keys *keys, vz_error *err)
{
    char access_key[KEY_MAX + 1], secret_key[KEY_MAX + 1], expires[64];
    char *token = malloc(TOKEN_MAX + 1);
    bool ok = token || vz_fail_memory(err);
    if (ok && (!vz_auth_xml_text(text, "AccessKeyId", access_key, sizeof access_key) ||
               !vz_auth_xml_text(text, "SecretAccessKey", secret_key, sizeof secret_key) ||
               !vz_auth_xml_text(text, "SessionToken", token, TOKEN_MAX + 1) ||
               !vz_auth_xml_text(text, "Expiration", expires, sizeof expires)))
        ok = vz_fail(err, VZ_CORRUPT, "%s: the answer has no credentials", who);
    ok = ok && vz_auth_keys_set(keys, access_key, secret_key, token, who, err) &&
         take_expiry(expires, who, keys, err) && still_holds(keys, who, err);
    vz_wipe(access_key, sizeof access_key);
    vz_wipe(secret_key, sizeof secret_key);
    if (token)
        vz_wipe(token, TOKEN_MAX + 1);
    free(token);
    if (!ok)
        vz_auth_keys_clear(keys);
    return ok;
}
