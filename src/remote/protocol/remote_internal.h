/* remote_internal.h - bucket facts, load net module, page. */
#ifndef VZ_PROTOCOL_REMOTE_INTERNAL_H
#define VZ_PROTOCOL_REMOTE_INTERNAL_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "net/http/http.h"
#include <pthread.h>

/* -- Bucket facts --
 * what was found out of a bucket at an endpoint, for all stores of this process. */
#define VZ_REGION_SIZE 64

typedef enum vz_fact { VZ_FACT_UNKNOWN, VZ_FACT_NO, VZ_FACT_YES } vz_fact;

typedef struct vz_known {
    pthread_mutex_t probing;     /* held while `conditions` is found out */
    vz_fact _Atomic conditions;  /* are If-Match and If-None-Match of a PUT heeded? */
    pthread_mutex_t lock;        /* of what follows */
    char region[VZ_REGION_SIZE]; /* where the bucket is; "": is not known */
    struct vz_known *next;
    char id[];
} vz_known;

/* The same for the same id; kept until the process ends. NULL with err set. */
vz_known *vz_known_of(const char *id, vz_error *err);

/* -- Load net module --
 * the module that speaks HTTP, loaded when something far away is asked for the first time. */
/* Its functions; the module stays until the process ends. NULL with err set: it is not there, or not of this version.
 * Any thread. */
const vz_net_functions *vz_remote_net(vz_error *err);
/* For tests: these, whatever module there is. */
void vz_remote_set_net(const vz_net_functions *functions);

/* -- Page --
 * what services with buckets answer, whichever protocol they speak. */
/* A refusal, whatever status it came with. Cut off where they are longer. */
typedef struct vz_refusal {
    char code[64]; /* "NoSuchKey" ...; "": it says nothing that is understood */
    char message[256];
    char region[64];       /* where the bucket is; "": it does not say */
    bool speaks_of_access; /* see vz_text_speaks_of_access: its code or any of its texts but names */
} vz_refusal;

/* Is it about a signature, a token, expiry or a key of encryption (kms)? Such a refusal says nothing of what is there.
 */
bool vz_text_speaks_of_access(vz_bytes text);

typedef struct vz_list_item {
    char *key;     /* of a prefix with the delimiter at its end */
    uint64_t size; /* bytes of the value; 0 also where it is not told, and of prefixes */
    bool is_prefix;
} vz_list_item;

/* A page of a listing. Zero-initialised = empty. */
typedef struct vz_list_page {
    vz_list_item *items; /* as the server put them */
    size_t count, capacity;
    char *token; /* by which the next page is asked for; NULL: this is the last one */
    vz_arena arena;
} vz_list_page;

void vz_list_page_clear(vz_list_page *page);
/* One more, whose key is the page's already. */
bool vz_list_page_add(vz_list_page *page, const vz_list_item *item, vz_error *err);

#endif
