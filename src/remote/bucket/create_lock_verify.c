/* create_lock_verify.c - probes the place of a new store again, after the create lock was put
 * (create_lock.c).
 *
 * Another creator may have come and gone between the first probe and the lock. The second probe
 * takes no round trip of its own: it is sent beside the first value in the root. Values elsewhere
 * in the store wait for it. */
#include "remote/bucket/tree_internal.h"
#include <errno.h>
#include <stdlib.h>

static bool fail_taken(vz_error *err)
{
    return vz_fail_errno(err, EEXIST, "there is something already");
}

/* ---- values that this store put ---- */

static bool is_own(void *context, const char *whole_key)
{
    vz_bucket *remote = context;
    bool is_it = false;
    vz_os_mutex_lock(&remote->lock);
    for (size_t i = 0; i < VZ_OWN_KEYS_MAX && remote->own[i]; i++)
        is_it = is_it || strcmp(remote->own[i], whole_key) == 0;
    vz_os_mutex_unlock(&remote->lock);
    return is_it;
}

/* Under the lock. False: there is no room, or no memory. */
static bool note_own(vz_bucket *remote, const char *key)
{
    vz_buffer whole = {0};
    size_t i = 0;
    while (i < VZ_OWN_KEYS_MAX && remote->own[i])
        i++;
    if (i == VZ_OWN_KEYS_MAX || !vz_site_key(remote->site, key, &whole, NULL)) {
        vz_buffer_clear(&whole);
        return false;
    }
    remote->own[i] = (char *)whole.data;
    return true;
}

/* The server refused the condition: another program's value exists. Its key must leave `own`, or
 * the value would count as ours and be deleted. A second entry for the key is of an attempt whose
 * answer was lost; that attempt may be what the condition met. False: there is such an entry, or
 * the place is verified. */
static bool met_theirs(vz_bucket *remote, const char *key)
{
    vz_buffer whole = {0};
    size_t marks = 0, last = 0, count = 0;
    const bool ok = vz_site_key(remote->site, key, &whole, NULL);
    vz_os_mutex_lock(&remote->lock);
    for (; ok && count < VZ_OWN_KEYS_MAX && remote->own[count]; count++)
        if (strcmp(remote->own[count], (const char *)whole.data) == 0) {
            marks++;
            last = count;
        }
    const bool is_it = marks == 1 && remote->lock_state != VZ_CREATE_LOCK_VERIFIED;
    if (marks > 0) {
        free(remote->own[last]);
        remote->own[last] = remote->own[count - 1];
        remote->own[count - 1] = NULL;
    }
    vz_os_mutex_unlock(&remote->lock);
    vz_buffer_clear(&whole);
    return is_it;
}

/* Deletes the values in `own`, or (`keep`) forgets them. */
static void end_own(vz_bucket *remote, bool keep)
{
    char *own[VZ_OWN_KEYS_MAX];
    size_t count = 0;
    vz_os_mutex_lock(&remote->lock);
    for (size_t i = 0; i < VZ_OWN_KEYS_MAX && remote->own[i]; i++) {
        own[count++] = remote->own[i];
        remote->own[i] = NULL;
    }
    vz_os_mutex_unlock(&remote->lock);
    for (size_t i = 0; i < count; i++) {
        if (!keep)
            vz_exchange_delete(remote->site, own[i]);
        free(own[i]);
    }
}

/* False: the values were deleted, and the next change verifies again. */
static bool conclude(vz_bucket *remote, bool is_empty, vz_error *err)
{
    vz_os_mutex_lock(&remote->lock);
    const bool was_done = remote->lock_state == VZ_CREATE_LOCK_VERIFIED;
    remote->lock_state = is_empty ? VZ_CREATE_LOCK_VERIFIED : was_done ? remote->lock_state : VZ_CREATE_LOCK_UNVERIFIED;
    vz_os_mutex_unlock(&remote->lock);
    if (was_done) /* by another thread, which has put more since */
        return true;
    end_own(remote, is_empty);
    return is_empty || fail_taken(err);
}

/* ---- at once ---- */

static bool verify_now(vz_bucket *remote, vz_error *err)
{
    vz_bucket_prefix_probe look = {.but = is_own, .context = remote};
    return vz_bucket_prefix_probe_now(&look, remote, "", err) && conclude(remote, look.is_empty, err);
}

/* ---- beside the first value in the root ---- */

static void reset_verifying(vz_bucket *remote)
{
    vz_os_mutex_lock(&remote->lock);
    if (remote->lock_state == VZ_CREATE_LOCK_VERIFYING)
        remote->lock_state = VZ_CREATE_LOCK_UNVERIFIED;
    vz_os_mutex_unlock(&remote->lock);
}

/* Without an answer the place is not verified. */
static void clear(vz_task *task)
{
    vz_bucket_prefix_probe *look = task->state;
    reset_verifying(task->remote);
    vz_buffer_clear(&look->prefix);
    free(look);
    task->state = NULL;
}

static bool verify_beside(vz_task *task, vz_error *err)
{
    vz_bucket_prefix_probe *look = calloc(1, sizeof *look);
    if (!look) {
        reset_verifying(task->remote);
        return vz_fail_memory(err);
    }
    *look = (vz_bucket_prefix_probe){.but = is_own, .context = task->remote};
    task->state = look;
    task->clear = clear;
    return vz_bucket_prefix_probe_ask(look, task, "", err);
}

/* The condition ensures that a value that may be deleted is never another program's. */
static bool may_go_beside(const vz_request *request)
{
    return request->op == VZ_REQUEST_PUT && request->when == VZ_WHEN_ABSENT && !strchr(request->key, '/') &&
           request->value.size <= (size_t)1 << 20;
}

bool vz_bucket_create_lock_verify_begin(vz_task *task, vz_error *err)
{
    vz_bucket *remote = task->remote;
    vz_os_mutex_lock(&remote->lock);
    const vz_bucket_create_lock_state state = remote->lock_state;
    const bool beside =
        state != VZ_CREATE_LOCK_VERIFIED && may_go_beside(task->request) && note_own(remote, task->request->key);
    if (beside)
        remote->lock_state = VZ_CREATE_LOCK_VERIFYING;
    vz_os_mutex_unlock(&remote->lock);
    if (state == VZ_CREATE_LOCK_VERIFIED || (beside && state == VZ_CREATE_LOCK_VERIFYING))
        return true;
    return beside ? verify_beside(task, err) : verify_now(remote, err);
}

bool vz_bucket_create_lock_verify_end(vz_task *task, bool is_put, vz_error *err)
{
    vz_list_page page = {0};
    vz_bucket_prefix_probe *look = task->state;
    if (!is_put && err->class == VZ_CHANGED && met_theirs(task->remote, task->request->key)) {
        *err = VZ_ERROR_NONE;
        return fail_taken(err);
    }
    if (!look)
        return true;
    const bool ok = is_put && vz_listing_read(task->exchanges[0], &page, err);
    if (ok)
        vz_bucket_prefix_probe_take(look, &page);
    vz_list_page_clear(&page);
    return !is_put || (ok && conclude(task->remote, look->is_empty, err));
}
