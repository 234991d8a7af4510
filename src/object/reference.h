/* reference.h - H5R_ref_t, which only HDF5 makes and reads. */
#ifndef VZ_OBJECT_REFERENCE_H
#define VZ_OBJECT_REFERENCE_H

#include "map/reference.h"
#include "object/handle.h"

/* For elements on their way through a file: references made keep that file open until they are destroyed, as native
 * ones do. The maker lives as long as the file. */
vz_reference_maker vz_reference_maker_of(vz_file *file);

#endif
