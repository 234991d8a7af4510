/* class.h - the connector's class: what HDF5 gets from the plugin. */
#ifndef VZ_VOL_CLASS_H
#define VZ_VOL_CLASS_H

#include "hdf5/h5/h5.h"

/* The same table at each call. Makes no HDF5 call. */
const H5VL_class_t *vz_vol_class(void);

#endif
