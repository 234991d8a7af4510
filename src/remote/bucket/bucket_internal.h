/* bucket_internal.h - remote stores, for the files of this module. */
#ifndef VZ_BUCKET_BUCKET_INTERNAL_H
#define VZ_BUCKET_BUCKET_INTERNAL_H

#include "remote/protocol/remote.h"
#include "store/store/request.h"
#include "remote/bucket/bucket.h"

extern const vz_store_kind vz_bucket_kind_s3, vz_bucket_kind_az, vz_bucket_kind_http;

#define VZ_REMOTE_IN_FLIGHT 64

/* bytes of the largest value that Amazon copies in one request */
#define VZ_COPY_MAX ((uint64_t)5 << 30)
/* bytes of a part of a larger copy, or more where parts are too many */
#define VZ_COPY_PART ((uint64_t)128 << 20)

/* more than the documents of a root that are put before any other value */
#define VZ_OWN_KEYS_MAX 4

/* Was the place probed again after the create lock was put? */
typedef enum vz_bucket_create_lock_state {
    VZ_CREATE_LOCK_VERIFIED,   /* yes, or not needed */
    VZ_CREATE_LOCK_UNVERIFIED, /* not yet */
    VZ_CREATE_LOCK_VERIFYING   /* the probe was sent beside the first value in the root */
} vz_bucket_create_lock_state;

typedef struct vz_bucket {
    vz_store base;
    vz_store_class class;         /* base.class: a longer prefix leaves shorter keys */
    vz_site *site;                /* the store's own */
    uint64_t copy_max, copy_part; /* VZ_COPY_MAX and VZ_COPY_PART; tests have less */
    /* Learned from answers; see task_internal.h. */
    vz_site_fact _Atomic lists; /* may keys be listed? */
    atomic_bool has_document;   /* `document` is set */
    atomic_bool has_no_ranges;  /* the server answers every range with the whole value */
    vz_os_mutex lock;           /* of the members below */
    char *document;             /* whole key of a document that was read; NULL: none */
    char *create_lock;          /* whole key of the create lock that this store holds; NULL: none */
    bool create_lock_may_go;    /* a value in the root takes its place */
    vz_bucket_create_lock_state lock_state;
    char *own[VZ_OWN_KEYS_MAX]; /* whole keys of values put in the root before the place is
                                 * verified */
} vz_bucket;

static inline vz_bucket *vz_bucket_of(vz_store *store)
{
    return (vz_bucket *)store;
}

/* Opens a store; owns the site from then on, also on failure. Sends no request. */
vz_store *vz_bucket_open(vz_site *site, bool writable, vz_error *err);

/* Does the server heed conditions of a PUT? Found out once for each bucket, with up to four
 * requests. False with err set: VZ_UNSUPPORTED if it does not. */
bool vz_bucket_check_conditions(vz_bucket *remote, vz_error *err);

/* -- Create lock -- of two programs that create a store, only one continues: create_lock.c.
 * - Both put one key, under a condition, before any document.
 * - The lock may go when a value directly in the root exists: it is deleted with the next value, or
 *   at close.
 * - A dead program's lock expires. */
/* VZ_EXISTS: the prefix is in use (not checked if `over`), or another program creates a store
 * there. */
bool vz_bucket_create_lock_take(vz_bucket *remote, bool over, vz_error *err);
void vz_bucket_create_lock_end(vz_bucket *remote);
void vz_bucket_create_lock_may_go(vz_bucket *remote); /* a value in the root exists */
/* Returns the lock's whole key, which the caller deletes; NULL: none. in_time: only if it may
 * go. */
char *vz_bucket_create_lock_give_up(vz_bucket *remote, bool in_time);

extern const vz_batch_class vz_bucket_batches; /* bucket_batch.c */

/* -- Options, and values that a file names -- */
const vz_options *vz_bucket_options_now(void); /* this thread's */
/* Members of the kinds s3, az and http (store/store/kind.h): named_value.c */
bool vz_bucket_find_bucket_value(const vz_named *named, vz_named_value *value, bool *is_it, vz_error *err);
bool vz_bucket_find_container_value(const vz_named *named, vz_named_value *value, bool *is_it, vz_error *err);
bool vz_bucket_find_web_value(const vz_named *named, vz_named_value *value, bool *is_it, vz_error *err);
vz_store *vz_bucket_open_values(const vz_named_value *value, vz_error *err);

/* -- Trees -- members of the store's class. delete_tree.c */
bool vz_bucket_del_tree(vz_store *store, const char *prefix, vz_error *err);
bool vz_bucket_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err);
/* Is the prefix empty, but for hidden keys directly below it (create locks)? prefix_exists.c */
bool vz_bucket_is_empty(vz_bucket *remote, const char *prefix, bool *is_empty, vz_error *err);

#endif
