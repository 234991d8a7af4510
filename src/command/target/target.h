/* target.h - what a command makes comes to be under another name, and gets its own when it is
 * whole. */
#ifndef VZ_TARGET_TARGET_H
#define VZ_TARGET_TARGET_H

#include "base/util/error.h"
#include <stdbool.h>

/* Where the result of a conversion comes to be: under a name of its own beside the target. It takes
 * the target's place only when it is whole. On a server nothing gets another name in one step:
 * there it is made in its place. */
typedef struct vz_made {
    char *target;    /* where it goes; what links lead to, if it is there already */
    char *directory; /* that it is in; NULL: on a server */
    char *partial;   /* the path under which it is made */
    char *mark;      /* a part of that name which nothing else has */
    int lock;        /* a file beside it, locked as long as this process or its child lives
                      * (leftovers.c); -1: none */
    bool replaces;   /* something is there, which is whole until then */
    bool is_far;     /* on a server */
} vz_made;

/* Is the target a free place, or with `overwrite` an HDF5 file or a store that may be replaced? Not
 * what the source is, or lies in. `suffix`: of the name under which it is made, ".zarr" ...; NULL:
 * nothing will be made. vz_made_clear it in any case. */
bool vz_made_begin(vz_made *place, const char *source, const char *target, const char *suffix, bool overwrite,
                   vz_error *err);
/* Right before it is made: what is there on a server goes, as the new one takes its name at
 * once. */
bool vz_made_room(vz_made *place, vz_error *err);
/* Puts the result at the target's place in one step and removes the old target. If that fails, the
 * old target stays. */
bool vz_made_finish(vz_made *place, vz_error *err);
/* Removes all that was begun. `made`: on a server, the store is there by us, and is not whole. */
bool vz_made_abandon(const vz_made *place, bool made, vz_error *err);
void vz_made_clear(vz_made *place);

/* -- Temporary directory --
 * place->partial. A lock tells others whether this process or its child lives.
 * vz_made_temporary_end it in any case; false: it is still there. */
bool vz_made_temporary(vz_made *place, const char *directory, vz_error *err);
bool vz_made_temporary_end(vz_made *place);

/* -- Leftovers --
 * residue of commands that were killed. */
/* Removes residue of killed commands in that directory, if their lock shows that they are dead;
 * `tell` is called for each mark, removed or not. */
void vz_made_remove_left(const char *directory, void (*tell)(const char *directory, const char *mark, bool removed));

#endif
