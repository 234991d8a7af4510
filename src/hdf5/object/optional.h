/* optional.h - the native connector's optional operations that objects of stores answer: what opt_query says. */
#ifndef VZ_OBJECT_OPTIONAL_H
#define VZ_OBJECT_OPTIONAL_H

#include "hdf5/h5/object.h"

bool vz_file_optional_known(int op);
bool vz_dataset_optional_known(int op);
herr_t vz_opt_query(vz_object *obj, H5VL_subclass_t subclass, int op, uint64_t *flags, vz_error *err);

#endif
