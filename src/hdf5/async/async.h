/* async.h - requests: reads and writes of arrays that go on after the call of HDF5 has returned.
 *
 * A thread of this module's own works them off in the order in which they were started. It makes no
 * call of HDF5, and touches arrays and stores alone. All functions are for threads that called
 * HDF5, of which one at a time is here. */
#ifndef VZ_ASYNC_ASYNC_H
#define VZ_ASYNC_ASYNC_H

#include "array/array/array.h"
#include "base/util/error.h"

#define VZ_ASYNC_FOREVER UINT64_MAX

typedef struct vz_async_request vz_async_request;

typedef enum vz_async_status {
    VZ_ASYNC_UNDER_WAY,
    VZ_ASYNC_SUCCEEDED,
    VZ_ASYNC_FAILED,
    VZ_ASYNC_CANCELED, /* before it began: nothing was read or written */
} vz_async_status;

/* The work of a request, with nothing of HDF5's in it. The transfers are of different arrays and
 * stay where they are until `settle`. */
typedef struct vz_async_work {
    const vz_array_transfer *transfers;
    size_t count;
    bool reading;
    bool is_far;      /* a request of the store is a round trip */
    const void *file; /* requests of one file may be done together; only compared */
    /* Of a read: its memory from the first byte to the end of the last one. Two reads of one array
     * go beside each other where these do not meet. */
    const uint8_t *low, *high;
    /* Before each attempt, in the module's thread: runs begin with their first one, and what is set
     * for a thread is that of the file. */
    void (*rewind)(void *context);
    /* Once, when the request is done, in a thread that called HDF5. It releases the context.
     * `failed` is the number of the transfer that did. Returns whether all is well. It may name the
     * failure in err, or add one. */
    bool (*settle)(void *context, vz_async_status status, size_t failed, vz_error *err);
    void *context;
} vz_async_work;

/* Requests that are not settled. Callbacks of HDF5 ask this first, as it mostly is 0. */
extern size_t vz_async_unsettled;

/* NULL: there is no thread or no memory for it, and the caller does it at once. The context is the
 * request's only on success. */
vz_async_request *vz_async_start(const vz_async_work *work);

/* -- Calls that wait --
 * A call that costs a round trip, of which several together cost one. It is made in the order of
 * such calls, by the next thread that calls and finds what it needs, or that waits for it. */
typedef struct vz_async_call {
    /* Makes it, and releases the context. It may have the request go on (vz_async_go_on). */
    bool (*make)(void *context, vz_async_request *request, vz_error *err);
    void *context;
} vz_async_call;

/* NULL: no memory, and the call is made at once. */
vz_async_request *vz_async_defer(const vz_async_call *call);
bool vz_async_has_deferred(void);
/* Waits for what the first call needs, and makes all that need no more than was fetched by then.
 * False: there are none, or one of them is being made. */
bool vz_async_make_deferred(void);
/* As vz_async_make_deferred, but waits for nothing. */
void vz_async_make_fetched(void);

/* -- What these calls need (ahead.c) --
 * It is fetched by the module's thread meanwhile. `fetch` runs there, as often as is needed, and
 * makes no call of HDF5. It has the turn but where it gives it up, to wait for a network. */
/* For a call that was deferred just now, after the caller has noted what it wants. Until the call
 * is made, what it noted stays as it is. *number, one more each time, is set before `fetch`
 * runs. */
void vz_async_fetch_ahead(vz_async_request *request, void (*fetch)(void), uint64_t *number);
/* Of `fetch`: all up to that number is there. */
void vz_async_fetched(uint64_t number);
/* Of `fetch`: may it go on with what was noted meanwhile? Not while requests wait for its
 * thread. */
bool vz_async_may_fetch_more(void);
void vz_async_give_turn(void);
void vz_async_take_turn(void);

/* The request of a call that is being made is done when this work is. False: as vz_async_start. */
bool vz_async_go_on(vz_async_request *request, const vz_async_work *work);
bool vz_async_goes_on(const vz_async_request *request);

/* A request that is done already; NULL: no memory. */
vz_async_request *vz_async_new_done(void);

/* Waits until it is done, or for so many nanoseconds. */
vz_async_status vz_async_wait(vz_async_request *request, uint64_t nanoseconds);

/* VZ_ASYNC_UNDER_WAY: it has begun, and goes on. */
vz_async_status vz_async_cancel(vz_async_request *request);

/* Calls it when the request is done: at once, or in a later call of this module. */
void vz_async_notify(vz_async_request *request, void (*call)(void *context, vz_async_status status), void *context);

/* Why it failed. */
const vz_error *vz_async_failure(const vz_async_request *request);

/* When it began, in microseconds since 1970, and how long it took in nanoseconds. */
void vz_async_times(const vz_async_request *request, uint64_t *began_us, uint64_t *took_ns);

/* Waits until it is done; the request is gone then. */
void vz_async_free(vz_async_request *request);

/* Waits until all are done, and settles them: afterwards nobody but the caller is at work. */
void vz_async_finish(void);

/* Beside requests that go on: between these two the module's thread is in no array or store, except
 * in tasks of the pool. May be nested. The first one settles what is done. */
void vz_async_enter(void);
void vz_async_leave(void);

/* Is nothing but reads under way? */
bool vz_async_only_reads(void);

/* Finishes all, and ends the thread. It starts again with the next request. */
void vz_async_stop(void);

#endif
