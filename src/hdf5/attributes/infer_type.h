/* infer_type.h - the HDF5 type and shape that a JSON value has by itself. Private to this room. */
#ifndef VZ_ATTRIBUTES_INFER_TYPE_H
#define VZ_ATTRIBUTES_INFER_TYPE_H

#include "hdf5/h5/h5.h"
#include "base/util/json_parse.h"
#include "metadata/metadata/dtype.h"

typedef struct vz_inferred {
    enum {
        VZ_INFER_NULL,  /* null: H5S_NULL of float32 */
        VZ_INFER_EMPTY, /* lists without any value: float64, as h5py has it */
        VZ_INFER_BOOL,
        VZ_INFER_INT,
        VZ_INFER_UINT, /* beyond int64 */
        VZ_INFER_FLOAT,
        VZ_INFER_TEXT,
        VZ_INFER_REFERENCE, /* {"zarr_dtype": "object", "value": ...}: references, shaped as the lists in "value" */
        VZ_INFER_JSON,      /* objects, ragged or mixed lists: their JSON text as one string */
    } kind;
    unsigned rank;
    hsize_t dims[VZ_MAX_RANK];
} vz_inferred;

vz_inferred vz_infer(const vz_json *value);
/* The type for it: a new id. */
hid_t vz_inferred_type(const vz_inferred *inferred, vz_error *err);

/* Is `value` lists in lists of exactly these dimensions (rank 0: anything)? */
bool vz_json_has_dims(const vz_json *value, unsigned rank, const hsize_t *dims);

#endif
