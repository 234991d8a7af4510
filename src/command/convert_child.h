/* convert_child.h - the process that converts. */
#ifndef VZ_COMMAND_CONVERT_CHILD_H
#define VZ_COMMAND_CONVERT_CHILD_H

#include "convert/chunks.h"
#include "convert/convert.h"
#include <signal.h>

/* What it tells the first process, in memory that both have. */
typedef struct vz_convert_result {
    vz_convert_counts counts;
} vz_convert_result;

typedef struct vz_convert_task {
    vz_convert_request request;
    const char *library, *plugin; /* as given; NULL: to be found */
    bool verify, compare, dry_run, quiet;
    vz_convert_result *result;
} vz_convert_task;

/* Does it, says what failed, and ends the process with what h5zarr is to return. `mask`: of signals, as it was before
 * the first process began to wait for some. */
void vz_convert_child(const vz_convert_task *task, const sigset_t *mask) __attribute__((noreturn));

#endif
