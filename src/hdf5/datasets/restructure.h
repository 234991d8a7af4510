/* restructure.h - an array of the plain dialect gets the form of the hdmf dialect; stored references are brought up
 * to date. */
#ifndef VZ_DATASETS_RESTRUCTURE_H
#define VZ_DATASETS_RESTRUCTURE_H

#include "hierarchy/nodes/node.h"

/* In a store of the hdmf dialect: a linked array becomes what it would have been if it were created now; nothing where
 * it is that already. HDF5 sees no difference, open handles go on working. What is stored is exchanged in one step
 * (vz_node_replace). */
bool vz_reform_array(vz_node *node, vz_error *err);
/* The references it holds: paths of objects that moved, ids that their targets have got (hdf5/references/complete_selection.h). */
bool vz_reform_references(vz_node *node, vz_error *err);

#endif
