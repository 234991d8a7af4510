/* fast_path.h - a few elements to or from a chunk that is in memory, as programs move them that go row by row. Private to
 * this room. */
#ifndef VZ_DATASETS_FAST_PATH_H
#define VZ_DATASETS_FAST_PATH_H

#include "hdf5/datasets/dataset.h"

/* Moves the elements if they are one box inside one such chunk, need no more than numbers converted, and lie side by
 * side in memory. Else *moved=false and nothing is done: the general way does it, and tells what is wrong with it. */
bool vz_quick_move(const vz_dataset_transfer *what, hid_t dxpl, bool reading, bool *moved, vz_error *err);

#endif
