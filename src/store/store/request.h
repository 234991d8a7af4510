/* request.h - requests, batches of them, and values that are put piece by piece. */
#ifndef VZ_STORE_REQUEST_H
#define VZ_STORE_REQUEST_H

#include "store/store/store.h"

/* -- Request one --
 * what is asked of a store, as many requests at once. A batch takes them together; whoever works
 * pulls them out of it again, answered, in any order. A store that answers in microseconds does
 * each request in the thread that pulls it, so that no thread waits for another one. A remote
 * store has many under way (the hook `batches` of its class). */
/* LIST: the direct members of a prefix, as vz_store_list. */
typedef enum vz_request_op { VZ_REQUEST_GET, VZ_REQUEST_PUT, VZ_REQUEST_DELETE, VZ_REQUEST_LIST } vz_request_op;

/* The condition of a request; if it does not hold, the request fails with VZ_CHANGED and changes
 * nothing. */
typedef enum vz_request_condition {
    VZ_WHEN_ANY,
    VZ_WHEN_ABSENT,  /* PUT: there is no value yet */
    VZ_WHEN_VERSION, /* the value is the version that the request names */
} vz_request_condition;

/* How a GET announces the requests that follow it. */
typedef enum vz_request_hold {
    VZ_HOLD_NOT,
    VZ_HOLD_TO_READ,    /* the same version is asked for again before vz_store_release */
    VZ_HOLD_TO_REPLACE, /* it is replaced or deleted next, with VZ_WHEN_VERSION: other processes
                         * that say so wait meanwhile, where the store can make them */
} vz_request_hold;

typedef struct vz_request {
    vz_request_op op;
    const char *key; /* borrowed until it is answered, as are the next five */
    /* GET: into[i] receives ranges[i], appended; several ranges are of one version. No ranges:
     * all of the value; a range_count of 0: only the version. No `into` (then one range at
     * most): the answer's bytes stand in `bytes`. */
    const vz_range *ranges;
    size_t range_count;
    vz_buffer *into;
    vz_bytes value; /* PUT */
    /* PUT: what was written so stands for `value` (request.h), without `tells`; or NULL. */
    struct vz_pieces *pieces;
    vz_request_condition when;
    vz_version version;   /* demanded; in the answer of a GET the one that was met, of a PUT with
                           * `tells` what was put */
    bool tells;           /* PUT: which version it is now shall be answered; size 0 where that is
                           * not known */
    vz_request_hold hold; /* GET */
    bool small;           /* GET of all of a value of a few KiB, of which nothing but the bytes is
                           * wanted: not its version, nor its size */
    uint64_t most;        /* GET: bytes of the answer; more are VZ_LIMIT. 0: there is no limit */
    /* GET at a server: a value that says it was changed after that second fails with VZ_CHANGED;
     * 0: none does. In the answer, if no byte was asked for: the second of its change, or 0. */
    uint64_t unmodified;
    size_t tag; /* the caller's own */
    /* the answer: */
    bool found;        /* GET */
    bool is_refused;   /* GET, not found: the server only refused it, which was proved to mean that
                        * by the time of the answer (remote/bucket/task_internal.h): not to be
                        * remembered */
    uint64_t size;     /* GET: bytes of the value that was met; 0: not known (README.md) */
    vz_bytes bytes;    /* GET without `into`: valid until the same thread pulls the next one */
    vz_entry *entries; /* LIST: freed by vz_entries_free, by who asked */
    size_t entry_count;
    vz_error_class failed; /* VZ_OK: done */
} vz_request;

/* Does it change the store? */
static inline bool vz_request_changes(const vz_request *request)
{
    return request->op == VZ_REQUEST_PUT || request->op == VZ_REQUEST_DELETE;
}

/* Does a GET ask for all of the value? */
static inline bool vz_request_is_whole(const vz_request *request)
{
    return !request->ranges || (request->range_count == 1 && request->ranges[0].kind == VZ_RANGE_ALL);
}

/* ---- one or a few at once (request_one.c) ---- */

/* Does a request in this thread; its answer stands in it. `scratch`: memory for `bytes`, of the
 * caller's; what it held is gone. False with err set when it failed, as request->failed says
 * too. */
bool vz_request_do(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err);

/* request_sync.c. Does a request by calls of the store, for a store whose own batch does so. */
bool vz_request_once(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err);

/* refusal_count.c. How often in this process a missing value was reported that was only refused
 * (is_refused). A caller that remembers what a call found compares it before and after: where it
 * grew, "not there" is not remembered. */
uint64_t vz_refusals_counted(void);
void vz_refusals_count(void); /* one more */

/* ---- many (batch.c) ---- */

typedef struct vz_batch vz_batch;

/* The requests belong to the batch until it is closed. No two of them may change one key. NULL
 * with err set. */
vz_batch *vz_batch_open(vz_store *store, vz_request *requests, size_t count, vz_error *err);

/* Opens a batch in the caller's memory, which stays where it is until the batch is closed. False:
 * it is not open. */
bool vz_batch_open_in(vz_batch *batch, vz_store *store, vz_request *requests, size_t count, vz_error *err);

/* The next answered request, which nobody else gets; NULL: there are no more. Any number of
 * threads may pull. `scratch`: as above, one for each thread; a store that was asked ahead
 * answers in memory of its own. */
vz_request *vz_batch_next(vz_batch *batch, vz_buffer *scratch);

/* Requests without an answer are not wanted any more; they may be done nevertheless. */
void vz_batch_stop(vz_batch *batch);

/* Waits for what is under way. False: something failed, and err tells the first failure
 * (`failed` of each request tells which). */
bool vz_batch_close(vz_batch *batch, vz_error *err);

/* In a forked child: what is under way is its parent's. Nothing is waited for, and no answer is
 * reported. */
void vz_batch_drop(vz_batch *batch);

/* All of them, each answered when it returns; into `into` where there is an answer to receive.
 * On one thread. */
bool vz_requests_do(vz_store *store, vz_request *requests, size_t count, vz_error *err);

/* How a kind of store that answers slowly does batches. Each function as the one above it that
 * has its name; errors go into the request and to vz_batch_failed. Keys are checked by `open` or
 * `next`. */
typedef struct vz_batch_class {
    bool (*open)(vz_batch *batch, vz_error *err);
    vz_request *(*next)(vz_batch *batch, vz_buffer *scratch);
    void (*close)(vz_batch *batch);
    void (*drop)(vz_batch *batch);
} vz_batch_class;

struct vz_batch {
    vz_store *store;
    vz_request *requests;
    size_t count;
    void *state; /* the class's own */
    bool here;   /* each request is done by who pulls it */
    bool lent;   /* its memory is the caller's */
    atomic_size_t pulled;
    atomic_bool stopped, failed;
    vz_error error; /* the first failure; of the one thread that set `failed` */
};

/* For classes: notes the failure of a request. */
void vz_batch_failed(vz_batch *batch, vz_request *request, const vz_error *error);

/* ---- versions that stay open (open_versions.c) ---- */

#define VZ_STORE_HELD_MAX 64 /* descriptors that a store keeps open so */

/* From here until vz_store_release, versions that GETs with a `hold` met stay open where the store
 * can keep them so (a few, the last used). Later demands for them are met whatever was put
 * meanwhile. Calls nest. */
void vz_store_hold(vz_store *store);
void vz_store_release(vz_store *store);

/* The version that is held of a key, if one is, was found to make no sense: the next request
 * meets what is there then. */
void vz_store_forget_held(vz_store *store, const char *key);

/* -- Streamed put --
 * a value that is put in pieces, so that it never is in memory as a whole. No reader sees its
 * pieces before it takes its place, as with any put: old or new, never half. Only kinds of stores
 * that do each request at once have it (`begin_pieces` of their class). */
typedef struct vz_pieces vz_pieces;

/* Each function as the one below that has its name. */
typedef struct vz_pieces_class {
    bool (*write)(vz_pieces *pieces, uint64_t offset, vz_bytes bytes, vz_error *err);
    bool (*read)(vz_pieces *pieces, uint64_t offset, size_t size, vz_buffer *out, vz_error *err);
    bool (*put)(vz_pieces *pieces, bool is_new, vz_error *err);
    void (*drop)(vz_pieces *pieces);
} vz_pieces_class;

/* The struct of such a value in each kind of store begins with this. */
struct vz_pieces {
    const vz_pieces_class *class;
    vz_store *store; /* where it lies: the one that was asked, or its staging area */
    bool is_in;      /* it has taken its place */
};

/* Begins the next value of a key. NULL: it cannot be put so, or not now; putting it as a whole
 * tells why. */
vz_pieces *vz_pieces_begin(vz_store *store, const char *key);

/* The bytes of the value from `offset` on. Several threads may write to different places at
 * once. */
bool vz_pieces_write(vz_store *store, vz_pieces *pieces, uint64_t offset, vz_bytes bytes, vz_error *err);

/* Appends what was written there, of a value that is not in its place; then nothing more is
 * written. VZ_IO where it is not sure to be what was written. */
bool vz_pieces_read(vz_pieces *pieces, uint64_t offset, size_t size, vz_buffer *out, vz_error *err);

/* All that was written takes its place, as by vz_store_put, or vz_store_put_new. After VZ_EXISTS
 * it may be tried again. `store` and `key`: those it was begun with. */
bool vz_pieces_put(vz_store *store, const char *key, vz_pieces *pieces, bool is_new, vz_error *err);

/* Frees it, and removes what did not take its place. In a forked child that is the parent's, and
 * stays. NULL is fine. */
void vz_pieces_drop(vz_pieces *pieces);

#endif
