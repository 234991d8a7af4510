/* unsupported.h - operations that a store answers with "unsupported". */
#ifndef VZ_OBJECT_UNSUPPORTED_H
#define VZ_OBJECT_UNSUPPORTED_H

#include "hdf5/handles/locate.h"

herr_t vz_blob_put(vz_object *obj, const void *buf, size_t size, void *blob_id, vz_error *err);
herr_t vz_blob_get(vz_object *obj, const void *blob_id, void *buf, size_t size, vz_error *err);
herr_t vz_blob_specific(vz_object *obj, void *blob_id, H5VL_blob_specific_args_t *args, vz_error *err);

#endif
