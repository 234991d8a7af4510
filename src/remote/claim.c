/* claim.c - of two programs that create one store, one goes on. What they put first may be different keys (documents of
 * different formats), so both put one key before, which is the same for all. */
#include "remote/remote.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* A hidden name, which is always the same. */
#define CLAIM       "00000000000000000000000000000000-0.partial"
#define CLAIM_LASTS 60 /* seconds, by the server's clock: who is not done by then is dead */

/* When the server says that something was; 0: it does not. */
static time_t time_of(const vz_exchange *x, const char *header)
{
    struct tm parts = {0};
    const char *text = x->site->net->header(&x->net, header);
    const char *end = text ? strptime(text, "%a, %d %b %Y %H:%M:%S", &parts) : NULL;
    return end ? timegm(&parts) : 0;
}

/* Another one's claim: is it too old to be a living program's? Then *etag is that version's, the caller's. */
static bool is_dead(vz_remote *remote, const char *key, char **etag, vz_error *err)
{
    vz_exchange x = {0};
    bool missing, dead = false;
    if (vz_exchange_begin(&x, remote->site, VZ_NET_HEAD, key, NULL, err) && vz_exchange_do(&x, err) &&
        vz_exchange_check(&x, &missing, err) && !missing) {
        const time_t made = time_of(&x, "Last-Modified"), now = time_of(&x, "Date");
        const char *text = x.site->net->header(&x.net, "ETag");
        if (made && now && now - made > CLAIM_LASTS && text)
            dead = (*etag = strdup(text)) || vz_fail_memory(err);
    }
    vz_exchange_clear(&x);
    return dead;
}

/* etag: of the claim that is taken over; NULL: there is none. */
static bool put_claim(vz_remote *remote, const char *key, const char *etag, vz_error *err)
{
    char value[VZ_PARTIAL_SIZE];
    vz_exchange x = {0};
    bool missing;
    bool ok = vz_partial_name(value, sizeof value, err) &&
              vz_exchange_begin(&x, remote->site, VZ_NET_PUT, key, NULL, err) &&
              (etag ? vz_exchange_line(&x, err, "If-Match: %s", etag) : vz_exchange_line(&x, err, "If-None-Match: *"));
    x.net.body = (vz_bytes){(const uint8_t *)value, strlen(value)};
    ok = ok && vz_exchange_do(&x, err) && vz_exchange_check(&x, &missing, err) &&
         (!missing || vz_fail(err, VZ_CHANGED, "the claim went to another program"));
    vz_exchange_clear(&x);
    return ok;
}

static bool take(vz_remote *remote, const char *key, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    char *etag = NULL;
    if (put_claim(remote, key, NULL, &failed))
        return true;
    bool ok = failed.class == VZ_CHANGED && is_dead(remote, key, &etag, err);
    if (ok) {
        failed = VZ_ERROR_NONE;
        ok = put_claim(remote, key, etag, &failed);
    }
    free(etag);
    if (!ok && failed.class == VZ_CHANGED)
        return vz_fail_errno(err, EEXIST, "another program is creating a store there");
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    return ok;
}

bool vz_remote_claim(vz_remote *remote, bool over, vz_error *err)
{
    vz_buffer key = {0};
    bool is_empty = true;
    if (!vz_remote_check_conditions(remote, err) || !vz_site_key(remote->site, CLAIM, &key, err) ||
        !take(remote, (const char *)key.data, err)) {
        vz_buffer_clear(&key);
        return false;
    }
    remote->claim = (char *)key.data;
    if (over || (vz_remote_is_empty(remote, "", &is_empty, err) && is_empty))
        return true;
    vz_remote_end_claim(remote);
    return vz_fail_errno(err, EEXIST, "there is something already");
}
