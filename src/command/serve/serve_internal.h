/* serve_internal.h - the inside of h5zarr serve: a request, its answer, connections, threads. */
#ifndef VZ_SERVE_SERVE_INTERNAL_H
#define VZ_SERVE_SERVE_INTERNAL_H

#include "base/os/listener.h"
#include "base/os/thread.h"
#include "store/store/store.h"

/* -- Bounds -- */
#define VZ_SERVE_HEAD_MAX        16384 /* bytes of a request: its line and its headers */
#define VZ_SERVE_TARGET_MAX      8192
#define VZ_SERVE_HEADERS_MAX     100
#define VZ_SERVE_CONNECTIONS_MAX 128
#define VZ_SERVE_THREADS_NEAR    4 /* that read values, where a read costs microseconds */
#define VZ_SERVE_THREADS_FAR     16
#define VZ_SERVE_PIECE_NEAR      ((uint64_t)1 << 20) /* of a value that is in memory at a time */
#define VZ_SERVE_PIECE_FAR       ((uint64_t)8 << 20)
#define VZ_SERVE_MEMORY          ((uint64_t)256 << 20) /* for the pieces of all connections */
#define VZ_SERVE_FAILURES_MAX    100                   /* that are printed */

/* -- Time-outs, in milliseconds -- */
#define VZ_SERVE_HEAD_MS   10000 /* from the first byte of a request, or from accept, to its last */
#define VZ_SERVE_IDLE_MS   60000 /* between two requests */
#define VZ_SERVE_SEND_MS   60000 /* in which a client takes VZ_SERVE_SEND_STEP bytes */
#define VZ_SERVE_SEND_STEP 65536
#define VZ_SERVE_LINGER_MS 1000 /* after a refusal, for what the client still sends */

/* -- Site --
 * what is served, and how; the same for all requests. */
#define VZ_SERVE_TOKEN_SIZE 33 /* of a secret part of the URL, with its end */
typedef struct vz_serve_site {
    vz_store *store;
    const char *inside;              /* the key that is the root of the URL; "": the store's root */
    const char *cors;                /* the origin whose pages may read it; "*": all; NULL: none */
    char token[VZ_SERVE_TOKEN_SIZE]; /* "": none */
    uint64_t salt;                   /* of this process: an ETag means nothing to the next one */
    bool is_near;                    /* a read costs microseconds, and stamps tell versions */
    unsigned failures;               /* that were printed */
} vz_serve_site;

/* -- Request --
 * parse_request.c. A head that was understood. Texts lie in the head, which is changed. */
typedef enum vz_serve_method { VZ_SERVE_GET, VZ_SERVE_HEAD, VZ_SERVE_OPTIONS, VZ_SERVE_OTHER } vz_serve_method;

typedef struct vz_serve_request {
    vz_serve_method method;
    bool closes; /* the connection ends with the answer */
    char *target;
    /* Headers; NULL: not there. */
    char *host, *range, *if_range, *if_match, *if_none_match, *if_modified_since, *if_unmodified_since;
    char *connection, *content_length, *transfer_encoding, *private_network;
} vz_serve_request;

/* Bytes of the head that the data begins with, its empty line included. 0: it goes on, or *status
 * is that of the refusal: 400, 414, 431. */
size_t vz_serve_head_size(const char *data, size_t size, int *status);
/* 0, or the status of the refusal: 400, 414, 431, 501, 505. */
int vz_serve_parse_request(char *head, size_t size, vz_serve_request *request);
/* Does the text of a Host header name this machine as 127.0.0.1, localhost or [::1], with a port
 * or without? Another name may be that of a page elsewhere which its owner had resolved to this
 * machine. */
bool vz_serve_host_is_here(const char *host);

/* request_key.c: the key of the value that the target names, with its NUL, appended to an empty
 * buffer. 0, or the status of the refusal: 400, 404, 500. */
int vz_serve_key(const vz_serve_site *site, char *target, vz_buffer *key);

/* -- Conditions --
 * conditions.c: which part of a value is sent, if any is. */
#define VZ_SERVE_ETAG_SIZE 40
typedef struct vz_serve_version {
    char etag[VZ_SERVE_ETAG_SIZE]; /* with its quotes, of this version alone; "": none is known */
    int64_t modified;              /* seconds since 1970, of this version alone; 0: not known */
} vz_serve_version;

typedef struct vz_serve_part {
    int status; /* 200, 206, 304, 412 or 416 */
    uint64_t first, size;
} vz_serve_part;
vz_serve_part vz_serve_choose(const vz_serve_request *request, const vz_serve_version *version, uint64_t size);

/* -- Answer --
 * answer.c: one request and its answer, piece by piece. */
typedef struct vz_serve_answer {
    vz_serve_request request;
    vz_buffer key;   /* of the value that is asked for */
    vz_buffer bytes; /* to be sent now */
    vz_store_value value;
    bool is_begun;    /* its head was made */
    bool is_open;     /* value is held open */
    uint64_t at, end; /* of the value: what is not read yet */
    bool closes;      /* the connection ends when all was sent */
    bool is_cut;      /* reading failed in the middle: the connection ends at once */
    vz_error failed;  /* to be printed; of class VZ_OK: nothing */
} vz_serve_answer;

/* A request has come. False: all of its answer stands in its bytes; else a value is to be read. */
bool vz_serve_begin(const vz_serve_site *site, vz_serve_answer *answer, char *head, size_t size);
/* The request is refused. `why`: a sentence without its full stop. */
void vz_serve_refuse(const vz_serve_site *site, vz_serve_answer *answer, int status, const char *why);
/* Reads what is sent next, at first with a head before it. Any thread, one at a time. */
void vz_serve_read(const vz_serve_site *site, vz_serve_answer *answer);
bool vz_serve_has_more(const vz_serve_answer *answer);
void vz_serve_end(const vz_serve_site *site, vz_serve_answer *answer);

/* response_head.c: the head of an answer, and the text of one that has no value, are appended. */
typedef struct vz_serve_head {
    int status;
    bool closes;
    const char *key;                 /* of the value, which follows; NULL: `why` does */
    const vz_serve_version *version; /* of the value */
    uint64_t whole, first, size;     /* of the value: all its bytes, and the part that is sent */
    const char *why;                 /* a sentence without its full stop */
    const vz_serve_request *request;
} vz_serve_head;
bool vz_serve_print_head(const vz_serve_site *site, const vz_serve_head *head, vz_buffer *out);

/* -- Threads --
 * readers.c: threads that read for answers, so that the one which talks to clients never waits
 * for a store. */
typedef struct vz_serve_job {
    struct vz_serve_job *next;
    vz_serve_answer answer;
} vz_serve_job;

typedef struct vz_serve_readers vz_serve_readers;
/* `bell` rings when an answer has been read. NULL with err set. */
vz_serve_readers *vz_serve_readers_start(const vz_serve_site *site, const vz_os_bell *bell, vz_error *err);
/* One more to be read, which stays where it is until it comes back. */
void vz_serve_readers_add(vz_serve_readers *readers, vz_serve_job *job);
/* One that has been read; NULL: none now. */
vz_serve_job *vz_serve_readers_next(vz_serve_readers *readers);
/* Once nothing is being read, nor to be read. */
void vz_serve_readers_stop(vz_serve_readers *readers);

/* -- Connections --
 * connection.c: one client. */
typedef enum vz_serve_state {
    VZ_SERVE_FREE,    /* no client */
    VZ_SERVE_LISTENS, /* a request is coming */
    VZ_SERVE_WAITS,   /* bytes are to be read: no thread does so yet */
    VZ_SERVE_READS,   /* a thread reads */
    VZ_SERVE_SENDS,
    VZ_SERVE_LINGERS, /* all was sent: what the client still sends is thrown away */
} vz_serve_state;

typedef struct vz_serve_connection {
    vz_serve_job job; /* first: a job is its connection */
    vz_serve_state state;
    int socket;
    int64_t until_ns; /* when it is given up, in this state; INT64_MAX: never */
    size_t since;     /* bytes sent since until_ns was set */
    uint64_t memory;  /* bytes that it was given for its answer */
    bool is_gone;     /* the client is; a thread still reads */
    unsigned served;  /* answers */
    size_t sent;      /* of the answer's bytes */
    size_t head_size; /* of the request that is answered: it lies in `data` */
    size_t size;      /* of what was received */
    char data[VZ_SERVE_HEAD_MAX];
} vz_serve_connection;

void vz_serve_connection_begin(vz_serve_connection *connection, int socket);
/* The events that poll looks for; 0: only whether the client is gone. */
short vz_serve_connection_events(const vz_serve_connection *connection);
/* Poll found these. */
void vz_serve_connection_meet(vz_serve_connection *connection, const vz_serve_site *site, short events);
/* A thread has read what is to be sent. */
void vz_serve_connection_read(vz_serve_connection *connection, const vz_serve_site *site);
/* It ends; while a thread reads for it, when that is done. */
void vz_serve_connection_close(vz_serve_connection *connection, const vz_serve_site *site);

/* server.c: serves until the bell `stop` rings. Closes the listener. */
bool vz_serve_run(vz_serve_site *site, int listener, const vz_os_bell *stop, vz_error *err);

#endif
