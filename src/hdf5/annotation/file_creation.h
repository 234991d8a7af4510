/* file_creation.h - settings of a file creation list that mean something to HDF5 files only: free space, sizes of
 * addresses, trees. A store has no use for them and keeps them for who asks. */
#ifndef VZ_ANNOTATION_FILE_CREATION_H
#define VZ_ANNOTATION_FILE_CREATION_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"

/* Puts what differs from HDF5's defaults into the root's annotation ("fc"); the caller marks it as changed. */
bool vz_file_settings_store(vz_node *root, hid_t fcpl, vz_error *err);
/* Sets in `fcpl`, a new list, what the annotation says; an entry that HDF5 does not accept counts for nothing. */
void vz_file_settings_show(const vz_node *root, hid_t fcpl);

#endif
