/* claim.c - of two programs that create one store, one goes on. What they put first may be different keys (documents of
 * different formats), so both put one key before, which is the same for all. */
#include "remote/first_look.h"
#include "util/http_date.h"
#include <errno.h>
#include <stdlib.h>

/* A hidden name, which is always the same. */
#define CLAIM       "00000000000000000000000000000000-0.partial"
#define ATTEMPTS    3  /* to put it, where answers are lost */
#define CLAIM_LASTS 60 /* seconds, by the server's clock: who is not done by then is dead */

/* When the server says that something was; 0: it does not. */
static int64_t time_of(const vz_exchange *x, const char *header)
{
    int64_t seconds = 0;
    const char *text = x->site->net->header(&x->net, header);
    return text && vz_http_date_parse(text, &seconds) ? seconds : 0;
}

/* Another one's claim: is it too old to be a living program's? Then *etag is that version's, the caller's. */
static bool is_dead(vz_remote *remote, const char *key, char **etag, vz_error *err)
{
    vz_exchange x = {0};
    bool missing, dead = false;
    if (vz_exchange_begin(&x, remote->site, VZ_NET_HEAD, key, NULL, err) && vz_exchange_do(&x, err) &&
        vz_exchange_check(&x, &missing, err) && !missing) {
        const int64_t made = time_of(&x, "Last-Modified"), now = time_of(&x, "Date");
        const char *text = x.site->net->header(&x.net, "ETag");
        if (made && now && now - made > CLAIM_LASTS && text)
            dead = (*etag = strdup(text)) || vz_fail_memory(err);
    }
    vz_exchange_clear(&x);
    return dead;
}

/* etag: of the claim that is taken over; NULL: there is none. */
static bool put_claim(vz_remote *remote, const char *key, const char *etag, const char *value, vz_error *err)
{
    vz_exchange x = {0};
    bool missing;
    bool ok =
        vz_exchange_begin(&x, remote->site, VZ_NET_PUT, key, NULL, err) &&
        (etag ? vz_exchange_line(&x, err, "If-Match: %s", etag) : vz_exchange_line(&x, err, "If-None-Match: *")) &&
        vz_exchange_value(&x, (vz_bytes){(const uint8_t *)value, strlen(value)}, err);
    ok = ok && vz_exchange_do(&x, err) && vz_exchange_check(&x, &missing, err) &&
         (!missing || vz_fail(err, VZ_CHANGED, "the claim went to another program"));
    vz_exchange_clear(&x);
    return ok;
}

/* Is it ours, though nobody told? */
static bool is_ours(vz_remote *remote, const char *key, const char *value)
{
    vz_exchange x = {0};
    bool missing;
    bool ok = vz_exchange_begin(&x, remote->site, VZ_NET_GET, key, NULL, NULL);
    x.net.into = &x.own;
    x.net.most = VZ_PARTIAL_SIZE;
    ok = ok && vz_exchange_do(&x, NULL) && vz_exchange_check(&x, &missing, NULL) && !missing &&
         x.own.size == strlen(value) && memcmp(x.own.data, value, x.own.size) == 0;
    vz_exchange_clear(&x);
    return ok;
}

/* An answer that is lost leaves open whether it was put. */
static bool put_or_find(vz_remote *remote, const char *key, const char *etag, const char *value, vz_error *err)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        *err = VZ_ERROR_NONE;
        if (put_claim(remote, key, etag, value, err) ||
            ((err->class == VZ_TRANSIENT || attempt > 0) && is_ours(remote, key, value)))
            return true;
        if (err->class != VZ_TRANSIENT)
            break;
    }
    return false;
}

static bool take(vz_remote *remote, const char *key, vz_error *err)
{
    char value[VZ_PARTIAL_SIZE];
    vz_error failed = VZ_ERROR_NONE;
    char *etag = NULL;
    if (!vz_partial_name(value, sizeof value, err))
        return false;
    if (put_or_find(remote, key, NULL, value, &failed))
        return true;
    const bool ok = failed.class == VZ_CHANGED && is_dead(remote, key, &etag, err) &&
                    put_or_find(remote, key, etag, value, &failed);
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
    vz_first_look look = {.is_empty = true};
    bool ok = vz_remote_check_conditions(remote, err) && vz_site_key(remote->site, CLAIM, &key, err) &&
              (over || vz_first_look_begin(&look, remote, "", err));
    const bool looks = ok && !over;
    if (ok && (ok = take(remote, (const char *)key.data, err))) {
        remote->claim = (char *)key.data;
        key = (vz_buffer){0};
    }
    vz_buffer_clear(&key);
    if (looks)
        ok = vz_first_look_end(&look, ok ? err : NULL) && ok;
    if (ok && !look.is_empty)
        ok = vz_fail_errno(err, EEXIST, "there is something already");
    if (!ok)
        vz_remote_end_claim(remote);
    remote->proof = ok && looks ? VZ_PROOF_OWED : VZ_PROOF_DONE;
    return ok;
}
