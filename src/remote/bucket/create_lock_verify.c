/* create_lock_verify.c - another creator may have come and gone between the first look at the place and our claim
 * (create_lock.c): so it is looked at once more. That costs no round trip of its own, as it goes beside the first value
 * that is put in the root. What a program puts elsewhere before, waits for it. */
#include "remote/bucket/tree_internal.h"
#include <errno.h>
#include <stdlib.h>

static bool fail_taken(vz_error *err)
{
    return vz_fail_errno(err, EEXIST, "there is something already");
}

/* ---- values of ours ---- */

static bool is_own(void *context, const char *whole_key)
{
    vz_remote *remote = context;
    bool is_it = false;
    pthread_mutex_lock(&remote->lock);
    for (size_t i = 0; i < VZ_OWN_MARKS && remote->own[i]; i++)
        is_it = is_it || strcmp(remote->own[i], whole_key) == 0;
    pthread_mutex_unlock(&remote->lock);
    return is_it;
}

/* Under the lock. False: there is no room, or no memory. */
static bool note_own(vz_remote *remote, const char *key)
{
    vz_buffer whole = {0};
    size_t i = 0;
    while (i < VZ_OWN_MARKS && remote->own[i])
        i++;
    if (i == VZ_OWN_MARKS || !vz_site_key(remote->site, key, &whole, NULL)) {
        vz_buffer_clear(&whole);
        return false;
    }
    remote->own[i] = (char *)whole.data;
    return true;
}

/* The server refused the condition: another one's value is there. A mark would let it count as ours, and have it taken
 * back. One that is left is of an attempt whose answer was lost, and which may be what the condition met. False: there
 * is such a one, or the place is proved. */
static bool met_theirs(vz_remote *remote, const char *key)
{
    vz_buffer whole = {0};
    size_t marks = 0, last = 0, count = 0;
    const bool ok = vz_site_key(remote->site, key, &whole, NULL);
    pthread_mutex_lock(&remote->lock);
    for (; ok && count < VZ_OWN_MARKS && remote->own[count]; count++)
        if (strcmp(remote->own[count], (const char *)whole.data) == 0) {
            marks++;
            last = count;
        }
    const bool is_it = marks == 1 && remote->proof != VZ_PROOF_DONE;
    if (marks > 0) {
        free(remote->own[last]);
        remote->own[last] = remote->own[count - 1];
        remote->own[count - 1] = NULL;
    }
    pthread_mutex_unlock(&remote->lock);
    vz_buffer_clear(&whole);
    return is_it;
}

/* Takes back what was put, or (`keep`) forgets it. */
static void end_own(vz_remote *remote, bool keep)
{
    char *own[VZ_OWN_MARKS];
    size_t count = 0;
    pthread_mutex_lock(&remote->lock);
    for (size_t i = 0; i < VZ_OWN_MARKS && remote->own[i]; i++) {
        own[count++] = remote->own[i];
        remote->own[i] = NULL;
    }
    pthread_mutex_unlock(&remote->lock);
    for (size_t i = 0; i < count; i++) {
        if (!keep)
            vz_exchange_delete(remote->site, own[i]);
        free(own[i]);
    }
}

/* False: it was taken back, and is to be proved again by who goes on. */
static bool conclude(vz_remote *remote, bool is_empty, vz_error *err)
{
    pthread_mutex_lock(&remote->lock);
    const bool was_done = remote->proof == VZ_PROOF_DONE;
    remote->proof = is_empty ? VZ_PROOF_DONE : was_done ? remote->proof : VZ_PROOF_OWED;
    pthread_mutex_unlock(&remote->lock);
    if (was_done) /* by another thread, which has put more since */
        return true;
    end_own(remote, is_empty);
    return is_empty || fail_taken(err);
}

/* ---- now ---- */

static bool prove_now(vz_remote *remote, vz_error *err)
{
    vz_first_look look = {.but = is_own, .context = remote};
    return vz_first_look_now(&look, remote, "", err) && conclude(remote, look.is_empty, err);
}

/* ---- beside the first value in the root ---- */

static void owe_again(vz_remote *remote)
{
    pthread_mutex_lock(&remote->lock);
    if (remote->proof == VZ_PROOF_UNDER_WAY)
        remote->proof = VZ_PROOF_OWED;
    pthread_mutex_unlock(&remote->lock);
}

/* Without an answer nothing is proved. */
static void clear(vz_remote_task *task)
{
    vz_first_look *look = task->state;
    owe_again(task->remote);
    vz_buffer_clear(&look->prefix);
    free(look);
    task->state = NULL;
}

static bool prove_beside(vz_remote_task *task, vz_error *err)
{
    vz_first_look *look = calloc(1, sizeof *look);
    if (!look) {
        owe_again(task->remote);
        return vz_fail_memory(err);
    }
    *look = (vz_first_look){.but = is_own, .context = task->remote};
    task->state = look;
    task->clear = clear;
    return vz_first_look_ask(look, task, "", err);
}

/* The condition sees to it that what may be taken back is not another one's. */
static bool may_go_beside(const vz_request *request)
{
    return request->op == VZ_REQUEST_PUT && request->when == VZ_WHEN_ABSENT && !strchr(request->key, '/') &&
           request->value.size <= (size_t)1 << 20;
}

bool vz_claim_proof_begin(vz_remote_task *task, vz_error *err)
{
    vz_remote *remote = task->remote;
    pthread_mutex_lock(&remote->lock);
    const vz_proof proof = remote->proof;
    const bool beside = proof != VZ_PROOF_DONE && may_go_beside(task->request) && note_own(remote, task->request->key);
    if (beside)
        remote->proof = VZ_PROOF_UNDER_WAY;
    pthread_mutex_unlock(&remote->lock);
    if (proof == VZ_PROOF_DONE || (beside && proof == VZ_PROOF_UNDER_WAY))
        return true;
    return beside ? prove_beside(task, err) : prove_now(remote, err);
}

bool vz_claim_proof_end(vz_remote_task *task, bool is_put, vz_error *err)
{
    vz_list_page page = {0};
    vz_first_look *look = task->state;
    if (!is_put && err->class == VZ_CHANGED && met_theirs(task->remote, task->request->key)) {
        *err = VZ_ERROR_NONE;
        return fail_taken(err);
    }
    if (!look)
        return true;
    const bool ok = is_put && vz_listing_read(task->exchanges[0], &page, err);
    if (ok)
        vz_first_look_take(look, &page);
    vz_list_page_clear(&page);
    return !is_put || (ok && conclude(task->remote, look->is_empty, err));
}
