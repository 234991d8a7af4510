/* space.h - HDF5 dataspaces and selections in the terms of src/zarr/selection.h. */
#ifndef VZ_MAP_SPACE_H
#define VZ_MAP_SPACE_H

#include "h5/h5.h"
#include "zarr/selection.h"

/* A file selection paired with a memory selection, both checked as native does (within the extent, equal counts). */
typedef struct vz_pair {
    hid_t file, memory;       /* dataspaces with selections; owned if made here */
    bool own_file, own_memory;
    uint64_t count;           /* elements selected */
    bool is_region;           /* regular on both sides: */
    vz_region region;
    bool memory_contiguous;   /* the memory elements are neighbours in selection order, from memory_first on */
    uint64_t memory_first;
} vz_pair;

/* dims: the dataset's current extent, rank 0 = scalar; null: H5S_NULL dataspace. */
bool vz_pair_open(vz_pair *pair, unsigned rank, const uint64_t *dims, bool null, hid_t mem_space, hid_t file_space,
                  vz_error *err);
void vz_pair_close(vz_pair *pair);

/* Runs over both selections in step (vz_run_source); memory in elements. */
typedef struct vz_pair_runs vz_pair_runs;
/* skip memory: runs' memory offsets count 0,1,2... (a packed staging buffer) */
vz_pair_runs *vz_pair_runs_open(const vz_pair *pair, bool packed, vz_error *err);
bool vz_pair_runs_next(void *runs, vz_run *out, size_t max, size_t *count, vz_error *err);
void vz_pair_runs_close(vz_pair_runs *runs);

#endif
