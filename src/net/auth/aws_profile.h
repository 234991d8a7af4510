/* aws_profile.h - AWS's two files with profiles: ~/.aws/credentials and ~/.aws/config.
 *
 * A section is a profile, an sso-session or services; what is nested (indented lines "name = value" below a name
 * without value) is called "outer.inner". Names of settings are in lower case, those of sections as they stand. Where
 * both files have a profile, each setting of the file of credentials counts before that of the other; [profile default]
 * counts before [default]. */
#ifndef VZ_AUTH_AWS_PROFILE_H
#define VZ_AUTH_AWS_PROFILE_H

#include "base/util/bytes.h"

#define VZ_PROFILE_FILE_MAX       (1 << 20) /* bytes of one file */
#define VZ_PROFILES_IDENTITY_SIZE 64

typedef struct vz_profiles vz_profiles;

typedef enum vz_section { VZ_SECTION_PROFILE, VZ_SECTION_SSO_SESSION, VZ_SECTION_SERVICES } vz_section;

/* A path that is NULL, or where no file is, has no sections. VZ_INVALID with file and line for what is no such file,
 * never with what stands there; VZ_LIMIT; what the system says. */
vz_profiles *vz_profiles_load(const char *credentials_path, const char *config_path, vz_error *err);
/* The same of texts, either of which may be empty. */
vz_profiles *vz_profiles_parse(vz_bytes credentials, vz_bytes config, vz_error *err);
void vz_profiles_free(vz_profiles *profiles); /* clears what it held; NULL is fine */

bool vz_profiles_has(const vz_profiles *profiles, vz_section kind, const char *name);
/* NULL: no such section or setting. Belongs to the profiles. An empty value is there, and "". */
const char *vz_profiles_get(const vz_profiles *profiles, vz_section kind, const char *name, const char *setting);

/* VZ_PROFILES_IDENTITY_SIZE bytes, equal for equal files. */
const uint8_t *vz_profiles_identity(const vz_profiles *profiles);

#endif
