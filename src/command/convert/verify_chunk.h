/* verify_chunk.h - is a stored chunk what its filters made? For shuffle, deflate and checksums, by our own codecs, which
 * are faster than HDF5's filters. */
#ifndef VZ_CONVERT_VERIFY_CHUNK_H
#define VZ_CONVERT_VERIFY_CHUNK_H

#include "codec/codec/codec.h"
#include "hdf5/h5/h5.h"

typedef struct vz_chunk_check {
    bool can; /* false: filters that are not known here */
    vz_chain chain;
    vz_codecs codecs;
    void *room; /* for a decoded chunk */
    size_t size;
} vz_chunk_check;

/* Of a dataset with that creation list, whose chunks have so many bytes when decoded. */
bool vz_chunk_check_open(vz_chunk_check *check, hid_t dcpl, size_t element_size, uint64_t chunk_size, vz_error *err);
void vz_chunk_check_close(vz_chunk_check *check);
/* False: it looks damaged. True also where it cannot be told: filters that were left out of this chunk. */
bool vz_chunk_check_look(const vz_chunk_check *check, vz_bytes stored, unsigned mask);

#endif
