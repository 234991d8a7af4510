/* hdf5_error.h - failures of HDF5 as ours, and ids given back. */
#ifndef VZ_CONVERT_HDF5_ERROR_H
#define VZ_CONVERT_HDF5_ERROR_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

/* A failure of the last HDF5 call: the text, and what its innermost record says. False. */
bool vz_h5_fail(vz_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Gives back any id that is one: what H5Dclose, H5Sclose ... do. What must not fail is closed by its own function. */
static inline void vz_id_close(hid_t id)
{
    if (id > 0)
        H5Idec_ref(id);
}

#endif
