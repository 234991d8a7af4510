/* settings_internal.h - settings of an account: environment, profiles, secret files;
 * credentials. */
#ifndef VZ_AUTH_SETTINGS_INTERNAL_H
#define VZ_AUTH_SETTINGS_INTERNAL_H

#include "base/util/bytes.h"
#include "net/http/http.h"

/* -- AWS profiles -- AWS's two files with profiles: ~/.aws/credentials and ~/.aws/config.
 *
 * A section is a profile, an sso-session or services; what is nested (indented lines "name = value"
 * below a name without value) is called "outer.inner". Names of settings are in lower case, those
 * of sections as they stand. Where both files have a profile, each setting of the file of
 * credentials counts before that of the other; [profile default] counts before [default]. */
#define VZ_PROFILE_FILE_MAX       (1 << 20) /* bytes of one file */
#define VZ_PROFILES_IDENTITY_SIZE 64

typedef struct vz_profiles vz_profiles;

typedef enum vz_auth_section { VZ_SECTION_PROFILE, VZ_SECTION_SSO_SESSION, VZ_SECTION_SERVICES } vz_auth_section;

/* A path that is NULL, or where no file is, has no sections. VZ_INVALID with file and line for what
 * is no such file, never with what stands there; VZ_LIMIT; what the system says. */
vz_profiles *vz_profiles_load(const char *credentials_path, const char *config_path, vz_error *err);
/* Parses texts, either of which may be empty. */
vz_profiles *vz_profiles_parse(vz_bytes credentials, vz_bytes config, vz_error *err);
void vz_profiles_free(vz_profiles *profiles); /* clears what it held; NULL is fine */

bool vz_profiles_has(const vz_profiles *profiles, vz_auth_section kind, const char *name);
/* NULL: no such section or setting. Borrowed from the profiles. An empty value is "". */
const char *vz_profiles_get(const vz_profiles *profiles, vz_auth_section kind, const char *name, const char *setting);

/* VZ_PROFILES_IDENTITY_SIZE bytes, equal for equal files. */
const uint8_t *vz_profiles_identity(const vz_profiles *profiles);

/* -- Credentials -- in memory, and in answers of servers. */
#define VZ_NET_KEYS_SOURCE_SIZE 160

/* Zero-initialised: none. Texts are owned. */
typedef struct vz_auth_keys {
    char *access_key, *secret_key;
    char *token;                          /* of a session; NULL: there is none */
    char *query;                          /* in the place of all others: goes behind every URL
                                           * (Azure's SAS) */
    char *bearer;                         /* in the place of the two keys: sent as it is, so over
                                           * https alone */
    int64_t expires;                      /* seconds since 1970; 0: never */
    char source[VZ_NET_KEYS_SOURCE_SIZE]; /* where they come from, for people */
} vz_auth_keys;

void vz_auth_keys_clear(vz_auth_keys *keys); /* overwrites and frees */
/* Copies of texts, `token` may be NULL or empty. VZ_INVALID when one is no token fit for a header;
 * `who` is for that message. */
bool vz_auth_keys_set(vz_auth_keys *keys, const char *access_key, const char *secret_key, const char *token,
                      const char *who, vz_error *err);

/* The names that an answer in JSON uses. */
typedef struct vz_auth_keys_names {
    const char *inside; /* the member in which the others stand; NULL: the document itself */
    const char *access_key, *secret_key, *token, *expires;
    bool milliseconds; /* the time is a number of them, else text */
} vz_auth_keys_names;

/* Keys from a document of `who` (for messages, which never repeat what it says). VZ_CORRUPT: it is
 * no such document; VZ_PERMISSION: the keys have expired already. */
bool vz_auth_keys_from_json(vz_bytes text, const vz_auth_keys_names *names, const char *who, vz_auth_keys *keys,
                            vz_error *err);
/* Likewise from an answer of AWS's STS. */
bool vz_auth_keys_from_xml(vz_bytes text, const char *who, vz_auth_keys *keys, vz_error *err);
/* A token from an answer of Google's, which lasts so many seconds from now on. */
bool vz_auth_keys_take_bearer(vz_bytes text, const char *who, vz_auth_keys *keys, vz_error *err);
/* The text of the first element of that name, of at most `size` - 1 bytes; false: there is none, or
 * it is longer. */
bool vz_auth_xml_text(vz_bytes xml, const char *name, char *out, size_t size);

/* A time as ISO 8601 and AWS write it: 2026-11-23T13:45:00Z, with a fraction, with +00:00 or UTC in
 * the place of Z. False: it is none. Seconds since 1970. */
bool vz_auth_time_parse(const char *text, int64_t *out);

/* -- Secret file -- small files of the user: credentials, settings, tokens. */
typedef enum vz_auth_secret_file {
    VZ_SECRET_FILE_READ,
    VZ_SECRET_FILE_ABSENT,
    VZ_SECRET_FILE_FAILED
} vz_auth_secret_file;

/* The whole file, in a buffer that did not move on the way (vz_secret_clear then clears all of it).
 * Behind it is a 0 that `size` does not count. NULL and a path where nothing is are absent, with no
 * error set. A file that is no regular file or pipe, or larger than `most` bytes (VZ_LIMIT),
 * fails. */
vz_auth_secret_file vz_auth_secret_file_read(const char *path, size_t most, vz_buffer *out, vz_error *err);
/* Reads a token: one line of text without control characters, from which blanks at both ends are
 * removed. It must be there: an absent file is VZ_NOT_FOUND. The caller's to free by
 * vz_secret_free; NULL with err set. */
char *vz_auth_secret_file_token(const char *path, vz_error *err);
/* The text is one line of printable characters, that is fit for a header. */
bool vz_auth_is_token(const char *text);

/* -- Settings -- of environment and profiles, read once when an account is opened. Threads that
 * fetch credentials later must not read the environment, since other threads may change it at any
 * time. */
typedef struct vz_auth_settings {
    char **environment; /* by the rows of the table in env_variables.c; NULL: not set */
    vz_profiles *profiles;
    char *profile;      /* its name: the option's, AWS_PROFILE, "default" */
    bool profile_asked; /* by the option: it counts before the environment's keys */
    bool profile_named; /* by the option or the environment: it must be there */
    vz_net_service service;
    bool anonymous;
    char *account, *account_key, *sas; /* of Azure's storage (settings_azure.c); NULL: there is
                                        * none */
    const char *account_source;        /* what the key or SAS stands in, for people */
    char *region;                      /* NULL: nobody says one */
    char *endpoint;                    /* likewise */
    char *ca_bundle;                   /* of the option; NULL: as the environment has it */
    uint8_t identity[VZ_SHA256_SIZE];  /* equal for settings that lead to the same credentials */
} vz_auth_settings;

/* NULL with err set, as vz_net_account_open. */
vz_auth_settings *vz_auth_settings_read(const vz_net_account_options *options, vz_error *err);
void vz_auth_settings_free(vz_auth_settings *settings); /* clears secrets; NULL is fine */

/* A variable, one of the table; NULL: not set, or empty. */
const char *vz_auth_settings_get(const vz_auth_settings *settings, const char *variable);
/* "true", "yes", "on" or "1", in any case. */
bool vz_auth_settings_is_on(const vz_auth_settings *settings, const char *variable);
/* A setting of a profile; NULL: not there, or empty. */
const char *vz_auth_settings_of(const vz_auth_settings *settings, const char *profile, const char *setting);

/* Fills account, account_key, sas and endpoint from the environment variables of Azure's programs.
 * settings_azure.c */
bool vz_auth_settings_take_azure(vz_auth_settings *settings, const vz_net_account_options *options, vz_error *err);
/* env_variables.c. */
extern const size_t vz_auth_variable_count;
bool vz_auth_settings_take_environment(vz_auth_settings *settings, vz_error *err);
void vz_auth_settings_free_environment(vz_auth_settings *settings);
/* Copies a text, if it is not empty, in the place of another, which is freed. */
bool vz_auth_settings_copy(const char *text, char **copy, vz_error *err);

#endif
