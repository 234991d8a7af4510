/* wrap_object.c - native objects of any type; their tokens; the blobs of variable-length values
 * in native files. */
#include "hdf5/native/wrap_internal.h"

vz_object *vz_wrapped_object_open(vz_object *object, const vz_loc *loc, H5I_type_t *opened_type, hid_t dxpl,
                                  vz_error *err)
{
    void *native =
        VZ_NATIVE_CALL(object, vz_native_list_of(loc),
                       H5VLobject_open(vz_native_under(object), loc, vz_native_connector(), opened_type, dxpl, NULL));
    return vz_native_wrap(object, native, *opened_type, err);
}

herr_t vz_wrapped_object_copy(const vz_object_ends *ends, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(ends->src, H5I_INVALID_HID,
                       H5VLobject_copy(vz_native_under(ends->src), ends->src_loc, ends->src_name,
                                       vz_native_under(ends->dst), ends->dst_loc, ends->dst_name, vz_native_connector(),
                                       ends->ocpypl, ends->lcpl, ends->dxpl, NULL)),
        err);
}

/* GET_FILE answers the native file: the library looks it up among the ids, or wraps it itself. */
herr_t vz_wrapped_object_get(vz_object *object, const vz_loc *loc, H5VL_object_get_args_t *args, hid_t dxpl,
                             vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(object, vz_native_list_of(loc),
                       H5VLobject_get(vz_native_under(object), loc, vz_native_connector(), args, dxpl, NULL)),
        err);
}

/* REFRESH frees the wrapper, as with datasets. */
herr_t vz_wrapped_object_specific(vz_object *object, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl,
                                  vz_error *err)
{
    return vz_native_result(VZ_NATIVE_CALL_UNLESS(args->op_type == H5VL_OBJECT_VISIT, object, vz_native_list_of(loc),
                                                  H5VLobject_specific(vz_native_under(object), loc,
                                                                      vz_native_connector(), args, dxpl, NULL)),
                            err);
}

herr_t vz_wrapped_object_optional(vz_object *object, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl,
                                  vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(object, vz_native_list_of(loc),
                       H5VLobject_optional(vz_native_under(object), loc, vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_token_cmp(vz_object *object, const H5O_token_t *a, const H5O_token_t *b, int *result, vz_error *err)
{
    return vz_native_result(VZ_H5_QUIETLY(H5VLtoken_cmp(vz_native_under(object), vz_native_connector(), a, b, result)),
                            err);
}

herr_t vz_wrapped_token_to_str(vz_object *object, H5I_type_t type, const H5O_token_t *token, char **text, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLtoken_to_str(vz_native_under(object), type, vz_native_connector(), token, text)), err);
}

herr_t vz_wrapped_token_from_str(vz_object *object, H5I_type_t type, const char *text, H5O_token_t *token,
                                 vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLtoken_from_str(vz_native_under(object), type, vz_native_connector(), text, token)), err);
}

herr_t vz_wrapped_blob_put(vz_object *object, const void *buf, size_t size, void *blob_id, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLblob_put(vz_native_under(object), vz_native_connector(), buf, size, blob_id, NULL)), err);
}

herr_t vz_wrapped_blob_get(vz_object *object, const void *blob_id, void *buf, size_t size, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLblob_get(vz_native_under(object), vz_native_connector(), blob_id, buf, size, NULL)), err);
}

herr_t vz_wrapped_blob_specific(vz_object *object, void *blob_id, H5VL_blob_specific_args_t *args, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLblob_specific(vz_native_under(object), vz_native_connector(), blob_id, args)), err);
}
