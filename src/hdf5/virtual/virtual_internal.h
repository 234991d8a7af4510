/* virtual_internal.h - what the sources of a virtual dataset give of one transfer. */
#ifndef VZ_VIRTUAL_VIRTUAL_INTERNAL_H
#define VZ_VIRTUAL_VIRTUAL_INTERNAL_H

#include "hdf5/virtual/virtual.h"

/* What one source gives of a transfer. */
typedef struct vz_virtual_piece {
    hid_t dataset, source, memory;
} vz_virtual_piece;

typedef struct vz_virtual_plan {
    vz_handle *handle;
    unsigned rank;
    hsize_t dims[H5S_MAX_RANK];
    hid_t extent;                                    /* of the dataset, all selected */
    hid_t file, memory;                              /* what was asked for */
    hsize_t first[H5S_MAX_RANK], last[H5S_MAX_RANK]; /* its bounds */
    bool points;                                     /* somebody asked for points, in the dataset or in memory */
    uint64_t count, covered;
    vz_virtual_piece *pieces;
    size_t used, room;
} vz_virtual_plan;

/* Finds what takes part, and opens it. `plan` has the handle, rank and dims, and invalid ids; it is to be closed also
 * on failure. is_block: memory is H5S_BLOCK. */
bool vz_virtual_plan_open(vz_virtual_plan *plan, const vz_pair *pair, bool is_block, vz_error *err);
void vz_virtual_plan_close(vz_virtual_plan *plan);

#endif
