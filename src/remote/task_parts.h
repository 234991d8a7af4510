/* task_parts.h - values that are too large to be put in one, for task_put.c and task_parts.c. */
#ifndef VZ_REMOTE_TASK_PARTS_H
#define VZ_REMOTE_TASK_PARTS_H

#include "remote/task.h"

#define VZ_PARTS_FROM ((size_t)64 << 20) /* bytes of a value from which on it is put in parts, */
#define VZ_PART_SIZE  ((size_t)16 << 20) /* of so many, or of as many more as keep it at */
#define VZ_PARTS_MAX  10000              /* parts */

/* The header line of the condition, if the request has one. */
bool vz_task_condition(const vz_request *request, vz_exchange *x, vz_error *err);
/* The answer to a change: VZ_CHANGED also where a value that should be there is not. */
bool vz_task_check_change(vz_task *task, const vz_exchange *x, vz_error *err);

#endif
