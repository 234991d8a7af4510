/* selection_offset.h - the offset of H5Soffset_simple. A dataspace has it beside its selection, and half of HDF5's calls leave
 * it out: those that list a selection, project it or give its dataspace another extent. What goes through one of them
 * folds the offset into the selection first.
 */
#ifndef VZ_H5_SELECTION_OFFSET_H
#define VZ_H5_SELECTION_OFFSET_H

#include "hdf5/h5/h5.h"

/* The selection as the offset moves it, with no offset left. False: it is no dataspace, or the offset moves the
 * selection below zero. */
bool vz_selection_fold(hid_t space);
/* A copy whose offset is folded. */
hid_t vz_selection_copy(hid_t space);

#endif
