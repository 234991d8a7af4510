/* path_found.h - what is at a path, as the files see it that find it or make a store there. */
#ifndef VZ_RESOLVE_PATH_FOUND_H
#define VZ_RESOLVE_PATH_FOUND_H

#include "hierarchy/resolve/path_lookup.h"
#include "store/store/location.h"
#include "store/store/stored_name.h"
#include <time.h>

struct vz_found {
    vz_location
        at; /* of the directory or file that the path leads to; after vz_found_climb of the root it belongs to */
    vz_path_kind kind;
    int sys_errno;
    bool is_implicit; /* a directory without documents inside a store */
    bool climbed;
    bool flushes;          /* see vz_found_flushes */
    bool to_create;        /* far away all documents are asked for at once: most likely none is there */
    struct vz_comm *comm;  /* see vz_found_share; NULL: this process is alone */
    struct timespec since; /* when what was found far away was asked for, if that is not now */
};
/* Looks at the path; vz_found_clear it in any case. False for want of memory only. */
bool vz_found_look(const char *path, vz_found *found, vz_error *err);
bool vz_found_look_named(const char *path, const vz_named *named, vz_found *found, vz_error *err);
void vz_found_clear(vz_found *found);
/* For who opens what is there: which of the groups above is the root? Fails where it cannot be found out. */
bool vz_found_climb(vz_found *found, vz_error *err);

/* path_remote.c */
/* What is at a location that is not in the file system. */
void vz_found_look_far(vz_found *found);

#endif
