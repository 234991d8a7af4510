/* class.h - the VOL class that the plugin hands to HDF5. */
#ifndef VZ_VOL_CLASS_H
#define VZ_VOL_CLASS_H

#include "h5/h5.h"

const H5VL_class_t *vz_vol_class(void);

#endif
