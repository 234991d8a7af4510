/* settings_azure.c - what Azure's own programs have in the environment: an account, whose key or
 * SAS, and a server. Keys stay with their account: the name of a store in another account gets none
 * of them. */
#include "net/auth/settings_internal.h"
#include "base/util/name_policy.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define CONNECTION "AZURE_STORAGE_CONNECTION_STRING"
#define USUAL_HOST "core.windows.net"

/* The emulator's account, whose key Azure's documentation has. */
#define EMULATOR     "devstoreaccount1"
#define EMULATOR_KEY "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
#define EMULATOR_URL "http://127.0.0.1:10000/" EMULATOR

/* ---- connection strings ---- */

typedef struct connection {
    char *account, *key, *sas, *endpoint, *protocol, *suffix;
    bool is_emulator;
} connection;

static void clear(connection *c)
{
    vz_secret_free(c->key);
    vz_secret_free(c->sas);
    free(c->account);
    free(c->endpoint);
    free(c->protocol);
    free(c->suffix);
}

static char **member(connection *c, const char *name, size_t size)
{
    const struct {
        const char *name;
        char **place;
    } members[] = {
        {"AccountName", &c->account},   {"AccountKey", &c->key},        {"SharedAccessSignature", &c->sas},
        {"BlobEndpoint", &c->endpoint}, {"EndpointSuffix", &c->suffix}, {"DefaultEndpointsProtocol", &c->protocol},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strlen(members[i].name) == size && strncasecmp(members[i].name, name, size) == 0)
            return members[i].place;
    return NULL;
}

/* One "name=value" of `size` bytes. */
static bool take_member(connection *c, const char *text, size_t size, vz_error *err)
{
    static const char emulator[] = "UseDevelopmentStorage=true";
    const char *equals = memchr(text, '=', size);
    if (!equals)
        return vz_fail(err, VZ_INVALID, CONNECTION ": a part without \"=\"");
    char **place = member(c, text, (size_t)(equals - text));
    if (size == strlen(emulator) && strncasecmp(text, emulator, size) == 0)
        c->is_emulator = true;
    if (!place || *place)
        return true;
    *place = strndup(equals + 1, size - (size_t)(equals + 1 - text));
    return *place || vz_fail_memory(err);
}

static bool parse(const char *text, connection *c, vz_error *err)
{
    for (const char *at = text; at && *at;) {
        const size_t size = strcspn(at, ";");
        if (size > 0 && !take_member(c, at, size, err))
            return false;
        at += size + (at[size] == ';');
    }
    if (!c->is_emulator)
        return true;
    return vz_auth_settings_copy(EMULATOR, &c->account, err) && vz_auth_settings_copy(EMULATOR_KEY, &c->key, err) &&
           (c->endpoint || vz_auth_settings_copy(EMULATOR_URL, &c->endpoint, err));
}

/* ---- accounts ---- */

/* The account that a valid endpoint is of: the first part of its host's name. Of an address and
 * of hosts without domain it is the first part of the path. *account stays NULL where it does
 * not say. */
static bool account_of(const char *endpoint, char **account, vz_error *err)
{
    const char *host = strstr(endpoint, "://") + 3, *path = host + strcspn(host, "/"), *dot = strchr(host, '.');
    const bool is_name = dot && dot < path && !isdigit((unsigned char)*host) && *host != '[';
    const char *from = is_name ? host : path + (*path == '/');
    const size_t size = is_name ? (size_t)(dot - host) : strcspn(from, "/");
    *account = size > 0 ? strndup(from, size) : NULL;
    return size == 0 || *account || vz_fail_memory(err);
}

/* Whose the key and the SAS are, as far as the environment says. */
static bool find_owner(const vz_auth_settings *s, const connection *c, char **owner, vz_error *err)
{
    const char *name = vz_auth_settings_get(s, "AZURE_STORAGE_ACCOUNT");
    if (c->endpoint && !vz_endpoint_valid(c->endpoint))
        return vz_fail(err, VZ_INVALID, CONNECTION ": BlobEndpoint is no server");
    if (c->account)
        return vz_auth_settings_copy(c->account, owner, err);
    if (c->endpoint)
        return account_of(c->endpoint, owner, err);
    return vz_auth_settings_copy(name ? name : vz_auth_settings_get(s, "AZURE_STORAGE_ACCOUNT_NAME"), owner, err);
}

/* A host of Azure's: account.blob.core.windows.net, or its clouds of some countries, or with a
 * zone. */
static bool is_azures(const char *host)
{
    static const char *const domains[] = {".core.windows.net", ".core.usgovcloudapi.net", ".core.chinacloudapi.cn",
                                          ".storage.azure.net"};
    const size_t size = strlen(host);
    for (const char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            return false;
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        const size_t length = strlen(domains[i]);
        if (size > length && strcasecmp(host + size - length, domains[i]) == 0)
            return strstr(host, ".blob.") || strstr(host, ".dfs.");
    }
    return false;
}

/* https://account.blob.core.windows.net of what a name says after "@", of which tables of files
 * (".dfs.") are the same values. */
static bool endpoint_of_host(const char *host, char **endpoint, vz_error *err)
{
    const char *dfs = strstr(host, ".dfs.");
    if (!is_azures(host))
        return vz_fail(err, VZ_INVALID, "a name with a host that is not Azure's (the option endpoint names others)");
    const int size = dfs ? asprintf(endpoint, "https://%.*s.blob.%s", (int)(dfs - host), host, dfs + strlen(".dfs."))
                         : asprintf(endpoint, "https://%s", host);
    if (size >= 0)
        return true;
    *endpoint = NULL;
    return vz_fail_memory(err);
}

/* Which account is asked: what option or name say counts before what the credentials are of. */
static bool choose_account(vz_auth_settings *s, const vz_net_account_options *options, const char *owner, vz_error *err)
{
    const char *named = options->named && *options->named ? options->named : NULL;
    const bool has_option = options->account && *options->account;
    char *of_name = named ? strndup(named, strcspn(named, ".")) : NULL;
    if (named && !of_name)
        return vz_fail_memory(err);
    const char *asked = of_name ? of_name : has_option ? options->account : owner;
    bool ok = vz_auth_settings_copy(asked, &s->account, err);
    free(of_name);
    return ok && (!s->account || vz_endpoint_region_valid(s->account) ||
                  vz_fail(err, VZ_INVALID, "no account of Azure's storage has such a name"));
}

/* Of another account than the string's it says nothing. */
static bool usual_endpoint(vz_auth_settings *s, const connection *c, bool is_owners, vz_error *err)
{
    const char *protocol = is_owners && c->protocol ? c->protocol : "https";
    const char *suffix = is_owners && c->suffix ? c->suffix : USUAL_HOST;
    if (!s->account)
        return vz_fail(err, VZ_INVALID,
                       "nothing says which account of Azure's storage: AZURE_STORAGE_ACCOUNT, " CONNECTION
                       ", the option account, or az://container@account.blob.core.windows.net/...");
    if (asprintf(&s->endpoint, "%s://%s.blob.%s", protocol, s->account, suffix) >= 0)
        return true;
    s->endpoint = NULL;
    return vz_fail_memory(err);
}

static bool choose_endpoint(vz_auth_settings *s, const vz_net_account_options *options, const connection *c,
                            bool is_owners, vz_error *err)
{
    const char *named = options->named && strchr(options->named, '.') ? options->named : NULL;
    const char *said = options->endpoint && *options->endpoint ? options->endpoint : NULL, *what = "option endpoint";
    bool ok = true;
    if (!said && !named && is_owners) {
        said = c->endpoint ? c->endpoint : vz_auth_settings_get(s, "AZURE_STORAGE_SERVICE_ENDPOINT");
        what = c->endpoint ? CONNECTION : "AZURE_STORAGE_SERVICE_ENDPOINT";
    }
    if (said)
        ok = vz_auth_settings_copy(said, &s->endpoint, err);
    else
        ok = named ? endpoint_of_host(named, &s->endpoint, err) : usual_endpoint(s, c, is_owners, err);
    for (size_t size = ok ? strlen(s->endpoint) : 0; size > 0 && s->endpoint[size - 1] == '/';)
        s->endpoint[--size] = '\0';
    return ok && (vz_endpoint_valid(s->endpoint) ||
                  vz_fail(err, VZ_INVALID, "%s: not a server that it can name", said ? what : CONNECTION));
}

/* ---- credentials ---- */

static bool take_secrets(vz_auth_settings *s, const connection *c, vz_error *err)
{
    const char *key = vz_auth_settings_get(s, "AZURE_STORAGE_KEY"), *sas = NULL;
    s->account_source = key ? "AZURE_STORAGE_KEY" : "AZURE_STORAGE_ACCOUNT_KEY";
    if (!key)
        key = vz_auth_settings_get(s, "AZURE_STORAGE_ACCOUNT_KEY");
    if (c->key || c->sas) {
        key = c->key;
        sas = c->sas;
        s->account_source = CONNECTION;
    } else if (!key && (sas = vz_auth_settings_get(s, "AZURE_STORAGE_SAS_TOKEN"))) {
        s->account_source = "AZURE_STORAGE_SAS_TOKEN";
    }
    return key ? vz_auth_settings_copy(key, &s->account_key, err) : vz_auth_settings_copy(sas, &s->sas, err);
}

/* Keys sent to another account than their own would be given away. */
static bool check_owner(const vz_auth_settings *s, const vz_net_account_options *options, const char *owner,
                        vz_error *err)
{
    if (s->anonymous || (!s->account_key && !s->sas))
        return true;
    if (owner && s->account && strcmp(owner, s->account) != 0)
        return vz_fail(err, VZ_PERMISSION,
                       "the account is \"%.64s\", and %s is of \"%.64s\" (anonymous=1 asks without credentials)",
                       s->account, s->account_source, owner);
    if (!owner && options->named && *options->named)
        return vz_fail(err, VZ_PERMISSION,
                       "AZURE_STORAGE_ACCOUNT has to say whose %s is, since the name says \"%.64s\"", s->account_source,
                       options->named);
    return true;
}

bool vz_auth_settings_take_azure(vz_auth_settings *s, const vz_net_account_options *options, vz_error *err)
{
    connection c = {0};
    char *owner = NULL;
    bool ok = parse(vz_auth_settings_get(s, CONNECTION), &c, err) && find_owner(s, &c, &owner, err) &&
              choose_account(s, options, owner, err);
    const bool is_owners = !owner || !s->account || strcmp(owner, s->account) == 0;
    ok = ok && choose_endpoint(s, options, &c, is_owners, err);
    if (ok && !s->account)
        ok = account_of(s->endpoint, &s->account, err);
    if (ok && !s->account)
        ok = vz_fail(err, VZ_INVALID, "AZURE_STORAGE_ACCOUNT has to say whose server the endpoint is");
    ok = ok && take_secrets(s, &c, err) && check_owner(s, options, owner, err);
    clear(&c);
    free(owner);
    return ok;
}
