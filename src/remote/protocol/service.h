/* service.h - what the services that have buckets do in ways of their own. A service is one row (services.c), and what
 * the row points at; how it is talked to is a protocol. */
#ifndef VZ_PROTOCOL_SERVICE_H
#define VZ_PROTOCOL_SERVICE_H

#include "net/http/http.h"
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/remote_name.h"

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
    bool (*begin_copy)(struct vz_remote_task *task, vz_error *err);  /* tree_internal.h */
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

/* -- Azure --
 * what is the way of Azure's storage, for the rows of services.c. */
/* As vz_service has them. */
vz_error_class vz_azure_class_of(int status, const char *code);
const char *vz_azure_hint(const char *code);
bool vz_azure_heeds_conditions(const char *endpoint);
bool vz_azure_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err);
bool vz_azure_read_page(vz_bytes answer, vz_list_page *page, vz_error *err);

/* A value in blocks: they go at once, and a list of them makes them a value, under the request's condition. Those that
 * no list names the server forgets. azure_block_upload.c */
bool vz_azure_begin_blocks(struct vz_remote_task *task, vz_error *err);

/* A copy within the account, of any size. One that the server goes on with is waited for. azure_copy.c */
bool vz_azure_begin_copy(struct vz_remote_task *task, vz_error *err);

/* -- S3 --
 * what is Amazon's way, for the rows of services.c. */
/* As vz_service has them. */
vz_error_class vz_s3_class_of(int status, const char *code);
bool vz_s3_heeds_conditions(const char *endpoint); /* Amazon's own documentation says so */
bool vz_s3_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err);

/* VZ_CORRUPT: it is no listing. Clear the page in any case. */
bool vz_s3_read_page(vz_bytes answer, vz_list_page *page, vz_error *err);

/* What a deletion of many keys could not delete: false with err set that says so, of the first of them. Keys that were
 * not there count as deleted. */
bool vz_s3_read_deleted(vz_bytes answer, vz_error *err);

/* The id of an upload in parts; the caller's. NULL with err set. */
char *vz_s3_read_upload(vz_bytes answer, vz_error *err);

/* The answer to a copy, to that of a part, or to the end of an upload in parts, which may be a refusal with status 200.
 * The ETag it has goes to `etag`, the refusal's parts to `refusal`. VZ_TRANSIENT: the server says that it failed;
 * VZ_CORRUPT: it is no such answer. */
bool vz_s3_read_made(vz_bytes answer, char *etag, size_t etag_size, vz_refusal *refusal, vz_error *err);

/* Text as it stands in XML, appended; what XML cannot say is left to the caller not to have. */
bool vz_xml_escape(const char *text, vz_buffer *out, vz_error *err);

#endif
