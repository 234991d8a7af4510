/* dialect_links.h - zarr_link: what the conventions of hdmf-zarr say of links, beside our own annotation. */
#ifndef VZ_MAP_DIALECT_LINKS_H
#define VZ_MAP_DIALECT_LINKS_H

#include "zarr/node.h"

/* Rewrites the attribute of a group whose members are loaded. A link stands in it only if its target exists in a store
 * and no other link is on the way: a reader of that convention gives up the whole file otherwise. */
bool vz_plain_settle_links(vz_node *group, vz_error *err);
/* vz_foreign_links_hook: links that only this attribute tells of. */
bool vz_plain_read_links(vz_node *group, vz_error *err);

#endif
