/* remote_name.h - names of what is far away: s3://bucket/key, gs://bucket/key, az://container/key, http://host/path,
 * https://host/path. Programs
 * hand names through functions for paths, which fold two slashes into one and put the working directory before them: so
 * "s3:/bucket/key" and "/any/where/s3:/bucket/key" are such names, too, and "zarr+s3://bucket/key", which no other
 * library takes for its own. */
#ifndef VZ_PROTOCOL_REMOTE_NAME_H
#define VZ_PROTOCOL_REMOTE_NAME_H

#include "base/util/bytes.h"

typedef enum vz_scheme { VZ_SCHEME_S3, VZ_SCHEME_GS, VZ_SCHEME_AZ, VZ_SCHEME_HTTP, VZ_SCHEME_HTTPS } vz_scheme;

#define VZ_REMOTE_KEY_MAX 1024 /* bytes of a key in a bucket, as S3 and others have it */

typedef struct vz_remote_name {
    vz_scheme scheme;
    bool is_url;   /* spelled as one: scheme://... from its first letter, with "zarr+" or without */
    char *place;   /* the bucket, of az perhaps with "@account" or "@host", or the host with its port; "": not named */
    char *account; /* of http: what stands before "@host"; "": nothing does. Never to be shown */
    char *key;     /* without slashes at its ends, nor two in a row. In a bucket as it is, of http percent-encoded */
    char *query;   /* of http: what follows "?"; "": nothing does. Never to be shown */
} vz_remote_name;

/* Can the text be a name of something far away? Asks nobody. */
bool vz_remote_name_is(const char *text);

/* Takes it apart; *name is the caller's to clear, also on failure. VZ_INVALID: a bucket or host that cannot be one, or
 * "." or ".." as a part of the key; VZ_LIMIT: a key that is too long. */
bool vz_remote_name_parse(const char *text, vz_remote_name *name, vz_error *err);
void vz_remote_name_clear(vz_remote_name *name);
bool vz_scheme_has_buckets(vz_scheme scheme);

/* "s3://bucket/key" and so on. `whole`: with account and query, which messages may not have. The caller's; NULL with
 * err set. */
char *vz_remote_name_print(const vz_remote_name *name, bool whole, vz_error *err);

#endif
