/* storage_type.h - what a new dataset of an HDF5 type is stored as, in the dialect of its store. */
#ifndef VZ_DIALECTS_STORAGE_TYPE_H
#define VZ_DIALECTS_STORAGE_TYPE_H

#include "hdf5/dialects/convention_writer.h"
#include "hdf5/types/type_map.h"

/* What a dataset of an HDF5 type becomes. */
typedef struct vz_type_plan {
    /* Set by the caller: */
    const vz_writer *writer; /* NULL: plain, format 2 */
    bool null;               /* the dataspace will be H5S_NULL (tells in zarr_dtype only) */
    bool pickle_refs;        /* references as hdmf-zarr itself writes them, pickled */
    bool with_axes;          /* can store an array type as axes; without, such types are VZ_UNSUPPORTED */

    vz_dtype *dtype; /* owned */
    vz_json *codec;  /* object codec in numcodecs' form, the first of the array's codecs, or NULL; owned */
    vz_json *
        annotation; /* "t", or NULL when what shows the dtype by itself (vz_type_to_hdf5) is equal to the type; owned */
    vz_json *zarr_dtype; /* for writer->set_dtype; owned */

    /* A top-level array type is stored as extra trailing axes of the array: the caller appends axis[0..axes-1] to the
     * shape and to the chunk shape, and `dtype` is the element's. In the hdmf dialect the last of them may be a
     * compound's members (hdmf_types.h), and `row` is the dtype of as many elements as make one of them, which is to be
     * packed; else it is NULL. */
    unsigned axes;
    uint64_t axis[VZ_MAX_RANK];
    vz_dtype *row; /* owned */
} vz_type_plan;
/* VZ_UNSUPPORTED names what this type class cannot do yet (references, committed ...). Zero-initialise the rest of the
 * plan; true means that plan->dtype, ->zarr_dtype are there. */
bool vz_type_plan_make(vz_type_plan *plan, hid_t type, bool scalar, vz_error *err);
void vz_type_plan_clear(vz_type_plan *plan);

#endif
