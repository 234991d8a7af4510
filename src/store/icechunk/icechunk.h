/* icechunk.h - Icechunk repositories: a Zarr store with snapshots, branches and tags, inside of
 * another store. Format versions 1 and 2 are read. */
#ifndef VZ_ICECHUNK_ICECHUNK_H
#define VZ_ICECHUNK_ICECHUNK_H

#include "store/store/kind.h"

#define VZ_ICECHUNK_FILE_MAX   ((size_t)256 << 20) /* bytes of a file of metadata, packed */
#define VZ_ICECHUNK_NODES_MAX  ((size_t)1 << 20)   /* groups and arrays of a snapshot */
#define VZ_ICECHUNK_CACHE_SIZE ((size_t)256 << 20) /* bytes of manifests that a store keeps */

/* Row of the table (store/store/kind.h). */
extern const vz_store_kind vz_icechunk_kind;

/* Is the root of a repository in the store? False with err set: it cannot be looked at. */
bool vz_icechunk_is(vz_store *below, bool *is_it, vz_error *err);

/* The store of one snapshot of the repository whose files `below` holds, which is taken over, also
 * on failure. `which`: "@branch.NAME", "@tag.NAME", "@SNAPSHOT"; "": the branch main. `remote`: the
 * options with which a remote one is asked; NULL: it lies here. NULL with err set. */
vz_store *vz_icechunk_over(vz_store *below, const char *which, const vz_options *remote, vz_error *err);

#endif
