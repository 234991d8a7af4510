/* errors.h - HDF5's error stack across a clean-up: every HDF5 call clears it, also the ones that close things. */
#ifndef VZ_H5_ERRORS_H
#define VZ_H5_ERRORS_H

#include "h5/h5.h"
#include "util/error.h"

/* Takes HDF5's records aside if `err` says that they are what failed (VZ_HDF5); call before cleaning up ... */
hid_t vz_h5_errors_keep(const vz_error *err);
/* ... and put them back as the last act. */
void vz_h5_errors_restore(hid_t kept);

/* Closes an id of ours without touching the records: after a call that failed, or may have. */
void vz_h5_close_quietly(hid_t id);

#endif
