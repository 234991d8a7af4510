/* vol.h - inside the room: the callbacks, one table a class, and how each of them ends.
 *
 * A callback translates its arguments into one call of the object's operations table and reports. Arguments that no
 * connector without asynchronous requests needs are named so that they may be unused. */
#ifndef VZ_VOL_VOL_H
#define VZ_VOL_VOL_H

#include "hdf5/h5/object.h"
#include <errno.h>

#define VOL_UNUSED __attribute__((unused))

extern const H5VL_info_class_t vz_vol_info_class;
extern const H5VL_wrap_class_t vz_vol_wrap_class;
extern const H5VL_attr_class_t vz_vol_attr_class;
extern const H5VL_dataset_class_t vz_vol_dataset_class;
extern const H5VL_datatype_class_t vz_vol_datatype_class;
extern const H5VL_file_class_t vz_vol_file_class;
extern const H5VL_group_class_t vz_vol_group_class;
extern const H5VL_link_class_t vz_vol_link_class;
extern const H5VL_object_class_t vz_vol_object_class;
extern const H5VL_blob_class_t vz_vol_blob_class;
extern const H5VL_token_class_t vz_vol_token_class;

static inline const vz_ops *vz_vol_ops(const void *obj)
{
    return ((const vz_object *)obj)->ops;
}

/* What every callback begins with, and the failure it reports. */
typedef struct vz_vol_call {
    int *errno_place; /* of the thread: asked for once */
    int errno_before; /* what succeeds leaves it so */
    vz_error err;
} vz_vol_call;

vz_vol_call vz_vol_begin(void);
/* The last act of a callback: passes the result on. Of a failure it pushes the record, after a success errno is as it
 * was: programs (Perl's PDL) take any other value for a failure. */
herr_t vz_vol_status(herr_t status, const vz_vol_call *call, const char *callback);
void *vz_vol_object(vz_object *object, const vz_vol_call *call, const char *callback);

/* Are the objects of a call with two of them (either may be NULL) of one kind? */
bool vz_vol_same_kind(const void *a, const void *b, const char *call, vz_error *err);

#endif
