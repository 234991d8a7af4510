/* wrap_datatype.c - committed datatypes of native files. */
#include "hdf5/native/wrap_internal.h"

vz_object *vz_wrapped_datatype_commit(vz_object *object, const vz_loc *loc, const char *name, const vz_creation *with,
                                      vz_error *err)
{
    return vz_native_wrap(
        object,
        VZ_NATIVE_CALL(object, with->apl,
                       H5VLdatatype_commit(vz_native_under(object), loc, vz_native_connector(), name, with->type,
                                           with->lcpl, with->cpl, with->apl, with->dxpl, NULL)),
        H5I_DATATYPE, err);
}

vz_object *vz_wrapped_datatype_open(vz_object *object, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl,
                                    vz_error *err)
{
    return vz_native_wrap(
        object,
        VZ_NATIVE_CALL(object, tapl,
                       H5VLdatatype_open(vz_native_under(object), loc, vz_native_connector(), name, tapl, dxpl, NULL)),
        H5I_DATATYPE, err);
}

herr_t vz_wrapped_datatype_get(vz_object *type, H5VL_datatype_get_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLdatatype_get(vz_native_under(type), vz_native_connector(), args, dxpl, NULL)), err);
}

/* REFRESH frees the wrapper, as with datasets. */
herr_t vz_wrapped_datatype_specific(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLdatatype_specific(vz_native_under(type), vz_native_connector(), args, dxpl, NULL)), err);
}

herr_t vz_wrapped_datatype_optional(vz_object *type, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLdatatype_optional(vz_native_under(type), vz_native_connector(), args, dxpl, NULL)), err);
}

herr_t vz_wrapped_datatype_close(vz_object *type, hid_t dxpl, vz_error *err)
{
    return vz_native_closed(VZ_H5_QUIETLY(H5VLdatatype_close(vz_native_under(type), vz_native_connector(), dxpl, NULL)),
                            type, err);
}
