/* convert_internal.h - h5zarr convert: its child process, and the name of its target. */
#ifndef VZ_COMMAND_CONVERT_INTERNAL_H
#define VZ_COMMAND_CONVERT_INTERNAL_H

#include "base/os/process.h"
#include "base/util/error.h"
#include "command/command/command_internal.h"
#include "command/convert/convert.h"
#include "command/convert/copy.h"

/* -- Convert child --
 * the process that converts. */
/* The child's report to the first process, in memory that both share. */
typedef struct vz_command_convert_result {
    vz_convert_counts counts;
} vz_command_convert_result;

typedef struct vz_command_convert_task {
    vz_convert_request request;
    const char *library, *plugin; /* as given; NULL: to be found */
    bool verify, compare, dry_run, quiet;
    vz_command_convert_result *result;
    long parent; /* the first process */
} vz_command_convert_task;

/* Does it in a process of its own, which says what failed; what h5zarr is to return. The signals
 * are held. One that comes meanwhile ends the child, and is pending again afterwards. */
vz_exit vz_command_convert_run(vz_command_convert_task *task, const vz_os_signals *signals);

/* -- Convert command -- */
/* Is there an HDF5 file or a store, and which? */
bool vz_command_convert_look_at(const char *path, vz_convert_side *side, vz_error *err);
/* ", 2 groups" on standard output. */
void vz_command_convert_print_count(const char *before, uint64_t count, const char *what);
/* Residue of a killed conversion: says that it was removed, or does not. */
void vz_command_convert_tell_left(const char *directory, const char *mark, bool removed);
void vz_command_convert_tell_nobody(const char *directory, const char *mark, bool removed);

/* -- Convert target --
 * where what is converted comes to be: under a name of its own beside the target, and in the
 * target's place only when it is whole. On a server nothing gets another name in one step: there it
 * is made in its place. */
typedef struct vz_command_target {
    char *target;    /* where it goes; what links lead to, if it is there already */
    char *directory; /* that it is in; NULL: on a server */
    char *partial;   /* the path under which it is made */
    char *mark;      /* a part of that name which nothing else has */
    int lock;        /* a file beside it, locked as long as this process or its child lives
                      * (convert_leftovers.c); -1: none */
    bool replaces;   /* something is there, which is whole until then */
    bool is_far;     /* on a server */
} vz_command_target;

/* Is the target a free place, or with `overwrite` an HDF5 file or a store that may be replaced? Not
 * what the source is, or lies in. `suffix`: of the name under which it is made, ".zarr" ...; NULL:
 * nothing will be made. vz_command_target_clear it in any case. */
bool vz_command_place_begin(vz_command_target *place, const char *source, const char *target, const char *suffix,
                            bool overwrite, vz_error *err);
/* Right before it is made: what is there on a server goes, as the new one takes its name at
 * once. */
bool vz_command_place_make_room(vz_command_target *place, vz_error *err);
/* Puts the result at the target's place in one step and removes the old target. If that fails, the
 * old target stays. */
bool vz_command_place_finish(vz_command_target *place, vz_error *err);
/* Removes all that was begun. `made`: on a server, the store is there by us, and is not whole. */
bool vz_command_place_abandon(const vz_command_target *place, bool made, vz_error *err);
void vz_command_target_clear(vz_command_target *place);

/* convert_target_remote.c */
/* Does one of the two names lead to a server? Then *place is begun, and it is no part of the other
 * one. */
bool vz_command_place_begin_far(vz_command_target *place, const char *source, const char *target, bool overwrite,
                                vz_error *err);

/* convert_leftovers.c */
/* Makes a mark, and the lock file that has it. */
bool vz_command_place_lock(vz_command_target *place, vz_error *err);
/* Removes everything in the directory whose name has the mark, of this user. */
void vz_command_place_remove_marked(const char *directory, const char *mark);
/* Removes residue of killed conversions in that directory, if their lock shows that they are dead;
 * `tell` is called for each mark, removed or not. */
void vz_command_place_remove_left(const char *directory,
                                  void (*tell)(const char *directory, const char *mark, bool removed));

#endif
