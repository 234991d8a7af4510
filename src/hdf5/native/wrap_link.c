/* wrap_link.c - links of native files. */
#include "hdf5/native/wrap_internal.h"

herr_t vz_wrapped_link_create(H5VL_link_create_args_t *args, vz_object *object, const vz_loc *loc, hid_t lcpl,
                              hid_t lapl, hid_t dxpl, vz_error *err)
{
    H5VL_link_create_args_t own = *args;
    if (own.op_type == H5VL_LINK_CREATE_HARD)
        own.args.hard.curr_obj = vz_native_under(own.args.hard.curr_obj);
    return vz_native_result(VZ_NATIVE_CALL(object, lapl,
                                           H5VLlink_create(&own, vz_native_under(object), loc, vz_native_connector(),
                                                           lcpl, lapl, dxpl, NULL)),
                            err);
}

herr_t vz_wrapped_link_copy(const vz_h5_link_ends *ends, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(ends->src ? ends->src : ends->dst, ends->lapl,
                       H5VLlink_copy(vz_native_under(ends->src), ends->src_loc, vz_native_under(ends->dst),
                                     ends->dst_loc, vz_native_connector(), ends->lcpl, ends->lapl, ends->dxpl, NULL)),
        err);
}

herr_t vz_wrapped_link_move(const vz_h5_link_ends *ends, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(ends->src ? ends->src : ends->dst, ends->lapl,
                       H5VLlink_move(vz_native_under(ends->src), ends->src_loc, vz_native_under(ends->dst),
                                     ends->dst_loc, vz_native_connector(), ends->lcpl, ends->lapl, ends->dxpl, NULL)),
        err);
}

herr_t vz_wrapped_link_get(vz_object *object, const vz_loc *loc, H5VL_link_get_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(object, vz_native_list_of(loc),
                       H5VLlink_get(vz_native_under(object), loc, vz_native_connector(), args, dxpl, NULL)),
        err);
}

/* Iteration: the native connector calls the user's operator itself, with ids of objects that our
 * wrap context wrapped. */
herr_t vz_wrapped_link_specific(vz_object *object, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl,
                                vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL_UNLESS(args->op_type == H5VL_LINK_ITER, object, vz_native_list_of(loc),
                              H5VLlink_specific(vz_native_under(object), loc, vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_link_optional(vz_object *object, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl,
                                vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(object, vz_native_list_of(loc),
                       H5VLlink_optional(vz_native_under(object), loc, vz_native_connector(), args, dxpl, NULL)),
        err);
}
