/* credential_provider.c - credentials as they are fetched, kept and renewed. One thread at a time
 * renews them, while the others go on with the old ones as long as those hold. All under the
 * engine's lock, so that a fork finds it free, but for the fetching itself. */
#include "net/auth/auth_internal.h"
#include "net/http/engine.h"
#include <stdlib.h>
#include <time.h>

#define IDLE_MAX 8 /* providers without an account that are kept */

struct vz_provider {
    vz_auth_settings *settings;
    unsigned accounts;
    vz_credential *current; /* NULL: none yet, or refused */
    bool fetching;
    vz_os_condition fetched;
    unsigned generation; /* of the engine, in which the two above mean something */
    int64_t again_s;     /* a failed renewal is not repeated before */
    int64_t failed_ms;   /* when fetching failed last, where nothing holds; 0: it did not */
    vz_error failure;
    int64_t skew_s;
    TAILQ_ENTRY(vz_provider) all;
};

static TAILQ_HEAD(, vz_provider) providers = TAILQ_HEAD_INITIALIZER(providers);
static vz_auth_source_result (*ask_chain)(const vz_auth_settings *, vz_auth_keys *, vz_error *) = vz_auth_source_chain;

void vz_provider_set_chain(vz_auth_source_result (*chain)(const vz_auth_settings *, vz_auth_keys *, vz_error *))
{
    ask_chain = chain ? chain : vz_auth_source_chain;
}

/* ---- credentials ---- */

static void release(vz_credential *credential)
{
    if (!credential || --credential->users > 0)
        return;
    vz_auth_keys_clear(&credential->keys);
    free(credential);
}

void vz_credential_release(vz_credential *credential)
{
    vz_os_mutex_lock(&vz_net.lock);
    release(credential);
    vz_os_mutex_unlock(&vz_net.lock);
}

static bool holds(const vz_credential *credential, int64_t now_s)
{
    return credential && (credential->keys.expires == 0 || credential->keys.expires > now_s);
}

static bool runs_out(const vz_credential *credential, int64_t now_s)
{
    return credential->keys.expires != 0 && credential->keys.expires - now_s <= credential->early_s;
}

/* ---- providers ---- */

static void free_provider(vz_provider *p)
{
    TAILQ_REMOVE(&providers, p, all);
    release(p->current);
    vz_auth_settings_free(p->settings);
    vz_os_condition_destroy(&p->fetched);
    free(p);
}

/* Keeps the youngest of those that nobody uses. Under the lock. */
static void forget_idle(void)
{
    unsigned idle = 0;
    vz_provider *p, *next;
    for (p = TAILQ_FIRST(&providers); p; p = next) {
        next = TAILQ_NEXT(p, all);
        if (p->accounts == 0 && ++idle > IDLE_MAX)
            free_provider(p);
    }
}

/* In a forked child nobody fetches any more what its parent began. Under the lock. */
static void enter(vz_provider *p)
{
    if (p->generation == vz_net.generation)
        return;
    p->generation = vz_net.generation;
    p->fetching = false;
    vz_os_condition_init(&p->fetched);
}

const vz_auth_settings *vz_provider_settings(const vz_provider *p)
{
    return p->settings;
}

static vz_provider *find(const vz_auth_settings *settings)
{
    vz_provider *p;
    TAILQ_FOREACH(p, &providers, all)
    if (memcmp(p->settings->identity, settings->identity, sizeof settings->identity) == 0)
        return p;
    return NULL;
}

vz_provider *vz_provider_of(vz_auth_settings *settings, vz_error *err)
{
    vz_provider *made = calloc(1, sizeof *made);
    if (!made) {
        vz_fail_memory(err);
        vz_auth_settings_free(settings);
        return NULL;
    }
    vz_net_fork_register();
    vz_os_mutex_lock(&vz_net.lock);
    vz_provider *p = find(settings);
    if (!p) {
        p = made;
        made = NULL;
        p->settings = settings;
        settings = NULL;
        p->generation = vz_net.generation;
        vz_os_condition_init(&p->fetched);
        TAILQ_INSERT_HEAD(&providers, p, all);
    } else if (p->current && p->current->anonymous && !p->settings->anonymous &&
               vz_net_now() - p->current->fetched_ms > VZ_ANONYMOUS_KEPT_MS) {
        release(p->current);
        p->current = NULL;
    }
    p->accounts++;
    forget_idle();
    vz_os_mutex_unlock(&vz_net.lock);
    free(made);
    vz_auth_settings_free(settings);
    return p;
}

void vz_provider_release(vz_provider *p)
{
    vz_os_mutex_lock(&vz_net.lock);
    if (--p->accounts == 0) {
        TAILQ_REMOVE(&providers, p, all);
        TAILQ_INSERT_HEAD(&providers, p, all);
        forget_idle();
    }
    vz_os_mutex_unlock(&vz_net.lock);
}

/* ---- fetching ---- */

/* Without the lock. NULL with err set. */
static vz_credential *fetch(const vz_auth_settings *settings, vz_error *err)
{
    vz_credential *credential = calloc(1, sizeof *credential);
    if (!credential) {
        vz_fail_memory(err);
        return NULL;
    }
    const vz_auth_source_result result = ask_chain(settings, &credential->keys, err);
    if (result == VZ_SOURCE_FAILED) {
        vz_auth_keys_clear(&credential->keys);
        free(credential);
        return NULL;
    }
    if (result == VZ_SOURCE_NONE)
        vz_auth_keys_clear(&credential->keys);
    credential->anonymous = result == VZ_SOURCE_NONE;
    credential->users = 1;
    credential->fetched_ms = vz_net_now();
    const int64_t half = (credential->keys.expires - (int64_t)time(NULL)) / 2;
    credential->early_s = half < VZ_REFRESH_EARLY_S ? half : VZ_REFRESH_EARLY_S;
    return credential;
}

/* Under the lock, which is given up meanwhile. */
static bool renew(vz_provider *p, vz_error *err)
{
    vz_error failure = VZ_ERROR_NONE;
    p->fetching = true;
    vz_os_mutex_unlock(&vz_net.lock);
    vz_credential *fresh = fetch(p->settings, &failure);
    vz_os_mutex_lock(&vz_net.lock);
    p->fetching = false;
    vz_os_condition_broadcast(&p->fetched);
    const int64_t now_s = (int64_t)time(NULL);
    if (fresh) {
        release(p->current);
        p->current = fresh;
        p->again_s = 0;
        p->failed_ms = 0;
        return true;
    }
    p->again_s = now_s + VZ_REFRESH_AGAIN_S;
    if (holds(p->current, now_s))
        return true;
    p->failed_ms = vz_net_now();
    p->failure = failure;
    vz_error_set(err, failure.class, "credentials: %s", failure.text);
    return false;
}

/* Under the lock. */
static bool prepare(vz_provider *p, vz_error *err)
{
    for (;;) {
        const int64_t now_s = (int64_t)time(NULL);
        if (holds(p->current, now_s))
            return !runs_out(p->current, now_s) || p->fetching || now_s < p->again_s || renew(p, err);
        if (!p->fetching)
            break;
        vz_os_condition_wait(&p->fetched, &vz_net.lock);
    }
    if (!p->failed_ms || vz_net_now() - p->failed_ms > VZ_FAILURE_KEPT_MS)
        return renew(p, err);
    vz_error_set(err, p->failure.class, "credentials: %s", p->failure.text);
    return false;
}

bool vz_provider_prepare(vz_provider *p, vz_error *err)
{
    vz_os_mutex_lock(&vz_net.lock);
    enter(p);
    const bool ok = prepare(p, err);
    vz_os_mutex_unlock(&vz_net.lock);
    return ok;
}

vz_credential *vz_provider_current(vz_provider *p)
{
    vz_os_mutex_lock(&vz_net.lock);
    vz_credential *current = holds(p->current, (int64_t)time(NULL)) ? p->current : NULL;
    if (current)
        current->users++;
    vz_os_mutex_unlock(&vz_net.lock);
    return current;
}

void vz_provider_refused(vz_provider *p, int64_t begun_ms)
{
    vz_os_mutex_lock(&vz_net.lock);
    if (p->current && p->current->fetched_ms <= begun_ms) {
        release(p->current);
        p->current = NULL;
        p->again_s = 0;
    }
    vz_os_mutex_unlock(&vz_net.lock);
}

void vz_provider_set_skew(vz_provider *p, int64_t seconds)
{
    vz_os_mutex_lock(&vz_net.lock);
    p->skew_s = seconds;
    vz_os_mutex_unlock(&vz_net.lock);
}

int64_t vz_provider_skew(vz_provider *p)
{
    vz_os_mutex_lock(&vz_net.lock);
    const int64_t skew = p->skew_s;
    vz_os_mutex_unlock(&vz_net.lock);
    return skew;
}
