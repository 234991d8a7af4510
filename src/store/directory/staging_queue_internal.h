/* staging_queue_internal.h - what is put into a stage, and moved in it, need not be there before somebody looks: it
 * waits in a queue, which a thread works off while the program goes on. In its order, so that what is there at any
 * moment is what would have been there a moment before; nobody but the store's own process reads a stage. For the files
 * of stages only.
 *
 * Calls that look at a stage, or change it otherwise, have it done before (vz_later_drain). What fails stays at the
 * head of the queue, is told by who drains, and is tried again by the next one. */
#ifndef VZ_DIRECTORY_STAGING_QUEUE_INTERNAL_H
#define VZ_DIRECTORY_STAGING_QUEUE_INTERNAL_H

#include "store/store/store.h"

typedef struct vz_later vz_later;
#define VZ_LATER_ANY UINT64_MAX /* in place of a ticket: whatever call */

/* NULL: there is no thread or memory for it, and everything is done at once. */
vz_later *vz_later_new(void);
void vz_later_free(vz_later *later); /* what waits is dropped; NULL is fine */

typedef enum vz_later_what { VZ_LATER_PUT, VZ_LATER_RENAME } vz_later_what;

/* One call in the store of the stage. */
typedef struct vz_later_call {
    vz_later_what what;
    vz_store *inner;
    const char *key; /* of the value; "from" of a directory */
    const char *to;  /* of a directory */
    vz_bytes value;
    bool begins;        /* the directory that the key (or `to`) begins with is not there yet */
    bool must_be_there; /* what is renamed */
} vz_later_call;

/* *done=false (and true returned): it is too large to wait, or too many wait already; the caller does it, after
 * vz_later_waits told that nothing waits which must come before. False: what waits fails. *ticket: what it can be asked
 * for by, and before that the ticket of what must come before it (0: nothing): who would have to have that done waits
 * for room. The call is copied. */
bool vz_later_add(vz_later *later, const vz_later_call *call, uint64_t *ticket, bool *done, vz_error *err);
/* Is the call of that ticket still to come? 0 is none. */
bool vz_later_waits(vz_later *later, uint64_t ticket);
/* All that waits is done when this returns, or fails. NULL is fine. */
bool vz_later_drain(vz_later *later, vz_error *err);

#endif
