/* endpoint.c - see endpoint.h. */
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/remote.h"
#include "base/util/name_policy.h"
#include "base/util/bytes.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- which form of a URL ---- */

/* Can the bucket be a part of a host's name, of which the server has a certificate? */
static bool is_host_part(const char *bucket)
{
    const size_t length = strlen(bucket);
    for (const char *c = bucket; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-')
            return false;
    return length >= 3 && length <= 63 && bucket[0] != '-' && bucket[length - 1] != '-';
}

static bool choose_virtual(const vz_site *site, vz_option_addressing addressing, vz_error *err)
{
    if (addressing == VZ_ADDRESSING_VIRTUAL && !is_host_part(site->bucket))
        return vz_fail(err, VZ_INVALID, "addressing=virtual, but the bucket's name cannot be a part of a host's");
    return true;
}

/* ---- opening ---- */

static bool take_account(vz_site *site, const vz_remote_name *name, vz_error *err)
{
    char account[512];
    if (!*name->account)
        return true;
    if (name->scheme == VZ_SCHEME_HTTP)
        return vz_fail(err, VZ_PERMISSION, "a password is not sent over http: https is needed");
    snprintf(account, sizeof account, "%s", name->account);
    if (strlen(name->account) >= sizeof account)
        return vz_fail(err, VZ_LIMIT, "an account with a name of %zu bytes", strlen(name->account));
    const size_t size = vz_remote_url_decode(account, false);
    char *coded = vz_base64_encode(account, size, err);
    if (coded && asprintf(&site->account, "Authorization: Basic %s", coded) < 0) {
        site->account = NULL;
        vz_fail_memory(err);
    }
    free(coded);
    return site->account != NULL;
}

static bool take_names(vz_site *site, const vz_remote_name *name, vz_error *err)
{
    const bool has_bucket = vz_scheme_has_buckets(name->scheme);
    site->scheme = name->scheme;
    site->prefix = strdup(name->key);
    site->is_with_slash = name->with_end;
    site->query = strdup(name->query);
    site->bucket = has_bucket ? strndup(name->place, strcspn(name->place, "@")) : NULL;
    site->label = vz_remote_name_print(name, false, err);
    if (!site->prefix || !site->query || !site->label || (has_bucket && !site->bucket))
        return vz_fail_memory(err);
    return take_account(site, name, err);
}

static bool take_host(vz_site *site, const vz_remote_name *name, vz_error *err)
{
    if (asprintf(&site->endpoint, "http%s://%s", name->scheme == VZ_SCHEME_HTTPS ? "s" : "", name->place) >= 0)
        return true;
    site->endpoint = NULL;
    return vz_fail_memory(err);
}

static bool take_endpoint(vz_site *site, const vz_options *options, const char *said, vz_error *err)
{
    const char *endpoint = *said ? said : site->service->endpoint;
    if (endpoint && !(site->endpoint = strdup(endpoint)))
        return vz_fail_memory(err);
    for (size_t length = endpoint ? strlen(endpoint) : 0; length > 0 && site->endpoint[length - 1] == '/';)
        site->endpoint[--length] = '\0';
    if (site->service->by_path)
        return true;
    site->is_virtual = options->addressing == VZ_ADDRESSING_VIRTUAL ||
                       (options->addressing == VZ_ADDRESSING_AUTO && !endpoint && is_host_part(site->bucket));
    return choose_virtual(site, options->addressing, err);
}

/* A region that is asked for stands until the server says another one. */
static bool find_known(vz_site *site, const char *region, bool anonymous, vz_error *err)
{
    char *id = NULL;
    if (asprintf(&id, "%s %s%s", site->endpoint ? site->endpoint : "", site->bucket, anonymous ? " anonymous" : "") < 0)
        return vz_fail_memory(err);
    site->facts = vz_site_fact_of_bucket(id, err);
    free(id);
    if (!site->facts)
        return false;
    vz_os_mutex_lock(&site->facts->lock);
    if (!site->facts->region[0])
        snprintf(site->facts->region, sizeof site->facts->region, "%s", region);
    vz_os_mutex_unlock(&site->facts->lock);
    return true;
}

static uint64_t add_text(uint64_t seed, const char *text)
{
    return vz_hash(text ? text : "", text ? strlen(text) + 1 : 1, seed);
}

/* A store that is read with another query, or by another user, or anonymously is another store. */
static vz_identity identity_of(const vz_site *site, bool anonymous)
{
    vz_identity identity;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t hash = add_text(i + 1, site->endpoint);
        hash = add_text(hash, site->bucket);
        hash = add_text(hash, site->prefix);
        hash = add_text(hash, site->query);
        hash = add_text(hash, anonymous ? "anonymous" : NULL);
        hash = add_text(hash, site->account);
        hash = add_text(hash, site->hosts == VZ_HOSTS_PUBLIC ? "public" : NULL);
        identity.part[i] = hash ? hash : 1;
    }
    return identity;
}

static bool open_bucket(vz_site *site, const vz_remote_name *name, const vz_options *options, vz_error *err)
{
    char *endpoint = NULL, *region = NULL;
    const char *at = strchr(name->place, '@');
    site->requester_pays = options->requester_pays && site->service->net == VZ_NET_S3;
    const bool ok = vz_settings_of(site, at ? at + 1 : NULL, options, &endpoint, &region, err) &&
                    take_endpoint(site, options, endpoint, err) && find_known(site, region, options->anonymous, err);
    free(endpoint);
    free(region);
    return ok;
}

vz_site *vz_site_open(const vz_remote_name *name, const vz_service *service, const vz_options *options, vz_error *err)
{
    vz_site *site = calloc(1, sizeof *site);
    if (!site) {
        vz_fail_memory(err);
        return NULL;
    }
    site->service = service;
    site->missing = options->missing;
    site->hosts = options->hosts;
    site->second_get = options->second_get;
    site->options = (vz_net_options){.connections = (unsigned)options->connections,
                                     .stall_ms = (unsigned)options->timeout * 1000,
                                     .ca_bundle = *options->ca_bundle ? options->ca_bundle : NULL};
    bool ok = (site->net = vz_remote_net(err)) && take_names(site, name, err);
    ok = ok && (site->bucket ? open_bucket(site, name, options, err) : take_host(site, name, err));
    if (ok) {
        site->identity = identity_of(site, options->anonymous);
        return site;
    }
    vz_site_close(site);
    return NULL;
}

void vz_site_close(vz_site *site)
{
    if (!site)
        return;
    vz_settings_close(site);
    free(site->bucket);
    free(site->prefix);
    free(site->query);
    free(site->account);
    free(site->label);
    free(site->endpoint);
    free(site);
}

/* ---- asking ---- */

/* Keys of a bucket are UTF-8: of others a server says that the signature is wrong, or anything
 * else. */
bool vz_site_key(const vz_site *site, const char *key, vz_buffer *out, vz_error *err)
{
    if (vz_site_has_bucket(site) &&
        (!vz_utf8_valid(key, strlen(key)) || !vz_utf8_valid(site->prefix, strlen(site->prefix))))
        return vz_fail(err, VZ_INVALID, "a key that is not UTF-8, which keys of buckets are");
    if (!vz_buffer_append(out, site->prefix, strlen(site->prefix), err) ||
        (*site->prefix && (*key || site->is_with_slash) && !vz_buffer_append(out, "/", 1, err)))
        return false;
    /* The prefix of a URL is encoded, and so is then what follows it. */
    const bool ok =
        vz_site_has_bucket(site) ? vz_buffer_append(out, key, strlen(key), err) : vz_percent_encode(out, key, "/", err);
    return ok && vz_buffer_append(out, "", 1, err);
}

static void copy_region(const vz_site *site, char region[VZ_REGION_SIZE])
{
    vz_os_mutex_lock(&site->facts->lock);
    memcpy(region, site->facts->region, VZ_REGION_SIZE);
    vz_os_mutex_unlock(&site->facts->lock);
}

vz_net_signer *vz_site_signer(vz_site *site, vz_error *err)
{
    char region[VZ_REGION_SIZE];
    copy_region(site, region);
    return vz_settings_signer(site, region, err);
}

/* Up to the slash before the key. */
static bool print_place(const vz_site *site, vz_buffer *out, vz_error *err)
{
    char region[VZ_REGION_SIZE], host[320];
    if (!site->bucket)
        return vz_buffer_printf(out, err, "%s/", site->endpoint);
    copy_region(site, region);
    if (!site->endpoint)
        snprintf(host, sizeof host, "https://s3.%s.amazonaws.com%s", region, strncmp(region, "cn-", 3) ? "" : ".cn");
    const char *endpoint = site->endpoint ? site->endpoint : host;
    const char *name = strstr(endpoint, "://") + 3;
    if (site->is_virtual)
        return vz_buffer_printf(out, err, "%.*s%s.%s/", (int)(name - endpoint), endpoint, site->bucket, name);
    return vz_buffer_printf(out, err, "%s/%s/", endpoint, site->bucket);
}

bool vz_site_url(const vz_site *site, const char *whole_key, const char *query, vz_buffer *out, vz_error *err)
{
    if (!print_place(site, out, err))
        return false;
    if (!*whole_key && site->bucket && !site->is_virtual)
        out->size--; /* the bucket itself: no slash */
    const bool ok = site->bucket ? vz_percent_encode(out, whole_key, "/", err)
                                 : vz_buffer_append(out, whole_key, strlen(whole_key), err);
    const char *what = query ? query : site->query;
    return ok && vz_buffer_printf(out, err, "%s%s", *what ? "?" : "", what) && vz_buffer_append(out, "", 1, err);
}

bool vz_site_learn_region(vz_site *site, const char *region)
{
    vz_os_mutex_lock(&site->facts->lock);
    const bool is_new = vz_endpoint_region_valid(region) && strcmp(region, site->facts->region) != 0;
    if (is_new)
        snprintf(site->facts->region, sizeof site->facts->region, "%s", region);
    vz_os_mutex_unlock(&site->facts->lock);
    return is_new;
}
