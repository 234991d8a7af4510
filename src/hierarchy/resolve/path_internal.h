/* path_internal.h - what is at a path, and at a name on a server. */
#ifndef VZ_RESOLVE_PATH_INTERNAL_H
#define VZ_RESOLVE_PATH_INTERNAL_H

#include "hierarchy/resolve/path.h"
#include "hierarchy/nodes/node.h"

/* sys_errno receives why a path could not be looked at (ENOENT, EACCES ...), 0 otherwise. */
vz_path_kind vz_path_look(const char *path, int *sys_errno);

/* path_remote.c */
/* Looks at a location on a server. */
void vz_path_result_probe_remote(vz_path_result *found);

bool vz_path_result_look_named(const char *path, const vz_named *named, vz_path_result *found, vz_error *err);

/* deleted_objects.c: the token of a path below VZ_NOWHERE; 0: of none */
bool vz_token_of_deleted(vz_hierarchy *hierarchy, const char *path, uint64_t *token, vz_error *err);

/* foreign_container.c: sets found->at.why for a directory without a root that is a container of
 * another format. */
void vz_path_result_name_foreign(vz_path_result *found);

#endif
