/* stored_chunks.h - the chunks of a dataset that are stored. */
#ifndef VZ_CONVERT_STORED_CHUNKS_H
#define VZ_CONVERT_STORED_CHUNKS_H

#include "command/convert/slab_walk.h"
#include "hdf5/h5/h5.h"

typedef struct vz_chunk_info {
    hsize_t offset[H5S_MAX_RANK];
    hsize_t size; /* bytes, stored */
    unsigned mask;
} vz_chunk_info;

typedef struct vz_stored_chunks {
    vz_chunk_info *items;
    size_t count, capacity;
    unsigned rank;
} vz_stored_chunks;

/* False: they cannot be listed (an HDF5 that cannot, no memory), and the list is empty. */
bool vz_stored_take(hid_t dataset, unsigned rank, vz_stored_chunks *list);
/* The same if the dataset is chunked and less than half of it is stored, so that it is gone through chunk by chunk. */
bool vz_stored_take_sparse(hid_t dataset, vz_stored_chunks *list);
void vz_stored_clear(vz_stored_chunks *list);
/* The box of the dataset's elements that a chunk holds. */
bool vz_stored_box(hid_t dataset, const vz_stored_chunks *list, size_t index, uint64_t *start, uint64_t *extent);

#endif
