/* remote_name.c - see remote_name.h. */
#include "remote/protocol/remote_internal.h"
#include "base/util/c_library.h"
#include "base/util/bytes.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Characters that have a meaning in the path of a URL, or are encoded already. */
#define OF_PATH   "/%!$&'()*+,;=:@"
#define UNCLAIMED "zarr+" /* before a scheme: nobody else takes such a name for one of its own */

static const char *const schemes[] = {
    [VZ_SCHEME_S3] = "s3:",     [VZ_SCHEME_GS] = "gs:",       [VZ_SCHEME_AZ] = "az:",
    [VZ_SCHEME_HTTP] = "http:", [VZ_SCHEME_HTTPS] = "https:",
};

/* Words of other programs for the same. */
static const struct {
    const char *scheme;
    vz_scheme means;
} aliases[] = {{"gcs:", VZ_SCHEME_GS}, {"abfs:", VZ_SCHEME_AZ}, {"abfss:", VZ_SCHEME_AZ}, {"azure:", VZ_SCHEME_AZ}};

bool vz_scheme_has_buckets(vz_scheme scheme)
{
    return scheme == VZ_SCHEME_S3 || scheme == VZ_SCHEME_GS || scheme == VZ_SCHEME_AZ;
}

/* ---- where it begins ---- */

/* The text behind a scheme's colon, if a scheme stands at `part`; NULL: there is none. */
static const char *behind_scheme(const char *part, vz_scheme *scheme)
{
    if (strncmp(part, UNCLAIMED, strlen(UNCLAIMED)) == 0)
        part += strlen(UNCLAIMED);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const size_t length = strlen(schemes[i]);
        if (strncmp(part, schemes[i], length) == 0 && part[length] == '/') {
            *scheme = (vz_scheme)i;
            return part + length;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        const size_t length = strlen(aliases[i].scheme);
        if (strncmp(part, aliases[i].scheme, length) == 0 && part[length] == '/') {
            *scheme = aliases[i].means;
            return part + length;
        }
    }
    return NULL;
}

/* The first part of the path that is a scheme. */
static const char *find(const char *text, vz_scheme *scheme, bool *is_url)
{
    const char *rest = behind_scheme(text, scheme);
    *is_url = rest && rest[1] == '/';
    for (const char *slash = text; !rest && (slash = strchr(slash, '/')); slash++)
        rest = behind_scheme(slash + 1, scheme);
    return rest;
}

bool vz_remote_name_is(const char *text)
{
    vz_scheme scheme;
    bool is_url;
    return find(text, &scheme, &is_url) != NULL;
}

/* ---- as URLs spell it ---- */

static int digit_of(char c)
{
    if (!isxdigit((unsigned char)c))
        return -1;
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

size_t vz_remote_url_decode(char *text, bool plus)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        const int high = *from == '%' ? digit_of(from[1]) : -1, low = high < 0 ? -1 : digit_of(from[2]);
        *to++ = low >= 0 ? (char)(high * 16 + low) : plus && *from == '+' ? ' ' : *from;
        from += low >= 0 ? 2 : 0;
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* ---- its parts ---- */

/* The parts between slashes, with one slash between two. NULL with err set. */
static char *fold(const char *text, size_t length, vz_error *err)
{
    char *key = malloc(length + 1), *to = key;
    if (!key) {
        vz_fail_memory(err);
        return NULL;
    }
    for (const char *from = text, *end = text + length; from < end;) {
        size_t size = strcspn(from, "/");
        size = size < (size_t)(end - from) ? size : (size_t)(end - from);
        if ((size == 1 && from[0] == '.') || (size == 2 && from[0] == '.' && from[1] == '.')) {
            vz_fail(err, VZ_INVALID, "\"%.*s\" is no part of such a name", (int)size, from);
            free(key);
            return NULL;
        }
        if (size > 0 && to > key)
            *to++ = '/';
        memcpy(to, from, size);
        to += size;
        from += size < (size_t)(end - from) ? size + 1 : size;
    }
    *to = '\0';
    return key;
}

/* Of az an account or its host may follow; "$web" and others like it are containers of Azure's
 * own. */
static bool check_bucket(vz_scheme scheme, const char *bucket, vz_error *err)
{
    const char *also = scheme == VZ_SCHEME_AZ ? "-._$@" : "-._", *at = strchr(bucket, '@');
    bool ok = !at || (at > bucket && at[1] && !strchr(at + 1, '@'));
    for (const char *c = bucket; ok && *c; c++)
        ok = isascii((unsigned char)*c) && (isalnum((unsigned char)*c) || strchr(also, *c));
    return ok || vz_fail(err, VZ_INVALID, "a bucket with a name that none can have");
}

/* Letters, digits, and what addresses of the sixth version have; a port. */
static bool check_host(const char *host, vz_error *err)
{
    for (const char *c = host; *c; c++)
        if (!isascii((unsigned char)*c) || (!isalnum((unsigned char)*c) && !strchr("-._:[]", *c)))
            return vz_fail(err, VZ_INVALID, "a host with a name that none can have");
    return true;
}

/* "account.dfs.core.windows.net" is Azure's name for another protocol of the account whose blobs
 * are at "account.blob.core.windows.net". */
static bool take_blob_host(vz_remote_name *name, vz_error *err)
{
    const char *at = strchr(name->place, '@'), *dfs = at ? strstr(at, ".dfs.core.") : NULL;
    char *place = NULL;
    if (name->scheme != VZ_SCHEME_AZ || !dfs)
        return true;
    if (asprintf(&place, "%.*s.blob%s", (int)(dfs - name->place), name->place, dfs + strlen(".dfs")) < 0)
        return vz_fail_memory(err);
    free(name->place);
    name->place = place;
    return true;
}

static bool take_bucket(const char *place, size_t place_size, const char *rest, vz_remote_name *name, vz_error *err)
{
    name->place = strndup(place, place_size);
    name->account = strdup("");
    name->query = strdup("");
    if (!name->place || !name->account || !name->query)
        return vz_fail_memory(err);
    name->key = fold(rest, strlen(rest), err);
    if (!name->key || !take_blob_host(name, err) || !check_bucket(name->scheme, name->place, err))
        return false;
    return strlen(name->key) <= VZ_REMOTE_KEY_MAX ||
           vz_fail(err, VZ_LIMIT, "a key of %zu bytes, and the longest in a bucket has %d", strlen(name->key),
                   VZ_REMOTE_KEY_MAX);
}

static bool take_host(const char *place, size_t place_size, const char *rest, vz_remote_name *name, vz_error *err)
{
    const char *at = vz_find_last(place, '@', place_size);
    const size_t account_size = at ? (size_t)(at - place) : 0, skipped = at ? account_size + 1 : 0;
    const size_t path_size = strcspn(rest, "?#");
    const char *query = rest[path_size] == '?' ? rest + path_size + 1 : "";
    vz_buffer path = {0};
    name->account = strndup(place, account_size);
    name->place = strndup(place + skipped, place_size - skipped);
    name->query = strndup(query, strcspn(query, "#"));
    if (!name->account || !name->place || !name->query)
        return vz_fail_memory(err);
    name->with_end = path_size > 1 && rest[path_size - 1] == '/';
    char *folded = fold(rest, path_size, err);
    const bool ok = folded && check_host(name->place, err) && vz_percent_encode(&path, folded, OF_PATH, err) &&
                    vz_buffer_append(&path, "", 1, err);
    free(folded);
    name->key = (char *)path.data;
    return ok;
}

bool vz_remote_name_parse(const char *text, vz_remote_name *name, vz_error *err)
{
    *name = (vz_remote_name){0};
    const char *place = find(text, &name->scheme, &name->is_url);
    if (!place)
        return vz_fail(err, VZ_INVALID, "not the name of a remote store");
    place += strspn(place, "/");
    const bool has_bucket = vz_scheme_has_buckets(name->scheme);
    const size_t size = strcspn(place, has_bucket ? "/" : "/?#");
    return (has_bucket ? take_bucket : take_host)(place, size, place + size, name, err);
}

void vz_remote_name_clear(vz_remote_name *name)
{
    free(name->place);
    free(name->account);
    free(name->key);
    free(name->query);
    *name = (vz_remote_name){0};
}

char *vz_remote_name_print(const vz_remote_name *name, bool whole, vz_error *err)
{
    char *text = NULL;
    const char *account = whole ? name->account : "", *query = whole ? name->query : "";
    if (asprintf(&text, "%s//%s%s%s%s%s%s%s", schemes[name->scheme], account, *account ? "@" : "", name->place,
                 *name->key ? "/" : "", name->key, *query ? "?" : "", query) >= 0)
        return text;
    vz_fail_memory(err);
    return NULL;
}
