/* account.c - accounts: settings as they were read, a provider of credentials, and a signer for
 * each region. */
#include "net/http/engine.h"
#include "net/auth/auth_internal.h"
#include "base/util/name_policy.h"
#include <stdio.h>
#include <stdlib.h>

static bool copy_text(const char *text, char **copy, vz_error *err)
{
    *copy = text ? strdup(text) : NULL;
    return !text || *copy || vz_fail_memory(err);
}

vz_net_account *vz_net_account_open(const vz_net_account_options *options, vz_error *err)
{
    vz_auth_settings *settings = vz_auth_settings_read(options, err);
    vz_net_account *account = settings ? calloc(1, sizeof *account) : NULL;
    if (settings && !account)
        vz_fail_memory(err);
    if (!account || !copy_text(settings->endpoint, &account->endpoint, err) ||
        !copy_text(settings->region, &account->region, err)) {
        vz_auth_settings_free(settings);
        vz_net_account_close(account);
        return NULL;
    }
    account->service = options->service;
    account->provider = vz_provider_of(settings, err);
    if (account->provider)
        return account;
    vz_net_account_close(account);
    return NULL;
}

void vz_net_account_close(vz_net_account *account)
{
    if (!account)
        return;
    for (vz_signer *s = account->signers, *next; s; s = next) {
        next = s->next;
        free(s->region);
        free(s);
    }
    if (account->provider)
        vz_provider_release(account->provider);
    free(account->endpoint);
    free(account->region);
    free(account);
}

const char *vz_net_account_endpoint(const vz_net_account *account)
{
    return account->endpoint;
}

const char *vz_net_account_region(const vz_net_account *account)
{
    return account->region;
}

vz_net_signer *vz_net_account_signer(vz_net_account *account, const char *region, vz_error *err)
{
    vz_signer *made = calloc(1, sizeof *made), *s;
    if (!vz_endpoint_region_valid(region) || !made || !copy_text(region, &made->region, err)) {
        if (!made)
            vz_fail_memory(err);
        else
            vz_error_set(err, VZ_INVALID, "\"%.60s\" is no region", region);
        free(made);
        return NULL;
    }
    made->head.class = &vz_signer_class;
    made->account = account;
    vz_os_mutex_lock(&vz_net.lock);
    for (s = account->signers; s && strcmp(s->region, region) != 0;)
        s = s->next;
    if (!s) {
        s = made;
        s->next = account->signers;
        account->signers = s;
        made = NULL;
    }
    vz_os_mutex_unlock(&vz_net.lock);
    if (made)
        free(made->region);
    free(made);
    return &s->head;
}

bool vz_net_account_source(vz_net_account *account, char *text, size_t size, vz_error *err)
{
    if (!vz_provider_prepare(account->provider, err))
        return false;
    vz_credential *credential = vz_provider_current(account->provider);
    const bool known = credential && !credential->anonymous;
    snprintf(text, size, "%s", known ? credential->keys.source : "nowhere: anonymous");
    vz_credential_release(credential);
    return true;
}

bool vz_net_account_found_none(vz_net_account *account, char *text, size_t size)
{
    const vz_auth_settings *settings = vz_provider_settings(account->provider);
    vz_credential *credential = vz_provider_current(account->provider);
    const bool found_none = credential && credential->anonymous && !settings->anonymous;
    if (found_none)
        vz_auth_source_places(settings, text, size);
    vz_credential_release(credential);
    return found_none;
}

bool vz_net_sha256(vz_bytes data, char hex[65], vz_error *err)
{
    return vz_sha256_hex(data, hex, err);
}

bool vz_net_md5(vz_bytes data, char base64[25], vz_error *err)
{
    uint8_t hash[16];
    char *text = vz_md5(data, hash, err) ? vz_base64_encode(hash, sizeof hash, err) : NULL;
    if (text)
        memcpy(base64, text, 25);
    free(text);
    return text;
}
