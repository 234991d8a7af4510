/* zarr_link.h - zarr_link: what the conventions of hdmf-zarr say of links, beside our own annotation. */
#ifndef VZ_DIALECTS_ZARR_LINK_H
#define VZ_DIALECTS_ZARR_LINK_H

#include "hierarchy/nodes/node.h"

/* Rewrites the attribute of a group whose members are loaded. A link stands in it only if its target exists in a store
 * and no other link is on the way: a reader of that convention gives up the whole file otherwise. */
bool vz_zarr_links_update(vz_node *group, vz_error *err);
/* The same for all groups of the store, if some object lost a name since the last time and there may be such links. */
bool vz_zarr_links_update_all(vz_hierarchy *hierarchy, vz_error *err);
/* What the conventions call the list; the newer ones are those of Zarr v3. */
const char *vz_zarr_links_attribute(const vz_node *group);
/* vz_conventions: links that only this attribute tells of. */
bool vz_zarr_links_read(vz_node *group, vz_error *err);
/* Before such a link is followed: one to a path far from the store was taken for an external link without a look there.
 * If it leads to this store, or to nothing while the path exists here, it becomes a soft link. */
bool vz_zarr_links_decide(vz_node *group, vz_link *link, vz_error *err);

#endif
