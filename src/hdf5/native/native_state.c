/* native_state.c - the native side of the one host this module serves. */
#include "hdf5/native/native_internal.h"
#include "H5VLzarr.h"

vz_native_state vz_native;

bool vz_gateway_is_on(void)
{
    return vz_native.gateway;
}

bool vz_gateway_is_made(void)
{
    return vz_native.file != NULL;
}

hid_t vz_native_connector(void)
{
    return vz_native.connector;
}

const H5VL_class_t *vz_native_class(void)
{
    return vz_native.class;
}

bool vz_native_learn_class(void *object)
{
    return vz_native.class ||
           H5VLintrospect_get_conn_cls(object, vz_native.connector, H5VL_GET_CONN_LVL_TERM, &vz_native.class) >= 0;
}

hid_t vz_native_own_connector(void)
{
    if (vz_native.own_connector <= 0)
        vz_native.own_connector = H5VLget_connector_id_by_name(H5VL_ZARR_NAME);
    return vz_native.own_connector;
}
