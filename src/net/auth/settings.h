/* settings.h - what the environment and the files with profiles say, read once when an account is opened: other threads
 * of the program may change the environment at any time, and those that fetch credentials later must not look. */
#ifndef VZ_AUTH_SETTINGS_H
#define VZ_AUTH_SETTINGS_H

#include "net/http/digest.h"
#include "net/http/http.h"
#include "net/auth/aws_profile.h"

typedef struct vz_net_settings {
    char **environment; /* by the rows of the table in env_variables.c; NULL: not set */
    vz_profiles *profiles;
    char *profile;      /* its name: the option's, AWS_PROFILE, "default" */
    bool profile_asked; /* by the option: it counts before the environment's keys */
    bool profile_named; /* by the option or the environment: it must be there */
    vz_net_service service;
    bool anonymous;
    char *account, *account_key, *sas; /* of Azure's storage (settings_azure.c); NULL: there is none */
    const char *account_source;        /* what the key or SAS stands in, for people */
    char *region;                      /* NULL: nobody says one */
    char *endpoint;                    /* likewise */
    char *ca_bundle;                   /* of the option; NULL: as the environment has it */
    uint8_t identity[VZ_SHA256_SIZE];  /* equal for settings that lead to the same credentials */
} vz_net_settings;

/* NULL with err set, as vz_net_account_open. */
vz_net_settings *vz_net_settings_read(const vz_net_account_options *options, vz_error *err);
void vz_net_settings_free(vz_net_settings *settings); /* clears secrets; NULL is fine */

/* A variable, one of the table; NULL: not set, or empty. */
const char *vz_net_settings_get(const vz_net_settings *settings, const char *variable);
/* "true", "yes", "on" or "1", in any case. */
bool vz_net_settings_is_on(const vz_net_settings *settings, const char *variable);
/* A setting of a profile; NULL: not there, or empty. */
const char *vz_net_settings_of(const vz_net_settings *settings, const char *profile, const char *setting);

/* What Azure's programs have in the environment: fills account, account_key, sas and endpoint. settings_azure.c */
bool vz_net_settings_take_azure(vz_net_settings *settings, const vz_net_account_options *options, vz_error *err);
/* env_variables.c. */
extern const size_t vz_net_variable_count;
bool vz_net_settings_take_environment(vz_net_settings *settings, vz_error *err);
void vz_net_settings_free_environment(vz_net_settings *settings);
/* Copies a text, if it is not empty, in the place of another, which is freed. */
bool vz_net_settings_copy(const char *text, char **copy, vz_error *err);

#endif
