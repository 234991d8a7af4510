/* class.c - the class, put together from the tables of the other files, and what the connector
 * says about itself. */
#include "hdf5/vol/vol_internal.h"
#include "H5VLzarr.h"

/* Only what works: each flag is held to by HDF5's own API tests. */
static const uint64_t capabilities =
    H5VL_CAP_FLAG_FILE_BASIC | H5VL_CAP_FLAG_FILE_MORE | H5VL_CAP_FLAG_GROUP_BASIC | H5VL_CAP_FLAG_GROUP_MORE |
    H5VL_CAP_FLAG_DATASET_BASIC | H5VL_CAP_FLAG_DATASET_MORE | H5VL_CAP_FLAG_ATTR_BASIC | H5VL_CAP_FLAG_ATTR_MORE |
    H5VL_CAP_FLAG_LINK_BASIC | H5VL_CAP_FLAG_LINK_MORE | H5VL_CAP_FLAG_OBJECT_BASIC | H5VL_CAP_FLAG_OBJECT_MORE |
    H5VL_CAP_FLAG_CREATION_ORDER | H5VL_CAP_FLAG_ITERATE | H5VL_CAP_FLAG_STORAGE_SIZE | H5VL_CAP_FLAG_BY_IDX |
    H5VL_CAP_FLAG_GET_PLIST | H5VL_CAP_FLAG_FLUSH_REFRESH | H5VL_CAP_FLAG_FILTERS | H5VL_CAP_FLAG_FILL_VALUES |
    H5VL_CAP_FLAG_STORED_DATATYPES | H5VL_CAP_FLAG_MOUNT | H5VL_CAP_FLAG_SOFT_LINKS | H5VL_CAP_FLAG_HARD_LINKS |
    H5VL_CAP_FLAG_EXTERNAL_LINKS | H5VL_CAP_FLAG_UD_LINKS | H5VL_CAP_FLAG_TRACK_TIMES | H5VL_CAP_FLAG_ASYNC |
    H5VL_CAP_FLAG_REF_BASIC | H5VL_CAP_FLAG_REF_MORE | H5VL_CAP_FLAG_OBJ_REF | H5VL_CAP_FLAG_REG_REF |
    H5VL_CAP_FLAG_ATTR_REF;

static H5VL_class_t own_class; /* filled in by vz_vol_class */

/* TERM: while the gateway stands for our objects they pass for native ones. So the calls of the
 * 1.10 API, which h5py and PyTables are built with, are not refused. */
static herr_t get_conn_cls(void *obj, H5VL_get_conn_lvl_t level, const H5VL_class_t **class)
{
    const H5VL_class_t *terminal = NULL;
    if (obj && level == H5VL_GET_CONN_LVL_TERM)
        terminal = vz_vol_ops(obj)->terminal_class(obj);
    *class = terminal ? terminal : &own_class;
    return 0;
}

static herr_t get_cap_flags(VOL_UNUSED const void *info, uint64_t *flags)
{
    *flags = capabilities;
    return 0;
}

static herr_t opt_query(void *obj, H5VL_subclass_t subclass, int op, uint64_t *flags)
{
    vz_vol_call call = vz_vol_begin();
    *flags = 0;
    return vz_vol_status(vz_vol_ops(obj)->opt_query(obj, subclass, op, flags, &call.err), &call, __func__);
}

static const H5VL_introspect_class_t introspect_class = {
    .get_conn_cls = get_conn_cls,
    .get_cap_flags = get_cap_flags,
    .opt_query = opt_query,
};

const H5VL_class_t *vz_vol_class(void)
{
    own_class = (H5VL_class_t){
        .version = H5VL_VERSION,
        .value = H5VL_ZARR_VALUE,
        .name = H5VL_ZARR_NAME,
        .conn_version = H5VL_ZARR_VERSION,
        .cap_flags = capabilities,
        .info_cls = vz_vol_info_class,
        .wrap_cls = vz_vol_wrap_class,
        .attr_cls = vz_vol_attr_class,
        .dataset_cls = vz_vol_dataset_class,
        .datatype_cls = vz_vol_datatype_class,
        .file_cls = vz_vol_file_class,
        .group_cls = vz_vol_group_class,
        .link_cls = vz_vol_link_class,
        .object_cls = vz_vol_object_class,
        .introspect_cls = introspect_class,
        .request_cls = vz_vol_request_class,
        .blob_cls = vz_vol_blob_class,
        .token_cls = vz_vol_token_class,
    };
    return &own_class;
}
