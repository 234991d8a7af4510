/* convert_child_internal.h - h5zarr convert: its child process. */
#ifndef VZ_CONVERT_COMMANDS_CONVERT_CHILD_INTERNAL_H
#define VZ_CONVERT_COMMANDS_CONVERT_CHILD_INTERNAL_H

#include "base/os/process.h"
#include "base/util/error.h"
#include "command/command/command.h"
#include "command/convert/convert.h"
#include "command/convert/copy.h"
#include "command/target/target.h"

/* -- Convert child --
 * the process that converts. */
/* The child's report to the first process, in memory that both share. */
typedef struct vz_child_result {
    vz_convert_counts counts;
    uint64_t differences; /* that were reported, where two files are compared */
} vz_child_result;

typedef struct vz_child_task {
    vz_convert_request request;
    const vz_convert_comparing *comparing; /* h5zarr diff; NULL: anything else */
    const char *library, *plugin;          /* as given; NULL: to be found */
    bool verify, compare, dry_run, quiet, json;
    vz_child_result *result;
    long parent; /* the first process */
} vz_child_task;

/* Does it in a process of its own, which says what failed; what h5zarr is to return. The signals
 * are held. One that comes meanwhile ends the child, and is pending again afterwards. */
vz_exit vz_child_run(vz_child_task *task, const vz_os_signals *signals);
/* In the child, before something is printed: takes the bar off the screen. */
void vz_child_hide_bar(void);

/* -- Convert command -- */
/* Looks whether an operand is an HDF5 file or a store. Anything else is an error. */
bool vz_operand_look_at(const char *path, vz_convert_side *side, vz_error *err);
/* For vz_made_remove_left: one prints a note about the residue of a killed conversion, the other
 * one prints nothing. */
void vz_child_report_residue(const char *directory, const char *mark, bool removed);
void vz_child_ignore_residue(const char *directory, const char *mark, bool removed);

#endif
