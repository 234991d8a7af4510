/* open.h - what is at a path, and stores that are opened, made and deleted (probe.c, find.c, registry.c, open.c ...).
 */
#ifndef VZ_HIERARCHY_OPEN_H
#define VZ_HIERARCHY_OPEN_H

#include "util/error.h"
#include "util/options.h"

typedef struct vz_hierarchy vz_hierarchy;
typedef struct vz_node vz_node;

typedef enum vz_open_mode {
    VZ_OPEN_READ,
    VZ_OPEN_WRITE,        /* must exist */
    VZ_CREATE_EXCLUSIVE,  /* must not exist */
    VZ_CREATE_TRUNCATE,   /* removes a Zarr store or a file, HDF5 or not; a directory of anything else is refused */
    VZ_CREATE_OVER_EMPTY, /* an empty file may be there, and goes, or an empty directory, and nothing else */
} vz_open_mode;

/* What a path is, decided by looking only (no HDF5, no writing). */
typedef enum vz_path_kind {
    VZ_PATH_MISSING,
    VZ_PATH_ZARR, /* a node or a store */
    VZ_PATH_HDF5,
    VZ_PATH_EMPTY_DIRECTORY,
    VZ_PATH_EMPTY_FILE,
    VZ_PATH_FILE, /* that is none of these */
    VZ_PATH_OTHER
} vz_path_kind;
/* sys_errno receives why a path could not be looked at (ENOENT, EACCES ...), 0 otherwise. */
vz_path_kind vz_path_look(const char *path, int *sys_errno);
/* What a path is that a store says, as far as the policy lets it lead. */
struct vz_named;
vz_path_kind vz_path_look_named(const char *path, const struct vz_named *named);
/* May somebody be handed such a name who opens it as the user's own? False with err set: the policy refuses it. */
bool vz_path_check_named(const char *path, const struct vz_named *named, vz_error *err);
/* What paths that this thread looks at from now on may lead to, as the options say (doorways). */
void vz_path_allow(const vz_options *options);

/* What is at a path, found once, and handed on to what is then done with it. */
typedef struct vz_found vz_found;
vz_found *vz_path_find(const char *path, vz_error *err); /* NULL with err set: no memory */
/* `named`: what says the name, if that is a store; NULL: the user does. */
vz_found *vz_path_find_named(const char *path, const struct vz_named *named, vz_error *err);
vz_found *vz_path_find_to_create(const char *path, vz_error *err); /* the same, where a store is to be made */
/* What a file is whose bytes a medium has, which is taken over, also on failure. A store is opened at once, to be
 * written or not, and vz_found_open must be asked for the same. NULL also where the medium cannot be read. */
struct vz_medium;
vz_found *vz_medium_find(struct vz_medium *medium, const char *name, bool writable, vz_error *err);
void vz_found_free(vz_found *found); /* NULL is fine */
/* Who opens it does so together with the other ranks: the leader first, then they. Borrowed: vz_found_open takes it
 * over if the store is opened for writing, and this is the first time in this process. */
struct vz_comm;
void vz_found_share(vz_found *found, struct vz_comm *comm);
bool vz_found_is_shared(const vz_found *found);
/* Who makes a store there flushes it before anybody hears of it: then the documents of a root whose directory was not
 * there before are left to that flush. */
void vz_found_flushes(vz_found *found);
vz_path_kind vz_found_kind(const vz_found *found);
int vz_found_errno(const vz_found *found);           /* as vz_path_look */
const char *vz_found_path(const vz_found *found);    /* as it was given, or behind the doorway that is there */
const char *vz_found_label(const vz_found *found);   /* for messages: of a doorway both */
bool vz_found_is_elsewhere(const vz_found *found);   /* not in the file system, whether something is there or not */
const vz_error *vz_found_why(const vz_found *found); /* why it could not be looked at; of class VZ_OK: it could */
/* For who asks only what is at a name that is far away: the next one who asks, or opens it, within seconds is told the
 * same, and what was read on the way is not read again. */
void vz_found_remember(vz_found *found);
/* That nothing is there is asked again, if it was remembered. */
void vz_found_ask_again(vz_found *found);
bool vz_found_is_doorway(const vz_found *found); /* wherever it leads */
bool vz_found_has_header(const vz_found *found); /* a one-file store or a doorway, also a damaged one */
/* A kind of store takes it for one of its own, or it is a doorway: what is wrong with it is told by opening it. */
bool vz_found_is_recognised(const vz_found *found);

/* Opens a root (or a node inside a store: the hierarchy's root is then the topmost group above it, *start the node
 * asked for). *start carries a reference. Rules of sharing are native's: read-write after read-only in one process is
 * refused, truncation of an open store too. A root that is an array shows a group with one array named after the store.
 * Missing: VZ_NOT_FOUND with ENOENT; exclusive: VZ_EXISTS with EEXIST. Creating writes the root's documents at once;
 * far away, where they are one, and after vz_found_flushes, the first flush does, which comes before anything else is
 * made. */
bool vz_hierarchy_open(const char *path, vz_open_mode mode, const vz_options *options, vz_hierarchy **hierarchy,
                       vz_node **start, vz_error *err);
bool vz_found_open(vz_found *found, vz_open_mode mode, const vz_options *options, vz_hierarchy **hierarchy,
                   vz_node **start, vz_error *err);
/* What writers that were killed had told of moves and deletions, and not flushed, goes into documents: after opening
 * for writing, when the hierarchy's dialect is known. What cannot be written waits for the flush; fails when it cannot
 * be read. */
bool vz_hierarchy_recover(vz_hierarchy *hierarchy, vz_error *err);
/* The counterpart of each open: a second reference for a reopened file; the last close finishes, unless it was given up
 * just before, and frees. On failure the state is dropped all the same, and the error reported. */
void vz_hierarchy_ref(vz_hierarchy *hierarchy);
bool vz_hierarchy_close(vz_hierarchy *hierarchy, vz_error *err);
/* Removes a store from the file system (only what vz_path_look calls Zarr); refused while open. Of a doorway and what
 * is behind it the doorway alone. */
bool vz_hierarchy_delete(const char *path, vz_error *err);
bool vz_found_delete(vz_found *found, vz_error *err);
/* Has this process no store open that would go with it? VZ_BUSY; `what` is the verb of the sentence. */
bool vz_found_is_free(vz_found *found, const char *what, vz_error *err);
/* Has this process any store open? */
bool vz_hierarchy_any_open(void);
/* HDF5 is about to truncate what is at the path: a store that is a directory goes. Refused while a store is open. */
bool vz_found_make_way(vz_found *found, vz_error *err);

#endif
