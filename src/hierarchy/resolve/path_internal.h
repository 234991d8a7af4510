/* path_internal.h - what is at a path, and at a name on a server. */
#ifndef VZ_RESOLVE_PATH_INTERNAL_H
#define VZ_RESOLVE_PATH_INTERNAL_H

#include "hierarchy/resolve/path.h"

/* sys_errno receives why a path could not be looked at (ENOENT, EACCES ...), 0 otherwise. */
vz_path_kind vz_path_look(const char *path, int *sys_errno);

/* path_remote.c */
/* Looks at a location on a server. */
void vz_found_probe_remote(vz_found *found);

#endif
