/* attribute_walk.c - the attributes of an object: exists, delete, rename, iterate. */
#include "hdf5/h5/h5.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/handles/locate.h"
#include "hdf5/handles/handle.h"
#include <stdlib.h>

static bool delete_at(vz_node *node, const H5VL_attr_delete_by_idx_args_t *args, vz_error *err)
{
    char *name = vz_attr_name_at(node, args->idx_type, args->order, args->n, err);
    const bool ok = name && vz_attribute_delete(node, name, err);
    free(name);
    return ok;
}

typedef struct renaming {
    const vz_node *node;
    const char *from, *to;
    vz_error *err;
    bool ok;
} renaming;

/* Open handles of the attribute go on under its new name. */
static bool rename_handle(void *context, hid_t id, vz_object *object)
{
    (void)id;
    renaming *r = context;
    if (!vz_handle_is_zarr(object))
        return true;
    vz_handle *handle = vz_handle_of(object);
    if (handle->node != r->node || strcmp(handle->attribute.name, r->from) != 0)
        return true;
    return r->ok = vz_attribute_follow(&handle->attribute, r->to, r->err);
}

static bool rename_attribute(vz_node *node, const char *from, const char *to, vz_error *err)
{
    if (!vz_attribute_rename(node, from, to, err))
        return false;
    renaming r = {node, from, to, err, true};
    vz_object_each_id(H5I_ATTR, rename_handle, &r);
    return r.ok;
}

static herr_t call(vz_node *node, hid_t id, const char *name, const H5VL_attr_iterate_args_t *args, vz_error *err)
{
    H5A_info_t info;
    if (!vz_attribute_exists(node, name))
        return 0;
    if (!vz_attr_info(node, name, &info, err))
        return -1;
    const herr_t status = args->op(id, name, &info, args->op_data);
    if (status < 0)
        vz_fail(err, VZ_HDF5, "the operator failed");
    return status;
}

static herr_t iterate_names(const vz_handle *from, vz_node *node, const vz_names_snapshot *names,
                            const H5VL_attr_iterate_args_t *args, vz_error *err)
{
    hsize_t position = args->idx ? *args->idx : 0;
    if (position > 0 && position >= names->count) {
        vz_fail(err, VZ_INVALID, "invalid index: the object has %zu attributes", names->count);
        return -1;
    }
    if (!args->op && position < names->count)
        return vz_handle_status(vz_fail(err, VZ_INVALID, "no operator"));
    const hid_t id = vz_handle_id_open(from->file, node, err);
    if (id < 0)
        return -1;
    herr_t status = 0;
    while (status == 0 && position < names->count)
        status = call(node, id, names->at[position++], args, err);
    if (args->idx)
        *args->idx = position;
    vz_h5_close_quietly(id);
    return status;
}

static herr_t iterate(const vz_handle *from, vz_node *node, const H5VL_attr_iterate_args_t *args, vz_error *err)
{
    vz_names_snapshot names;
    if (!vz_names_of_attributes(&names, node, args->idx_type, args->order, err))
        return -1;
    const herr_t status = iterate_names(from, node, &names, args, err);
    vz_names_snapshot_clear(&names);
    return status;
}

static bool changes(H5VL_attr_specific_t op)
{
    return op == H5VL_ATTR_DELETE || op == H5VL_ATTR_DELETE_BY_IDX || op == H5VL_ATTR_RENAME;
}

/* NULL: any of them. */
static const char *name_wanted(const H5VL_attr_specific_args_t *args)
{
    switch (args->op_type) {
    case H5VL_ATTR_DELETE:
        return args->args.del.name;
    case H5VL_ATTR_EXISTS:
        return args->args.exists.name;
    case H5VL_ATTR_RENAME:
        return args->args.rename.old_name;
    default:
        return NULL;
    }
}

static herr_t specific(const vz_handle *from, vz_node *node, H5VL_attr_specific_args_t *args, vz_error *err)
{
    switch (args->op_type) {
    case H5VL_ATTR_DELETE:
        return vz_handle_status(vz_attribute_delete(node, args->args.del.name, err));
    case H5VL_ATTR_DELETE_BY_IDX:
        return vz_handle_status(delete_at(node, &args->args.delete_by_idx, err));
    case H5VL_ATTR_EXISTS:
        *args->args.exists.exists = vz_attribute_exists(node, args->args.exists.name);
        return 0;
    case H5VL_ATTR_ITER:
        return iterate(from, node, &args->args.iterate, err);
    case H5VL_ATTR_RENAME:
        return vz_handle_status(rename_attribute(node, args->args.rename.old_name, args->args.rename.new_name, err));
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "attribute operation %d", (int)args->op_type));
}

herr_t vz_attr_specific(vz_object *obj, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    const vz_handle *from = vz_handle_of(obj);
    vz_locate_result reached = {0};
    vz_locate_external there;
    if (changes(args->op_type) && !vz_handle_check_write(from, err))
        return -1;
    vz_node *node = vz_attr_owner(from, loc, name_wanted(args), &reached, err);
    if (!node)
        return vz_locate_external_by_loc(&there, from, &reached.out, loc, err)
                   ? VZ_THERE(&there, attr_specific, there.root, &there.loc, args, dxpl, err)
                   : -1;
    const herr_t status = specific(from, node, args, err);
    vz_node_unref(node);
    return status;
}

/* H5Aiterate1: obj is the object, not an attribute. */
static herr_t iterate_old(vz_node *node, const H5VL_native_attr_iterate_old_t *args, vz_error *err)
{
    vz_names_snapshot names;
    unsigned position = args->attr_num ? *args->attr_num : 0;
    if (!vz_netcdf_attributes_wanted(node, NULL, err) ||
        !vz_names_of_attributes(&names, node, H5_INDEX_CRT_ORDER, H5_ITER_INC, err))
        return -1;
    herr_t status = 0;
    if (position > 0 && position >= names.count)
        status =
            vz_handle_status(vz_fail(err, VZ_INVALID, "invalid index: the object has %zu attributes", names.count));
    else if (!args->op && position < names.count)
        status = vz_handle_status(vz_fail(err, VZ_INVALID, "no operator"));
    while (status == 0 && position < names.count) {
        const char *name = names.at[position++];
        if (vz_attribute_exists(node, name))
            status = args->op(args->loc_id, name, args->op_data);
        if (status < 0)
            vz_fail(err, VZ_HDF5, "the operator failed");
    }
    if (args->attr_num)
        *args->attr_num = position;
    vz_names_snapshot_clear(&names);
    return status;
}

herr_t vz_attr_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    const H5VL_native_attr_optional_args_t *native = args->args;
    if (args->op_type == H5VL_NATIVE_ATTR_ITERATE_OLD)
        return iterate_old(vz_handle_of(obj)->node, &native->iterate_old, err);
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "native attribute operation %d", args->op_type));
}
