/* space_internal.h - space.h for this module alone. */
#ifndef VZ_DATASETS_SPACE_INTERNAL_H
#define VZ_DATASETS_SPACE_INTERNAL_H

#include "hdf5/datasets/space.h"

/* Grants the next `limit` elements of packed runs; their offsets count from 0 again. */
void vz_pair_runs_more(vz_pair_runs *runs, uint64_t limit);

/* The file side of the pair: the dataspace with its selection, or the dataset's extent. */
bool vz_dataset_file_space_take(vz_pair *pair, const vz_extent *extent, hid_t file_space, vz_error *err);

/* Has a regular hyperslab selection the elements of its description? */
bool vz_dataset_hyperslab_is_sound(hid_t space, unsigned rank, uint64_t count);

/* Is the selection sound, and inside the extent of its dataspace? */
bool vz_dataset_selection_check(hid_t space, uint64_t count, const char *which, vz_error *err);

/* The region with its elements packed one after the other in selection order (C order). */
void vz_dataset_region_pack(vz_region *region);

/* Copies elements between the memory selection and a packed buffer, `count` at a time, in
 * selection order. */
typedef struct vz_dataset_scatter vz_dataset_scatter;
vz_dataset_scatter *vz_dataset_scatter_open(const vz_pair *pair, size_t element_size, vz_error *err);
bool vz_dataset_scatter_out(vz_dataset_scatter *scatter, const void *packed, void *buffer, uint64_t count,
                            vz_error *err);
bool vz_dataset_scatter_in(vz_dataset_scatter *scatter, const void *buffer, void *packed, uint64_t count,
                           vz_error *err);
void vz_dataset_scatter_close(vz_dataset_scatter *scatter);

#endif
