/* remote_name.h - names of remote stores and values.
 *
 * The forms are s3://bucket/key, gs://bucket/key, az://container/key, http://host/path and
 * https://host/path. Programs pass names through functions for paths, which fold two slashes into
 * one and prepend the working directory. So "s3:/bucket/key" and "/any/where/s3:/bucket/key" are
 * names, too. "zarr+s3://bucket/key" is a form that no other library takes for its own. */
#ifndef VZ_PROTOCOL_REMOTE_NAME_H
#define VZ_PROTOCOL_REMOTE_NAME_H

#include "base/util/bytes.h"

typedef enum vz_scheme { VZ_SCHEME_S3, VZ_SCHEME_GS, VZ_SCHEME_AZ, VZ_SCHEME_HTTP, VZ_SCHEME_HTTPS } vz_scheme;

#define VZ_REMOTE_KEY_MAX 1024 /* bytes of a key in a bucket, the limit of S3 and others */

typedef struct vz_remote_name {
    vz_scheme scheme;
    bool is_url;   /* written as scheme://... from its first letter, with "zarr+" or without */
    bool with_end; /* of http: a slash ends it */
    char *place;   /* the bucket, of az perhaps with "@account" or "@host", or host and port; "":
                    * not given */
    char *account; /* of http: the text before "@host", or "". Never shown */
    char *key;     /* no slashes at its ends, nor two in a row. Plain in a bucket, percent-encoded
                    * of http */
    char *query;   /* of http: the text after "?", or "". Never shown */
} vz_remote_name;

/* Can the text be a remote name? Sends no request. */
bool vz_remote_name_is(const char *text);

/* Splits a name. *name is the caller's to clear, also on failure. VZ_INVALID: no valid bucket or
 * host, or "." or ".." as a part of the key. VZ_LIMIT: the key is too long. */
bool vz_remote_name_parse(const char *text, vz_remote_name *name, vz_error *err);
void vz_remote_name_clear(vz_remote_name *name);
bool vz_scheme_has_buckets(vz_scheme scheme);

/* Decodes %XX in place; a "%" without two digits stays. `plus`: "+" is a blank. Returns the
 * length. */
size_t vz_remote_url_decode(char *text, bool plus);

/* Prints "s3://bucket/key" and so on. `whole`: with account and query, which messages must not
 * contain. The result is the caller's; NULL with err set. */
char *vz_remote_name_print(const vz_remote_name *name, bool whole, vz_error *err);

#endif
