/* chunk_index.h - which chunks of an array are stored. For this room. */
#ifndef VZ_DATASETS_CHUNK_INDEX_H
#define VZ_DATASETS_CHUNK_INDEX_H

#include "hierarchy/nodes/node.h"

/* Coordinates of one, in a list. */
typedef struct vz_stored_chunk {
    uint64_t chunk[VZ_MAX_RANK];
    struct vz_stored_chunk *next;
} vz_stored_chunk;

/* After writing what is dirty. *chunks: to be freed, also on failure. */
bool vz_stored_chunks_list(vz_node *node, vz_stored_chunk **chunks, vz_error *err);
void vz_stored_chunks_free(vz_stored_chunk *chunks);

#endif
