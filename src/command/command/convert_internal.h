/* convert_internal.h - h5zarr convert: its child process. */
#ifndef VZ_COMMAND_CONVERT_INTERNAL_H
#define VZ_COMMAND_CONVERT_INTERNAL_H

#include "base/os/process.h"
#include "base/util/error.h"
#include "command/command/command.h"
#include "command/convert/convert.h"
#include "command/convert/copy.h"
#include "command/target/target.h"

/* -- Convert child --
 * the process that converts. */
/* The child's report to the first process, in memory that both share. */
typedef struct vz_command_convert_result {
    vz_convert_counts counts;
    uint64_t differences; /* that were reported, where two files are compared */
} vz_command_convert_result;

typedef struct vz_command_convert_task {
    vz_convert_request request;
    const vz_convert_comparing *comparing; /* h5zarr diff; NULL: anything else */
    const char *library, *plugin;          /* as given; NULL: to be found */
    bool verify, compare, dry_run, quiet, json;
    vz_command_convert_result *result;
    long parent; /* the first process */
} vz_command_convert_task;

/* Does it in a process of its own, which says what failed; what h5zarr is to return. The signals
 * are held. One that comes meanwhile ends the child, and is pending again afterwards. */
vz_exit vz_command_convert_run(vz_command_convert_task *task, const vz_os_signals *signals);
/* In the child, before something is printed: takes the bar off the screen. */
void vz_command_convert_hide_bar(void);

/* -- Convert command -- */
/* Is there an HDF5 file or a store, and which? */
bool vz_command_convert_look_at(const char *path, vz_convert_side *side, vz_error *err);
/* ", 2 groups" on standard output. */
void vz_command_convert_print_count(const char *before, uint64_t count, const char *what);
/* Residue of a killed conversion: says that it was removed, or does not. */
void vz_command_convert_tell_left(const char *directory, const char *mark, bool removed);
void vz_command_convert_tell_nobody(const char *directory, const char *mark, bool removed);

#endif
