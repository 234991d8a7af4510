/* finalize_internal.h - dirty nodes, restructure. */
#ifndef VZ_DATASETS_FINALIZE_INTERNAL_H
#define VZ_DATASETS_FINALIZE_INTERNAL_H

#include "hierarchy/nodes/node.h"

/* -- Dirty nodes --
 * looking through a store before it is written: one of the hdmf dialect, or one in which
 * something moved that references may name. Private to this room. */
/* Every node of the store, loaded for it where it has to be; what cannot be read is left as it is. */
bool vz_finalize_all(vz_hierarchy *hierarchy, vz_error *err);
/* One that is about to be written. */
bool vz_finalize_node(vz_node *node, vz_error *err);

/* -- Restructure --
 * an array of the plain dialect gets the form of the hdmf dialect; stored references are brought up
 * to date. */
/* In a store of the hdmf dialect: a linked array becomes what it would have been if it were created now; nothing where
 * it is that already. HDF5 sees no difference, open handles go on working. What is stored is exchanged in one step
 * (vz_node_replace). */
bool vz_restructure_array(vz_node *node, vz_error *err);
/* The references it holds: paths of objects that moved, ids that their targets have got (hdf5/references/references.h).
 */
bool vz_restructure_references(vz_node *node, vz_error *err);

#endif
