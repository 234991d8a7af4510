/* credential_provider.h - credentials as they are fetched, kept and renewed. A provider is made for settings; the
 * accounts with the same settings share it. */
#ifndef VZ_AUTH_CREDENTIAL_PROVIDER_H
#define VZ_AUTH_CREDENTIAL_PROVIDER_H

#include "net/auth/credential_source.h"

#define VZ_REFRESH_EARLY_S   300   /* before they expire, or at half of the time that they have */
#define VZ_REFRESH_AGAIN_S   30    /* after a failure while the old ones hold */
#define VZ_FAILURE_KEPT_MS   2000  /* a failure is the answer to all who ask within this time */
#define VZ_ANONYMOUS_KEPT_MS 60000 /* an account opened later looks again */

typedef struct vz_provider vz_provider;

/* Credentials that do not change; counted. `anonymous`: none were found. */
typedef struct vz_credential {
    vz_net_keys keys;
    bool anonymous;
    int64_t fetched_ms; /* vz_net_now */
    int64_t early_s;    /* so long before they expire they are renewed */
    unsigned users;
} vz_credential;

/* Takes the settings: they belong to it, or are freed where a provider with equal ones is there. NULL with err set. */
vz_provider *vz_provider_of(vz_net_settings *settings, vz_error *err);
void vz_provider_release(vz_provider *provider);
const vz_net_settings *vz_provider_settings(const vz_provider *provider); /* live as long as it */
/* Fetches or renews credentials, if it has to; waits for a thread that does so already, unless the old ones still hold.
 */
bool vz_provider_prepare(vz_provider *provider, vz_error *err);
/* What holds now, for vz_credential_release; NULL: nothing does. Waits for nobody. */
vz_credential *vz_provider_current(vz_provider *provider);
void vz_credential_release(vz_credential *credential);
/* What signed an attempt that began then was refused: what was fetched before that does not hold any more. */
void vz_provider_refused(vz_provider *provider, int64_t begun_ms);
/* The server's clock minus ours, in seconds; 0 at first. */
void vz_provider_set_skew(vz_provider *provider, int64_t seconds);
int64_t vz_provider_skew(vz_provider *provider);

/* For tests: what is asked in the place of vz_source_chain; NULL: that again. */
void vz_provider_ask_instead(vz_source_result (*chain)(const vz_net_settings *, vz_net_keys *, vz_error *));

#endif
