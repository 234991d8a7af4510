/* failed_object.c - the operations of an object that an event set could not open: HDF5 has it, and
 * each says why it is not there. Until it was tried all requests are finished before one of these
 * is called. */
#include "hdf5/object/object.h"
#include "hdf5/object/object_internal.h"
#include <stdlib.h>

static bool fail(const vz_object *object, vz_error *err)
{
    if (err && err->class == VZ_OK)
        *err = ((const vz_obj_pending *)object)->error;
    return false;
}

bool vz_obj_are_open(const vz_object *a, const vz_object *b, vz_error *err)
{
    return (!a || a->ops != vz_obj_pending_ops() || fail(a, err)) &&
           (!b || b->ops != vz_obj_pending_ops() || fail(b, err));
}

/* All do one thing, whatever else they are given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define FAILS(name, ...)                                                                                               \
    static herr_t name(vz_object *obj, __VA_ARGS__, vz_error *err)                                                     \
    {                                                                                                                  \
        return vz_handle_status(fail(obj, err));                                                                       \
    }
#define OPENS_NONE(name, ...)                                                                                          \
    static vz_object *name(vz_object *obj, const vz_loc *loc, __VA_ARGS__, vz_error *err)                              \
    {                                                                                                                  \
        fail(obj, err);                                                                                                \
        return NULL;                                                                                                   \
    }

OPENS_NONE(create_in, const char *name, const vz_creation *with)
OPENS_NONE(open_in, const char *name, hid_t list, hid_t dxpl)
OPENS_NONE(object_open, H5I_type_t *opened_type, hid_t dxpl)
FAILS(attr_read, hid_t mem_type, void *buf, hid_t dxpl)
FAILS(attr_write, hid_t mem_type, const void *buf, hid_t dxpl)
FAILS(attr_get, H5VL_attr_get_args_t *args, hid_t dxpl)
FAILS(attr_specific, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl)
FAILS(optional, H5VL_optional_args_t *args, hid_t dxpl)
FAILS(dataset_get, H5VL_dataset_get_args_t *args, hid_t dxpl)
FAILS(dataset_specific, H5VL_dataset_specific_args_t *args, hid_t dxpl)
FAILS(file_get, H5VL_file_get_args_t *args, hid_t dxpl)
FAILS(file_specific, H5VL_file_specific_args_t *args, hid_t dxpl)
FAILS(group_get, H5VL_group_get_args_t *args, hid_t dxpl)
FAILS(group_specific, H5VL_group_specific_args_t *args, hid_t dxpl)
FAILS(link_get, const vz_loc *loc, H5VL_link_get_args_t *args, hid_t dxpl)
FAILS(link_specific, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl)
FAILS(link_optional, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl)
FAILS(object_get, const vz_loc *loc, H5VL_object_get_args_t *args, hid_t dxpl)
FAILS(object_specific, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl)

static herr_t datasets_move(const vz_h5_datasets_call *call, vz_error *err)
{
    return vz_handle_status(fail(call->dset[0], err));
}

static herr_t link_create(H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl, hid_t lapl,
                          hid_t dxpl, vz_error *err)
{
    const vz_object *target = args->op_type == H5VL_LINK_CREATE_HARD ? args->args.hard.curr_obj : NULL;
    return vz_handle_status(fail(obj ? obj : target, err));
}

static herr_t between_links(const vz_h5_link_ends *ends, vz_error *err)
{
    return vz_handle_status(fail(ends->src ? ends->src : ends->dst, err));
}

static herr_t object_copy(const vz_object_ends *ends, vz_error *err)
{
    return vz_handle_status(fail(ends->src, err));
}

static herr_t close_failed(vz_object *object, hid_t dxpl, vz_error *err)
{
    free(object);
    return 0;
}

static void replace_in_groups(vz_ops *ops)
{
    ops->dataset_create = ops->datatype_commit = ops->group_create = ops->attr_create = create_in;
    ops->dataset_open = ops->datatype_open = ops->group_open = ops->attr_open = open_in;
    ops->object_open = object_open;
    ops->group_get = group_get;
    ops->group_specific = group_specific;
    ops->link_create = link_create;
    ops->link_copy = ops->link_move = between_links;
    ops->link_get = link_get;
    ops->link_specific = link_specific;
    ops->link_optional = ops->object_optional = link_optional;
}

/* How the library looks at an object, tokens and blobs need no open object: they are as in
 * stores. */
const vz_ops *vz_obj_pending_ops(void)
{
    static vz_ops ops;
    if (ops.dataset_close)
        return &ops;
    ops = vz_obj_zarr_ops;
    ops.kind = VZ_OPS_FAILED;
    replace_in_groups(&ops);
    ops.attr_read = attr_read;
    ops.attr_write = attr_write;
    ops.attr_get = attr_get;
    ops.attr_specific = attr_specific;
    ops.attr_optional = ops.dataset_optional = ops.file_optional = ops.group_optional = optional;
    ops.datasets_move = datasets_move;
    ops.datasets_start = NULL;
    ops.dataset_get = dataset_get;
    ops.dataset_specific = dataset_specific;
    ops.file_get = file_get;
    ops.file_specific = file_specific;
    ops.object_copy = object_copy;
    ops.object_get = object_get;
    ops.object_specific = object_specific;
    ops.dataset_close = ops.group_close = ops.attr_close = close_failed;
    return &ops;
}
