/* write_early.h - documents of new arrays that lie in a group which nobody else sees yet: they are put where they
 * wait, beside the program, when enough others were made after them. A flush then has little left to write. In memory
 * nothing is different: the array is new until its documents are written, and what changes it meanwhile has them
 * printed anew. */
#ifndef VZ_WRITEBACK_WRITE_EARLY_H
#define VZ_WRITEBACK_WRITE_EARLY_H

#include "hierarchy/nodes/hierarchy.h"

/* Before a node gets a name: those that were left long enough ago are put. What fails is left to the flush. */
void vz_early_documents_put(vz_hierarchy *hierarchy);

#endif
