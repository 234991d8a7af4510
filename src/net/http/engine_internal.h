/* engine_internal.h - the life of an attempt: begun, judged, ended; the transfer thread. */
#ifndef VZ_HTTP_ENGINE_INTERNAL_H
#define VZ_HTTP_ENGINE_INTERNAL_H

#include "net/http/engine.h"

/* Under the lock: has the thread look at once. */
void vz_net_wake(void);

/* Under the lock: a job that is in no list is answered, with what its request says. */
void vz_net_answered(vz_net_job *job);

/* Says why a request failed: the text and then method and URL, without its query. */
void vz_net_fail(vz_net_job *job, vz_error_class class, const char *text);

/* transfer_loop.c. Under the lock: the thread runs. False with err set: it cannot. */
bool vz_net_run(vz_error *err);

/* attempt.c; by the thread. Makes the next attempt of a job that is active already. False: it
 * cannot be sent; what `sign` said of it. */
vz_net_signed vz_net_transfer_begin(vz_net_job *job, vz_error *err);

/* Takes it out of the multi handle. `keep`: what came stays, as the answer. */
void vz_net_transfer_end(vz_net_job *job, bool keep);

/* Is it time to give the attempt up? Looks whether something moved. */
bool vz_net_transfer_overdue(vz_net_job *job, int64_t now);

/* address_check.c; by the thread. May a socket be opened to that address? The request be sent to
 * it, which is the text of one? */
bool vz_net_may_connect(vz_net_job *job, const struct sockaddr *address);
bool vz_net_may_send(vz_net_job *job, const char *address);

/* outcome.c; by the thread, of an attempt that ended. */
typedef enum vz_net_verdict {
    VERDICT_ANSWER, /* that is the answer, a failure too: request->failed */
    VERDICT_AGAIN,
} vz_net_verdict;
typedef struct vz_net_judgement {
    vz_net_verdict verdict;
    bool slow_down;   /* the server said so */
    bool no_host;     /* it was not reached */
    int64_t after_ms; /* how long the server wants to be left alone; 0: it does not say */
    char why[VZ_NET_WHY_SIZE];
} vz_net_judgement;
void vz_net_judge(vz_net_job *job, CURLcode result, vz_net_judgement *out);

/* May the server answer otherwise a moment later? */
bool vz_net_is_momentary(int status);

/* hedge_timer.c, by the thread: GETs whose answers are late. */
#define VZ_NET_HEDGE_PRICE 64u /* answers that pay for one second GET: 1.6 % */

/* How long answers of that host may take to begin before one is late; -1: too few are known. */
int64_t vz_net_late_after(const vz_net_host *host);

/* Is the answer late, of a request that may be asked for twice, and was not? */
bool vz_net_is_late(const vz_net_job *job, int64_t now);

/* Is it not known yet which of two answers counts? */
bool vz_net_hedge_is_open(const vz_net_job *job);

/* An answer begins, with that status. False: it is not wanted. */
bool vz_net_hedge_answers(vz_net_job *job, int status);

/* hedged_get.c, by the thread: the same GET once more. The first good answer counts. */
/* Sends second GETs for what is late. */
void vz_net_hedge_begin_due(int64_t now);

/* Ends the attempts that lost. */
void vz_net_hedge_end_lost(void);

/* An attempt ended, or ends: the job that is to be judged, with that attempt as its only one. NULL:
 * the other one goes on. */
vz_net_job *vz_net_hedge_settle(vz_net_job *attempted);

/* Under the lock: ends the second one of a job that is not wanted any more. */
void vz_net_hedge_stop(vz_net_job *job);

/* host_limits.c, under the lock. NULL with err set: no memory. */
vz_net_host *vz_net_host_of(const char *url, vz_error *err);
void vz_net_host_release(vz_net_host *host); /* of one job */
bool vz_net_host_has_room(const vz_net_host *host, const vz_net_set *set, int64_t now);
void vz_net_host_went_well(vz_net_host *host, const vz_net_set *set);
void vz_net_host_slow_down(vz_net_host *host, const vz_net_set *set, int64_t attempt_begun_ms, int64_t now);

/* When the next attempt is due; -1: there shall be none. */
int64_t vz_net_again_at(vz_net_job *job, const vz_net_judgement *judgement, int64_t now);

/* certificates.c. Fills what the environment says: certificates and proxies. */
bool vz_net_environment(vz_net_set *set, const char *ca_bundle, vz_error *err);

/* response_headers.c: what is read of an answer's headers. */
/* Appends a line of the answer to `kept` (a status line begins anew). False: too many. */
bool vz_net_keep_header(vz_net_request *request, const char *line, size_t size);

/* Milliseconds that Retry-After asks for, at most an hour; 0: nothing. `now`: seconds since
 * 1970. */
int64_t vz_net_retry_after(const vz_net_request *request, int64_t now);

/* A number of digits alone. */
bool vz_net_number(const char *text, uint64_t *number);

/* By the thread: which descriptors are connections. False: no memory. */
bool vz_net_socket_opened(int descriptor);
void vz_net_socket_closed(int descriptor);

#endif
