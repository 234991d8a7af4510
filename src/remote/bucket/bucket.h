/* bucket.h - the kinds of remote stores, and the options with which a thread opens them. */
#ifndef VZ_BUCKET_BUCKET_H
#define VZ_BUCKET_BUCKET_H

#include "base/util/options.h"
#include "store/store/kind.h"

/* All kinds of stores, remote and local, for vz_store_set_kinds. NULL ends. */
extern const vz_store_kind *const vz_bucket_all_kinds[];

/* Sets the options with which this thread finds, opens and creates remote stores from now on.
 * Before: the defaults. Texts in them are borrowed and must stay. */
void vz_bucket_use(const vz_options *options);

/* Keeps an HDF5 file (vz_location.hdf5) for some seconds: who looks at its name then gets it. Takes
 * it over. */
void vz_bucket_remember_hdf5(vz_byte_source *source);

/* -- Walk --
 * all values of a store in a bucket, in the bytewise order of their keys. A page of the server's
 * listing is held at a time. Hidden names are passed over, as a listing of the store does. */
typedef struct vz_bucket_walk vz_bucket_walk;
typedef struct vz_bucket_walked {
    const char *key; /* lives until the next call */
    uint64_t size;
    vz_version version;  /* as an answer to a request for the value has it */
    int64_t modified_ns; /* since 1970, by the server's clock; 0: not known */
    const char *etag;    /* as `key`; NULL: none */
    const char *md5;     /* of all bytes, in base64, as `key`; NULL: not known */
} vz_bucket_walked;

/* Is the store, without layers over it, one in a bucket, which can be walked so? */
bool vz_bucket_walks(const vz_store *store);
vz_bucket_walk *vz_bucket_walk_open(vz_store *store, vz_error *err);
/* *found=false (and true returned): there are no more. VZ_UNSUPPORTED: the server lists in another
 * order. */
bool vz_bucket_walk_next(vz_bucket_walk *walk, vz_bucket_walked *value, bool *found, vz_error *err);
void vz_bucket_walk_close(vz_bucket_walk *walk); /* NULL is fine */

/* Without documents below it, a remote name may be that of a file, even without a suffix. Looks for
 * one, and the location is that of the file then. False: it is none, and nothing changed. */
bool vz_bucket_look_for_file(vz_location *location);

#endif
