/* bucket_internal.h - the inside of a store that is far away, for the files of this room only. */
#ifndef VZ_BUCKET_BUCKET_INTERNAL_H
#define VZ_BUCKET_BUCKET_INTERNAL_H

#include "remote/protocol/remote.h"
#include "store/store/request.h"
#include "remote/bucket/bucket.h"

extern const vz_store_kind vz_kind_s3, vz_kind_az, vz_kind_http;

#define VZ_REMOTE_IN_FLIGHT 64

#define VZ_COPY_MAX  ((uint64_t)5 << 30)   /* bytes of the largest value that Amazon's servers copy in one; a larger */
#define VZ_COPY_PART ((uint64_t)128 << 20) /* one is copied in parts of so many, or of as many more as are needed */

#define VZ_OWN_MARKS 4 /* more than a root has documents that are put before anything else */

/* Was it looked, since the claim was put, that nobody else made something meanwhile? */
typedef enum vz_proof {
    VZ_PROOF_DONE,     /* or nobody needs it */
    VZ_PROOF_OWED,     /* not yet */
    VZ_PROOF_UNDER_WAY /* the answer comes with that of the first value that is put in the root */
} vz_proof;

typedef struct vz_remote {
    vz_store base;
    vz_store_class class;         /* base.class: keys are the shorter, the longer the prefix is */
    vz_site *site;                /* the store's own */
    uint64_t copy_max, copy_part; /* VZ_COPY_MAX and VZ_COPY_PART; tests have less */
    /* Learned while it was asked; see task_internal.h. */
    vz_fact _Atomic lists;     /* are its keys listed? */
    atomic_bool has_document;  /* there is `document` */
    atomic_bool has_no_ranges; /* the server sends whole values, whatever is asked for */
    pthread_mutex_t lock;      /* of what follows */
    char *document;            /* the whole key of one that was read; NULL: none was */
    char *claim;               /* the key by which this creator keeps others out; NULL: it has none */
    bool claim_may_go;         /* a value in the root stands for it */
    vz_proof proof;            /* of the claim */
    char *own[VZ_OWN_MARKS];   /* whole keys of the values that were put in the root until it is proved */
} vz_remote;

static inline vz_remote *vz_remote_of(vz_store *store)
{
    return (vz_remote *)store;
}

/* The stores: takes the site over, also on failure. Nothing is asked. */
vz_store *vz_remote_open(vz_site *site, bool writable, vz_error *err);

/* Is it found out, once for each bucket, that a PUT heeds conditions? VZ_UNSUPPORTED if it does not. May make four
 * requests. */
bool vz_remote_check_conditions(vz_remote *remote, vz_error *err);

/* create_lock.c: of two programs that create a store one goes on: before either puts a document both put one key, under
 * a condition. VZ_EXISTS: there is something at the prefix (not asked if `over`), or another one creates it. The claim
 * may go when a value directly in the root was put: it does with the next one, or when the store is closed. A dead
 * one's ends by itself. */
bool vz_remote_claim(vz_remote *remote, bool over, vz_error *err);
void vz_remote_end_claim(vz_remote *remote);
void vz_remote_claim_may_go(vz_remote *remote); /* the value is there */
/* Its whole key, the caller's to delete; NULL: there is none. in_time: only if it may go. */
char *vz_remote_give_up_claim(vz_remote *remote, bool in_time);

extern const vz_batch_class vz_remote_batches; /* bucket_batch.c */

/* delete_tree.c: whole trees of a bucket, as the class has them. */
bool vz_remote_del_tree(vz_store *store, const char *prefix, vz_error *err);
bool vz_remote_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err);
/* prefix_exists.c. Is there no key below the prefix, but what is hidden directly there (claims)? */
bool vz_remote_is_empty(vz_remote *remote, const char *prefix, bool *is_empty, vz_error *err);

#endif
