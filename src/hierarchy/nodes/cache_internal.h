/* cache_internal.h - the part of cache.h that only this module uses. */
#ifndef VZ_NODES_CACHE_INTERNAL_H
#define VZ_NODES_CACHE_INTERNAL_H

#include "hierarchy/nodes/cache.h"

/* When the root was loaded, and what was read ahead is still there. What cannot be read tells nothing. */
void vz_told_read(vz_hierarchy *hierarchy);

/* There is something unwritten of a node; it changes again; there is nothing any more. */
void vz_early_documents_wait(struct vz_unwritten *unwritten);
void vz_early_documents_changed(struct vz_unwritten *unwritten);
void vz_early_documents_drop(struct vz_unwritten *unwritten);

#endif
