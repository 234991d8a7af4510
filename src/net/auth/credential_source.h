/* credential_source.h - where credentials come from: each source looks at the settings, and says that it has none, gives some, or
 * fails. Who names a source in his settings hears of its failure; the next one is not tried then. */
#ifndef VZ_AUTH_CREDENTIAL_SOURCE_H
#define VZ_AUTH_CREDENTIAL_SOURCE_H

#include "net/auth/credentials.h"
#include "net/auth/settings.h"

typedef enum vz_source_result { VZ_SOURCE_NONE, VZ_SOURCE_FOUND, VZ_SOURCE_FAILED } vz_source_result;

/* All of them in their order; NONE: anonymous. May take long, and make requests: never by the thread of the transfers.
 */
vz_source_result vz_source_chain(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);

/* Where all of them looked and found nothing, for people: "in A, in B, nor in C". */
void vz_source_places(const vz_net_settings *settings, char *text, size_t size);

/* The environment's keys. source_environment.c */
vz_source_result vz_source_environment(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);
/* AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN. source_sts.c */
vz_source_result vz_source_web_identity(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);
/* What the profile says. source_profile.c */
vz_source_result vz_source_profile(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);
/* The endpoint of a container (ECS, EKS). source_container.c */
vz_source_result vz_source_container(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);
/* The metadata of an EC2 instance. source_instance.c */
vz_source_result vz_source_instance(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);
/* HMAC keys of the environment, the file below, and the metadata server of Google's machines. source_google.c */
vz_source_result vz_source_google(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);
/* GOOGLE_APPLICATION_CREDENTIALS: a service account's or a user's. source_google_file.c */
vz_source_result vz_source_google_file(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);

/* The key or the SAS of an account of Azure's storage. source_azure.c */
vz_source_result vz_source_azure(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);

/* ---- parts of a profile ---- */

/* STS AssumeRole: the role of a profile with those other keys. */
bool vz_sts_assume_role(const vz_net_settings *settings, const char *profile, const vz_net_keys *with,
                        vz_net_keys *keys, vz_error *err);
/* STS AssumeRoleWithWebIdentity. `session` may be NULL. */
bool vz_sts_web_identity(const vz_net_settings *settings, const char *role, const char *token_file, const char *session,
                         vz_net_keys *keys, vz_error *err);
/* The role that an sso_session (or sso_start_url) of a profile leads to, by the token that `aws sso login` left. */
bool vz_sso_role(const vz_net_settings *settings, const char *profile, vz_net_keys *keys, vz_error *err);
/* The token in the cache under that name, for vz_secret_free; renewed by the servers of the region where it runs out
 * (NULL: never). NULL with err set. source_sso_token.c */
char *vz_sso_token(const vz_net_settings *settings, const char *profile, const char *cached_as, const char *region,
                   vz_error *err);
/* A program that prints credentials: split into words as a shell does, run without one. */
bool vz_process_run(const char *command, vz_net_keys *keys, vz_error *err);
/* The words of a command line, NULL-terminated, in one allocation; NULL with err set. */
char **vz_process_words(const char *command, vz_error *err);

/* Where the container's endpoint is; VZ_PERMISSION for one that is neither https, nor on this machine, nor one of those
 * of ECS and EKS. The caller's to free. */
char *vz_container_url(const vz_net_settings *settings, vz_error *err);

/* ---- asking ---- */

typedef struct vz_question {
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
} vz_question;

#define VZ_ANSWER_MAX 65536

/* False with err set: there was no answer. The body goes to `out`, at most VZ_ANSWER_MAX bytes, which has its room
 * before: vz_secret_clear. Messages hold neither URL nor body. */
bool vz_token_request(const vz_question *question, int *status, vz_buffer *out, vz_error *err);
/* Appends a field to a body of the type application/x-www-form-urlencoded; nothing where the value is NULL. */
bool vz_form_add(vz_buffer *form, const char *name, const char *value, vz_error *err);

#endif
