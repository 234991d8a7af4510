/* hdmf.h - the dialect that HDMF (pynwb, hdmf-zarr) reads: which stores are in it, and so have its
 * writer. What it makes of types is in hdmf_types.h, of attributes in hdmf_attributes.h, of arrays that are there
 * already in src/hdf5/datasets. */
#ifndef VZ_DIALECTS_HDMF_H
#define VZ_DIALECTS_HDMF_H

#include "hierarchy/nodes/node.h"

/* A store was opened or made: its dialect by its root's mark, by options, by what stands on its root, by its name. */
void vz_hdmf_recognise(vz_hierarchy *hierarchy);
/* What the root's mark says of the dialect of a store that we have just made, if anything must be said. */
bool vz_hdmf_mark(vz_hierarchy *hierarchy, vz_error *err);
/* An attribute was set: it may tell that the store is HDMF's, or complete what references say. */
void vz_hdmf_attribute_set(vz_node *node, const char *name);
/* Must references be looked through before documents are written? */
bool vz_hdmf_references_are_due(vz_hierarchy *hierarchy);
/* Every node is in the dialect's form: from here on the store is known by its mark, and need not be looked through
 * again. */
bool vz_hdmf_forms_done(vz_hierarchy *hierarchy, vz_error *err);

#endif
