/* introspect.c - what the connector says about itself. */
#include "vol/class.h"
#include "vol/vol.h"

/* Only what works: each flag is held to by HDF5's own API tests. */
const uint64_t vz_vol_capabilities =
    H5VL_CAP_FLAG_FILE_BASIC | H5VL_CAP_FLAG_FILE_MORE | H5VL_CAP_FLAG_GROUP_BASIC | H5VL_CAP_FLAG_GROUP_MORE |
    H5VL_CAP_FLAG_DATASET_BASIC | H5VL_CAP_FLAG_DATASET_MORE | H5VL_CAP_FLAG_ATTR_BASIC | H5VL_CAP_FLAG_ATTR_MORE |
    H5VL_CAP_FLAG_LINK_BASIC | H5VL_CAP_FLAG_LINK_MORE | H5VL_CAP_FLAG_OBJECT_BASIC | H5VL_CAP_FLAG_OBJECT_MORE |
    H5VL_CAP_FLAG_CREATION_ORDER | H5VL_CAP_FLAG_ITERATE | H5VL_CAP_FLAG_STORAGE_SIZE | H5VL_CAP_FLAG_BY_IDX |
    H5VL_CAP_FLAG_GET_PLIST | H5VL_CAP_FLAG_FLUSH_REFRESH | H5VL_CAP_FLAG_FILTERS | H5VL_CAP_FLAG_FILL_VALUES |
    H5VL_CAP_FLAG_STORED_DATATYPES | H5VL_CAP_FLAG_MOUNT | H5VL_CAP_FLAG_SOFT_LINKS | H5VL_CAP_FLAG_HARD_LINKS |
    H5VL_CAP_FLAG_EXTERNAL_LINKS | H5VL_CAP_FLAG_UD_LINKS | H5VL_CAP_FLAG_TRACK_TIMES;

/* TERM: while the gateway stands for our objects they pass for native ones, so that the calls of the 1.10 API, which
 * h5py and PyTables are built with, are not refused. */
static herr_t get_conn_cls(void *obj, H5VL_get_conn_lvl_t level, const H5VL_class_t **class)
{
    const H5VL_class_t *terminal = NULL;
    if (obj && level == H5VL_GET_CONN_LVL_TERM)
        terminal = vz_vol_ops(obj)->terminal_class(obj);
    *class = terminal ? terminal : vz_vol_class();
    return 0;
}

static herr_t get_cap_flags(VOL_UNUSED const void *info, uint64_t *flags)
{
    *flags = vz_vol_capabilities;
    return 0;
}

static herr_t opt_query(void *obj, H5VL_subclass_t subclass, int op, uint64_t *flags)
{
    vz_error err = VZ_ERROR_NONE;
    *flags = 0;
    return vz_vol_status(vz_vol_ops(obj)->opt_query(obj, subclass, op, flags, &err), &err, __func__);
}

const H5VL_introspect_class_t vz_vol_introspect_class = {
    .get_conn_cls = get_conn_cls,
    .get_cap_flags = get_cap_flags,
    .opt_query = opt_query,
};
