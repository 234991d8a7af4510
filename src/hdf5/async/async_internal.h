/* async_internal.h - the state of the module. */
#ifndef VZ_ASYNC_ASYNC_INTERNAL_H
#define VZ_ASYNC_ASYNC_INTERNAL_H

#include "base/os/thread.h"
#include "base/os/timed_wait.h"
#include "hdf5/async/async.h"

/* Transfers that are one plan of arrays. */
#define VZ_ASYNC_TRANSFERS_MAX 256

struct vz_async_request {
    vz_async_call call; /* of one that waits to be made */
    uint64_t needs;     /* it may be made when so much was fetched (ahead.c) */
    vz_async_work work;
    vz_async_status status; /* under the lock until it is settled */
    bool begun;
    size_t failed;
    vz_error error;
    uint64_t began_us, took_ns;
    void (*notify)(void *context, vz_async_status status);
    void *notify_context;
    vz_async_request *next; /* of those that are not settled, in the order of their start */
};

typedef struct vz_async_state {
    vz_os_mutex lock;
    vz_os_condition changed; /* everybody's: few wait, and rarely */
    vz_async_request *first, *last;
    vz_os_thread thread;
    bool runs, ending;
    unsigned forking; /* forks that are being made: nothing begins */
    bool at_work;     /* a batch is under way */
    bool making;      /* calls that waited are being made: nothing begins unless somebody waits */
    /* Needs of calls that wait (ahead.c): so many were asked for, so many are there. */
    uint64_t asked_ahead, fetched_ahead;
    void (*fetch)(void);
    /* The turn of arrays and stores (turn.c). */
    bool inside;            /* the module's thread has it */
    bool wants;             /* the module's thread waits for it */
    unsigned entered;       /* calls of HDF5's thread that have it, one in the other */
    unsigned entered_since; /* turns of HDF5's thread since the module's thread had one */
    unsigned waiting;       /* threads of HDF5 that wait for requests, and so give up their turn */
} vz_async_state;

extern vz_async_state vz_async;

/* deferred.c */
/* Calls what wants to know that it is done. */
void vz_async_tell(vz_async_request *request);
/* Waits until a call that waits may be made; false: the time is over. */
bool vz_async_wait_fetched(const vz_async_request *request, uint64_t nanoseconds);

/* queue.c; with the lock held */
/* Begins as many requests as go together, and does them without the lock. False: there is none. */
bool vz_async_run_batch(void);
bool vz_async_batch_waits(void);

#define VZ_ASYNC_LINGER_MOST_NS (UINT64_C(5000) * 1000)
/* Waits for the next request while they come, so many nanoseconds for each. With the lock held. */
void vz_async_linger(uint64_t pause);
/* So long an answer of a remote store took. */
void vz_async_note_answer(uint64_t nanoseconds);

/* ahead.c; with the lock held */
/* Fetches what was asked for, without the lock. False: nothing is. */
bool vz_async_run_ahead(void);

/* wait.c */
/* Waits until `is_over` says so, or for so many nanoseconds; false: the time is over. */
bool vz_async_wait_until(bool (*is_over)(const void *context), const void *context, uint64_t nanoseconds);

/* thread.c */
/* Before the first request. */
void vz_async_prepare(bool is_far);
/* Makes sure that the thread runs. With the lock held. */
bool vz_async_start_thread(void);
void vz_async_end_thread(void);

/* turn.c: the turn of the module's thread, around the steps of a batch and in the gaps of the pool;
 * with the lock held */
void vz_async_begin_turn(void);
void vz_async_end_turn(void);
/* A thread that waited goes on when it has its turn again. With the lock. */
void vz_async_take_back_turn(void);
/* Has this thread the turn? */
bool vz_async_has_turn(void);
/* In a forked child: no other thread has it. */
void vz_async_keep_own_turn(void);

#endif
