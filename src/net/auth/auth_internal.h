/* auth_internal.h - sources of credentials, providers that renew them, signers that use them. */
#ifndef VZ_AUTH_AUTH_INTERNAL_H
#define VZ_AUTH_AUTH_INTERNAL_H

#include "net/auth/settings_internal.h"

/* -- Credential source -- gets credentials by the settings, or has none, or fails. A source that
 * the settings name must work: its failure is reported, and no other source is tried. */
typedef enum vz_auth_source_result { VZ_SOURCE_NONE, VZ_SOURCE_FOUND, VZ_SOURCE_FAILED } vz_auth_source_result;

/* Tries all sources in their order; NONE: anonymous. May make requests and take long: never in the
 * transfer thread. */
vz_auth_source_result vz_auth_source_chain(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);

/* The places where no credentials were found, for messages: "in A, in B, nor in C". */
void vz_auth_source_places(const vz_auth_settings *settings, char *text, size_t size);

/* The environment's keys. source_environment.c */
vz_auth_source_result vz_auth_source_environment(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);
/* AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN. source_sts.c */
vz_auth_source_result vz_auth_source_web_identity(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);
/* Keys from the profile. source_profile.c */
vz_auth_source_result vz_auth_source_profile(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);
/* The endpoint of a container (ECS, EKS). source_container.c */
vz_auth_source_result vz_auth_source_container(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);
/* The metadata of an EC2 instance. source_instance.c */
vz_auth_source_result vz_auth_source_instance(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);
/* HMAC keys of the environment, the file below, and the metadata server of Google's machines.
 * source_google.c */
vz_auth_source_result vz_auth_source_google(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);
/* GOOGLE_APPLICATION_CREDENTIALS: a service account's or a user's. source_google_file.c */
vz_auth_source_result vz_auth_source_google_file(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);

/* The key or the SAS of an account of Azure's storage. source_azure.c */
vz_auth_source_result vz_auth_source_azure(const vz_auth_settings *settings, vz_auth_keys *keys, vz_error *err);

/* ---- parts of a profile ---- */

/* STS AssumeRole: the role of a profile with those other keys. */
bool vz_sts_assume_role(const vz_auth_settings *settings, const char *profile, const vz_auth_keys *with,
                        vz_auth_keys *keys, vz_error *err);
/* STS AssumeRoleWithWebIdentity. `session` may be NULL. */
bool vz_sts_web_identity(const vz_auth_settings *settings, const char *role, const char *token_file,
                         const char *session, vz_auth_keys *keys, vz_error *err);
/* The role that an sso_session (or sso_start_url) of a profile leads to, by the token that `aws sso
 * login` left. */
bool vz_sso_role(const vz_auth_settings *settings, const char *profile, vz_auth_keys *keys, vz_error *err);
/* The token in the cache under that name, for vz_secret_free; renewed by the servers of the region
 * where it runs out (NULL: never). NULL with err set. source_sso_token.c */
char *vz_sso_token(const vz_auth_settings *settings, const char *profile, const char *cached_as, const char *region,
                   vz_error *err);
/* A program that prints credentials: split into words as a shell does, run without one. */
bool vz_auth_process_run(const char *command, vz_auth_keys *keys, vz_error *err);
/* The words of a command line, NULL-terminated, in one allocation; NULL with err set. */
char **vz_auth_process_words(const char *command, vz_error *err);

/* Where the container's endpoint is; VZ_PERMISSION for one that is neither https, nor on this
 * machine, nor one of those of ECS and EKS. The caller's to free. */
char *vz_auth_container_url(const vz_auth_settings *settings, vz_error *err);

/* ---- asking ---- */

typedef struct vz_auth_token_question {
    const char *who; /* for messages */
    vz_net_method method;
    const char *url;
    const char *const *headers;
    size_t header_count;
    vz_bytes body;
    const char *ca_bundle;
    unsigned timeout_ms; /* for connecting, and for the answer */
    unsigned attempts;
    bool direct; /* past proxies */
} vz_auth_token_question;

#define VZ_ANSWER_MAX 65536

/* Sends a request to a credential server. The body goes to `out`, at most VZ_ANSWER_MAX bytes,
 * reserved before so that vz_secret_clear reaches all of it. Messages contain neither URL nor body.
 * False with err set: no answer came. */
bool vz_auth_token_request(const vz_auth_token_question *question, int *status, vz_buffer *out, vz_error *err);
/* Appends a field to a body of the type application/x-www-form-urlencoded; nothing where the value
 * is NULL. */
bool vz_auth_form_add(vz_buffer *form, const char *name, const char *value, vz_error *err);

/* -- Credential provider -- fetches, keeps and renews credentials. Accounts with equal settings
 * share one. */
#define VZ_REFRESH_EARLY_S   300   /* before they expire, or at half of the time that they have */
#define VZ_REFRESH_AGAIN_S   30    /* after a failure while the old ones hold */
#define VZ_FAILURE_KEPT_MS   2000  /* a failure is the answer to all requests within this time */
#define VZ_ANONYMOUS_KEPT_MS 60000 /* an account opened later looks again */

typedef struct vz_provider vz_provider;

/* Credentials that do not change; counted. `anonymous`: none were found. */
typedef struct vz_credential {
    vz_auth_keys keys;
    bool anonymous;
    int64_t fetched_ms; /* vz_net_now */
    int64_t early_s;    /* so long before they expire they are renewed */
    unsigned users;
} vz_credential;

/* Takes the settings: they belong to it, or are freed where a provider with equal ones is there.
 * NULL with err set. */
vz_provider *vz_provider_of(vz_auth_settings *settings, vz_error *err);
void vz_provider_release(vz_provider *provider);
const vz_auth_settings *vz_provider_settings(const vz_provider *provider); /* live as long as it */
/* Fetches or renews credentials, if it has to; waits for a thread that does so already, unless the
 * old ones still hold. */
bool vz_provider_prepare(vz_provider *provider, vz_error *err);
/* The valid credential, for vz_credential_release; NULL: there is none. Waits for nobody. */
vz_credential *vz_provider_current(vz_provider *provider);
void vz_credential_release(vz_credential *credential);
/* An attempt that began then was refused: credentials fetched before are no longer valid. */
void vz_provider_refused(vz_provider *provider, int64_t begun_ms);
/* The server's clock minus ours, in seconds; 0 at first. */
void vz_provider_set_skew(vz_provider *provider, int64_t seconds);
int64_t vz_provider_skew(vz_provider *provider);

/* For tests: what is asked in the place of vz_auth_source_chain; NULL: that again. */
void vz_provider_set_chain(vz_auth_source_result (*chain)(const vz_auth_settings *, vz_auth_keys *, vz_error *));

/* -- Signer -- accounts and their signers. */
typedef struct vz_signer {
    vz_net_signer head;
    vz_net_account *account;
    char *region;
    struct vz_signer *next;
} vz_signer;

struct vz_net_account {
    vz_provider *provider;
    vz_net_service service;
    char *endpoint, *region; /* NULL: nobody says one */
    vz_signer *signers;      /* under the engine's lock */
};

extern const vz_net_signer_class vz_signer_class;

/* Signs a request for an account of Azure's storage. signer_azure.c */
bool vz_auth_azure_sign(const vz_net_account *account, const vz_net_request *request, const vz_auth_keys *keys,
                        vz_net_headers *out, vz_error *err);
/* Does the refusal come from a clock that is wrong? Then *theirs is the server's time. */
bool vz_auth_azure_is_skewed(const vz_net_account *account, const vz_net_request *request, int64_t *theirs);

#endif
