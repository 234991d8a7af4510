/* service.h - what the services that have buckets do in ways of their own. A service is one row (services.c), and what
 * the row points at; how it is talked to is a protocol. */
#ifndef VZ_PROTOCOL_SERVICE_H
#define VZ_PROTOCOL_SERVICE_H

#include "net/http/http.h"
#include "remote/protocol/remote_name.h"
#include "remote/protocol/page.h"

struct vz_remote_task;

/* A page of a listing is asked for. */
typedef struct vz_list_question {
    const char *prefix; /* a whole one */
    bool flat;          /* all keys below; else direct members */
    const char *token;  /* of the page before; NULL: the first one */
    unsigned most;      /* keys; 0: as many as the server likes */
} vz_list_question;

/* What is said over the wire: services that speak the same point at the same one. */
typedef struct vz_protocol {
    const char *kind;         /* as the store's class has it */
    bool has_no_suffixes;     /* ranges that are counted from the end of a value are not known */
    const char *const *lines; /* of every request; NULL ends */
    const char *value_line;   /* of those that put a value; NULL: none */
    /* What such an answer means, VZ_TRANSIENT: otherwise in a moment. */
    vz_error_class (*class_of)(int status, const char *code);
    const char *(*hint)(
        const char *code);           /* what may help, "; ..."; NULL: nothing, also in the place of the function */
    const char *code_header;         /* has the code of answers without text; NULL: none does */
    const char *no_bucket;           /* the code of an answer that says that there is none */
    const char *const *absent_codes; /* of a 404 that says that there is no such key; NULL ends */
    const char *const *hiding_codes; /* of a 403 that may be said of a key that is not there; NULL ends */
    bool (*list_query)(const vz_list_question *question, vz_buffer *out, vz_error *err); /* with a 0 behind it */
    bool (*read_page)(vz_bytes answer, vz_list_page *page, vz_error *err);
    bool (*begin_parts)(struct vz_remote_task *task, vz_error *err); /* a PUT of a large value; as vz_task_begin_put */
    bool (*begin_copy)(struct vz_remote_task *task, vz_error *err);  /* server_copy.h */
    bool (*begin_copy_large)(struct vz_remote_task *task, vz_error *err);
} vz_protocol;

typedef struct vz_service {
    const vz_protocol *protocol;
    vz_net_service net;
    const char *region;      /* where nobody says one */
    const char *endpoint;    /* where nobody says one; NULL: by the region, or the account always has one */
    bool by_path;            /* the bucket is a part of the URL's path, never of the host's name */
    bool deletes_one_by_one; /* no request deletes many keys */
    uint64_t copy_max;       /* bytes of the largest value that is copied in one request */
    bool (*heeds_conditions)(const char *endpoint); /* by its documentation; else a bucket is tried */
} vz_service;

/* NULL: a web server. services.c */
const vz_service *vz_service_of(vz_scheme scheme);

#endif
