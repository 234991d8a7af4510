/* netcdf_references.h - what "source" means in links and references that hdmf-zarr wrote. Its versions wrote "." for this
 * store, or its name, or its path when it was written; for another store a path from within this one, or from beside
 * it, or an absolute one. A store that was moved is told by what is there now. */
#ifndef VZ_REFERENCES_NETCDF_REFERENCES_H
#define VZ_REFERENCES_NETCDF_REFERENCES_H

#include "hierarchy/nodes/node.h"

typedef enum vz_source_kind {
    VZ_SOURCE_HERE,  /* this store */
    VZ_SOURCE_STORE, /* another one, which is there */
    VZ_SOURCE_GONE,  /* nothing is there */
} vz_source_kind;

/* Is the source told by its text alone? A path that leaves the directory which the store is in is only looked at when a
 * link is followed: *file is then the name by which HDF5 looks for it first, heap; NULL: vz_source_find must tell. */
bool vz_source_is_far(vz_hierarchy *hierarchy, const char *source, char **file, vz_error *err);
/* *file: NULL for this store, else the name by which HDF5 looks for the other one, absolute or from beside this one;
 * heap. */
bool vz_source_find(const vz_hierarchy *hierarchy, const char *source, vz_source_kind *kind, char **file,
                    vz_error *err);
/* The path of what a path from the group leads to by directories alone; heap. NULL: nothing, or (err) no memory. */
char *vz_source_path(vz_node *group, const char *target, vz_error *err);

#endif
