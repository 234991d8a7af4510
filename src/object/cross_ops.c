/* cross_ops.c - the operations that take a path: here first, and in the other file if the path leads there. */
#include "object/attribute.h"
#include "object/cross.h"
#include "object/dataset.h"
#include "object/datatype.h"
#include "object/group.h"
#include "object/link.h"
#include "object/object.h"

/* The value of an operation in the other file, which is left behind it. */
#define THERE(operation, ...)                                                                                          \
    __extension__({                                                                                                    \
        __auto_type value_ = there.root->ops->operation(__VA_ARGS__);                                                  \
        vz_there_leave(&there);                                                                                        \
        value_;                                                                                                        \
    })

vz_object *vz_cross_attr_create(vz_object *obj, const vz_loc *loc, const char *name, hid_t type, hid_t space,
                                hid_t acpl, hid_t aapl, hid_t dxpl, vz_error *err)
{
    vz_there there;
    vz_object *attr = vz_attr_create(obj, loc, name, type, space, acpl, aapl, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err)
               ? THERE(attr_create, there.root, &there.loc, name, type, space, acpl, aapl, dxpl, err)
               : attr;
}

vz_object *vz_cross_attr_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t aapl, hid_t dxpl,
                              vz_error *err)
{
    vz_there there;
    vz_object *attr = vz_attr_open(obj, loc, name, aapl, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err) ? THERE(attr_open, there.root, &there.loc, name, aapl, dxpl, err)
                                                  : attr;
}

herr_t vz_cross_attr_get(vz_object *obj, H5VL_attr_get_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_there there;
    H5VL_attr_get_args_t own = *args;
    vz_loc *loc = args->op_type == H5VL_ATTR_GET_INFO   ? &own.args.get_info.loc_params
                  : args->op_type == H5VL_ATTR_GET_NAME ? &own.args.get_name.loc_params
                                                        : NULL;
    const herr_t status = vz_attr_get(obj, args, dxpl, err);
    if (!loc || !vz_there_by_loc(&there, obj, loc, err))
        return status;
    *loc = there.loc;
    return THERE(attr_get, there.root, &own, dxpl, err);
}

herr_t vz_cross_attr_specific(vz_object *obj, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl,
                              vz_error *err)
{
    vz_there there;
    const herr_t status = vz_attr_specific(obj, loc, args, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err) ? THERE(attr_specific, there.root, &there.loc, args, dxpl, err)
                                                  : status;
}

vz_object *vz_cross_dataset_create(vz_object *obj, const vz_loc *loc, const char *name, hid_t lcpl, hid_t type,
                                   hid_t space, hid_t dcpl, hid_t dapl, hid_t dxpl, vz_error *err)
{
    vz_there there;
    vz_object *dataset = vz_dataset_new(obj, loc, name, lcpl, type, space, dcpl, dapl, dxpl, err);
    return vz_there_by_name(&there, obj, name, H5P_DEFAULT, err)
               ? THERE(dataset_create, there.root, &there.self, there.path, lcpl, type, space, dcpl, dapl, dxpl, err)
               : dataset;
}

vz_object *vz_cross_dataset_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t dapl, hid_t dxpl,
                                 vz_error *err)
{
    vz_there there;
    vz_object *dataset = vz_dataset_open(obj, loc, name, dapl, dxpl, err);
    return vz_there_by_name(&there, obj, name, dapl, err)
               ? THERE(dataset_open, there.root, &there.self, there.path, dapl, dxpl, err)
               : dataset;
}

vz_object *vz_cross_datatype_commit(vz_object *obj, const vz_loc *loc, const char *name, hid_t type, hid_t lcpl,
                                    hid_t tcpl, hid_t tapl, hid_t dxpl, vz_error *err)
{
    vz_there there;
    vz_object *committed = vz_datatype_commit(obj, loc, name, type, lcpl, tcpl, tapl, dxpl, err);
    return vz_there_by_name(&there, obj, name, H5P_DEFAULT, err)
               ? THERE(datatype_commit, there.root, &there.self, there.path, type, lcpl, tcpl, tapl, dxpl, err)
               : committed;
}

vz_object *vz_cross_datatype_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl,
                                  vz_error *err)
{
    vz_there there;
    vz_object *type = vz_datatype_open(obj, loc, name, tapl, dxpl, err);
    return vz_there_by_name(&there, obj, name, tapl, err)
               ? THERE(datatype_open, there.root, &there.self, there.path, tapl, dxpl, err)
               : type;
}

vz_object *vz_cross_group_create(vz_object *obj, const vz_loc *loc, const char *name, hid_t lcpl, hid_t gcpl,
                                 hid_t gapl, hid_t dxpl, vz_error *err)
{
    vz_there there;
    vz_object *group = vz_group_create(obj, loc, name, lcpl, gcpl, gapl, dxpl, err);
    return vz_there_by_name(&there, obj, name, H5P_DEFAULT, err)
               ? THERE(group_create, there.root, &there.self, there.path, lcpl, gcpl, gapl, dxpl, err)
               : group;
}

vz_object *vz_cross_group_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t gapl, hid_t dxpl,
                               vz_error *err)
{
    vz_there there;
    vz_object *group = vz_group_open(obj, loc, name, gapl, dxpl, err);
    return vz_there_by_name(&there, obj, name, gapl, err)
               ? THERE(group_open, there.root, &there.self, there.path, gapl, dxpl, err)
               : group;
}

herr_t vz_cross_group_get(vz_object *obj, H5VL_group_get_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_there there;
    H5VL_group_get_args_t own = *args;
    const herr_t status = vz_group_get(obj, args, dxpl, err);
    if (args->op_type != H5VL_GROUP_GET_INFO || !vz_there_by_loc(&there, obj, &args->args.get_info.loc_params, err))
        return status;
    own.args.get_info.loc_params = there.loc;
    return THERE(group_get, there.root, &own, dxpl, err);
}

herr_t vz_cross_group_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_there there;
    const herr_t status = vz_group_optional(obj, args, dxpl, err);
    if (err->class != VZ_ELSEWHERE || !args->args)
        return status;
    H5VL_native_group_optional_args_t own = *(H5VL_native_group_optional_args_t *)args->args;
    vz_loc *loc =
        args->op_type == H5VL_NATIVE_GROUP_ITERATE_OLD ? &own.iterate_old.loc_params : &own.get_objinfo.loc_params;
    if (!vz_there_by_loc(&there, obj, loc, err))
        return status;
    *loc = there.loc;
    H5VL_optional_args_t optional = {.op_type = args->op_type, .args = &own};
    return THERE(group_optional, there.root, &optional, dxpl, err);
}

/* A hard link whose place leads out of the store, and perhaps back into it. */
static herr_t hard_link_there(const H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl,
                              hid_t lapl, hid_t dxpl, vz_error *err)
{
    vz_there there;
    H5VL_link_create_args_t own = *args;
    if (!obj || !vz_there_by_loc(&there, obj, loc, err))
        return -1;
    if (!own.args.hard.curr_obj) /* H5L_SAME_LOC */
        own.args.hard.curr_obj = obj;
    if (vz_is_zarr(there.root))
        return THERE(link_create, &own, there.root, &there.loc, lcpl, lapl, dxpl, err);
    vz_there_leave(&there);
    return vz_status(vz_fail(err, VZ_INVALID, "a hard link cannot lead to another file"));
}

/* A hard link to what is in another file is refused, as in native; any other goes where its place is. */
herr_t vz_cross_link_create(H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl, hid_t lapl,
                            hid_t dxpl, vz_error *err)
{
    vz_there there;
    const herr_t status = vz_link_create(args, obj, loc, lcpl, lapl, dxpl, err);
    if (err->class == VZ_ELSEWHERE && args->op_type == H5VL_LINK_CREATE_HARD)
        return hard_link_there(args, obj, loc, lcpl, lapl, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err)
               ? THERE(link_create, args, there.root, &there.loc, lcpl, lapl, dxpl, err)
               : status;
}

herr_t vz_cross_link_get(vz_object *obj, const vz_loc *loc, H5VL_link_get_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_there there;
    const herr_t status = vz_link_get(obj, loc, args, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err) ? THERE(link_get, there.root, &there.loc, args, dxpl, err) : status;
}

herr_t vz_cross_link_specific(vz_object *obj, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl,
                              vz_error *err)
{
    vz_there there;
    const herr_t status = vz_link_specific(obj, loc, args, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err) ? THERE(link_specific, there.root, &there.loc, args, dxpl, err)
                                                  : status;
}

vz_object *vz_cross_object_open(vz_object *obj, const vz_loc *loc, H5I_type_t *opened_type, hid_t dxpl, vz_error *err)
{
    vz_there there;
    vz_object *object = vz_object_open(obj, loc, opened_type, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err) ? THERE(object_open, there.root, &there.loc, opened_type, dxpl, err)
                                                  : object;
}

herr_t vz_cross_object_get(vz_object *obj, const vz_loc *loc, H5VL_object_get_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_there there;
    const herr_t status = vz_object_get(obj, loc, args, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err) ? THERE(object_get, there.root, &there.loc, args, dxpl, err) : status;
}

/* An external link that leads nowhere is no failure for H5Oexists_by_name. */
herr_t vz_cross_object_specific(vz_object *obj, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl,
                                vz_error *err)
{
    vz_there there;
    herr_t status = vz_object_specific(obj, loc, args, dxpl, err);
    const bool is_question = args->op_type == H5VL_OBJECT_EXISTS && err->class == VZ_ELSEWHERE;
    if (vz_there_by_loc(&there, obj, loc, err))
        status = THERE(object_specific, there.root, &there.loc, args, dxpl, err);
    if (!is_question || status >= 0)
        return status;
    *args->args.exists.exists = false;
    *err = VZ_ERROR_NONE;
    return 0;
}

herr_t vz_cross_object_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl,
                                vz_error *err)
{
    vz_there there;
    const herr_t status = vz_object_optional(obj, loc, args, dxpl, err);
    return vz_there_by_loc(&there, obj, loc, err) ? THERE(object_optional, there.root, &there.loc, args, dxpl, err)
                                                  : status;
}
