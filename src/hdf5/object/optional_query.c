/* optional_query.c - opt_query: truthful per operation. */
#include "hdf5/object/object_internal.h"

/* How each answered operation behaves, for HDF5's H5VLquery_optional. */
enum { READS = H5VL_OPT_QUERY_SUPPORTED | H5VL_OPT_QUERY_QUERY_METADATA };

static bool object_known(int op)
{
    return op >= H5VL_NATIVE_OBJECT_GET_COMMENT && op <= H5VL_NATIVE_OBJECT_GET_NATIVE_INFO;
}

herr_t vz_opt_query(vz_object *obj, H5VL_subclass_t subclass, int op, uint64_t *flags, vz_error *err)
{
    (void)obj;
    (void)err;
    bool known = false;
    switch (subclass) {
    case H5VL_SUBCLS_ATTR:
        known = op == H5VL_NATIVE_ATTR_ITERATE_OLD;
        break;
    case H5VL_SUBCLS_DATASET:
        known = vz_obj_dataset_optional_known(op);
        break;
    case H5VL_SUBCLS_FILE:
        known = vz_obj_file_optional_known(op);
        break;
    case H5VL_SUBCLS_GROUP:
        known = op == H5VL_NATIVE_GROUP_ITERATE_OLD || op == H5VL_NATIVE_GROUP_GET_OBJINFO;
        break;
    case H5VL_SUBCLS_OBJECT:
        known = object_known(op);
        break;
    default:
        break;
    }
    *flags = known ? READS : 0;
    return 0;
}
