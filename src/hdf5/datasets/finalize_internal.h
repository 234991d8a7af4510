/* finalize_internal.h - the search through a store, and the conversion of arrays to a dialect. */
#ifndef VZ_DATASETS_FINALIZE_INTERNAL_H
#define VZ_DATASETS_FINALIZE_INTERNAL_H

#include "hierarchy/nodes/node.h"

/* -- Dirty nodes --
 * The search through a store of the hdmf dialect, or after moves of objects that references may
 * name. */
/* Converts every node of the store; loads nodes for it. Leaves alone what cannot be read. */
bool vz_finalize_all(vz_hierarchy *hierarchy, vz_error *err);
/* Converts a node that is about to be written. */
bool vz_finalize_node(vz_node *node, vz_error *err);

/* -- Restructure --
 * Converts an array of the plain dialect to the hdmf dialect; updates stored references. */
/* In a store of the hdmf dialect: gives a linked array the form of a new one; nothing if it has
 * it. HDF5 sees no difference, and open handles stay valid. The stored array is exchanged in one
 * step (vz_edit_replace). */
bool vz_restructure_array(vz_node *node, vz_error *err);
/* Updates the references in an array: paths of moved objects, new ids of targets
 * (hdf5/references/references.h). */
bool vz_restructure_references(vz_node *node, vz_error *err);

#endif
