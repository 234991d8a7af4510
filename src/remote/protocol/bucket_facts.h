/* bucket_facts.h - what was found out of a bucket at an endpoint, for all stores of this process. */
#ifndef VZ_PROTOCOL_BUCKET_FACTS_H
#define VZ_PROTOCOL_BUCKET_FACTS_H

#include "base/util/error.h"
#include <pthread.h>

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

#endif
