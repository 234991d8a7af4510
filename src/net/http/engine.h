/* engine.h - the one engine of the process, its sets and jobs. */
#ifndef VZ_HTTP_ENGINE_H
#define VZ_HTTP_ENGINE_H

#include "net/http/http.h"
#include "base/os/thread.h"
#include "base/util/tail_queue.h"
#include <curl/curl.h>

#define VZ_NET_ACTIVE_MAX 512u /* transfers at once in all */
#define VZ_NET_IDLE_MAX   256u /* connections that are kept for the next request */
/* of answers in memory of ours, under way or not pulled yet */
#define VZ_NET_BYTES_MAX ((size_t)256 << 20)
/* of an answer of which nobody said how large it is */
#define VZ_NET_BYTES_GUESS ((size_t)1 << 20)
#define VZ_NET_LOOK_MS     100 /* between two looks at what does not move */
#define VZ_NET_RECENT      64  /* answers of a host by which a late one is known */
/* "https://" and a name of at most 253 bytes, and its port */
#define VZ_NET_ORIGIN_SIZE 300

/* How requests to one server go, of all sets. */
typedef struct vz_net_host {
    char origin[VZ_NET_ORIGIN_SIZE];   /* scheme://authority */
    unsigned active;                   /* requests under way */
    unsigned jobs;                     /* that mean it */
    double window;                     /* how many may be; falls when it says that it is too much */
    int64_t slowed_ms;                 /* when the window fell last */
    int64_t paused_ms;                 /* nothing is sent before */
    bool answered;                     /* something came from it once: its name and port are
                                        * right */
    uint32_t recent_ms[VZ_NET_RECENT]; /* hedge_timer.c, by the thread: how long its last answers
                                        * took to begin */
    uint64_t recent_count;             /* of all that were noted */
    unsigned earned;                   /* answers that no second GET was made for yet */
    TAILQ_ENTRY(vz_net_host) all;
} vz_net_host;

/* Progress of a job: in a queue of its set; waits for its time; waits for credentials; in the multi
 * handle; answered. */
typedef enum vz_net_state { JOB_QUEUED, JOB_LATER, JOB_UNSIGNED, JOB_ACTIVE, JOB_ANSWERED } vz_net_state;

/* A request and what the engine knows of it. `next` is of the list of its state. All under the
 * engine's lock, but what stands under `attempt`, which is the thread's while the job is active. */
typedef struct vz_net_job {
    vz_net_request *request;
    vz_net_set *set;
    vz_net_host *host;
    vz_net_state state;
    TAILQ_ENTRY(vz_net_job) next, in_set;
    size_t start;              /* of `into`, before anything came */
    size_t charged;            /* bytes of VZ_NET_BYTES_MAX */
    int64_t begun_ms;          /* the first attempt; 0: none yet */
    int64_t due_ms;            /* JOB_LATER */
    unsigned stale;            /* times that its signer had nothing */
    bool renewed;              /* its signer was asked for something newer once */
    struct vz_net_job *second; /* hedged_get.c: while the same GET is under way once more */
    struct vz_net_job *first;  /* of a second one, which is in no list: whose it is */
    bool lost;                 /* the other one goes on alone */
    bool doubled;              /* it had a second one */
    struct vz_net_attempt {
        CURL *easy;
        struct curl_slist *headers;
        int64_t begun_ms, moved_ms; /* the last time that a byte moved */
        uint64_t moved;             /* bytes, up and down, and what the system still has to send */
        int port, local_port;       /* of the connection */
        unsigned asked;             /* times that the request was about to be sent */
        int64_t asked_ms;           /* the last one of these */
        bool began;                 /* the answer did */
        int lost_status;            /* with which it lost */
        vz_error_class refused;     /* by a callback of ours */
        bool began_private;         /* the first host, before any redirect, had no public address */
        char why[CURL_ERROR_SIZE];  /* our own text: it comes before libcurl's, */
        char said[CURL_ERROR_SIZE]; /* which writes into this one after a callback refused, too */
        int version;                /* of HTTP, of the answer: 10, 11, 20 */
        bool has_length;            /* the answer tells where its body ends */
        uint64_t length;            /* UINT64_MAX: not known in advance */
        uint64_t received;
        bool overdue;
    } attempt;
} vz_net_job;

TAILQ_HEAD(vz_net_jobs, vz_net_job);

struct vz_net_set {
    vz_net_options options; /* with what 0 stands for; texts are the set's */
    char *ca_bundle, *proxy_http, *proxy_https, *no_proxy;
    struct vz_net_jobs jobs, queued, unsigned_jobs, answered;
    size_t under_way; /* jobs that are not answered */
    unsigned charged; /* jobs that are charged */
    bool stopped;
    unsigned generation; /* of its engine */
    vz_os_condition pulled;
    TAILQ_ENTRY(vz_net_set) all;
};

struct vz_net_socket {
    int descriptor;
    uint64_t number; /* vz_os_socket_number */
};

/* engine.c. One lock for everything, held for moments only. */
typedef struct vz_net_engine {
    vz_os_mutex lock;
    vz_os_condition changed; /* of the thread: parked, gone on, ended */
    unsigned generation;     /* how many forks lie before this process */
    bool running, ending, park, parked, woken, ready;
    vz_os_thread thread;
    CURLM *multi;
    CURLSH *share; /* sessions of TLS, of all handles */
    TAILQ_HEAD(, vz_net_set) sets;
    TAILQ_HEAD(, vz_net_host) hosts;
    struct vz_net_jobs later, active;
    unsigned active_count;
    size_t bytes;
    uint64_t random;
    struct vz_net_socket *sockets; /* of the connections; some may be closed (fork_guard.c) */
    size_t socket_count, socket_room;
    CURL **idle; /* handles between two transfers */
    size_t idle_count;
} vz_net_engine;
extern vz_net_engine vz_net;

int64_t vz_net_now(void); /* milliseconds of a clock that only goes forward */

/* attempt.c; for signers. Sets a query for the URL of this attempt alone, which goes into no
 * message: "a=b&c=d". Once. */
bool vz_net_headers_set_query(vz_net_headers *headers, const char *query, vz_error *err);

/* url.c. */
bool vz_net_url_check(const vz_net_request *request, vz_error *err);
size_t vz_net_url_origin(const char *url); /* the length of scheme://authority; 0: it has none */
const char *vz_net_method_name(vz_net_method method);

/* fork_guard.c. */
void vz_net_fork_register(void);

#endif
