/* task_get_large.h - values that may be so large that they are read as ranges, for task_dispatch.c and task_get_large.c. */
#ifndef VZ_BUCKET_TASK_GET_LARGE_H
#define VZ_BUCKET_TASK_GET_LARGE_H

#include "remote/bucket/task.h"

#define VZ_LARGE_FROM  ((uint64_t)16 << 20) /* bytes that a value may have for this to be done */
#define VZ_LARGE_PIECE ((uint64_t)8 << 20)  /* bytes of a range */

/* Does the request want all of a value that may be large? */
bool vz_task_is_large(const vz_remote_task *task);
bool vz_task_begin_large(vz_remote_task *task, vz_error *err);

#endif
