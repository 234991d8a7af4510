/* chunk_index.h - which chunks of an array are stored. For this room. */
#ifndef VZ_DATASETS_CHUNK_INDEX_H
#define VZ_DATASETS_CHUNK_INDEX_H

#include "hierarchy/nodes/node.h"

/* Coordinates of one, in a list. */
typedef struct vz_chunk_entry {
    uint64_t chunk[VZ_MAX_RANK];
    struct vz_chunk_entry *next;
} vz_chunk_entry;

/* After writing what is dirty. *chunks: to be freed, also on failure. */
bool vz_stored_chunks_list(vz_node *node, vz_chunk_entry **chunks, vz_error *err);
void vz_stored_chunks_free(vz_chunk_entry *chunks);

#endif
