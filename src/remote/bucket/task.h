/* task.h - what is done for one request of a store: some exchanges at once, and, when all of them are answered, perhaps
 * more. A run has many tasks under way; any number of threads drive it. */
#ifndef VZ_BUCKET_TASK_H
#define VZ_BUCKET_TASK_H

#include "remote/bucket/absence.h"

typedef struct vz_remote_task {
    vz_remote *remote;
    vz_request *request; /* NULL: what is done is no request of a store */
    /* All exchanges of the task are answered: it looks at them, and asks for more, or is at its end. False with err
     * set: it failed, and is at its end. One thread at a time. */
    bool (*go_on)(struct vz_remote_task *task, vz_error *err);
    void (*clear)(struct vz_remote_task *task); /* frees `state`; NULL: nothing to do */
    void *state;                         /* the task's own */
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
vz_exchange *vz_task_ask(vz_remote_task *task, vz_net_method method, const char *whole_key, const char *query, vz_error *err);
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

/* create_lock_verify.c. Before anything is put or deleted in a store that was claimed: is it proved that the place is ours? It
 * is looked at now, or (the first value that is put in the root, under the condition that there is none) beside what
 * the task asks for; then its last exchange is answered like any other's, and the end tells: what was put is taken
 * back where something else is there. VZ_EXISTS: it is. Without is_put, err has why: where that is VZ_CHANGED, what is
 * there is another creator's (VZ_EXISTS), unless the place was proved before. */
bool vz_claim_proof_begin(vz_remote_task *task, vz_error *err);
bool vz_claim_proof_end(vz_remote_task *task, bool is_put, vz_error *err);

/* ---- runs (task_queue.c) ---- */

typedef struct vz_task_queue vz_task_queue;

/* Begins none of them yet. The tasks are the caller's. NULL with err set. */
vz_task_queue *vz_run_open(vz_remote *remote, vz_remote_task *tasks, size_t count, bool (*begin)(vz_remote_task *task, vz_error *err),
                    vz_error *err);
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
bool vz_run_all(vz_remote *remote, vz_remote_task *tasks, size_t count, bool (*begin)(vz_remote_task *task, vz_error *err),
                vz_error *err);
/* One request, in this thread. */
bool vz_run_request(vz_remote *remote, vz_request *request, vz_error *err);

#endif
