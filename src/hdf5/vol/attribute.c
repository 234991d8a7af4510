/* attribute.c - H5A callbacks. */
#include "hdf5/vol/vol_internal.h"

static void *attr_create(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t type, hid_t space, hid_t acpl,
                         hid_t aapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_creation with = {.type = type, .space = space, .cpl = acpl, .apl = aapl, .dxpl = dxpl};
    vz_object *attr = vz_vol_ops(obj)->attr_create(obj, loc, name, &with, &call.err);
    return vz_vol_object(attr, &call, __func__);
}

/* An attribute of an object that is open came with its documents. */
static vz_vol_call begin_asking(const void *obj, void **req)
{
    return vz_vol_begin_beside(vz_vol_may_ask(req) && vz_vol_may_be_beside(obj, false));
}

static bool is_usual(const H5VL_loc_params_t *loc)
{
    const hid_t lapl = loc->loc_data.loc_by_name.lapl_id;
    return loc->type == H5VL_OBJECT_BY_SELF ||
           (loc->type == H5VL_OBJECT_BY_NAME && (lapl == H5P_DEFAULT || lapl == H5P_LINK_ACCESS_DEFAULT));
}

static void *open_later(void *obj, const H5VL_loc_params_t *loc, const char *name, void **req, const char *caller)
{
    const char *path = loc->type == H5VL_OBJECT_BY_NAME ? loc->loc_data.loc_by_name.name : NULL;
    const vz_obj_later_open what = {obj, H5I_ATTR, path, name};
    return is_usual(loc) ? vz_vol_open_later(&what, req, caller) : NULL;
}

static void *attr_open(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t aapl, hid_t dxpl, void **req)
{
    const bool is_plain = aapl == H5P_DEFAULT || aapl == H5P_ATTRIBUTE_ACCESS_DEFAULT;
    void *later = is_plain ? open_later(obj, loc, name, req, __func__) : NULL;
    if (later)
        return later;
    vz_vol_call call = begin_asking(obj, req);
    return vz_vol_object(vz_vol_ops(obj)->attr_open(obj, loc, name, aapl, dxpl, &call.err), &call, __func__);
}

static bool read_later(void *attr, hid_t mem_type, void *buf, void **req, const char *caller)
{
    vz_vol_later l;
    if (!vz_vol_may_ask(req) || !vz_obj_is_pending(attr) || !vz_vol_later_begin(&l))
        return false;
    vz_obj_attribute_read_later(attr, mem_type, buf, &l.work);
    return vz_vol_later_end(&l, req, caller);
}

static herr_t attr_read(void *attr, hid_t mem_type, void *buf, hid_t dxpl, void **req)
{
    if (read_later(attr, mem_type, buf, req, __func__))
        return 0;
    vz_vol_call call = begin_asking(attr, req);
    return vz_vol_status(vz_vol_ops(attr)->attr_read(attr, mem_type, buf, dxpl, &call.err), &call, __func__);
}

static herr_t attr_write(void *attr, hid_t mem_type, const void *buf, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(attr)->attr_write(attr, mem_type, buf, dxpl, &call.err), &call, __func__);
}

static herr_t attr_get(void *obj, H5VL_attr_get_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->attr_get(obj, args, dxpl, &call.err), &call, __func__);
}

static herr_t attr_specific(void *obj, const H5VL_loc_params_t *loc, H5VL_attr_specific_args_t *args, hid_t dxpl,
                            void **req)
{
    const bool asks = req && args->op_type == H5VL_ATTR_EXISTS;
    const vz_obj_later_query what = {.op = VZ_OBJ_ATTRIBUTE_EXISTS,
                                     .attribute = asks ? args->args.exists.name : NULL,
                                     .exists = asks ? args->args.exists.exists : NULL};
    if (asks && vz_vol_ask_later(obj, loc, &what, req, __func__))
        return 0;
    vz_vol_call call = vz_vol_begin_beside(asks && vz_vol_may_ask(req) && vz_vol_may_be_beside(obj, false));
    return vz_vol_status(vz_vol_ops(obj)->attr_specific(obj, loc, args, dxpl, &call.err), &call, __func__);
}

static herr_t attr_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->attr_optional(obj, args, dxpl, &call.err), &call, __func__);
}

static herr_t attr_close(void *attr, hid_t dxpl, void **req)
{
    if (vz_vol_close_later(attr, req, __func__))
        return 0;
    vz_vol_call call = vz_vol_begin_beside(vz_vol_may_ask(req) && vz_vol_may_be_beside(attr, true));
    return vz_vol_status(vz_vol_ops(attr)->attr_close(attr, dxpl, &call.err), &call, __func__);
}

const H5VL_attr_class_t vz_vol_attr_class = {
    .create = attr_create,
    .open = attr_open,
    .read = attr_read,
    .write = attr_write,
    .get = attr_get,
    .specific = attr_specific,
    .optional = attr_optional,
    .close = attr_close,
};
