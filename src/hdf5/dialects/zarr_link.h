/* zarr_link.h - zarr_link: links by the conventions of hdmf-zarr, beside our own annotation. */
#ifndef VZ_DIALECTS_ZARR_LINK_H
#define VZ_DIALECTS_ZARR_LINK_H

#include "hierarchy/nodes/node.h"

/* Rewrites the attribute of a group whose members are loaded. It lists only links whose target
 * exists in a store without another link on the way: hdmf-zarr otherwise refuses the whole file. */
bool vz_dialect_links_update(vz_node *group, vz_error *err);
/* Rewrites it for all groups of the store, if an object lost a name since the last time and a
 * group may have such links. */
bool vz_dialect_links_update_all(vz_hierarchy *hierarchy, vz_error *err);
/* The name of the list; the newer conventions are those of Zarr v3. */
const char *vz_dialect_links_attribute(const vz_node *group);
/* Adds the links that only this attribute lists (for vz_conventions). */
bool vz_dialect_links_read(vz_node *group, vz_error *err);
/* Called before such a link is followed. A link to a path outside the store became an external
 * link without a probe. If it leads to this store, or to nothing while the path exists here, it
 * becomes a soft link. */
bool vz_dialect_links_decide(vz_node *group, vz_link *link, vz_error *err);

#endif
