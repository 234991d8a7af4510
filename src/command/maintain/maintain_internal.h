/* maintain_internal.h - netCDF nodes in the form of an earlier version get the form of today
 * (renew_nodes.c). */
#ifndef VZ_MAINTAIN_INTERNAL_H
#define VZ_MAINTAIN_INTERNAL_H

#include "base/util/hash.h"
#include "hierarchy/nodes/node.h"

/* The nodes are those at these keys. `tell` is called for each, before its documents are written.
 * The hierarchy has vz_netcdf_renew_conventions. */
typedef void (*vz_renew_tell)(void *context, const char *key);
bool vz_renew_nodes(vz_hierarchy *hierarchy, const vz_strmap *keys, vz_renew_tell tell, void *context, vz_error *err);

#endif
