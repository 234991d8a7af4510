/* class.c - the class, put together from the tables of the other files. */
#include "vol/class.h"
#include "H5VLzarr.h"
#include "vol/vol.h"

const H5VL_class_t *vz_vol_class(void)
{
    static H5VL_class_t class;
    class = (H5VL_class_t){
        .version = H5VL_VERSION,
        .value = H5VL_ZARR_VALUE,
        .name = H5VL_ZARR_NAME,
        .conn_version = H5VL_ZARR_VERSION,
        .cap_flags = vz_vol_capabilities,
        .info_cls = vz_vol_info_class,
        .wrap_cls = vz_vol_wrap_class,
        .attr_cls = vz_vol_attr_class,
        .dataset_cls = vz_vol_dataset_class,
        .datatype_cls = vz_vol_datatype_class,
        .file_cls = vz_vol_file_class,
        .group_cls = vz_vol_group_class,
        .link_cls = vz_vol_link_class,
        .object_cls = vz_vol_object_class,
        .introspect_cls = vz_vol_introspect_class,
        .blob_cls = vz_vol_blob_class,
        .token_cls = vz_vol_token_class,
    };
    return &class;
}
