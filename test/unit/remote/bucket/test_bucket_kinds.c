/* test_bucket_kinds.c - operations on values that every kind of store has, over a bucket. */
#define STORE_KINDS_SUPPORT_H
#include "remote_support.h"
#include <pthread.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ALL(test)                                                                                                      \
    {                                                                                                                  \
        "s3: " #test, test, open_s3, close_s3, NULL                                                                    \
    }

#include "store/store/test_store_kinds.c"
