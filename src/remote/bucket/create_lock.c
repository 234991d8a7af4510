/* create_lock.c - of two programs that create one store, one goes on. What they put first may be different keys
 * (documents of different formats), so both put one key before, which is the same for all. */
#include "remote/bucket/tree_internal.h"
#include "base/util/text.h"
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

/* ---- the first look, on its way while the claim is put ---- */

static bool looked(vz_remote_task *task, vz_error *err)
{
    vz_list_page page = {0};
    const bool ok = vz_listing_take(task, &page, err);
    if (ok)
        vz_first_look_take(task->state, &page);
    vz_list_page_clear(&page);
    return ok;
}

static bool begin_look(vz_remote_task *task, vz_error *err)
{
    task->go_on = looked;
    return vz_first_look_ask(task->state, task, "", err);
}

static bool end_look(vz_task_queue *run, vz_first_look *look, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_remote_task *ended = vz_run_next(run);
    if (ended)
        failed = ended->err;
    else
        vz_fail(&failed, VZ_TRANSIENT, "the look was given up");
    vz_run_close(run);
    vz_buffer_clear(&look->prefix);
    if (failed.class == VZ_OK && !look->is_empty)
        vz_fail_errno(&failed, EEXIST, "there is something already");
    if (failed.class != VZ_OK && err && err->class == VZ_OK)
        *err = failed;
    return failed.class == VZ_OK;
}

static bool take_and_look(vz_remote *remote, const char *key, bool *taken, vz_error *err)
{
    vz_first_look look = {0};
    vz_remote_task task = {.remote = remote, .state = &look};
    vz_task_queue *run = vz_run_open(remote, &task, 1, begin_look, err);
    if (!run)
        return false;
    vz_run_start(run);
    *taken = take(remote, key, err);
    return end_look(run, &look, *taken ? err : NULL) && *taken;
}

bool vz_remote_claim(vz_remote *remote, bool over, vz_error *err)
{
    vz_buffer key = {0};
    bool taken = false;
    bool ok = vz_remote_check_conditions(remote, err) && vz_site_key(remote->site, CLAIM, &key, err);
    if (ok && over)
        ok = taken = take(remote, (const char *)key.data, err);
    else if (ok)
        ok = take_and_look(remote, (const char *)key.data, &taken, err);
    if (taken)
        remote->claim = (char *)key.data;
    else
        vz_buffer_clear(&key);
    if (taken && !ok)
        vz_remote_end_claim(remote);
    remote->proof = ok && !over ? VZ_PROOF_OWED : VZ_PROOF_DONE;
    return ok;
}
