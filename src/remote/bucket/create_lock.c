/* create_lock.c - of two programs that create one store, only one continues.
 *
 * Their first documents may have different keys, since formats differ. So each program first puts
 * one key, the create lock. It has one name for all programs, and is put under the condition that
 * it does not exist. */
#include "remote/bucket/tree_internal.h"
#include "base/util/http_date.h"
#include <errno.h>
#include <stdlib.h>

/* A hidden name, the same for all programs. */
#define LOCK_NAME  "00000000000000000000000000000000-0.partial"
#define ATTEMPTS   3  /* to put it, where answers are lost */
#define LOCK_LASTS 60 /* seconds, by the server's clock: an older lock is a dead program's */

/* A time in a header of the answer; 0: none. */
static int64_t time_of(const vz_exchange *x, const char *header)
{
    int64_t seconds = 0;
    const char *text = x->site->net->header(&x->net, header);
    return text && vz_http_date_parse(text, &seconds) ? seconds : 0;
}

/* Is another program's lock too old to be a living program's? Then *etag is its version; the
 * caller's. */
static bool is_dead(vz_bucket *remote, const char *key, char **etag, vz_error *err)
{
    vz_exchange x = {0};
    bool missing, dead = false;
    if (vz_exchange_begin(&x, remote->site, VZ_NET_HEAD, key, NULL, err) && vz_exchange_do(&x, err) &&
        vz_exchange_check(&x, &missing, err) && !missing) {
        const int64_t made = time_of(&x, "Last-Modified"), now = time_of(&x, "Date");
        const char *text = x.site->net->header(&x.net, "ETag");
        if (made && now && now - made > LOCK_LASTS && text)
            dead = (*etag = strdup(text)) || vz_fail_memory(err);
    }
    vz_exchange_clear(&x);
    return dead;
}

/* etag: of the lock that is taken over; NULL: there is none. */
static bool put_lock(vz_bucket *remote, const char *key, const char *etag, const char *value, vz_error *err)
{
    vz_exchange x = {0};
    bool missing;
    bool ok =
        vz_exchange_begin(&x, remote->site, VZ_NET_PUT, key, NULL, err) &&
        (etag ? vz_exchange_line(&x, err, "If-Match: %s", etag) : vz_exchange_line(&x, err, "If-None-Match: *")) &&
        vz_exchange_value(&x, (vz_bytes){(const uint8_t *)value, strlen(value)}, err);
    ok = ok && vz_exchange_do(&x, err) && vz_exchange_check(&x, &missing, err) &&
         (!missing || vz_fail(err, VZ_CHANGED, "the create lock went to another program"));
    vz_exchange_clear(&x);
    return ok;
}

/* Is the lock ours, though no answer said so? */
static bool is_ours(vz_bucket *remote, const char *key, const char *value)
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

/* A lost answer leaves open whether the lock was put. */
static bool put_or_find(vz_bucket *remote, const char *key, const char *etag, const char *value, vz_error *err)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        *err = VZ_ERROR_NONE;
        if (put_lock(remote, key, etag, value, err) ||
            ((err->class == VZ_TRANSIENT || attempt > 0) && is_ours(remote, key, value)))
            return true;
        if (err->class != VZ_TRANSIENT)
            break;
    }
    return false;
}

static bool take(vz_bucket *remote, const char *key, vz_error *err)
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

/* ---- the first probe of the place, sent while the lock is put ---- */

static bool looked(vz_task *task, vz_error *err)
{
    vz_list_page page = {0};
    const bool ok = vz_listing_take(task, &page, err);
    if (ok)
        vz_bucket_prefix_probe_take(task->state, &page);
    vz_list_page_clear(&page);
    return ok;
}

static bool begin_look(vz_task *task, vz_error *err)
{
    task->go_on = looked;
    return vz_bucket_prefix_probe_ask(task->state, task, "", err);
}

static bool end_look(vz_task_queue *run, vz_bucket_prefix_probe *look, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_task *ended = vz_task_queue_next(run);
    if (ended)
        failed = ended->err;
    else
        vz_fail(&failed, VZ_TRANSIENT, "the look was given up");
    vz_task_queue_close(run);
    vz_buffer_clear(&look->prefix);
    if (failed.class == VZ_OK && !look->is_empty)
        vz_fail_errno(&failed, EEXIST, "there is something already");
    if (failed.class != VZ_OK && err && err->class == VZ_OK)
        *err = failed;
    return failed.class == VZ_OK;
}

static bool take_and_look(vz_bucket *remote, const char *key, bool *taken, vz_error *err)
{
    vz_bucket_prefix_probe look = {0};
    vz_task task = {.remote = remote, .state = &look};
    vz_task_queue *run = vz_task_queue_open(remote, &task, 1, begin_look, err);
    if (!run)
        return false;
    vz_task_queue_start(run);
    *taken = take(remote, key, err);
    return end_look(run, &look, *taken ? err : NULL) && *taken;
}

bool vz_bucket_create_lock_take(vz_bucket *remote, bool over, vz_error *err)
{
    vz_buffer key = {0};
    bool taken = false;
    bool ok = vz_bucket_check_conditions(remote, err) && vz_site_key(remote->site, LOCK_NAME, &key, err);
    if (ok && over)
        ok = taken = take(remote, (const char *)key.data, err);
    else if (ok)
        ok = take_and_look(remote, (const char *)key.data, &taken, err);
    if (taken)
        remote->create_lock = (char *)key.data;
    else
        vz_buffer_clear(&key);
    if (taken && !ok)
        vz_bucket_create_lock_end(remote);
    remote->lock_state = ok && !over ? VZ_CREATE_LOCK_UNVERIFIED : VZ_CREATE_LOCK_VERIFIED;
    return ok;
}
