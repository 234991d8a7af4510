/* stage_inside.h - the inside of a stage, for stage.c and stage_home.c only. */
#ifndef VZ_STORE_STAGE_INSIDE_H
#define VZ_STORE_STAGE_INSIDE_H

#include "store/lease.h"
#include "store/stage.h"
#include "util/strmap.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* A prefix that is not published yet: it lies in the stage under its number. */
struct staged {
    unsigned number;
    atomic_bool written; /* something was put there */
};

struct vz_stage {
    vz_store *outer; /* the store that is written; borrowed */
    vz_store *inner; /* over the stage's directory; NULL until it is made */
    pid_t owner;
    int parent; /* the directory that the stage's one lies in; -1 until it is made */
    char name[NAME_MAX + 1];
    vz_lease lease;
    pthread_rwlock_t lock;  /* of `entries` and `numbers` */
    vz_strmap *entries;     /* prefix -> struct staged */
    unsigned numbers;       /* given out */
    pthread_mutex_t making; /* of what follows, and of making the directory */
    vz_strmap *noted;       /* directories that the lease notes */
    atomic_uint_fast64_t names;
};

#endif
