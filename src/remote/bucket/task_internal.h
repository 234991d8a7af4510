/* task_internal.h - tasks: what a store does for one request. Absence, queues, ranges, listings,
 * uploads. */
#ifndef VZ_BUCKET_TASK_INTERNAL_H
#define VZ_BUCKET_TASK_INTERNAL_H

#include "base/util/error.h"
#include "remote/bucket/bucket_internal.h"
#include "store/store/store.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- Absence -- when an answer means that a key has no value, and how that is proved
 * (docs/absence.md). For tasks that read; any thread. */
/* From the weakest proof to the strongest. */
typedef enum vz_absence {
    VZ_ABSENCE_NOT,         /* the answer is a value or a failure */
    VZ_ABSENCE_SAID,        /* the server reports no value */
    VZ_ABSENCE_IF_READABLE, /* a document that was read before must still be readable */
    VZ_ABSENCE_IF_UNLISTED, /* besides, listing must be refused */
} vz_absence;

/* Judges an answer to a GET or a HEAD. Sets `refusal`, the failure if absence is not proved, unless
 * the answer is a value or VZ_ABSENCE_SAID. */
vz_absence vz_absence_of(const vz_exchange *x, vz_error *refusal);
/* Notes that the exchange read a document, which a proof can read again. */
void vz_absence_note_read(vz_bucket *remote, const vz_exchange *x);
/* Asks the server for the proof. Call it after the last refusal that it is for. Makes one request,
 * and up to six where the first one fails or no document was read yet. */
bool vz_absence_is_proved(vz_bucket *remote, vz_absence absence);

/* -- Task -- the exchanges for one request of a store. Some are sent at once; when all are
 * answered, `go_on` may send more. A queue has many tasks under way, and any number of threads
 * drive it. */
typedef struct vz_task {
    vz_bucket *remote;
    vz_request *request; /* NULL: the task serves no request of a store */
    /* Handles the answers, when all exchanges are answered. Adds exchanges, or ends the task by
     * adding none. False with err set: the task failed and ends. One thread at a time. */
    bool (*go_on)(struct vz_task *task, vz_error *err);
    void (*clear)(struct vz_task *task); /* frees `state`; NULL: nothing to do */
    void *state;                         /* the task's own */
    vz_exchange **exchanges;
    size_t count, capacity, first; /* first: index of the first one sent since the last go_on */
    vz_buffer bytes;               /* of a value, where the request has no buffer */
    vz_error err;                  /* the first failure */
    vz_absence absence;            /* proof that the task's missing value needs */
    vz_error *refusal;             /* the task's failure if absence is not proved; NULL: no proof is
                                    * needed */
    /* the queue's: */
    size_t pending; /* exchanges that are not answered */
    bool is_begun;
    struct vz_task *next_doubted;
} vz_task;

/* Adds an exchange, which is sent when begin or go_on returns. NULL with err set. */
vz_exchange *vz_task_ask(vz_task *task, vz_net_method method, const char *whole_key, const char *query, vz_error *err);
/* As vz_task_ask, with a key of the store. */
vz_exchange *vz_task_ask_key(vz_task *task, vz_net_method method, const char *key, vz_error *err);
/* As vz_exchange_check, for changes. */
bool vz_task_check(vz_task *task, const vz_exchange *x, bool *missing, vz_error *err);
/* As vz_exchange_check, for reads. A refusal that may mean "missing" counts as missing; at the
 * queue's end it is proved or fails the task. */
bool vz_task_check_read(vz_task *task, const vz_exchange *x, bool *missing, vz_error *err);
/* After a refused HEAD: sends a GET of the first byte, whose refusal has a text. Some servers
 * refuse every HEAD. NULL with err set. */
vz_exchange *vz_task_ask_why(vz_task *task, const char *key, vz_error *err);
/* Is the missing value only refused? Then no cache keeps it. */
static inline bool vz_task_is_refused(const vz_task *task)
{
    return task->absence > VZ_ABSENCE_SAID;
}
/* Fails at once with the refusal; returns false. */
bool vz_task_fail_refused(const vz_task *task, vz_error *err);
/* Frees the exchanges. */
void vz_task_forget(vz_task *task);
void vz_task_clear(vz_task *task);

/* Begins the task of a request: checks it and adds its first exchanges. False with err set: it
 * cannot be sent. */
bool vz_task_begin(vz_task *task, vz_error *err);
bool vz_task_begin_get(vz_task *task, vz_error *err);    /* task_get.c */
bool vz_task_begin_put(vz_task *task, vz_error *err);    /* task_put.c */
bool vz_task_begin_parts(vz_task *task, vz_error *err);  /* task_multipart.c: a value that is
                                                          * put in parts */
bool vz_task_begin_delete(vz_task *task, vz_error *err); /* task_put.c */
bool vz_task_begin_list(vz_task *task, vz_error *err);   /* task_list.c */

/* Verifies the place of a new store, before its first change: create_lock_verify.c. VZ_EXISTS:
 * something else is there.
 * - For the first value in the root, put under the condition that there is none, `begin` adds a
 *   probe as the task's first exchange. `end` judges it, and deletes the value if something else is
 *   there.
 * - For any other change `begin` probes at once.
 * - is_put false: the change failed with err. VZ_CHANGED becomes VZ_EXISTS, since the value is
 *   another creator's,
 * unless the place was verified before. */
bool vz_bucket_create_lock_verify_begin(vz_task *task, vz_error *err);
bool vz_bucket_create_lock_verify_end(vz_task *task, bool is_put, vz_error *err);

/* -- Task queue -- task_queue.c */

typedef struct vz_task_queue vz_task_queue;

/* Begins no task yet. The tasks are the caller's. NULL with err set. */
vz_task_queue *vz_task_queue_open(vz_bucket *remote, vz_task *tasks, size_t count,
                                  bool (*begin)(vz_task *task, vz_error *err), vz_error *err);
/* Begins as many tasks as may be under way, so that they proceed before the first pull. Call it in
 * the thread that opened the queue, before any pull. */
void vz_task_queue_start(vz_task_queue *run);
/* Waits for the next task that ended; its `err` has the failure. NULL: no more tasks. Any
 * thread. */
vz_task *vz_task_queue_next(vz_task_queue *run);
/* Are there tasks that waited for a proof and were not handed out? Another thread may have seen
 * none before. */
bool vz_task_queue_has_proved(vz_task_queue *run);
/* Stops what is under way, and clears the tasks. */
void vz_task_queue_close(vz_task_queue *run);
void vz_task_queue_drop(vz_task_queue *run); /* in a forked child */
/* Runs all tasks in this thread; the first failure stops the rest. `begin` NULL: vz_task_begin. */
bool vz_task_queue_all(vz_bucket *remote, vz_task *tasks, size_t count, bool (*begin)(vz_task *task, vz_error *err),
                       vz_error *err);
/* Runs one request in this thread. */
bool vz_task_queue_request(vz_bucket *remote, vz_request *request, vz_error *err);

/* -- Coalesced requests -- requests of a batch that read near ranges of one value become one
 * task. */
typedef struct vz_coalesced vz_coalesced;

/* The requests are the caller's, and stay until the end. begin: as in vz_task_queue_open. NULL with
 * err set. */
vz_coalesced *vz_coalesced_open(vz_bucket *remote, vz_request *const *requests, size_t count,
                                bool (*begin)(vz_task *task, vz_error *err), vz_error *err);
/* Waits for the next answered request; *index is its place in `requests`. `failed` has its failure
 * or class VZ_OK. `bytes`, empty before, gets the value where the GET has no buffer. NULL: no more
 * requests. Any thread. */
vz_request *vz_coalesced_next(vz_coalesced *gather, size_t *index, vz_buffer *bytes, vz_error *failed);
void vz_coalesced_close(vz_coalesced *gather);
void vz_coalesced_drop(vz_coalesced *gather); /* in a forked child */

/* -- Listing -- pages of keys, for all tasks that list. */
#define VZ_LIST_PAGES_MAX ((uint64_t)1 << 17) /* of one listing; a page has a thousand keys */
#define VZ_LIST_FREE      1000                /* pages that may have any number of keys, or none */
#define VZ_LIST_KEYS_MIN  10                  /* beyond them: keys a page, on average */
#define VZ_LIST_STILL_S   30                  /* seconds without a new key before it fails */
#define VZ_LIST_BYTES_MAX ((size_t)512 << 20) /* memory for the members of a prefix */

/* Progress of a listing. A hostile server may repeat its tokens or send pages without end. While a
 * program waits, its signal handlers may not run (Python's do not), so a listing without new keys
 * ends soon. */
typedef struct vz_listing_progress {
    uint64_t pages, keys;
    uint64_t compared; /* pages when `token` was kept */
    char *token;       /* of an earlier page; tokens of later pages are compared with it */
    char *last;        /* key of the last page with a new key */
    int64_t since_s;   /* time of that page, monotonic clock */
} vz_listing_progress;

/* Call it after each page. False with err set: VZ_CORRUPT for a repeated token, VZ_LIMIT. */
bool vz_listing_goes_on(vz_listing_progress *progress, const vz_list_page *page, vz_error *err);
void vz_listing_progress_clear(vz_listing_progress *progress);

/* The whole prefix of the keys below a key of the store, with a slash and a 0 at its end. It is ""
 * for a store that is all of a bucket. */
bool vz_listing_prefix(const vz_site *site, const char *prefix, vz_buffer *out, vz_error *err);
/* Adds the exchange for a page of the whole prefix; parameters as in vz_list_question. */
bool vz_listing_ask(vz_task *task, const char *whole_prefix, bool flat, const char *token, unsigned most,
                    vz_error *err);
/* Reads the page from the answer of the task's last exchange, or of x. */
bool vz_listing_take(vz_task *task, vz_list_page *page, vz_error *err);
bool vz_listing_read(const vz_exchange *x, vz_list_page *page, vz_error *err);

/* -- Merge ranges -- near ranges of a value become one exchange. */
/* The ranges of one exchange. */
typedef struct vz_bucket_merged_range {
    bool is_suffix;
    uint64_t first, end; /* bytes of the value; a suffix: 0 and its size */
    size_t range, count; /* indices into vz_bucket_range_list.order */
} vz_bucket_merged_range;

typedef struct vz_bucket_range_list {
    size_t *order; /* indices of the ranges, sorted by first byte, suffixes last */
    vz_bucket_merged_range *items;
    size_t count;
} vz_bucket_range_list;

/* Plans the exchanges of `count` ranges, each VZ_RANGE_AT or VZ_RANGE_SUFFIX, into a list that is
 * zeros or was cleared. A failure leaves what vz_bucket_range_list_clear frees: VZ_CORRUPT for a
 * range whose end is no offset, memory. */
bool vz_bucket_range_list_plan(vz_bucket_range_list *list, const vz_range *ranges, size_t count, vz_error *err);

/* Frees the plan; the list can be planned again. */
void vz_bucket_range_list_clear(vz_bucket_range_list *list);

/* -- Large values -- read as ranges. task_get_large.c */
/* bytes that a value may have, from which on it is read so */
#define VZ_LARGE_FROM  ((uint64_t)16 << 20)
#define VZ_LARGE_PIECE ((uint64_t)8 << 20) /* bytes of a range */

/* Does the request read all of a value that may be large? */
bool vz_task_is_large(const vz_task *task);
bool vz_task_begin_large(vz_task *task, vz_error *err);

/* -- Multipart upload -- values put in parts (task_put.c) or copied in parts (server_copy.c). */
#define VZ_PARTS_FROM ((size_t)64 << 20) /* bytes of a value from which on it is put in parts */
#define VZ_PART_SIZE  ((size_t)16 << 20) /* bytes of a part, or more so that there are at most */
#define VZ_PARTS_MAX  10000              /* parts */

/* An upload: the first member of its task's state. It ends under the condition of the task's
 * request, if any. */
typedef struct vz_upload {
    vz_buffer key; /* whole key of the new value, and a 0 */
    uint64_t size; /* bytes of all parts together, more than 0 */
    uint64_t part_size;
    /* Adds the exchange for the part of `size` bytes from `first`; `query` numbers it. The part's
     * ETag is in the text of an answer that goes to `into`, else in a header. */
    bool (*ask_part)(vz_task *task, const char *query, uint64_t first, uint64_t size, vz_error *err);
    /* the rest is task_multipart.c's, zero at first */
    size_t count;
    char *id;        /* as URLs have it */
    bool is_over;    /* completed or aborted */
    vz_buffer list;  /* the document that completes it */
    vz_error failed; /* why it is aborted */
} vz_upload;

/* Adds the exchange that begins the upload; the caller may add lines to it. part_size is a minimum.
 * NULL with err set. */
vz_exchange *vz_upload_begin(vz_task *task, vz_error *err);
/* Aborts an upload that is neither completed nor aborted, because another task of its queue failed.
 * Sends one request and waits. No exchange of the task is under way. */
void vz_upload_end(vz_task *task);
void vz_upload_clear(vz_upload *upload);

/* Adds the header line of the request's condition, if any. request may be NULL. */
bool vz_task_condition(const vz_request *request, vz_exchange *x, vz_error *err);
/* As vz_task_check for a conditional change: VZ_CHANGED also where the expected value is
 * missing. */
bool vz_task_check_change(vz_task *task, const vz_exchange *x, vz_error *err);

#endif
