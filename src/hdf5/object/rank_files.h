/* rank_files.h - files that several ranks opened together (H5Pset_fapl_mpio). Which calls all of them make is HDF5's rule:
 * those that change anything but elements. Such a call is one turn of each rank (hierarchy/nodes/node.h, vz_ranks_begin);
 * every other one is made by a rank alone, and no other one waits for it. */
#ifndef VZ_OBJECT_RANK_FILES_H
#define VZ_OBJECT_RANK_FILES_H

#include "hdf5/handles/handle.h"

/* The operations on such files, and on all that is in them. */
const vz_ops *vz_ranks_ops(void);

/* A list that says what this one does, but of one rank: copying one with mpio is a call of all ranks, and so is opening
 * with it. H5I_INVALID_HID with err set. */
hid_t vz_ranks_list_alone(hid_t fapl, vz_error *err);
/* After each rank has opened the store, with such a list: `fapl` is the one that the file shows. */
bool vz_ranks_opened(vz_object *file, hid_t fapl, vz_error *err);

/* H5Dread and H5Dwrite. What is written is in the store when a call returns. */
herr_t vz_ranks_move(const vz_datasets_call *call, vz_error *err);
/* H5Fclose: all write, and if all could, the file is closed. */
herr_t vz_ranks_close(vz_object *file, hid_t dxpl, vz_error *err);

#endif
