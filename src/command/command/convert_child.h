/* convert_child.h - the process that converts. */
#ifndef VZ_COMMAND_CONVERT_CHILD_H
#define VZ_COMMAND_CONVERT_CHILD_H

#include "command/command/command.h"
#include "command/convert/chunk_options.h"
#include "command/convert/convert.h"
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
    pid_t parent; /* the first process */
} vz_convert_task;

/* From here on what stops a program waits until the signals that were blocked `before` are restored, so that who is
 * stopped can clean up; `wanted`: those, and the end of the child. */
void vz_convert_block_signals(sigset_t *wanted, sigset_t *before);
/* Does it in a process of its own, which says what failed; what h5zarr is to return. The signals are blocked. One that
 * comes meanwhile ends the child, and is pending again afterwards. */
vz_exit vz_convert_run(vz_convert_task *task, const sigset_t *wanted, const sigset_t *before);

#endif
