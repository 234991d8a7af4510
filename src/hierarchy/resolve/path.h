/* path.h - what a path leads to: a store, a node, an HDF5 file, another file or nothing. */
#ifndef VZ_RESOLVE_PATH_H
#define VZ_RESOLVE_PATH_H

#include "base/util/error.h"
#include "base/util/options.h"
#include "store/store/kind.h"
#include <time.h>

/* -- Path lookup --
 * what is at a path. */
typedef enum vz_path_open_mode {
    VZ_OPEN_READ,
    VZ_OPEN_WRITE,        /* must exist */
    VZ_CREATE_EXCLUSIVE,  /* must not exist */
    VZ_CREATE_TRUNCATE,   /* removes a Zarr store or a file, HDF5 or not; a directory of anything
                           * else is refused */
    VZ_CREATE_OVER_EMPTY, /* an empty file may be there, and goes, or an empty directory, and
                           * nothing else */
} vz_path_open_mode;

/* The kind of a path, found by looking only (no HDF5, no writing). */
typedef enum vz_path_kind {
    VZ_PATH_MISSING,
    VZ_PATH_ZARR, /* a node or a store */
    VZ_PATH_HDF5,
    VZ_PATH_EMPTY_DIRECTORY,
    VZ_PATH_EMPTY_FILE,
    VZ_PATH_FILE, /* that is none of these */
    VZ_PATH_OTHER
} vz_path_kind;

/* Finds the target of a path that a store names, if the policy permits it. */
struct vz_named;
vz_path_kind vz_path_look_named(const char *path, const struct vz_named *named);

/* May a name from a store be opened like a name of the user? False with err set: the policy
 * refuses it. */
bool vz_path_check_named(const char *path, const struct vz_named *named, vz_error *err);

/* Sets where redirect files may lead for this thread, by the option `doorways`. */
void vz_path_allow(const vz_options *options);

/* The target of a path, found once and handed on to the next step. */
typedef struct vz_path_result vz_path_result;
vz_path_result *vz_path_find(const char *path, vz_error *err); /* NULL with err set: no memory */

/* `named`: what says the name, if that is a store; NULL: the user does. */
vz_path_result *vz_path_find_named(const char *path, const struct vz_named *named, vz_error *err);
/* the same, where a store is to be made */
vz_path_result *vz_path_find_to_create(const char *path, vz_error *err);

/* Finds what a byte source holds. Takes it, also on failure. A store is opened at once;
 * `writable` must agree with the later vz_open_found. NULL also if the source cannot be read. */
struct vz_byte_source;
vz_path_result *vz_path_find_byte_source(struct vz_byte_source *source, const char *name, bool writable, vz_error *err);
void vz_path_result_free(vz_path_result *found); /* NULL is fine */
vz_path_kind vz_path_result_kind(const vz_path_result *found);
int vz_path_result_errno(const vz_path_result *found); /* as vz_path_look */
/* as it was given, or the target of the redirect file there */
const char *vz_path_result_path(const vz_path_result *found);
/* for messages; of a redirect file also its target */
const char *vz_path_result_label(const vz_path_result *found);
/* not in the file system, whether something is there or not */
bool vz_path_result_is_elsewhere(const vz_path_result *found);
/* why it could not be looked at; of class VZ_OK: it could */
const vz_error *vz_path_result_why(const vz_path_result *found);

/* Of VZ_PATH_HDF5 that is elsewhere: its bytes, once, and the options with which they are asked
 * for. NULL: they were taken, or it is a file of the file system. */
struct vz_byte_source *vz_path_result_take_hdf5(vz_path_result *found, vz_options *asked_as);
/* A remote name in one form of all that it has, with account and query; the caller's. NULL: no
 * memory, or it is none. */
char *vz_path_whole_name(const char *path);
/* Its name with account and query, for names beside it; no message may contain it. */
const char *vz_path_result_whole_name(const vz_path_result *found);

/* Remembers the result for a remote name: the next lookup or open within seconds gets the same
 * result and the bytes that were read. */
void vz_path_result_remember(vz_path_result *found);

/* Probes again if the remembered result is that nothing is there. */
void vz_path_result_ask_again(vz_path_result *found);
bool vz_path_result_is_doorway(const vz_path_result *found); /* wherever it leads */
bool vz_path_result_has_header(const vz_path_result *found); /* a one-file store or a redirect file,
                                                              * also a damaged one */

/* Some kind of store recognises it, or it is a redirect file. Opening it reports what is wrong
 * with it. */
bool vz_path_result_is_recognised(const vz_path_result *found);

/* -- Path found --
 * the result of a lookup, for the files that find a path or make a store there. */
struct vz_path_result {
    vz_location at; /* of the directory or file; after vz_path_result_climb of its root */
    vz_path_kind kind;
    int sys_errno;
    bool is_implicit; /* a directory without documents inside a store */
    bool climbed;
    bool is_plain_file;   /* a file on a server by a name that may be one of many values */
    bool flushes;         /* see vz_open_flushes */
    bool to_create;       /* a remote store is probed for all documents at once, as probably none
                           * exists */
    struct vz_comm *comm; /* see vz_ranks_share_found; NULL: this process is alone */
    int64_t since_ns;     /* when a remembered result was probed (vz_os_now_ns); 0: now */
};

/* Looks at the path; vz_path_result_clear it in any case. False for want of memory only. */
bool vz_path_result_look(const char *path, vz_path_result *found, vz_error *err);
void vz_path_result_clear(vz_path_result *found);

/* Before opening: finds which of the groups above is the root. Fails if that cannot be found
 * out. */
bool vz_path_result_climb(vz_path_result *found, vz_error *err);

/* path_location.c. Where the path itself leads, also within what is there, without a climb to the
 * root above. vz_location_clear it in any case. */
bool vz_path_find_location(const char *path, vz_location *location, vz_error *err);

/* find_root.c. Does the group at that prefix say that it is the root of a store? It may do so by
 * our mark, by a member that only a root's annotation has, or as HDMF's stores do. */
bool vz_path_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err);

#endif
