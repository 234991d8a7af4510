/* staging_queue_internal.h - puts and renames in the staging area are queued. One thread runs
 * them in order, while the program goes on. Nobody but this process reads the staging area, so
 * the order is all that matters.
 *
 * Every call that reads the staging area, or changes it otherwise, drains the queue first
 * (vz_staging_queue_drain). A call that fails stays at the head of the queue. Each drain reports
 * it and tries it again. */
#ifndef VZ_DIRECTORY_STAGING_QUEUE_INTERNAL_H
#define VZ_DIRECTORY_STAGING_QUEUE_INTERNAL_H

#include "store/store/store.h"

typedef struct vz_staging_queue vz_staging_queue;
#define VZ_STAGED_ANY UINT64_MAX /* in place of a ticket: whatever call */

/* NULL: there is no thread or memory for it, and everything is done at once. */
vz_staging_queue *vz_staging_queue_new(void);
void vz_staging_queue_free(vz_staging_queue *later); /* what waits is dropped; NULL is fine */

typedef enum vz_staging_operation { VZ_STAGED_PUT, VZ_STAGED_RENAME } vz_staging_operation;

/* One call in the store of the staging area. */
typedef struct vz_staging_call {
    vz_staging_operation what;
    vz_store *inner;
    const char *key; /* of the value; "from" of a directory */
    const char *to;  /* of a directory */
    vz_bytes value;
    bool begins;        /* the directory that the key (or `to`) begins with is not there yet */
    bool must_be_there; /* what is renamed */
} vz_staging_call;

/* done=false (and true returned): the call is too large to wait, or too many calls wait already.
 * The caller makes it, after vz_staging_queue_waits reported that no earlier one waits. False: what
 * waits fails. *ticket: the number by which the call can be asked for. Before that it is the ticket
 * of a call that must come first (0: none), for which the caller would wait for room. The call is
 * copied. */
bool vz_staging_queue_add(vz_staging_queue *later, const vz_staging_call *call, uint64_t *ticket, bool *done,
                          vz_error *err);
/* Is the call of that ticket still to come? 0 is none. */
bool vz_staging_queue_waits(vz_staging_queue *later, uint64_t ticket);
/* All that waits is done when this returns, or fails. NULL is fine. */
bool vz_staging_queue_drain(vz_staging_queue *later, vz_error *err);

#endif
