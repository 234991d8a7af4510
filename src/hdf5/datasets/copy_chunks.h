/* copy_chunks.h - elements from one array to another of the same shown type and dataspace, as they are. */
#ifndef VZ_DATASETS_COPY_CHUNKS_H
#define VZ_DATASETS_COPY_CHUNKS_H

#include "hierarchy/nodes/node.h"

/* Only what is stored is copied; references are brought up to date on the way. *any: there was something. What was
 * copied stands in the store afterwards. */
bool vz_dataset_copy_elements(vz_node *from, vz_node *to, bool *any, vz_error *err);
/* The same within one array: only chunks with references that changed are written. */
bool vz_dataset_refresh_references(vz_node *node, vz_error *err);

#endif
