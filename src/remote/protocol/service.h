/* service.h - what differs between services with buckets.
 *
 * A service is a row in services.c. Its protocol is a table of texts and functions; two services
 * may share it. */
#ifndef VZ_PROTOCOL_SERVICE_H
#define VZ_PROTOCOL_SERVICE_H

#include "net/http/http.h"
#include "remote/protocol/remote_name.h"

struct vz_task;

/* -- Answers of every protocol -- */

/* A refusal, whatever its status. Texts that are too long are cut off. */
typedef struct vz_refusal {
    char code[64]; /* "NoSuchKey" ...; "": nothing that is understood */
    char message[256];
    char region[64];       /* of the bucket; "": not given */
    bool speaks_of_access; /* vz_protocol_text_speaks_of_access holds of its code or of any text but
                            * names */
} vz_refusal;

typedef struct vz_list_item {
    char *key;     /* of a prefix: with the delimiter at its end */
    uint64_t size; /* bytes of the value; 0 also where the server gives none, and of prefixes */
    bool is_prefix;
    const char *etag;    /* as the header of an answer has it; NULL: none */
    const char *md5;     /* Azure: of the value, in base64; NULL: none */
    int64_t modified_ns; /* since 1970; 0: not known */
} vz_list_item;

/* A page of a listing. Zero-initialised = empty. */
typedef struct vz_list_page {
    vz_list_item *items; /* in the server's order */
    size_t count, capacity;
    char *token; /* requests the next page; NULL: this is the last one */
    vz_arena arena;
} vz_list_page;

void vz_list_page_clear(vz_list_page *page);

/* A request for a page of a listing. */
typedef struct vz_list_question {
    const char *prefix; /* a whole one */
    bool flat;          /* all keys below; else direct members */
    const char *token;  /* of the page before; NULL: the first page */
    unsigned most;      /* keys; 0: the server's own limit */
} vz_list_question;

/* -- Rows -- */

/* Services with one protocol point to one table. */
typedef struct vz_protocol {
    const char *kind;         /* the store's class */
    bool has_no_suffixes;     /* the server knows no ranges that count from the end of a value */
    const char *const *lines; /* header lines of every request; NULL ends */
    const char *value_line;   /* header line of requests that put a value; NULL: none */
    /* Class of a refusal. VZ_TRANSIENT: the answer may differ in a moment. */
    vz_error_class (*class_of)(int status, const char *code);
    /* Advice after a message, "; ..."; NULL: none. The function may be NULL. */
    const char *(*hint)(const char *code);
    const char *code_header;         /* header with the code of an answer without text; NULL:
                                      * none */
    const char *no_bucket;           /* code for a bucket that does not exist */
    const char *const *absent_codes; /* codes of a 404 for a missing key; NULL ends */
    const char *const *hiding_codes; /* codes of a 403 that a missing key may get; NULL ends */
    /* ends with a 0 */
    bool (*list_query)(const vz_list_question *question, vz_buffer *out, vz_error *err);
    bool (*read_page)(vz_bytes answer, vz_list_page *page, vz_error *err);
    /* PUT of a large value, as vz_task_begin_put */
    bool (*begin_parts)(struct vz_task *task, vz_error *err);
    bool (*begin_copy)(struct vz_task *task, vz_error *err); /* tree_internal.h */
    bool (*begin_copy_large)(struct vz_task *task, vz_error *err);
} vz_protocol;

typedef struct vz_service {
    const vz_protocol *protocol;
    vz_net_service net;
    const char *region;      /* default */
    const char *endpoint;    /* default; NULL: depends on the region, or the account always has
                              * one */
    bool by_path;            /* the bucket is a part of the URL's path, never of the host's name */
    bool deletes_one_by_one; /* no request deletes many keys */
    uint64_t copy_max;       /* bytes of the largest value that one request copies */
    bool (*heeds_conditions)(const char *endpoint); /* documented to heed them; else a bucket is
                                                     * tried */
} vz_service;

/* The row of a scheme; NULL: a web server. services.c */
const vz_service *vz_service_of(vz_scheme scheme);

/* -- Azure -- functions for the row of Azure's storage; members of vz_protocol and vz_service
 * describe them. */
vz_error_class vz_azure_class_of(int status, const char *code);
const char *vz_azure_hint(const char *code);
bool vz_azure_heeds_conditions(const char *endpoint);
bool vz_azure_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err);
bool vz_azure_read_page(vz_bytes answer, vz_list_page *page, vz_error *err);

/* Puts a value in blocks, all at once. A list of the blocks makes them a value, under the request's
 * condition. The server forgets blocks that are in no list. azure_block_upload.c */
bool vz_azure_begin_blocks(struct vz_task *task, vz_error *err);

/* Copies a value of any size within the account. Waits for a copy that the server continues.
 * azure_copy.c */
bool vz_azure_begin_copy(struct vz_task *task, vz_error *err);

/* -- S3 -- functions for the rows of S3 and Google. Answers are hostile: keys and sizes are
 * claims. */
vz_error_class vz_s3_class_of(int status, const char *code);
const char *vz_s3_hint(const char *code);
bool vz_s3_heeds_conditions(const char *endpoint); /* true for Amazon, by its documentation */
bool vz_s3_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err);

/* VZ_CORRUPT: not a listing. Clear the page in any case. */
bool vz_s3_read_page(vz_bytes answer, vz_list_page *page, vz_error *err);

/* Answer to a deletion of many keys. False: err describes the first key that was not deleted.
 * Keys that did not exist count as deleted. */
bool vz_s3_read_deleted(vz_bytes answer, vz_error *err);

/* The id of a multipart upload; the caller's. NULL with err set. */
char *vz_s3_read_upload(vz_bytes answer, vz_error *err);

/* Answer to a copy, to the copy of a part, or to the end of a multipart upload. It may be a refusal
 * with status 200. The ETag goes to `etag`, the parts of a refusal to `refusal`. VZ_TRANSIENT: the
 * server reports a failure. VZ_CORRUPT: not such an answer. */
bool vz_s3_read_made(vz_bytes answer, char *etag, size_t etag_size, vz_refusal *refusal, vz_error *err);

/* Appends text escaped for XML. The caller excludes characters that XML cannot represent. */
bool vz_xml_escape(const char *text, vz_buffer *out, vz_error *err);

#endif
