/* task_internal.h - absence, task, coalesce ranges, listing, merge ranges, task get large, task
 * multipart. */
#ifndef VZ_BUCKET_TASK_INTERNAL_H
#define VZ_BUCKET_TASK_INTERNAL_H

#include "base/util/error.h"
#include "remote/bucket/bucket_internal.h"
#include "store/store/store.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- Absence --
 * when an answer means that there is no value at a key, and what proves it (docs/absence.md). Used by tasks
 * that read; any thread. */
/* In the order of what is needed as a proof. */
typedef enum vz_absence {
    VZ_ABSENCE_NOT,         /* the answer is a value or a failure */
    VZ_ABSENCE_SAID,        /* the server says that there is none */
    VZ_ABSENCE_IF_READABLE, /* a document that was read must still be readable */
    VZ_ABSENCE_IF_UNLISTED, /* listing must be refused, too, and a document must be readable */
} vz_absence;

/* What an answer to a GET or a HEAD says. `refusal` is set unless the answer is a value or says it by itself: it is the
 * failure where absence is not proved. */
vz_absence vz_absence_of(const vz_exchange *x, vz_error *refusal);
/* Notes that the exchange read a document. */
void vz_absence_note_read(vz_remote *remote, const vz_exchange *x);
/* Asks the server for the proof, after the last refusal that it is for. Makes one request, and up to six where the
 * first one fails or nothing was read yet. */
bool vz_absence_is_proved(vz_remote *remote, vz_absence absence);

/* -- Task --
 * what is done for one request of a store: some exchanges at once, and, when all of them are answered, perhaps
 * more. A run has many tasks under way; any number of threads drive it. */
typedef struct vz_remote_task {
    vz_remote *remote;
    vz_request *request; /* NULL: what is done is no request of a store */
    /* All exchanges of the task are answered: it looks at them, and asks for more, or is at its end. False with err
     * set: it failed, and is at its end. One thread at a time. */
    bool (*go_on)(struct vz_remote_task *task, vz_error *err);
    void (*clear)(struct vz_remote_task *task); /* frees `state`; NULL: nothing to do */
    void *state;                                /* the task's own */
    vz_exchange **exchanges;
    size_t count, capacity, first; /* first: of those that were asked since the last go_on */
    vz_buffer bytes;               /* of a value for which the request has no place */
    vz_error err;                  /* the first failure */
    vz_absence absence;            /* what is needed to prove that a value is missing as the task says */
    vz_error *refusal;             /* the task's failure where that is not proved; NULL: nothing is to be proved */
    /* the run's: */
    size_t pending; /* exchanges that are not answered */
    bool is_begun;
    struct vz_remote_task *next_doubted;
} vz_remote_task;

/* A new exchange, which is sent when this function's caller returns; NULL with err set. */
vz_exchange *vz_task_ask(vz_remote_task *task, vz_net_method method, const char *whole_key, const char *query,
                         vz_error *err);
/* The same for a key of the store. */
vz_exchange *vz_task_ask_key(vz_remote_task *task, vz_net_method method, const char *key, vz_error *err);
/* As vz_exchange_check: of changes. */
bool vz_task_check(vz_remote_task *task, const vz_exchange *x, bool *missing, vz_error *err);
/* Of reads: a refusal that may mean "missing" is missing until the run, at its end, has proved it or fails the task. */
bool vz_task_check_read(vz_remote_task *task, const vz_exchange *x, bool *missing, vz_error *err);
/* After a HEAD that was refused: a refusal of one has no text that says why, and some servers refuse each HEAD. Asks
 * for the first byte by a GET, which tells as much and more. NULL with err set. */
vz_exchange *vz_task_ask_why(vz_remote_task *task, const char *key, vz_error *err);
/* Is a missing value of the task only refused? Then nobody remembers it. */
static inline bool vz_task_is_refused(const vz_remote_task *task)
{
    return task->absence > VZ_ABSENCE_SAID;
}
/* The refusal is a failure at once; false. */
bool vz_task_fail_refused(const vz_remote_task *task, vz_error *err);
/* Exchanges that are of no use any more are freed. */
void vz_task_forget(vz_remote_task *task);
void vz_task_clear(vz_remote_task *task);

/* The tasks of a request: checks it, and asks for the first time. False with err set: it cannot be asked. */
bool vz_task_begin(vz_remote_task *task, vz_error *err);
bool vz_task_begin_get(vz_remote_task *task, vz_error *err);    /* task_get.c */
bool vz_task_begin_put(vz_remote_task *task, vz_error *err);    /* task_put.c */
bool vz_task_begin_parts(vz_remote_task *task, vz_error *err);  /* task_multipart.c: a value that is put in parts */
bool vz_task_begin_delete(vz_remote_task *task, vz_error *err); /* task_put.c */
bool vz_task_begin_list(vz_remote_task *task, vz_error *err);   /* task_list.c */

/* create_lock_verify.c. Before anything is put or deleted in a store that was claimed: is it proved that the place is
 * ours? It is looked at now, or (the first value that is put in the root, under the condition that there is none)
 * beside what the task asks for; then its last exchange is answered like any other's, and the end tells: what was put
 * is taken back where something else is there. VZ_EXISTS: it is. Without is_put, err has why: where that is VZ_CHANGED,
 * what is there is another creator's (VZ_EXISTS), unless the place was proved before. */
bool vz_claim_proof_begin(vz_remote_task *task, vz_error *err);
bool vz_claim_proof_end(vz_remote_task *task, bool is_put, vz_error *err);

/* ---- runs (task_queue.c) ---- */

typedef struct vz_task_queue vz_task_queue;

/* Begins none of them yet. The tasks are the caller's. NULL with err set. */
vz_task_queue *vz_run_open(vz_remote *remote, vz_remote_task *tasks, size_t count,
                           bool (*begin)(vz_remote_task *task, vz_error *err), vz_error *err);
/* Begins as many as are under way at once, so that they go on while nobody pulls. In the thread that opened it, before
 * any pulls. */
void vz_run_start(vz_task_queue *run);
/* The next task that is at its end; its `err` tells whether it failed. NULL: there are no more. Any thread. */
vz_remote_task *vz_run_next(vz_task_queue *run);
/* Are there tasks that waited for a proof, and were not handed out? Another thread may have found none before. */
bool vz_run_has_proved(vz_task_queue *run);
/* Ends what is under way, and clears the tasks. */
void vz_run_close(vz_task_queue *run);
void vz_run_drop(vz_task_queue *run); /* in a forked child */
/* All of them, in this thread; the first failure stops the rest. `begin`: NULL: vz_task_begin. */
bool vz_run_all(vz_remote *remote, vz_remote_task *tasks, size_t count,
                bool (*begin)(vz_remote_task *task, vz_error *err), vz_error *err);
/* One request, in this thread. */
bool vz_run_request(vz_remote *remote, vz_request *request, vz_error *err);

/* -- Coalesce ranges --
 * requests of a batch that read ranges of one value near one another are asked for together. */
typedef struct vz_gather vz_gather;

/* The requests are the caller's, and stay where they are until the end. begin: as vz_run_open has it. NULL with err
 * set.
 */
vz_gather *vz_gather_open(vz_remote *remote, vz_request *const *requests, size_t count,
                          bool (*begin)(vz_remote_task *task, vz_error *err), vz_error *err);
/* The next answered request; `failed` tells why it failed, and is of class VZ_OK if it did not. Bytes for which a GET
 * has no place are in `bytes`, which was empty. *index: which of the requests it is. NULL: there are no more. Any
 * thread. */
vz_request *vz_gather_next(vz_gather *gather, size_t *index, vz_buffer *bytes, vz_error *failed);
void vz_gather_close(vz_gather *gather);
void vz_gather_drop(vz_gather *gather); /* in a forked child */

/* -- Listing --
 * keys listed by pages, for all tasks that list. */
#define VZ_LIST_PAGES_MAX ((uint64_t)1 << 17) /* of one listing: a page has a thousand keys */
#define VZ_LIST_FREE      1000                /* pages that may have any number of keys, none, too; */
#define VZ_LIST_KEYS_MIN  10                  /* beyond them, so many a page, taken together */
#define VZ_LIST_STILL_S   30                  /* seconds in which pages may bring nothing new */
#define VZ_LIST_BYTES_MAX ((size_t)512 << 20) /* that the members of a prefix take in memory */

/* How far a listing is. A server may repeat its tokens, or send pages without end. While a program waits for one its
 * signal handlers may not run (Python's do not), so it ends soon where no keys arrive. */
typedef struct vz_list_progress {
    uint64_t pages, keys;
    uint64_t compared; /* pages when `token` was kept */
    char *token;       /* of an earlier page: each later one is compared with it */
    char *last;        /* key of the last page that brought something new */
    int64_t since_s;   /* when that page came, of the monotonic clock */
} vz_list_progress;

/* After each page. False with err set: VZ_CORRUPT where a token comes again, VZ_LIMIT. */
bool vz_listing_goes_on(vz_list_progress *progress, const vz_list_page *page, vz_error *err);
void vz_list_progress_clear(vz_list_progress *progress);

/* The whole prefix of what lies below a key of the store, with a slash at its end and a 0 behind it ("" of a store that
 * is all of a bucket). */
bool vz_listing_prefix(const vz_site *site, const char *prefix, vz_buffer *out, vz_error *err);
/* Asks for a page of what begins with the whole prefix. `flat`: all keys below; else direct members. token: NULL for
 * the first one. most: keys; 0: as many as the server likes. */
bool vz_listing_ask(vz_remote_task *task, const char *whole_prefix, bool flat, const char *token, unsigned most,
                    vz_error *err);
/* The page that the last exchange of the task received, or that one. */
bool vz_listing_take(vz_remote_task *task, vz_list_page *page, vz_error *err);
bool vz_listing_read(const vz_exchange *x, vz_list_page *page, vz_error *err);

/* -- Merge ranges --
 * which ranges of a value are asked for in one exchange: those that lie near one another. */
/* The ranges of one exchange. */
typedef struct vz_merged_range {
    bool is_suffix;
    uint64_t first, end; /* bytes of the value; a suffix: 0 and its size */
    size_t range, count; /* in the order of vz_range_list.order */
} vz_merged_range;

typedef struct vz_range_list {
    size_t *order; /* the ranges by where they begin, suffixes last */
    vz_merged_range *items;
    size_t count;
} vz_range_list;

/* Plans the exchanges of `count` ranges, each VZ_RANGE_AT or VZ_RANGE_SUFFIX, into pieces that are zeros or were
 * cleared. A failure leaves what vz_pieces_clear frees: VZ_CORRUPT for a range whose end is no offset, memory. */
bool vz_pieces_plan(vz_range_list *pieces, const vz_range *ranges, size_t count, vz_error *err);

/* Frees what was planned; the pieces can be planned anew. */
void vz_pieces_clear(vz_range_list *pieces);

/* -- Task get large --
 * values that may be so large that they are read as ranges, for task_dispatch.c and task_get_large.c. */
#define VZ_LARGE_FROM  ((uint64_t)16 << 20) /* bytes that a value may have for this to be done */
#define VZ_LARGE_PIECE ((uint64_t)8 << 20)  /* bytes of a range */

/* Does the request want all of a value that may be large? */
bool vz_task_is_large(const vz_remote_task *task);
bool vz_task_begin_large(vz_remote_task *task, vz_error *err);

/* -- Task multipart --
 * values that are made in parts: put so, for task_put.c, or copied so, for server_copy.c. */
#define VZ_PARTS_FROM ((size_t)64 << 20) /* bytes of a value from which on it is put in parts, */
#define VZ_PART_SIZE  ((size_t)16 << 20) /* of so many, or of as many more as keep it at */
#define VZ_PARTS_MAX  10000              /* parts */

/* An upload in parts, whatever they are made of: the head of its task's state. It ends under the condition of the
 * task's request, if there is one. */
typedef struct vz_upload {
    vz_buffer key; /* whole, with a 0 behind it: what is made */
    uint64_t size; /* bytes of all parts together, more than 0 */
    uint64_t part_size;
    /* Asks for the part of `size` bytes from `first`, by the query that says which one it is. An answer that goes to
     * `into` has the ETag in its text, else it is a header. */
    bool (*ask_part)(vz_remote_task *task, const char *query, uint64_t first, uint64_t size, vz_error *err);
    /* the rest is task_multipart.c's, and zero before it begins */
    size_t count;
    char *id;        /* as URLs have it */
    bool is_over;    /* it is made, or was taken back */
    vz_buffer list;  /* the document that ends it */
    vz_error failed; /* why it is taken back */
} vz_upload;

/* Asks for the upload, of parts that have at least the size that is set; the exchange, to which lines may be added.
 * NULL with err set. */
vz_exchange *vz_upload_begin(vz_remote_task *task, vz_error *err);
/* One that is neither made nor taken back, because another task of its run failed, is taken back: asks once, and waits.
 * Nothing else of the task is under way. */
void vz_upload_end(vz_remote_task *task);
void vz_upload_clear(vz_upload *upload);

/* The header line of the condition, if there is a request and it has one. */
bool vz_task_condition(const vz_request *request, vz_exchange *x, vz_error *err);
/* The answer to a change: VZ_CHANGED also where a value that should be there is not. */
bool vz_task_check_change(vz_remote_task *task, const vz_exchange *x, vz_error *err);

#endif
