/* space.h - HDF5 dataspaces and selections in the terms of src/array/selection/selection.h. */
#ifndef VZ_DATASETS_SPACE_H
#define VZ_DATASETS_SPACE_H

#include "array/selection/selection.h"
#include "hdf5/h5/h5.h"

/* The dataset's current extent. rank 0: scalar; null: H5S_NULL, nothing can be selected. */
typedef struct vz_extent {
    unsigned rank;
    const uint64_t *dims;
    bool null;
    bool linear; /* contiguous or compact */
} vz_extent;

/* A file selection paired with a memory selection. Both lie inside their dataspaces and in the
 * dataset, and have equal counts. A file dataspace with another extent than the dataset is used
 * as native HDF5 does:
 * - Its extent is also that of memory if memory is H5S_ALL.
 * - Of contiguous and compact datasets it selects the elements at these offsets, counted in its
 *   own extent (`linear`).
 * - Of all others it selects the elements with these coordinates.
 * VZ_INVALID if native HDF5 would leave the dataset. */
typedef struct vz_pair {
    hid_t file, memory; /* dataspaces with the selections; memory is H5S_ALL's value when contiguous
                         * from 0 (H5S_BLOCK) */
    bool own_file;
    bool linear;            /* offsets in `file` are offsets in the dataset, and nothing is known of
                             * coordinates */
    uint64_t count;         /* elements selected */
    bool file_regular;      /* region's start, stride, count and block hold */
    bool memory_contiguous; /* the memory elements are neighbours in selection order, from
                             * memory_first on */
    uint64_t memory_first;
    bool is_region; /* file_regular, and region's memory part holds too */
    vz_region region;
} vz_pair;

/* Spaces as a VOL callback gets them: H5S_ALL, H5S_BLOCK (memory only) or an id; H5S_PLIST is
 * VZ_UNSUPPORTED. */
bool vz_pair_open(vz_pair *pair, const vz_extent *extent, hid_t mem_space, hid_t file_space, vz_error *err);
void vz_pair_close(vz_pair *pair);

/* ---- for selection_pairs.c and fast_path.c: the file side; and any selection of `count`
 * elements ---- */

/* Runs over the two selections in step; vz_pair_runs_next is a vz_run_source. `packed`: memory
 * offsets count 0, 1, 2 ... and only `limit` elements are given until vz_pair_runs_more grants
 * the next `limit`, numbered from 0 again. */
typedef struct vz_pair_runs vz_pair_runs;
vz_pair_runs *vz_pair_runs_open(const vz_pair *pair, bool packed, vz_error *err);
bool vz_pair_runs_next(void *runs, vz_point_run *out, size_t max, size_t *count, vz_error *err);
void vz_pair_runs_close(vz_pair_runs *runs);

#endif
